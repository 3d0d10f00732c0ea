"""How well a grammar's own words tell its language, where there is no dictionary.

    python benchmarks/attested_words.py [FOLDER]

The sentences are ours (data/attested_words.tsv): a small "grammar" of Zulu, new sentences with other inflections of its
words, and sentences in Swahili, a relative, in Lithuanian and in English. FOLDER holds the two books of
`grammar_text.py`: every fifth example is held out, and the rest of the book is asked about it. Many of these have words
that the book has nowhere else, as no pair should have that is made of a book's words; so those of two or more words
with at most one such word are counted by themselves.
"""

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path

from grammar_text import BOOKS, read
from made_records import make_candidate
from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.records import Block
from pairwright.core.text import words
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.morphemes import plain_sentence

SENTENCES = Path(__file__).parent / "data" / "attested_words.tsv"
_ANY = Language(code="qaa", name="Any", autonym="Any")


def refused(sentence: str, attested: AttestedWords) -> bool:
    """Whether a pair with this good sentence is stopped."""
    pair = make_candidate(sentence, "", changes=(), method="llm")
    (checked,) = check_pairs([pair], {}, _ANY, CheckSettings(), attested=attested)
    return "language-unlike-source" in {finding.check for finding in checked.findings}


def share(sentences: Iterable[str], attested: AttestedWords) -> str:
    listed = list(sentences)
    return f"{sum(refused(sentence, attested) for sentence in listed)} of {len(listed)}"


def of_few_words(sentences: list[tuple[str, str, str]]) -> None:
    of = {role: [row for row in sentences if row[0] == role] for role in ("grammar", "new", "foreign")}
    attested = AttestedWords(sentence for _, _, sentence in of["grammar"])
    print(f"| {len(of['grammar'])} sentences of Zulu, {len(attested)} words | refused |\n|---|---:|")
    print(f"| new sentences of its words | {share((row[2] for row in of['new']), attested)} |")
    for language in dict.fromkeys(row[1] for row in of["foreign"]):
        print(f"| {language} | {share((row[2] for row in of['foreign'] if row[1] == language), attested)} |")


def of_book(blocks: list[Block], foreign: list[str]) -> tuple[str, ...]:
    """The figures of a book: its words, held-out examples refused, those with at most one new word, foreign ones."""
    examples = [block for block in blocks if block.gloss]
    held = {block.id for block in examples[::5]}
    attested = attested_words(block for block in blocks if block.id not in held)
    leaves = [leaf for block in examples[::5] if block.gloss for _, leaf in block.gloss.leaves() if not leaf.judgement]
    sentences = [sentence for leaf in leaves if words(sentence := plain_sentence(leaf))]
    new = {it: sum(not attested.attests(word) for word in words(it)) for it in sentences}
    made = [sentence for sentence in sentences if len(words(sentence)) > 1 and new[sentence] <= 1]
    return str(len(attested)), share(sentences, attested), share(made, attested), share(foreign, attested)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    arguments = parser.parse_args()
    with SENTENCES.open(encoding="utf-8", newline="") as handle:
        sentences = [(row["role"], row["language"], row["sentence"]) for row in csv.DictReader(handle, delimiter="\t")]
    of_few_words(sentences)
    if arguments.folder:
        foreign = [sentence for role, _, sentence in sentences if role == "foreign"]
        print("\n| book | words | held-out examples refused | with at most one new word | foreign sentences refused |")
        print("|---|---:|---:|---:|---:|")
        for name, file in BOOKS.items():
            print(f"| {name} | {' | '.join(of_book(read(arguments.folder / file)[1], foreign))} |")


if __name__ == "__main__":
    main()
