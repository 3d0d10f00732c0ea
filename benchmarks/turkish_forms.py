"""Writes the forms of a Turkish treebank's nouns and verbs as a CoNLL-U lexicon in the features of IMST, by zemberek.

    python benchmarks/turkish_forms.py TREEBANK.conllu OUT.conllu

It needs `zemberek-python` (and `setuptools<81`), in an environment of its own, and no other package. Name the file in
pairwright.toml: `[[morphology.tr]]`, `kind = "conllu"`, `path = "OUT.conllu"`.
"""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

CASES = ("Nom", "Acc", "Dat", "Loc", "Abl", "Gen")
POSSESSORS = {
    f"P{person}{number}": (person, name) for person in "123" for number, name in (("sg", "Sing"), ("pl", "Plur"))
}
PERSONS = {
    f"A{person}{number}": (person, name) for person in "123" for number, name in (("sg", "Sing"), ("pl", "Plur"))
}
TENSES = {
    "Past": "Aspect=Perf|Mood=Ind|Tense=Past",
    "Prog1": "Aspect=Prog|Mood=Ind|Polite=Infm|Tense=Pres",
    "Aor": "Aspect=Hab|Mood=Ind|Tense=Pres",
    "Fut": "Aspect=Perf|Mood=Ind|Tense=Fut",
    "Narr": "Aspect=Perf|Evident=Nfh|Mood=Ind|Tense=Past",
}
Cell = tuple[tuple[str, ...], str]
"""The morphemes of a form behind its stem, and its features."""


def noun_cells() -> Iterator[Cell]:
    """The cells of a noun: number, possessor and case."""
    for number, possessor, case in product(("A3sg", "A3pl"), ("Pnon", *POSSESSORS), CASES):
        features = {"Case": case, "Number": PERSONS[number][1], "Person": "3"}
        if possessor != "Pnon":
            person, psor = POSSESSORS[possessor]
            features |= {"Number[psor]": psor, "Person[psor]": person}
        yield ("Noun", number, possessor, case), show(features)


def verb_cells() -> Iterator[Cell]:
    """The finite cells of a verb, and its participle in -DIK by possessor and case."""
    for (tense, features), (agreement, (person, number)), negative in product(
        TENSES.items(), PERSONS.items(), (False, True)
    ):
        own = {"Number": number, "Person": person, "Polarity": "Neg" if negative else "Pos"}
        given = dict(feature.split("=") for feature in features.split("|"))
        yield ("Verb", *(("Neg",) if negative else ()), tense, agreement), show(given | own)
    for possessor, (person, number) in POSSESSORS.items():
        for case in ("Nom", "Acc", "Dat", "Abl", "Loc"):
            own = {
                "Aspect": "Perf",
                "Case": case,
                "Mood": "Ind",
                "Polarity": "Pos",
                "Tense": "Past",
                "VerbForm": "Part",
            }
            own |= {"Number[psor]": number, "Person[psor]": person}
            yield ("Verb", "PastPart", "Noun", "A3sg", possessor, case), show(own)


def show(features: dict[str, str]) -> str:
    return "|".join(f"{name}={value}" for name, value in sorted(features.items(), key=lambda item: item[0].lower()))


def lemmas(treebank: Path) -> dict[str, list[str]]:
    """The lemmas of nouns and verbs, by part of speech, in alphabetical order."""
    found: dict[str, set[str]] = {"NOUN": set(), "VERB": set()}
    for line in treebank.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if len(columns) == 10 and columns[3] in found:
            found[columns[3]].add(columns[2])
    return {upos: sorted(words) for upos, words in found.items()}


def main() -> None:
    from zemberek import TurkishMorphology
    from zemberek.morphology.generator.word_generator import WordGenerator

    morphology: Any = TurkishMorphology.create_with_defaults()
    generator, names = WordGenerator(morphology.morphotactics), morphology.morphotactics.morpheme_map
    cells = {"NOUN": list(noun_cells()), "VERB": list(verb_cells())}
    kinds = {"NOUN": "Noun", "VERB": "Verb"}
    rows: list[str] = []
    for upos, words in lemmas(Path(sys.argv[1])).items():
        for lemma in words:
            for item in [
                it for it in morphology.lexicon.item_set if it.root == lemma and it.id_.endswith(f"_{kinds[upos]}")
            ]:
                for morphemes, features in cells[upos]:
                    for result in generator.generate(item=item, morphemes=tuple(names[name] for name in morphemes)):
                        rows.append(f"{result.surface}\t{lemma}\t{upos}\t_\t{features}")
    text = "".join(f"1\t{row}\t0\troot\t_\t_\n\n" for row in dict.fromkeys(rows))
    Path(sys.argv[2]).write_text(text, encoding="utf-8")
    print(f"{len(rows):,} forms")


if __name__ == "__main__":
    main()
