"""Headings and glossed examples of real grammar books: `python benchmarks/grammar_text.py FOLDER [--peers]`.

FOLDER holds the two books (both CC BY 4.0, langsci-press.org). The outline is hidden from the reader and is the truth
of the headings. The truth of the examples was compared by eye with page images; `data/grammar_examples.tsv` keeps it as
SHA-256 of each line without spaces, so that no sentence of the books is copied here.
"""

import argparse
import csv
import hashlib
import tempfile
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pymupdf
from rapidfuzz import fuzz

from pairwright.core.records import Block, Gloss
from pairwright.documents.headings import plain_title
from pairwright.documents.lines.data import OutlineEntry
from pairwright.documents.pages.pdf import open_document, read_outline
from pairwright.documents.read.reader import Book, ReadOptions, learn_book, link, read_pages
from pairwright.languages.conventions import usual_conventions
from peers import headings, markdown_pages

BOOKS = {
    "Pite Saami": "langsci17_pite_saami.pdf",
    "Iranian Armenian": "langsci354_iranian_armenian.pdf",
}
TRUTH = Path(__file__).parent / "data" / "grammar_examples.tsv"
SAME_TITLE = 90
LINES = ("object", "gloss", "translation")


def read(path: Path) -> tuple[Book, list[Block]]:
    book = learn_book(path, path.stem, ReadOptions(use_outline=False))
    return book, [block for page in link(read_pages(book)) for block in page.blocks]


def outline(path: Path) -> list[OutlineEntry]:
    with open_document(path) as document:
        return list(read_outline(document))


@dataclass(frozen=True)
class HeadingScore:
    there: int
    found: int
    right: int
    level_right: int

    @property
    def row(self) -> str:
        precision, recall = self.right / max(self.found, 1), self.right / self.there
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        return f"{self.there} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {self.level_right / max(self.right, 1):.3f}"


class Found(NamedTuple):
    """A heading that a reader found."""

    page: int
    level: int
    title: str


def score_headings(headings: list[Found], entries: list[OutlineEntry]) -> HeadingScore:
    """A heading is right where the outline has that title on that page.

    Levels are compared up to one shift for the whole book: a reader that counts the title page's lines as levels of
    their own still has the order of levels right.
    """
    left = list(headings)
    shifts: Counter[int] = Counter()
    for entry in entries:
        title = plain_title(entry.title, usual_conventions())
        for heading in left:
            if (
                heading.page == entry.page
                and fuzz.ratio(plain_title(heading.title, usual_conventions()), title) > SAME_TITLE
            ):
                left.remove(heading)
                shifts[heading.level - entry.level] += 1
                break
    same = max(shifts.values(), default=0)
    return HeadingScore(len(entries), len(headings), shifts.total(), same)


def ours(blocks: list[Block]) -> list[Found]:
    return [Found(block.page, block.level or 1, block.text) for block in blocks if block.kind == "heading"]


def theirs(path: Path) -> list[Found]:
    """The headings that pymupdf4llm finds on the same pages, with the outline hidden as from our reader."""
    with tempfile.TemporaryDirectory() as folder, pymupdf.open(path) as document:
        document.set_toc([])
        bare = Path(folder) / path.name
        document.save(bare)
        pages = enumerate(markdown_pages(bare), start=1)
        return [Found(number, level, title) for number, page in pages for level, title in headings(page)]


def line_hash(text: str) -> str:
    """The key of a line: letters and signs without spaces and case, as 64 hexadecimal digits."""
    plain = "".join(unicodedata.normalize("NFC", text).casefold().split())
    return hashlib.sha256(plain.encode()).hexdigest()


def line_hashes(gloss: Gloss) -> tuple[str, str, str]:
    """Object line as written (with its judgement mark), gloss line, translation."""
    written = (gloss.judgement or "") + gloss.object_line
    glosses = " ".join(" ".join(line) for line in gloss.glosses)
    return line_hash(written), line_hash(glosses), line_hash(gloss.translation or "")


def score_examples(blocks: list[Block], truth: list[dict[str, str]]) -> tuple[int, int, int, int, int]:
    """How many checked examples there are, were found, and have the object line, gloss and translation right; all."""
    found = {
        (str(block.page), ".".join(path)): line_hashes(leaf)
        for block in blocks
        if block.gloss is not None
        for path, leaf in block.gloss.leaves()
    }
    there = len(truth)
    hits = [(found.get((row["page"], row["example"])), row) for row in truth]
    present = [(lines, row) for lines, row in hits if lines is not None]
    pairs = [
        [a == row[key] for a, key in zip(lines, ("object", "gloss", "translation"), strict=True)]
        for lines, row in present
    ]
    return there, len(present), sum(p[0] and p[1] for p in pairs), sum(p[2] for p in pairs), sum(map(all, pairs))


def missing_numbers(blocks: list[Block]) -> tuple[int, int]:
    """Numbered examples found, and numbers that are missing in the sequence of each chapter."""
    found, missing = 0, 0
    chapters: list[Counter[int]] = [Counter()]
    for block in blocks:
        if block.kind == "heading" and block.level == 1:
            chapters.append(Counter())
        if block.gloss and (block.gloss.number or "").isdigit() and not block.continues:
            chapters[-1][int(block.gloss.number or 0)] += 1
    for chapter in chapters:
        found += len(chapter)
        missing += len(set(range(1, max(chapter, default=0) + 1)) - set(chapter))
    return found, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", action="store_true", help="also the headings of pymupdf4llm")
    arguments = parser.parse_args()
    folder = arguments.folder
    with TRUTH.open(encoding="utf-8", newline="") as handle:
        truth = list(csv.DictReader(handle, delimiter="\t"))
    heading_rows, example_rows = [], []
    for name, file in BOOKS.items():
        _, blocks = read(folder / file)
        entries = outline(folder / file)
        heading_rows.append(f"| {name} | pairwright | {score_headings(ours(blocks), entries).row} |")
        if arguments.peers:
            heading_rows.append(f"| {name} | pymupdf4llm | {score_headings(theirs(folder / file), entries).row} |")
        there, present, lines, translations, whole = score_examples(blocks, [r for r in truth if r["book"] == file])
        numbers, gaps = missing_numbers(blocks)
        shares = " | ".join(f"{count / there:.3f}" for count in (present, lines, translations, whole))
        example_rows.append(f"| {name} | {numbers} of {numbers + gaps} | {there} | {shares} |")
    print("| headings | reader | outline entries | precision | recall | F1 | level right |")
    print("|---|---|---:|---:|---:|---:|---:|")
    print(*heading_rows, sep="\n")
    print(
        "\n| examples | numbers found | by eye | found | object and gloss | translation | all three |\n"
        "|---|---:|---:|---:|---:|---:|---:|"
    )
    print(*example_rows, sep="\n")


if __name__ == "__main__":
    main()
