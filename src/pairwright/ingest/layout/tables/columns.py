"""Finds the columns of a table without vertical rules and cuts its rows into cells."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pairwright.ingest.page.data import BBox, union
from pairwright.ingest.page.rows import CELL_GAP, Row, Word, cluster, filled_rows


class Cell(NamedTuple):
    """The text and box of a cell; both are empty where a merged cell covers its place."""

    text: str = ""
    box: BBox | None = None

    def continued(self, more: "Cell") -> "Cell":
        """The cell with what goes on in it on the next row."""
        if not more.text:
            return self
        cut = self.text.endswith("-") and len(self.text) > 2 and self.text[-2].isalpha() and more.text[0].islower()
        text = self.text[:-1] + more.text if cut else f"{self.text} {more.text}".strip()
        return Cell(text, around([self.box, more.box]))


# What begins this near to a column's start, in points, begins there.
AT_START = 1.6
EMPTY = Cell()
Grid = list[list[Cell]]


class TableColumn(NamedTuple):
    """Where a column's cells begin, and the end of the column before it: what begins after that belongs here."""

    start: float
    after: float


# The end of a table whose last column has none.
FAR = TableColumn(9e9, 9e9)


def find_columns(members: Sequence[Row], left: float) -> list[TableColumn]:
    """The columns of rows: they begin after the white strips that nearly all rows leave free.

    Where half of the rows have (nearly) the most cells, they alone decide: the cells of the others reach over columns.
    """
    size = sorted(row.size for row in members)[len(members) // 2]
    counts = [len(row.cut(CELL_GAP * size)) for row in members]
    columns = _strips(members, size, left)
    for share in (0.75, 1.0):
        rich = [row for row, count in zip(members, counts, strict=True) if count >= share * max(counts)]
        if 2 * len(rich) >= len(members) and len(rich) >= 3:
            columns = max(columns, _strips(rich, size, left), key=len)
    # Two fullest rows are enough where the cells of the others begin at their columns.
    finer = _strips(rich, size, left)
    if len(rich) == 2 and 3 <= len(members) <= 4 and len(finer) > len(columns):
        others = [cell for row in members if row not in rich for cell in row.cut(CELL_GAP * size)]
        if all(any(abs(cell.x0 - column.start) < AT_START for column in finer) for cell in others):
            return finer
    # So do fewer rows, if only heads above them reach over columns.
    rich = [row for row, count in zip(members, counts, strict=True) if count >= 0.75 * max(counts)]
    finer = _strips(rich, size, left)
    below = members[members.index(rich[0]) :]
    more = len(rich) >= 3 and len(finer) > len(columns)
    return finer if more and all(_fits(row, finer, size) for row in below) else columns


def _fits(row: Row, columns: Sequence[TableColumn], size: float) -> bool:
    """Whether each cell of a row stands in one column."""
    cells = row.cut(CELL_GAP * size)
    return not any(cell.x0 + 0.5 * size < column.start < cell.x1 for cell in cells for column in columns)


def _strips(members: Sequence[Row], size: float, left: float) -> list[TableColumn]:
    spans = [(cell.x0, cell.x1) for row in members for cell in row.cut(CELL_GAP * size)]
    allowed = len(members) // 8
    columns: list[TableColumn] = []
    depth, free_from = 0, left - 99.0
    for x, change in sorted([(x0, 1) for x0, _ in spans] + [(x1, -1) for _, x1 in spans]):
        if change == 1 and depth == allowed and x - free_from > CELL_GAP * size:
            columns.append(TableColumn(x, free_from))
        depth += change
        if change == -1 and depth == allowed:
            free_from = x
    first = min(x0 for x0, _ in spans)
    if not columns or columns[0].start > first + 1:
        columns.insert(0, TableColumn(first, left - 99.0))
    return columns


def cut_row(row: Row, columns: Sequence[TableColumn]) -> list[Cell]:
    """A row's cells by column; a cell that reaches over several columns stands in its first one."""
    cells = [EMPTY for _ in columns[1:]]
    for cell in row.table_cells:
        for piece in _by_column(cell, columns):
            at = column_at(piece.x0, columns)
            middle = (piece.x0 + piece.words[-1].x1) / 2
            # A head that is centred over two columns begins in the white between them, with nothing to its left.
            if at and piece.x0 < columns[at].start - 2.5 and middle < columns[at].start and not cells[at - 1].text:
                at -= 1
            text = f"{cells[at].text} {piece.text}".strip()
            cells[at] = Cell(text, around([cells[at].box, piece.box]))
    return cells


def words_by_column(row: Row, columns: Sequence[TableColumn]) -> dict[int, list[Word]]:
    """The words of a row by the index of the column in which they begin; the last of `columns` is the table's end."""
    words: dict[int, list[Word]] = {}
    for word in row.words:
        words.setdefault(column_at(word.x0, columns), []).append(word)
    return words


def _by_column(cell: Row, columns: Sequence[TableColumn]) -> list[Row]:
    """A cell, divided where a word begins exactly at the start of another column than the words before it."""

    def joins(piece: list[Word], word: Word) -> bool:
        column = column_at(word.x0, columns)
        exact = abs(word.x0 - columns[column].start) < AT_START and cell.words[0].text[0] not in "‘“«„"
        return not exact or column == column_at(piece[0].x0, columns)

    return filled_rows(cluster(cell.words, joins))


def column_at(x: float, columns: Sequence[TableColumn]) -> int:
    starts = (index for index, column in enumerate(columns[:-1]) if x > min(column.after + 1, column.start - 2.5))
    return max(starts, default=0)


def around(boxes: Iterable[BBox | None]) -> BBox | None:
    """The smallest box around the boxes that there are."""
    present = [box for box in boxes if box]
    return union(present) if present else None
