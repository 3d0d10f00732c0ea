"""Compares tables as readers find them with tables as they were set: cells, merged cells, head rows and notes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pymupdf

from pairwright.core.records import Block
from pairwright.documents.preview.view import rows
from pairwright.documents.read.reader import ReadOptions, learn_book, read_pages
from peers import markdown_pages, tables

Grid = list[list[str]]


class Span(NamedTuple):
    """A merged cell: its first row and column, counted from 0, and how many rows and columns it takes."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True)
class TablePart:
    """The part of a table that stands on one page, with "" where a merged cell covers a place; `notes` with marks."""

    name: str
    book: str
    page: int
    cells: Grid
    head_rows: int
    spans: frozenset[Span]
    notes: list[str]


class ReadTable(NamedTuple):
    """A table as a reader gives it; no head rows and spans where the reader does not tell."""

    cells: Grid
    head_rows: int | None = None
    spans: frozenset[Span] | None = None


@dataclass
class ReadPage:
    """The tables and notes of a page as a reader gives them; no notes where the reader does not tell them apart."""

    tables: list[ReadTable]
    notes: list[str] | None = None


@dataclass
class Tally:
    """Right ones, ones that were read and ones that there are."""

    right: int = 0
    read: int = 0
    there: int = 0

    def add(self, read: set[object], there: set[object]) -> None:
        self.right += len(read & there)
        self.read += len(read)
        self.there += len(there)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(self.read + self.there, 1)


@dataclass
class Scores:
    """The scores of a reader; `each` is the cell F1 of each part of a table."""

    cells: Tally = field(default_factory=Tally)
    spans: Tally = field(default_factory=Tally)
    notes: Tally = field(default_factory=Tally)
    each: list[float] = field(default_factory=list)
    right_heads: int = 0
    whole: int = 0
    extra: int = 0


def block_spans(block: Block) -> frozenset[Span]:
    """The merged cells of a block, as the preview of its page shows them."""
    spans, taken = set(), set[tuple[int, int]]()
    for r, cells in enumerate(rows(block)):
        c = 0
        for cell in cells:
            while (r, c) in taken:
                c += 1
            taken |= {(r + down, c + right) for down in range(cell.n_rows) for right in range(cell.n_columns)}
            if cell.n_rows * cell.n_columns > 1:
                spans.add(Span(r, c, cell.n_rows, cell.n_columns))
    return frozenset(spans)


def ours(path: Path) -> Iterator[ReadPage]:
    for page in read_pages(learn_book(path, "tables", ReadOptions())):
        blocks = [block for block in page.blocks if block.kind == "table"]
        read = [ReadTable([*map(list, one.cells or ())], one.header_rows, block_spans(one)) for one in blocks]
        yield ReadPage(read, [note.printed for block in blocks for note in block.notes])


def pymupdf_finder(path: Path) -> Iterator[ReadPage]:
    with pymupdf.open(path) as document:
        for page in document:
            grids = [table.extract() for table in page.find_tables().tables]
            yield ReadPage([ReadTable([[" ".join((c or "").split()) for c in row] for row in grid]) for grid in grids])


def pymupdf4llm(path: Path) -> Iterator[ReadPage]:
    for page in markdown_pages(path):
        yield ReadPage([ReadTable(grid) for grid in tables(page)])


Reader = Callable[[Path], Iterator[ReadPage]]
READERS: tuple[tuple[str, Reader], ...] = (
    ("pairwright", ours),
    ("PyMuPDF find_tables", pymupdf_finder),
    ("pymupdf4llm", pymupdf4llm),
)


def filled(cells: Grid) -> set[object]:
    return {(r, c, text) for r, row in enumerate(cells) for c, text in enumerate(row) if text}


def cell_f1(cells: Grid, truth: Grid) -> float:
    tally = Tally()
    tally.add(filled(cells), filled(truth))
    return tally.f1


def add_page(scores: Scores, page: ReadPage, parts: Sequence[TablePart], show: bool) -> None:
    """Adds a page's tables: each part is compared with the table most like it, and each table with one part at most."""
    waiting = list(page.tables)
    for part in parts:
        best = max(waiting, key=lambda table: cell_f1(table.cells, part.cells), default=None)
        if best is not None and cell_f1(best.cells, part.cells) == 0:
            best = None
        if best is not None:
            waiting.remove(best)
        read = best or ReadTable([], None, frozenset())
        scores.cells.add(filled(read.cells), filled(part.cells))
        scores.spans.add(set(read.spans or ()), set(part.spans))
        scores.each.append(cell_f1(read.cells, part.cells))
        scores.right_heads += read.head_rows == part.head_rows
        whole = read.cells == part.cells and read.head_rows == part.head_rows and read.spans == part.spans
        scores.whole += whole
        if show and not whole:
            print(part.book, part.page, part.name, f"F1 {scores.each[-1]:.3f}", sep=" | ")
            print("  TRUTH", part.head_rows, sorted(map(tuple, part.spans)), *part.cells, sep="\n    ")
            print("  READ", read.head_rows, sorted(map(tuple, read.spans or ())), *read.cells, sep="\n    ")
    for table in waiting:
        scores.cells.add({(0, *cell) for cell in filled(table.cells)}, set())  # type: ignore[misc]
        scores.extra += 1
    notes = {note for part in parts for note in part.notes}
    scores.notes.add(set(page.notes or ()), set(notes))
    if show and set(page.notes or ()) != notes:
        print("  NOTES", sorted(notes), page.notes, sep="\n    ")


def print_scores(folder: Path, parts: Sequence[TablePart], readers: Sequence[tuple[str, Reader]], show: bool) -> None:
    """Prints the scores of each reader on the books of a folder."""
    print("| reader | cells, micro F1 | macro F1 | merged cells F1 | heads right | notes F1 | all right | extra |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, reader in readers:
        scores = Scores()
        for book in dict.fromkeys(part.book for part in parts):
            for number, page in enumerate(reader(folder / f"{book}.pdf"), start=1):
                here = [part for part in parts if part.book == book and part.page == number]
                add_page(scores, page, here, show and reader is ours)
        of = len(parts)
        row = [name, f"{scores.cells.f1:.3f}", f"{sum(scores.each) / of:.3f}"]
        if reader is ours:
            row += [f"{scores.spans.f1:.3f}", f"{scores.right_heads} of {of}", f"{scores.notes.f1:.3f}"]
        else:
            row += ["–", "–", "–"]
        print("|", " | ".join([*row, f"{scores.whole} of {of}" if reader is ours else "–", str(scores.extra)]), "|")
