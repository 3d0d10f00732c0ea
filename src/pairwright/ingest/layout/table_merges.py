"""Finds merged cells in tables with horizontal rules only: a label in the middle of its rows, a head over its columns.

The text of a merged cell goes to its first row and column; rows that held nothing else are taken out.
"""

from collections.abc import Sequence
from itertools import pairwise

from pairwright.ingest.layout.table_columns import TableColumn
from pairwright.ingest.page.data import BBox, union

Cells = list[list[str]]
Boxes = list[list[BBox | None]]

# How far, in points, the middle of a merged cell's text may lie from the middle of what it covers.
OFF_MIDDLE = 4.0
# Text that begins this near to its column's start, in points, is set to the left, not in the middle of columns.
AT_START = 0.5


def settle_heads(cells: Cells, boxes: Boxes, n_head: int, columns: Sequence[TableColumn]) -> None:
    """Moves the heads that are centred over several columns to the first of them.

    `columns` has one entry more than a row has cells: the end of the table.
    """
    ends = [_end(column, boxes[n_head:], columns[column].start) for column in range(len(columns) - 1)]
    for row, places in zip(cells[: max(n_head - 1, 0)], boxes, strict=False):
        for column, place in enumerate(places):
            if place is None or column == 0 or row[column - 1] or abs(place[0] - columns[column].start) < AT_START:
                continue
            first = _first_covered(row, column, (place[0] + place[2]) / 2, columns, ends)
            if first < column:
                row[first], row[column] = row[column], ""
                places[first], places[column] = place, None


def _end(column: int, boxes: Sequence[Sequence[BBox | None]], start: float) -> float:
    """Where the text of a column ends."""
    return max((place[2] for places in boxes if (place := places[column]) is not None), default=start)


def _first_covered(
    row: Sequence[str], column: int, middle: float, columns: Sequence[TableColumn], ends: Sequence[float]
) -> int:
    """The first of the free columns around `column` whose middle is nearest to `middle`, but not the row labels."""
    first, last = column, column
    while first > 1 and not row[first - 1]:
        first -= 1
    while last + 1 < len(row) and not row[last + 1]:
        last += 1
    spans = [(one, two) for one in range(first, column + 1) for two in range(column, last + 1)]
    off = {span: abs((columns[span[0]].start + ends[span[1]]) / 2 - middle) for span in spans}
    best = min(spans, key=lambda span: off[span])
    return best[0] if off[best] < OFF_MIDDLE else column


def raise_labels(cells: Cells, boxes: Boxes, heights: Sequence[float], n_head: int) -> int:
    """Moves labels in the middle of the rows between two rules to the first row; returns how many rows are the head.

    `heights` are the rules over the whole width. Such labels stand in the first columns, one to each.
    """
    gone: set[int] = set()
    middles = [_middle(places) for places in boxes]
    for above, below in pairwise(heights):
        band = [index for index, middle in enumerate(middles) if middle and above < middle < below]
        if len(band) < 2:
            continue
        for column in range(len(cells[0]) - 1):
            filled = [index for index in band if cells[index][column]]
            if len(filled) != 1 or not _is_centred(band, filled[0], column, boxes):
                break
            top, label = band[0], filled[0]
            if label != top:
                cells[top][column], cells[label][column] = cells[label][column], ""
                boxes[top][column], boxes[label][column] = boxes[label][column], None
        gone.update(index for index in band if not any(cells[index]))
    cells[:] = [row for index, row in enumerate(cells) if index not in gone]
    boxes[:] = [places for index, places in enumerate(boxes) if index not in gone]
    return n_head - sum(index < n_head for index in gone)


def _middle(places: Sequence[BBox | None]) -> float | None:
    found = [place for place in places if place is not None]
    if not found:
        return None
    box = union(found)
    return (box[1] + box[3]) / 2


def _is_centred(band: Sequence[int], label: int, column: int, boxes: Boxes) -> bool:
    others = [place for index in band for place in boxes[index][column + 1 :] if place is not None]
    place = boxes[label][column]
    if not others or place is None:
        return False
    around = union(others)
    return abs((place[1] + place[3]) / 2 - (around[1] + around[3]) / 2) < OFF_MIDDLE
