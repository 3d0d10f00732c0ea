"""Finds merged cells in tables with horizontal rules only: a label in the middle of its rows, a head over its columns.

The text of a merged cell goes to its first row and column; rows that held nothing else are taken out.
"""

from collections.abc import Sequence
from itertools import pairwise

from pairwright.ingest.layout.table_columns import EMPTY, Cell, Grid, TableColumn, around

# How far, in points, the middle of a merged cell's text may lie from the middle of what it covers.
OFF_MIDDLE = 4.0
# Text that begins this near to its column's start, in points, is set to the left, not in the middle of columns.
AT_START = 0.5


def settle_heads(grid: Grid, n_head: int, columns: Sequence[TableColumn]) -> None:
    """Moves heads that are centred over several of `columns`, whose last is the table's end, to the first of them."""
    ends = [
        max((box[2] for row in grid[n_head:] if (box := row[index].box)), default=column.start)
        for index, column in enumerate(columns[:-1])
    ]
    for row in grid[: max(n_head - 1, 0)]:
        for column, (_, box) in enumerate(row):
            if box is None or column == 0 or row[column - 1].text or abs(box[0] - columns[column].start) < AT_START:
                continue
            first = _first_covered(row, column, (box[0] + box[2]) / 2, columns, ends)
            if first < column:
                row[first], row[column] = row[column], EMPTY


def _first_covered(
    row: Sequence[Cell], column: int, middle: float, columns: Sequence[TableColumn], ends: Sequence[float]
) -> int:
    """The first of the free columns around `column` whose middle is nearest to `middle`, but not the row labels."""
    first, last = column, column
    while first > 1 and not row[first - 1].text:
        first -= 1
    while last + 1 < len(row) and not row[last + 1].text:
        last += 1
    spans = [(one, two) for one in range(first, column + 1) for two in range(column, last + 1)]
    off = {span: abs((columns[span[0]].start + ends[span[1]]) / 2 - middle) for span in spans}
    best = min(spans, key=lambda span: off[span])
    return best[0] if off[best] < OFF_MIDDLE else column


def raise_labels(grid: Grid, heights: Sequence[float], n_head: int) -> int:
    """Moves labels in the middle of the rows between two rules to the first row; returns how many rows are the head.

    `heights` are the rules over the whole width. Such labels stand in the first columns, one to each.
    """
    gone: set[int] = set()
    middles = [_middle(row) for row in grid]
    for above, below in pairwise(heights):
        band = [index for index, middle in enumerate(middles) if middle and above < middle < below]
        if len(band) < 2:
            continue
        for column in range(len(grid[0]) - 1):
            filled = [index for index in band if grid[index][column].text]
            around_it = _middle([cell for index in band for cell in grid[index][column + 1 :]])
            label = _middle([grid[filled[0]][column]]) if len(filled) == 1 else None
            if label is None or around_it is None or abs(label - around_it) >= OFF_MIDDLE:
                break
            if filled[0] != band[0]:
                grid[band[0]][column], grid[filled[0]][column] = grid[filled[0]][column], EMPTY
        gone.update(index for index in band if not any(cell.text for cell in grid[index]))
    grid[:] = [row for index, row in enumerate(grid) if index not in gone]
    return n_head - sum(index < n_head for index in gone)


def _middle(cells: Sequence[Cell]) -> float | None:
    """The height of the middle of cells; None where they are empty."""
    box = around(cell.box for cell in cells)
    return (box[1] + box[3]) / 2 if box else None
