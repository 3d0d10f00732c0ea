"""Cuts rows into the cells of a table by the white strips between its columns, and joins cells of several lines."""

from collections.abc import Sequence
from math import inf
from statistics import median
from typing import NamedTuple

from pairwright.documents.lines.hyphens import is_cut
from pairwright.documents.lines.rows import CELL_GAP, Row, Word, cluster
from pairwright.documents.tables.table import Cell, Grid, around

# The least white, in em, that parts columns in all rows of a table: more than a space between words.
STRIP = 0.45
# How far, in points, a word may reach into a strip, and from where its column begins.
REACH, AT_START = 2.5, 1.6
# The least white, in em, between the text of two columns.
GUTTER = 0.65
# A line that is a whole translation does not go on.
OPENING, CLOSING = "‘“«", "’”»"


class Column(NamedTuple):
    """Where a column's cells begin, and the end of the column before it: what begins after that belongs here."""

    start: float
    after: float


def find_columns(members: Sequence[Row]) -> list[Column]:
    """The columns of rows: they begin after white strips that nearly all rows leave free, or the fullest ones do."""
    size = median(row.size for row in members)
    counts = [len(row.table_cells) for row in members]
    best = _strips([row.words for row in members], STRIP * size) if len(members) > 3 else []
    for share in (0.0, 0.75, 1.0):
        cells = [row.table_cells for row, n in zip(members, counts, strict=True) if n >= share * max(counts)]
        if len(cells) > 1 or not best:
            best = max(best, _strips(cells, CELL_GAP * size), key=len)
    return best


def _strips(rows: Sequence[Sequence[Word | Row]], gap: float) -> list[Column]:
    """What begins after strips that all rows leave free but one in eight; the first column begins with the text."""
    allowed = len(rows) // 8
    edges = [edge for row in rows for piece in row for edge in ((piece.x0, 1), (piece.x1, -1))]
    first = min(edges)[0]
    columns = [Column(first, first - 99.0)]
    depth, free_from = 0, inf
    for x, change in sorted(edges):
        if change == 1 and depth == allowed and x - free_from > gap:
            columns.append(Column(x, free_from))
        depth += change
        if change == -1 and depth == allowed:
            free_from = x
    return columns


def column_at(x: float, columns: Sequence[Column]) -> int:
    starts = (index for index, column in enumerate(columns[:-1]) if x > min(column.after + 1, column.start - REACH))
    return max(starts, default=0)


def words_by_column(row: Row, columns: Sequence[Column]) -> dict[int, list[Word]]:
    """The words of a row by the column in which they begin, or in which the words before them that they join do.

    The last of `columns` is the table's end.
    """

    def joins(cell: list[Word], word: Word) -> bool:
        column = columns[column_at(word.x0, columns)]
        exact = abs(word.x0 - column.start) < AT_START
        begins = exact or (cell[-1].x1 < column.after + 1 and word.x0 > column.start)
        goes_on = cell[0].x0 > column.start - AT_START or cell[0].text[0] in OPENING
        return word.x0 - cell[-1].x1 <= CELL_GAP * row.size and (goes_on or not begins)

    words: dict[int, list[Word]] = {}
    for cell in cluster(row.words, joins):
        at = column_at(cell[0].x0, columns)
        # A head that is centred over two columns begins in the white between them, with nothing to its left.
        if at and cell[0].x0 < columns[at].start - REACH and at - 1 not in words:
            at -= (cell[0].x0 + cell[-1].x1) / 2 < columns[at].start
        words.setdefault(at, []).extend(cell)
    return words


def cut_rows(members: Sequence[Row], columns: Sequence[Column], n_head: int) -> tuple[Grid, int]:
    """The cells of rows by column, with the lines that go on with a row's cells joined, and the rows of the head.

    A row goes on where it begins with an empty cell, or with the second half of a word, and its words would not have
    fitted on the lines before.
    """
    lines = [words_by_column(row, columns) for row in members]
    size = max(row.size for row in members)
    starts = [column.start for column in columns[1:]]
    ends = []
    for at, start in enumerate(starts):
        inside = [words[at][-1].x1 for words in lines if at in words and words[at][-1].x1 < start]
        ends.append(min(max(inside, default=start), start - GUTTER * size))
    grid: Grid = []
    above: dict[int, list[Word]] = {}
    joined_heads = 0
    for number, (row, line) in enumerate(zip(members, lines, strict=True)):
        cells = [_cell(line.get(at, ()), row) for at in range(len(starts))]
        near = number > 0 and row.baseline - members[number - 1].baseline <= 1.6 * row.size
        whole = len(above) == len(starts) if 0 < number < n_head else None
        if near and number != n_head and _goes_on(line, above, ends, whole):
            grid[-1] = [cell.continued(more) for cell, more in zip(grid[-1], cells, strict=True)]
            above = above | line
            joined_heads += number < n_head
        else:
            grid.append(cells)
            above = line
    return grid, n_head - joined_heads


def _cell(words: Sequence[Word], row: Row) -> Cell:
    return Cell(Row(tuple(words)).text, around(run.box for word in words for run in word.runs)) if words else Cell()


def _goes_on(
    line: dict[int, list[Word]], above: dict[int, list[Word]], ends: Sequence[float], whole: bool | None
) -> bool:
    """Whether a line only goes on with the cells above it; in a head, whether these fill a `whole` row tells."""
    if not all(at in above and _has_no_room(above[at], words, ends[at]) for at, words in line.items()):
        return False
    if whole is not None:
        return whole and len(line) < len(above)
    cut = any(is_cut(above[at][-1].text, words[0].text) for at, words in line.items())
    if 0 in line:
        # Only the second half of a word that is cut tells the text of a row's label from the next label.
        return len(line) == 1 and cut
    texts = sum(len(above[at]) > 1 or above[at][-1].text.endswith(("-", ",")) for at in line)
    few = 2 * len(line) <= len(above) or (cut and texts == len(line) < len(above))
    return 2 * texts >= len(line) and few


def _has_no_room(above: Sequence[Word], words: Sequence[Word], end: float) -> bool:
    """Whether the first of the words would not have fitted behind the words above, or is the rest of a word."""
    if above[0].text[0] in OPENING and above[-1].text[-1] in CLOSING:
        return False
    first, last = words[0], above[-1]
    return is_cut(last.text, first.text) or last.x1 + 0.25 * first.main.size + first.x1 - first.x0 > end
