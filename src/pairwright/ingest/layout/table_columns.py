"""Finds the columns of a table without vertical rules and cuts its rows into cells."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pairwright.ingest.page.data import BBox, union
from pairwright.ingest.page.rows import Row, Word, join_words

# The least width of the white between two columns, in em.
STRIP = 0.55


class TableColumn(NamedTuple):
    """Where a column's cells begin, and the end of the column before it: what begins after that belongs here."""

    start: float
    after: float


def find_columns(members: Sequence[Row], left: float) -> list[TableColumn]:
    """The columns of rows: they begin after the white strips that nearly all rows leave free.

    Where half of the rows have (nearly) the most cells, they alone decide: the cells of the others reach over columns.
    """
    size = sorted(row.size for row in members)[len(members) // 2]
    counts = [len(tight_cells(row, size)) for row in members]
    found = _strips(members, size, left)
    for share in (0.75, 1.0):
        rich = [row for row, count in zip(members, counts, strict=True) if count >= share * max(counts)]
        if 2 * len(rich) >= len(members) and len(rich) >= 3:
            most = _strips(rich, size, left)
            found = most if len(most) > len(found) else found
    return found


def _strips(members: Sequence[Row], size: float, left: float) -> list[TableColumn]:
    spans = [(extent(cell)) for row in members for cell in tight_cells(row, size)]
    allowed = len(members) // 8
    events = sorted([(x0, 1) for x0, _ in spans] + [(x1, -1) for _, x1 in spans])
    found: list[TableColumn] = []
    depth, free_from = 0, left - 99.0
    for x, change in events:
        if change == 1 and depth == allowed and x - free_from > STRIP * size:
            found.append(TableColumn(x, free_from))
        depth += change
        if change == -1 and depth == allowed:
            free_from = x
    first = min(x0 for x0, _ in spans)
    if not found or found[0].start > first + 1:
        found.insert(0, TableColumn(first, left - 99.0))
    return found


def tight_cells(row: Row, size: float) -> list[tuple[Word, ...]]:
    parts: list[list[Word]] = [[row.words[0]]]
    for one, two in pairwise(row.words):
        if two.x0 - one.x1 > STRIP * size:
            parts.append([])
        parts[-1].append(two)
    return [tuple(part) for part in parts]


def extent(words: Sequence[Word]) -> tuple[float, float]:
    return words[0].x0, max(word.x1 for word in words)


def cut_row(row: Row, columns: Sequence[TableColumn]) -> tuple[list[str], list[BBox | None]]:
    """A row's cells by column; a cell that reaches over several columns stands in its first one."""
    texts = ["" for _ in columns[1:]]
    places: list[BBox | None] = [None for _ in columns[1:]]
    for words in tight_cells(row, row.size):
        for column, piece in _by_column(words, columns):
            at = column
            middle = (piece[0].x0 + piece[-1].x1) / 2
            # A head that is centred over two columns begins in the white between them, with nothing to its left.
            if at and piece[0].x0 < columns[at].start - 2.5 and middle < columns[at].start and not texts[at - 1]:
                at -= 1
            box = union([run.box for word in piece for run in word.runs])
            before = places[at]
            texts[at] = f"{texts[at]} {join_words(piece)}".strip()
            places[at] = union([before, box]) if before else box
    return texts, places


def _by_column(words: Sequence[Word], columns: Sequence[TableColumn]) -> list[tuple[int, list[Word]]]:
    """The words of one cell; they are divided where a word begins exactly at the start of a column."""
    pieces: list[tuple[int, list[Word]]] = []
    for word in words:
        column = column_at(word.x0, columns)
        exact = abs(word.x0 - columns[column].start) < 1.6 and words[0].text[0] not in "‘“«„"
        if pieces and (column == pieces[-1][0] or not exact):
            pieces[-1][1].append(word)
        else:
            pieces.append((column, [word]))
    return pieces


def column_at(x: float, columns: Sequence[TableColumn]) -> int:
    return max(
        (index for index, column in enumerate(columns[:-1]) if x > min(column.after + 1, column.start - 2.5)), default=0
    )
