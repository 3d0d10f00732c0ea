"""Tables as readers find them against tables as they were set: cells, merged cells, head rows and notes."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pandas as pd

import made_tables
from common import Json, NotHere, Tally, miss
from made_tables import Table
from pairwright.core.records import Block
from pairwright.documents.preview import rows
from pairwright.documents.read.reader import learn_book, read_pages
from peers import Grid, markdown_tables, pdfplumber_tables, pymupdf_tables

Span = tuple[int, int, int, int]  # the first row and column of a merged cell, how many rows and columns it takes
Cells = set[tuple[int, int, str]]


class ReadTable(NamedTuple):
    """A table, or the part of one that stands on a page; no head rows and spans where a reader does not tell."""

    cells: Grid
    head_rows: int | None = None
    spans: frozenset[Span] = frozenset()
    notes: tuple[str, ...] = ()


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


def filled(cells: Iterable[Sequence[str]], key: Callable[[str], str] = str) -> Cells:
    return {(r, c, text) for r, row in enumerate(cells) for c, cell in enumerate(row) if (text := key(cell))}


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
                spans.add((r, c, cell.n_rows, cell.n_columns))
    return frozenset(spans)


def ours(path: Path) -> Iterator[list[ReadTable]]:
    for page in read_pages(learn_book(path, "tables")):
        yield [
            ReadTable(
                [*map(list, one.cells or ())],
                one.header_rows,
                block_spans(one),
                tuple(note.printed for note in one.notes),
            )
            for one in page.blocks
            if one.kind == "table"
        ]


def cells_alone(reader: Callable[[Path], Iterator[list[Grid]]]) -> Callable[[Path], Iterator[list[ReadTable]]]:
    return lambda path: ([ReadTable(grid) for grid in page] for page in reader(path))


READERS: dict[str, Callable[[Path], Iterator[list[ReadTable]]]] = {
    "pairwright": ours,
    "PyMuPDF find_tables": cells_alone(pymupdf_tables),
    "pymupdf4llm": cells_alone(markdown_tables),
    "pdfplumber": cells_alone(pdfplumber_tables),
}


def cell_f1(cells: Grid, truth: Grid) -> float:
    tally = Tally()
    tally.add(filled(cells), filled(truth))
    return tally.f1


def add_page(scores: Scores, read: Sequence[ReadTable], parts: Sequence[ReadTable]) -> None:
    """Adds a page's tables: each part is compared with the table most like it, and each table with one part at most."""
    waiting = list(read)
    for part in parts:
        best = max(waiting, key=lambda table: cell_f1(table.cells, part.cells), default=None)
        if best is not None and cell_f1(best.cells, part.cells) == 0:
            best = None
        if best is not None:
            waiting.remove(best)
        found = best or ReadTable([])
        scores.cells.add(filled(found.cells), filled(part.cells))
        scores.spans.add(found.spans, part.spans)
        scores.each.append(cell_f1(found.cells, part.cells))
        scores.right_heads += found.head_rows == part.head_rows
        whole = found[:3] == part[:3]
        scores.whole += whole
        if not whole:
            miss(f"F1 {scores.each[-1]:.3f}\n  truth {part}\n  read  {found}")
    for table in waiting:
        scores.cells.read += len(filled(table.cells))
        scores.extra += 1
    scores.notes.add(*({note for table in side for note in table.notes} for side in (read, parts)))


def true_parts(table: Table) -> Iterator[tuple[int, ReadTable]]:
    """The parts of a table as a reader is expected to give them, with their pages."""
    for part in table.parts:
        n_head = 0 if part.first_row and not part.head_repeated else table.head_rows
        own = [*range(n_head if part.first_row else 0), *range(part.first_row, part.end_row)]
        spans = {(own.index(c.row), c.column, c.rows, c.columns) for c in table.merged if c.row in own}
        notes = [f"{note['mark']} {note['text']}".strip() for note in table.notes]
        last = part.end_row == len(table.cells)
        yield (
            part.page,
            ReadTable([table.cells[row] for row in own], n_head, frozenset(spans), tuple(notes if last else ())),
        )


def linguistic(data: Path) -> pd.DataFrame:
    """Forty tables in 43 parts in the manner of linguistics books."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        printed = made_tables.make(Path(folder))
        of = sum(len(table.parts) for table in printed)
        for name, reader in READERS.items():
            scores = Scores()
            try:
                for book in dict.fromkeys(table.book for table in printed):
                    parts = [part for table in printed if table.book == book for part in true_parts(table)]
                    for number, page in enumerate(reader(Path(folder) / f"{book}.pdf"), start=1):
                        add_page(scores, page, [part for at, part in parts if at == number])
            except NotHere as fault:
                lines.append({"reader": name, "cells, micro F1": f"not measured: {fault}"})
                continue
            line = {"reader": name, "cells, micro F1": f"{scores.cells.f1:.3f}"}
            line["macro F1"] = f"{sum(scores.each) / of:.3f}"
            if reader is ours:
                line |= {"merged cells F1": f"{scores.spans.f1:.3f}", "heads right": f"{scores.right_heads} of {of}"}
                line |= {"notes F1": f"{scores.notes.f1:.3f}", "all right": f"{scores.whole} of {of}"}
            lines.append({**line, "extra": str(scores.extra)})
    return pd.DataFrame(lines)


def grid_tally(blocks: Sequence[Block], truth: Sequence[Json], key: Callable[[str], str]) -> Tally:
    """Cells by row, column and text. A table of the truth is held against the one of the document most like it."""
    tally, left = Tally(), [filled(block.cells or (), key) for block in blocks]
    for item in truth:
        there = filled(item["rows"], key)
        best = max(left, key=lambda cells: len(cells & there), default=set())
        read = best if best & there else set()
        if read:
            left.remove(read)
        tally.add(read, there)
        miss(f"{item['caption']}: missing {sorted(there - read)}, extra {sorted(read - there)}")
    tally.read += sum(map(len, left))
    return tally


Item = tuple[int, str, int]


def note_tally(
    blocks: Sequence[Block],
    truth: Sequence[Json],
    matched: Callable[[Sequence[Item], Sequence[Item]], tuple[Tally, Counter[int]]],
) -> Tally:
    """The notes below tables."""
    read = [(block.page, note.text, 1) for block in blocks for note in block.notes]
    return matched(read, [(item["page"], note["text"], 1) for item in truth for note in item["notes"]])[0]
