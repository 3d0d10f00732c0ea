"""How often inflection is right, and how fast it is.

    python benchmarks/inflection.py TREEBANK.conllu --dictionary lt-LT.dic [--tagset lt-hunspell]
    python benchmarks/inflection.py TREEBANK.conllu

With a dictionary, it alone inflects. Without one, four fifths of the treebank's sentences do, by their words and the
paradigms that these show, and what is asked for are words of the last fifth that the others lack; `--seed` draws the
fifth. Asked are:

lemma   each different word of the treebank, from its lemma, part of speech and features
change  each different word, from another word of the same lemma, in which one or two features have another value

`right` is the treebank's form, capitals aside; `other form` may be a variant, or a mistake of the treebank. Times are
processor times.
"""

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pairwright.core.toml import read_toml
from pairwright.languages import resource
from pairwright.languages.features import Features, Tagset, show_features
from pairwright.languages.morphology.hunspell import HunspellLexicon
from pairwright.languages.morphology.inflection import Inflected, Inflector, NotInflected
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis, treebank_tokens

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


def all_bundles(words: Iterable[AnalysedForm]) -> Iterator[Question]:
    """Each noun in each bundle that a noun with the same values of other features than Case and Number has."""
    nouns = [word.analysis for word in words if word.analysis.upos == "NOUN"]
    bundles: defaultdict[Features, set[Features]] = defaultdict(set)
    for noun in nouns:
        bundles[inherent(noun.features)].add(noun.features)
    lexemes = dict.fromkeys((noun.lemma, inherent(noun.features)) for noun in nouns)
    for lemma, own in lexemes:
        for features in sorted(bundles[own], key=show_features):
            yield Question(AnalysedForm("", Analysis(lemma, "NOUN", features, "", "")))


def inherent(features: Features) -> Features:
    return frozenset(feature for feature in features if feature[0] not in ("Case", "Number"))


def names(cell: AnalysedForm) -> set[str]:
    return {name for name, _ in cell.analysis.features}


def report(title: str, questions: list[Question], inflector: Inflector, shown: int) -> None:
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    wrong: list[str] = []
    for question in questions:
        answer = question.answer(inflector)
        form = question.wanted.form
        if isinstance(answer, NotInflected):
            # A form that is the same in writing is known, only not a changed one.
            same = answer.reason == "same in writing" and question.given and question.given.form == form
            outcomes["right" if same else "not inflected"] += 1
            reasons[answer.reason.partition(":")[0].partition("'")[0].strip()] += not same
        else:
            right = answer.form.casefold() == form.casefold()
            outcomes["right" if right else "other form"] += 1
            if not right:
                given = question.given.form if question.given else question.wanted.analysis.lemma
                wrong.append(f"{given} -> {answer.form}, not {form} {show_features(question.wanted.analysis.features)}")
    total = len(questions)
    kinds = ("right", "not inflected", "other form")
    print(f"{title}: {total} asked; " + ", ".join(f"{outcomes[kind] / total:.1%} {kind}" for kind in kinds), end="; ")
    answered = outcomes["right"] + outcomes["other form"]
    print(f"{outcomes['right'] / answered:.1%} of {answered} answers right" if answered else "no answers")
    print("   not inflected:", ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(5)))
    for line in wrong[:shown]:
        print("  ", line)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def speed(title: str, questions: list[Question], inflector: Inflector) -> None:
    spent = seconds(lambda: [question.answer(inflector) for question in questions])
    print(f"{len(questions):,} questions, {title}: {len(questions) / spent:,.0f} a second")


def cells_of(words: Iterable[AnalysedForm]) -> list[AnalysedForm]:
    return [word for word in dict.fromkeys(words) if word.analysis.upos in INFLECTED and word.analysis.features]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("--dictionary", type=Path)
    parser.add_argument("--tagset", default="lt-hunspell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="how many other forms are shown")
    arguments = parser.parse_args()
    if arguments.dictionary:
        tagset = read_toml(resource("tagsets", arguments.tagset, None), Tagset)
        inflector = Inflector((HunspellLexicon(arguments.dictionary, tagset.meaning),))
        asked = given = cells_of(treebank_tokens(arguments.treebank))
    else:
        words, held_out = halves(arguments.treebank, 0.8, arguments.seed)
        inflector = Inflector((), words)
        seen = {(word.form, word.analysis.lemma) for word in words}
        given = cells_of(words)
        asked = [cell for cell in cells_of(held_out) if (cell.form, cell.analysis.lemma) not in seen]
    from_lemma, from_form = [Question(cell) for cell in asked], list(changes(asked, given))
    speed("lemma, each for the first time", from_lemma, inflector)
    speed("change, of words that were asked for before", from_form, inflector)
    speed("nouns, each in all bundles of its gender", list(all_bundles(given)), inflector)
    speed("the same again", from_lemma + from_form, inflector)
    report("lemma", from_lemma, inflector, arguments.show)
    report("change", from_form, inflector, arguments.show)


if __name__ == "__main__":
    main()
