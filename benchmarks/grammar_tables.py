"""Cells of tables on pages made with known truth: `python benchmarks/grammar_tables.py [--peers]`.

Twenty tables, ruled and unruled, among paragraphs: grids, book tables with rules above and below, heads of two rows,
merged cells, cells of several lines, numbers set to the right. A cell counts where its row, column and text are right.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from pairwright.documents.read.reader import ReadOptions, learn_book, read_pages
from peers import markdown_pages, tables

SYLLABLES = ("ka", "te", "mo", "ri", "su", "la", "ne", "po", "vi", "da", "gu", "bo", "ä", "é", "nu", "li")
CASES = ("nominative", "genitive", "dative", "accusative", "instrumental", "locative", "vocative")
PROSE = (
    "The forms below are set out by case and number. Stems that end in a vowel lose it before the suffix, and the last"
    " consonant of the stem is then softened. The second class keeps its vowel in every form."
)
LEFT, TOP, SIZE, LEADING = 72.0, 90.0, 10.0, 13.0

Grid = list[list[str]]


@dataclass(frozen=True)
class Sample:
    """A table as it was drawn: its truth row by row, with "" where a merged cell covers a place."""

    name: str
    cells: Grid


@dataclass(frozen=True)
class Kind:
    """How a table is drawn.

    rules  "grid", "book" (rules above, below and under the head) or "none"
    """

    rules: str
    columns: int
    rows: int
    head: int = 1
    merged: bool = False
    wrapped: bool = False
    right: bool = False


KINDS = (
    Kind("grid", 3, 5),
    Kind("grid", 4, 7),
    Kind("grid", 5, 4, merged=True),
    Kind("grid", 3, 6, wrapped=True),
    Kind("grid", 4, 6, head=2, merged=True),
    Kind("grid", 6, 8, right=True),
    Kind("book", 3, 6),
    Kind("book", 4, 7),
    Kind("book", 5, 6, head=2, merged=True),
    Kind("book", 4, 5, wrapped=True),
    Kind("book", 5, 9, right=True),
    Kind("book", 3, 4, head=2, merged=True),
    Kind("none", 3, 6),
    Kind("none", 4, 7),
    Kind("none", 5, 5),
    Kind("none", 3, 8),
    Kind("none", 4, 6, right=True),
    Kind("none", 6, 6),
    Kind("none", 2, 7),
    Kind("none", 4, 5, wrapped=True),
)


def word(dice: random.Random, syllables: int) -> str:
    return "".join(dice.choice(SYLLABLES) for _ in range(syllables))


def contents(kind: Kind, dice: random.Random) -> Grid:
    """The truth of a table: a head, then a case name and forms in each row."""
    head = [["case" if c == 0 else word(dice, 2).capitalize() for c in range(kind.columns)]]
    if kind.head == 2:
        over = ["" for _ in range(kind.columns)]
        for column in range(1, kind.columns, 2):
            over[column] = word(dice, 3).capitalize()
        head.insert(0, over)
    body = []
    for row in range(kind.rows):
        forms = [word(dice, dice.randint(2, 4 if kind.columns < 6 else 3)) for _ in range(kind.columns - 1)]
        if kind.right:
            forms[-1] = str(dice.randint(1, 4000))
        if kind.wrapped and row % 2:
            forms[-1] = " ".join(word(dice, 3) for _ in range(6))
        body.append([CASES[row % len(CASES)] + ("" if row < len(CASES) else " II"), *forms])
    return head + body


def draw(page: pymupdf.Page, kind: Kind, cells: Grid, top: float) -> float:
    """Draws a table; returns the height below it."""
    widths = [78.0] + [(370.0 - 78.0) / (kind.columns - 1)] * (kind.columns - 1)
    xs = [LEFT + 20 + sum(widths[:c]) for c in range(kind.columns + 1)]
    y, edges = top, [top]
    for number, row in enumerate(cells):
        lines = [fit(text, widths[c] - 8) for c, text in enumerate(row)]
        for column, parts in enumerate(lines):
            for index, part in enumerate(parts):
                x = xs[column] + 4
                if kind.right and column == kind.columns - 1 and number >= kind.head:
                    x = xs[column + 1] - 4 - pymupdf.get_text_length(part, "tiro", SIZE)
                if kind.merged and number == 0 and kind.head == 2 and part:
                    end = xs[min(column + 2, kind.columns)]
                    x = (xs[column] + end - pymupdf.get_text_length(part, "tiro", SIZE)) / 2
                page.insert_text((x, y + (index + 1) * LEADING - 3), part, fontname="tiro", fontsize=SIZE)
        y += LEADING * max(len(parts) for parts in lines) + (3 if kind.rules == "grid" else 0)
        edges.append(y)
    if kind.rules == "book":
        for height in (top, edges[kind.head], y + 2):
            page.draw_line((xs[0], height), (xs[-1], height), width=0.6)
    if kind.rules == "grid":
        draw_grid(page, kind, cells, xs, edges)
    return y


def draw_grid(page: pymupdf.Page, kind: Kind, cells: Grid, xs: list[float], edges: list[float]) -> None:
    for height in edges:
        page.draw_line((xs[0], height), (xs[-1], height), width=0.5)
    for row in range(len(cells)):
        for column, x in enumerate(xs):
            covered = kind.merged and kind.head == 2 and row == 0 and 0 < column < kind.columns and not cells[0][column]
            if not covered or column == 1:
                page.draw_line((x, edges[row]), (x, edges[row + 1]), width=0.5)


def fit(text: str, width: float) -> list[str]:
    """A cell's text cut into lines that fit."""
    lines = [""]
    for part in text.split():
        longer = f"{lines[-1]} {part}".strip()
        if lines[-1] and pymupdf.get_text_length(longer, "tiro", SIZE) > width - 4:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def prose(page: pymupdf.Page, top: float) -> float:
    for number, line in enumerate(fit(PROSE, 410.0)):
        page.insert_text((LEFT, top + (number + 1) * LEADING), line, fontname="tiro", fontsize=SIZE)
    return top + (len(fit(PROSE, 410.0)) + 1) * LEADING


def make_pages(path: Path, seed: int = 1) -> list[Sample]:
    """Writes a PDF with one table a page; returns the truth in page order."""
    dice = random.Random(seed)
    document = pymupdf.open()
    samples = []
    for number, kind in enumerate(KINDS, start=1):
        page = document.new_page(width=540, height=720)
        cells = contents(kind, dice)
        y = prose(page, TOP)
        caption = f"Table {number}: The forms of {word(dice, 3)}"
        page.insert_text((LEFT + 40, y + LEADING), caption, fontname="tiro", fontsize=SIZE)
        y = draw(page, kind, cells, y + 2 * LEADING)
        prose(page, y + 2 * LEADING)
        samples.append(Sample(f"{kind.rules} {kind.columns}x{kind.rows + kind.head}", cells))
    document.save(path)
    return samples


def cell_counts(found: Grid | None, truth: Grid) -> tuple[int, int, int]:
    """Right cells, cells found and cells there: filled ones, compared by row, column and text."""
    there = {(r, c, text) for r, row in enumerate(truth) for c, text in enumerate(row) if text}
    got = {(r, c, text) for r, row in enumerate(found or []) for c, text in enumerate(row) if text}
    return len(there & got), len(got), len(there)


def ours(path: Path) -> Iterator[Grid | None]:
    book = learn_book(path, "tables", ReadOptions())
    for page in read_pages(book):
        found = [block for block in page.blocks if block.kind == "table"]
        yield [list(row) for row in found[0].cells or ()] if len(found) == 1 else None


def pymupdf_finder(path: Path) -> Iterator[Grid | None]:
    with pymupdf.open(path) as document:
        for page in document:
            found = page.find_tables().tables
            yield [[" ".join((c or "").split()) for c in row] for row in found[0].extract()] if found else None


def pymupdf_text_finder(path: Path) -> Iterator[Grid | None]:
    with pymupdf.open(path) as document:
        for page in document:
            found = page.find_tables(strategy="text").tables
            yield [[" ".join((c or "").split()) for c in row] for row in found[0].extract()] if found else None


def markdown(path: Path) -> Iterator[Grid | None]:
    for page in markdown_pages(path):
        found = tables(page)
        yield found[0] if found else None


def score(found: list[Grid | None], samples: list[Sample], rules: str) -> str:
    right = got = there = 0
    for grid, sample in zip(found, samples, strict=True):
        if rules in ("all", sample.name.split()[0]):
            counts = cell_counts(grid, sample.cells)
            right, got, there = right + counts[0], got + counts[1], there + counts[2]
    precision, recall = right / max(got, 1), right / max(there, 1)
    return f"{2 * precision * recall / max(precision + recall, 1e-9):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="also PyMuPDF's table finders and pymupdf4llm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the tables that are not right")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.pdf"
        samples = make_pages(path, arguments.seed)
        readers = {"pairwright": ours}
        if arguments.peers:
            readers |= {"PyMuPDF find_tables": pymupdf_finder, "PyMuPDF find_tables, text": pymupdf_text_finder}
            readers |= {"pymupdf4llm": markdown}
        print("| reader | grid | book | none | all 20 |\n|---|---:|---:|---:|---:|")
        for name, reader in readers.items():
            found = list(reader(path))
            columns = " | ".join(score(found, samples, rules) for rules in ("grid", "book", "none", "all"))
            print(f"| {name} | {columns} |")
            if arguments.show and name == "pairwright":
                for sample, grid in zip(samples, found, strict=True):
                    if grid != sample.cells:
                        print(sample.name, *(["TRUTH", *sample.cells, "FOUND", *(grid or [])]), sep="\n   ")


if __name__ == "__main__":
    main()
