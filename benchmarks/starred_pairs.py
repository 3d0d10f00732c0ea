"""Starred examples of real grammar books and the pairs made from them: `python benchmarks/starred_pairs.py FOLDER`.

FOLDER holds the two books (both CC BY 4.0, langsci-press.org). A linguist who had not seen the reader's output read
them and noted every form that they call unacceptable. `data/starred_pairs.tsv` keeps what was noted: the place, whether
a pair can be taken and why not, and the first 12 digits of the SHA-256 of the sentences, so no sentence of the books is
copied here. Below the books stand the layouts of `grammar_layouts.py`, whose truth is known from their making.
`--show` prints the pairs and the rejected stars, `--bad` names further marks that call a form bad, such as `?`.
"""

import argparse
import csv
import hashlib
import re
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from grammar_layouts import make
from grammar_text import BOOKS, read
from pairwright.core.records import Rejection
from pairwright.languages.conventions import Conventions
from pairwright.sources.grammar.starred.pairs import StarredPair, starred_pairs

TRUTH = Path(__file__).parent / "data" / "starred_pairs.tsv"
OUTER = " .,;:!?/[]()*#%'\"‘’“”„«»"
Sides = tuple[str, str]


class Truth(NamedTuple):
    """The pairs to be taken, each with itself and one that is as good with it, and the bad sides in none, as hashes."""

    pairs: dict[Sides, Sides]
    traps: set[str]


def side_hash(sentence: str) -> str:
    """The key of a sentence: its letters without case, spaces, morpheme signs and outer punctuation, as 12 digits."""
    plain = re.sub(r"[-=∅\s]", "", unicodedata.normalize("NFC", sentence).lower()).strip(OUTER)
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def book_truth(file: str) -> Truth:
    with TRUTH.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle, delimiter="\t") if row["book"] == Path(file).stem]
    taken = [row for row in rows if row["take"] == "yes"]
    pairs = {(row[side], row["bad"]): (row["good"], row["bad"]) for side in ("other_good", "good") for row in taken}
    return Truth(pairs, {row["bad"] for row in rows if row["take"] == "no"} - {"-"})


def kind(rejection: Rejection) -> str:
    """The reason of a rejection, without the sentence that it names."""
    return rejection.reason.removeprefix("starred: ").split(";")[0].split(" (the nearest")[0]


def show(pairs: list[StarredPair], rejected: list[Rejection], truth: Truth) -> None:
    for pair in pairs:
        example = pair.example
        sides = side_hash(example.good), side_hash(example.bad or "")
        verdict = "right" if sides in truth.pairs else "FALSE"
        print(f"  p. {example.evidence.page} ({pair.number}) {verdict}: {example.good} | {example.mark}{example.bad}")
        print(f"      {pair.introduction.text if pair.introduction else 'no prose'}")
    for item in rejected:
        print(f"  p. {item.page} rejected: {kind(item)}: {' '.join(item.text.split())[:80]}")


def score(name: str, path: Path, truth: Truth, book: Conventions, *, shown: bool) -> tuple[str, Counter[str]]:
    """The row of a book in the table, and why its other stars make no pair."""
    pairs, rejected = starred_pairs(read(path)[1], conventions=book)
    made = {(side_hash(pair.example.good), side_hash(pair.example.bad or "")) for pair in pairs}
    expected = set(truth.pairs.values())
    right = {truth.pairs[sides] for sides in made & truth.pairs.keys()}
    false = made - truth.pairs.keys()
    partner = sum(bad in {bad for _, bad in expected} for _, bad in false)
    traps = sum(bad in truth.traps for _, bad in false)
    recall, precision = len(right) / len(expected), 1 - len(false) / max(1, len(made))
    if shown:
        show(pairs, rejected, truth)
    counts = f"{len(pairs) + len(rejected)} | {len(made)} | {len(expected)} | {len(right)} | {partner} | {traps}"
    return f"| {name} | {counts} | {recall:.2f} | {precision:.2f} |", Counter(map(kind, rejected))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="also each pair and each rejected star")
    parser.add_argument("--bad", nargs="*", default=[], metavar="MARK", help="further marks that call a form bad")
    arguments = parser.parse_args()
    book = Conventions.of({"judgements": {"bad": arguments.bad}})
    reasons: Counter[str] = Counter()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        truths = [(name, arguments.folder / file, book_truth(file)) for name, file in BOOKS.items()]
        for layout, made in make(Path(folder)).items():
            sides = [(side_hash(pair["good"]), side_hash(pair["bad"])) for pair in made["pairs"]]
            traps = {side_hash(trap["text"]) for trap in made["traps"]}
            truths.append(
                (f"layout {layout}", Path(folder) / f"{layout}.pdf", Truth(dict(zip(sides, sides, strict=True)), traps))
            )
        for name, path, truth in truths:
            row, why = score(name, path, truth, book, shown=arguments.show)
            rows.append(row)
            reasons += why
    print("| book | starred | pairs | pairs by eye | right | another partner | traps taken | recall | precision |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    print("\n".join(rows))
    print("\n| why a star makes no pair | stars |\n|---|---:|")
    for reason, count in reasons.most_common():
        print(f"| {reason} | {count} |")


if __name__ == "__main__":
    main()
