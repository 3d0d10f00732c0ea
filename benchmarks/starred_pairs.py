"""Starred examples of real grammar books and the pairs made from them: `python benchmarks/starred_pairs.py FOLDER`.

FOLDER holds the two books (both CC BY 4.0, langsci-press.org). Every star in them was judged by eye on the page.
`data/starred_pairs.tsv` keeps the pairs that a linguist would take from them as SHA-256 of the two sentences, so no
sentence of the books is copied here. `--show` prints the pairs and the rejected stars for such a judgement.
"""

import argparse
import csv
import hashlib
import unicodedata
from collections import Counter
from pathlib import Path

from grammar_text import BOOKS, read
from pairwright.records import Rejection
from pairwright.rules.starred.pairs import StarredPair, starred_pairs

TRUTH = Path(__file__).parent / "data" / "starred_pairs.tsv"


def pair_hash(good: str, bad: str) -> str:
    """The key of a pair: its letters without spaces and case, as 64 hexadecimal digits."""
    plain = ["".join(unicodedata.normalize("NFC", text).casefold().split()) for text in (good, bad)]
    return hashlib.sha256("\n".join(plain).encode()).hexdigest()


def kind(rejection: Rejection) -> str:
    """The reason of a rejection, without the sentence that it names."""
    return rejection.reason.removeprefix("starred: ").split(";")[0].split(" (the nearest")[0]


def show(pairs: list[StarredPair], rejected: list[Rejection]) -> None:
    for pair in pairs:
        example = pair.example
        print(f"  p. {example.evidence.page} ({pair.number}) {example.good} | {example.mark}{example.bad}")
        print(f"      {pair.introduction.text if pair.introduction else 'no prose'}")
        print(f"      {pair_hash(example.good, example.bad or '')}")
    for item in rejected:
        print(f"  p. {item.page} rejected: {kind(item)}: {' '.join(item.text.split())[:80]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="also each pair and each rejected star")
    arguments = parser.parse_args()
    with TRUTH.open(encoding="utf-8", newline="") as handle:
        truth = list(csv.DictReader(handle, delimiter="\t"))
    reasons: Counter[str] = Counter()
    rows = []
    for name, file in BOOKS.items():
        _, blocks = read(arguments.folder / file)
        pairs, rejected = starred_pairs(blocks)
        reasons.update(map(kind, rejected))
        expected = {row["pair"] for row in truth if row["book"] == file}
        made = {pair_hash(pair.example.good, pair.example.bad or "") for pair in pairs}
        introduced = sum(pair.introduction is not None for pair in pairs)
        counts = (len(pairs) + len(rejected), len(rejected), len(pairs), introduced)
        rows.append([name, *counts, len(expected), len(made & expected), len(made - expected)])
        if arguments.show:
            show(pairs, rejected)
    print("| book | starred | rejected | pairs | introduced by prose | pairs by eye | found | false |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|")
    print("\n| why a star makes no pair | stars |\n|---|---:|")
    for reason, count in reasons.most_common():
        print(f"| {reason} | {count} |")


if __name__ == "__main__":
    main()
