"""Finds the columns of a table without vertical rules and cuts its rows into cells."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pairwright.ingest.page.data import BBox, union
from pairwright.ingest.page.rows import Row, Word, cluster, join_words

# The least width of the white between two columns, in em.
STRIP = 0.55


class Cell(NamedTuple):
    """The text and box of a cell; both are empty where a merged cell covers its place."""

    text: str = ""
    box: BBox | None = None


EMPTY = Cell()
Grid = list[list[Cell]]


class TableColumn(NamedTuple):
    """Where a column's cells begin, and the end of the column before it: what begins after that belongs here."""

    start: float
    after: float


def find_columns(members: Sequence[Row], left: float) -> list[TableColumn]:
    """The columns of rows: they begin after the white strips that nearly all rows leave free.

    Where half of the rows have (nearly) the most cells, they alone decide: the cells of the others reach over columns.
    """
    size = sorted(row.size for row in members)[len(members) // 2]
    counts = [len(row.cut(STRIP * size)) for row in members]
    columns = _strips(members, size, left)
    for share in (0.75, 1.0):
        rich = [row for row, count in zip(members, counts, strict=True) if count >= share * max(counts)]
        if 2 * len(rich) >= len(members) and len(rich) >= 3:
            columns = max(columns, _strips(rich, size, left), key=len)
    return columns


def _strips(members: Sequence[Row], size: float, left: float) -> list[TableColumn]:
    spans = [extent(cell) for row in members for cell in row.cut(STRIP * size)]
    allowed = len(members) // 8
    columns: list[TableColumn] = []
    depth, free_from = 0, left - 99.0
    for x, change in sorted([(x0, 1) for x0, _ in spans] + [(x1, -1) for _, x1 in spans]):
        if change == 1 and depth == allowed and x - free_from > STRIP * size:
            columns.append(TableColumn(x, free_from))
        depth += change
        if change == -1 and depth == allowed:
            free_from = x
    first = min(x0 for x0, _ in spans)
    if not columns or columns[0].start > first + 1:
        columns.insert(0, TableColumn(first, left - 99.0))
    return columns


def tight_cells(row: Row) -> list[tuple[Word, ...]]:
    """The words of a row as a table parts them: by the white between two columns."""
    return row.cut(STRIP * row.size)


def extent(words: Sequence[Word]) -> tuple[float, float]:
    return words[0].x0, max(word.x1 for word in words)


def cut_row(row: Row, columns: Sequence[TableColumn]) -> list[Cell]:
    """A row's cells by column; a cell that reaches over several columns stands in its first one."""
    cells = [EMPTY for _ in columns[1:]]
    for words in tight_cells(row):
        for piece in cluster(words, lambda piece, word: not _parts(piece[0], word, words[0], columns)):  # noqa: B023
            at = column_at(piece[0].x0, columns)
            middle = (piece[0].x0 + piece[-1].x1) / 2
            # A head that is centred over two columns begins in the white between them, with nothing to its left.
            if at and piece[0].x0 < columns[at].start - 2.5 and middle < columns[at].start and not cells[at - 1].text:
                at -= 1
            text = f"{cells[at].text} {join_words(piece)}".strip()
            cells[at] = Cell(text, around([cells[at].box, Row(tuple(piece)).box]))
    return cells


def _parts(before: Word, word: Word, first: Word, columns: Sequence[TableColumn]) -> bool:
    """Whether a word of one cell begins exactly at the start of another column than the words before it."""
    column = column_at(word.x0, columns)
    exact = abs(word.x0 - columns[column].start) < 1.6 and first.text[0] not in "‘“«„"
    return exact and column != column_at(before.x0, columns)


def column_at(x: float, columns: Sequence[TableColumn]) -> int:
    starts = (index for index, column in enumerate(columns[:-1]) if x > min(column.after + 1, column.start - 2.5))
    return max(starts, default=0)


def around(boxes: Iterable[BBox | None]) -> BBox | None:
    """The smallest box around the boxes that there are."""
    present = [box for box in boxes if box]
    return union(present) if present else None
