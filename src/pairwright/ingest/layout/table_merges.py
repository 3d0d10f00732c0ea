"""Finds merged cells in tables with horizontal rules only: a label in the middle of its rows, a head over its columns.

The text of a merged cell goes to its first row and column; rows that held nothing else are taken out.
"""

from collections.abc import Sequence
from itertools import pairwise

from pairwright.ingest.layout.table_columns import EMPTY, Cell, Grid, TableColumn, around
from pairwright.ingest.page.rows import Row

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


def set_labels_first(
    members: Sequence[Row], rows: Sequence[list[Cell]], n_head: int
) -> tuple[list[Row], list[list[Cell]]]:
    """Rows without those that hold only a label half-way between two others: it goes to the first row that it names.

    A label stands in the middle of its rows. Nothing changes unless each row belongs to one label.
    """
    body = [index for index, row in enumerate(rows) if index >= n_head and any(cell.text for cell in row[1:])]
    labels = [index for index, row in enumerate(rows) if index >= n_head and row[0].text]
    lone = set(labels) - set(body)
    heights = [row.baseline for row in members]
    pitch = min((heights[two] - heights[one] for one, two in pairwise(body)), default=0.0)
    named = _named_rows([heights[at] for at in labels], [heights[at] for at in body], pitch) if lone else None
    if named is None or not all(
        0 < at < len(rows) - 1 and heights[at + 1] - heights[at - 1] < 1.2 * pitch for at in lone
    ):
        return list(members), list(rows)
    changed = [row if index < n_head else [EMPTY, *row[1:]] for index, row in enumerate(rows)]
    for label, first in zip(labels, named, strict=True):
        changed[body[first]][0] = rows[label][0]
    kept = [index for index in range(len(rows)) if index not in lone]
    return [members[index] for index in kept], [changed[index] for index in kept]


def _named_rows(labels: Sequence[float], body: Sequence[float], pitch: float) -> list[int] | None:
    """The first of the rows around each label, by their heights; None where a row has no label or two."""
    starts: list[int] = []
    start = 0
    for label in labels:
        middles = [(body[start] + height) / 2 for height in body[start:]]
        size = next((n for n, middle in enumerate(middles, start=1) if abs(middle - label) < 0.2 * pitch), None)
        if size is None:
            return None
        starts.append(start)
        start += size
    return starts if start == len(body) else None


def _middle(cells: Sequence[Cell]) -> float | None:
    """The height of the middle of cells; None where they are empty."""
    box = around(cell.box for cell in cells)
    return (box[1] + box[3]) / 2 if box else None
