"""Inflection against treebanks.

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

from common import miss, need, share
from pairwright.core.ids import read_toml
from pairwright.languages import resource
from pairwright.languages.features import Tagset, show_features
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
    """How often inflection is right, by the dictionary and by treebanks alone, over the treebanks of a language."""
    outcomes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for path in sorted((data / "treebanks").glob("*.conllu")):
        code, cells = path.stem[:2], cells_of(treebank_tokens(path))
        own, others = halves(path, 0.8, 1)
        seen = {(word.form, word.analysis.lemma) for word in own}
        unseen = [cell for cell in cells_of(others) if (cell.form, cell.analysis.lemma) not in seen]
        asked = [(f"{code}, held out", Inflector((), own), cells_of(own), unseen)]
        if code == "lt":
            asked.append(("lt, dictionary", Inflector((hunspell(data),)), cells, cells))
        for name, inflector, given, wanted in asked:
            outcomes[name, "lemma"].update(outcome(Question(cell), inflector) for cell in wanted)
            outcomes[name, "change"].update(outcome(question, inflector) for question in changes(wanted, given))
    rows = []
    for (name, kind), found in outcomes.items():
        answered = found["right"] + found["other form"]
        figures = {key: share(found[key], found.total()) for key in ("right", "other form")}
        rows.append({"by": name, "asked": kind, **figures, "right of answers": share(found["right"], answered)})
    return pd.DataFrame(rows)
