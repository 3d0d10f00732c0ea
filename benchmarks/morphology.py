"""Inflection and the analyser against treebanks, published pairs and spylls, which reads the same dictionary.

A dictionary inflects alone, or the words of four fifths of a treebank's sentences with the paradigms that these show;
then what is asked for are words of the last fifth that the others lack. Asked are, from lemma, part of speech and
features, each different word ("lemma"), and each from another word of its lemma, in which one or two features have
another value ("change"). Right is the treebank's form, capitals aside; another form may be a variant, or a mistake of
the treebank.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pandas as pd
from spylls.hunspell import Dictionary

from checks import Row, published_rows
from common import HERE, counts, lithuanian, measured, miss, need, share
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.text import words
from pairwright.core.toml import read_toml
from pairwright.languages import resource
from pairwright.languages.features import NO_FEATURES, Tagset, show_features
from pairwright.languages.linguistics.forms import changed_words
from pairwright.languages.morphology import Analyser, Analysis
from pairwright.languages.morphology.hunspell import HunspellLexicon
from pairwright.languages.morphology.inflection import Inflected, Inflector, NotInflected
from pairwright.languages.morphology.lexicon import AnalysedForm, treebank_tokens

INFLECTED = ("NOUN", "PROPN", "ADJ", "DET", "PRON", "NUM", "VERB", "AUX")


class Question(NamedTuple):
    """A form that is asked for; from another form with its features, or from the lemma."""

    wanted: AnalysedForm
    given: AnalysedForm | None = None

    def answer(self, inflector: Inflector) -> Inflected | NotInflected:
        lemma, upos, features, *_ = self.wanted.analysis
        if self.given is None:
            return inflector.inflect(lemma, upos or "", features)
        has = self.given.analysis.features
        return inflector.change(self.given.form, lemma, upos or "", has, features - has)


def halves(path: Path, share: float, seed: int) -> tuple[list[AnalysedForm], list[AnalysedForm]]:
    """The words of a part of the sentences, and of the others."""
    sentences = [sentence for sentence in path.read_text(encoding="utf-8").split("\n\n") if sentence.strip()]
    random.Random(seed).shuffle(sentences)
    cut = round(len(sentences) * share)
    with TemporaryDirectory() as folder:
        parts = Path(folder) / "one.conllu", Path(folder) / "other.conllu"
        for part, chosen in zip(parts, (sentences[:cut], sentences[cut:]), strict=True):
            part.write_text("\n\n".join(chosen) + "\n\n", encoding="utf-8")
        return list(treebank_tokens(parts[0])), list(treebank_tokens(parts[1]))


def changes(asked: Iterable[AnalysedForm], given: Iterable[AnalysedForm]) -> Iterator[Question]:
    """Questions for a word beside another one of its lemma, whose features have the same names."""
    by_lemma: defaultdict[tuple[str, str | None], list[AnalysedForm]] = defaultdict(list)
    for cell in given:
        by_lemma[cell.analysis[:2]].append(cell)
    for cell in asked:
        for other in by_lemma[cell.analysis[:2]]:
            if 0 < len(cell.analysis.features - other.analysis.features) <= 2 and names(cell) == names(other):
                yield Question(cell, other)


def names(cell: AnalysedForm) -> set[str]:
    return {name for name, _ in cell.analysis.features}


def outcome(question: Question, inflector: Inflector) -> str:
    """What comes of a question: right, not inflected, other form."""
    answer, form = question.answer(inflector), question.wanted.form
    if isinstance(answer, NotInflected):
        # A form that is the same in writing is known, only not a changed one.
        same = answer.reason == "same in writing" and question.given and question.given.form == form
        return "right" if same else "not inflected"
    if answer.form.casefold() == form.casefold():
        return "right"
    given = question.given.form if question.given else question.wanted.analysis.lemma
    miss(f"{given} -> {answer.form}, not {form} {show_features(question.wanted.analysis.features)}")
    return "other form"


def cells_of(found: Iterable[AnalysedForm]) -> list[AnalysedForm]:
    return [word for word in dict.fromkeys(found) if word.analysis.upos in INFLECTED and word.analysis.features]


def hunspell(data: Path) -> HunspellLexicon:
    tagset = read_toml(resource("tagsets", "lt-hunspell", None), Tagset)
    return HunspellLexicon(need(data / "morphology" / "lt-LT.dic"), tagset.meaning)


def inflection(data: Path) -> pd.DataFrame:
    """How often inflection is right, by the dictionary and by treebanks alone."""
    treebanks = {path.stem: path for path in sorted((data / "treebanks").glob("[lt][tr]_*.conllu"))}
    lithuanian_ones = {name: path for name, path in treebanks.items() if name.startswith("lt_")}
    asked = [(f"dictionary, {name}", path, True) for name, path in lithuanian_ones.items()]
    asked += [(f"held out, {name}", path, False) for name, path in treebanks.items()]
    rows = []
    for name, path, by_dictionary in asked:
        if by_dictionary:
            inflector, given = Inflector((hunspell(data),)), cells_of(treebank_tokens(path))
            wanted = given
        else:
            own, others = halves(path, 0.8, 1)
            inflector, given = Inflector((), own), cells_of(own)
            seen = {(word.form, word.analysis.lemma) for word in own}
            wanted = [cell for cell in cells_of(others) if (cell.form, cell.analysis.lemma) not in seen]
        for kind, questions in (("lemma", [Question(it) for it in wanted]), ("change", list(changes(wanted, given)))):
            found = Counter(outcome(question, inflector) for question in questions)
            answered = found["right"] + found["other form"]
            figures = {
                key: f"{found[key] / max(1, len(questions)):.1%}" for key in ("right", "not inflected", "other form")
            }
            of_answers = f"{found['right'] / max(1, answered):.1%}"
            rows.append(
                {"by": name, "asked": kind, "n": f"{len(questions):,}", **figures, "right of answers": of_answers}
            )
    return pd.DataFrame(rows)


def pairs(data: Path) -> pd.DataFrame:
    """What the analyser confirms of the published pairs, and what the checks say of them."""
    (language, analyser), rows = lithuanian(data), published_rows(data)
    with_cases = [row for row in rows if any(row.demand)]
    checked = list(check_pairs((row.candidate for row in rows), {}, language, CheckSettings(spelling=False)))
    found = [{it.check for it in pair.findings if it.check.startswith("morphology-")} or {"none"} for pair in checked]
    rejected = sum(
        any(it.level == "error" and it.check.startswith("morphology-") for it in pair.findings) for pair in checked
    )
    for row in rows:
        reason = one_lemma(row, analyser)
        if not reason and any(row.demand) and not as_the_rule_says(row, analyser):
            reason = "other cases than the rule's name says"
        if reason:
            miss(f"line {row.line}, {row.code}: {row.candidate.good} / {row.candidate.bad}: {reason}")
    return counts(
        {
            "pairs": len(rows),
            "same lemma, different case": share(sum(not one_lemma(row, analyser) for row in rows), len(rows)),
            "cases as the rule's name says": share(
                sum(as_the_rule_says(row, analyser) for row in with_cases), len(with_cases)
            ),
            "rejected by a morphological check": share(rejected, len(rows)),
            **{f"finding {name}": count for name, count in sorted(Counter(it for own in found for it in own).items())},
        }
    )


def coverage(data: Path) -> pd.DataFrame:
    """How many nouns of the treebanks the dictionary makes of lemma, case and number, and analyses so."""
    _, analyser = lithuanian(data)
    return pd.DataFrame(
        {"treebank": path.stem, **treebank_nouns(path, analyser)}
        for path in sorted((data / "treebanks").glob("lt_*.conllu"))
    )


def treebank_nouns(path: Path, analyser: Analyser) -> dict[str, str]:
    """How many nouns of a treebank the dictionary makes of lemma, case and number, and analyses so."""
    found = Counter[str]()
    lacking: dict[str, None] = {}
    for cell in treebank_tokens(path):
        asked = frozenset(item for item in cell.analysis.features if item[0] in ("Case", "Number"))
        if cell.analysis.upos != "NOUN" or len(asked) < 2 or not cell.form.isalpha():
            continue
        found["nouns"] += 1
        lemma = cell.analysis.lemma
        found["analysed"] += any(it.lemma == lemma and asked <= it.features for it in analyser.analyse(cell.form))
        if any(it.lemma == lemma for it in analyser.analyse(lemma)) or analyser.inflect(lemma, NO_FEATURES):
            found["known"] += 1
            made = cell.form in analyser.inflect(lemma, asked)
            found["made"] += made
            if not made:
                lacking[f"{cell.form} ({lemma}, {show_features(asked)})"] = None
    miss(f"not given: {'; '.join(lacking) or 'none'}")
    return {
        "nouns": str(found["nouns"]),
        "the dictionary has the lemma": share(found["known"], found["nouns"]),
        "lemma, case, number give the form": share(found["made"], found["known"]),
        "analysed as these": share(found["analysed"], found["nouns"]),
    }


def one_lemma(row: Row, analyser: Analyser) -> str:
    """Empty where a changed word is confirmed as another case of the same lemma, else the reason why not."""
    contrasts, good, bad = changed_words(row.candidate.good, row.candidate.bad, analyser)
    if any(cases(left) != cases(right) for pair in contrasts for left, right in pair.readings):
        return ""
    if contrasts:
        return "forms of one lemma that differ in other features than case"
    unknown = [word for word, _ in good + bad if not analyser.analyse(word)]
    if unknown:
        return f"not in the dictionary: {', '.join(unknown)}"
    replaced = " ".join(word for word, _ in good) or "nothing", " ".join(word for word, _ in bad) or "nothing"
    return f"other words: {replaced[0]} for {replaced[1]}"


def as_the_rule_says(row: Row, analyser: Analyser) -> bool:
    """Whether a changed word has a reading with the cases that the rule's name gives."""
    changed = changed_words(row.candidate.good, row.candidate.bad, analyser)
    return any(pair.showing(row.demand) for pair in changed.contrasts)


def cases(analysis: Analysis) -> set[str]:
    return {value for name, value in analysis.features if name == "Case"}


def lookups(data: Path) -> pd.DataFrame:
    """How many words a second are analysed, each once, beside spylls, which only looks them up."""
    text = (HERE / "texts" / "ocr_lt.txt").read_text(encoding="utf-8")
    forms = sorted({word for word in words(text) if word.isalpha()})
    path = need(data / "morphology" / "lt-LT.dic")
    rows = []
    for name, load in (
        ("pairwright", hunspell),
        ("spylls", lambda _: Dictionary.from_files(str(path.with_suffix("")))),
    ):
        loaded = measured(load, data)
        read = loaded.result.readings if name == "pairwright" else loaded.result.lookup
        spent = measured(lambda read=read: [read(form) for form in forms])
        figures = {"loaded in, s": f"{loaded.processor:.2f}", "words/s": f"{len(forms) / spent.processor:,.0f}"}
        rows.append({"reader": name, "words": len(forms), "known": sum(map(bool, spent.result)), **figures})
    return pd.DataFrame(rows)
