"""Finds merged cells in tables with horizontal rules only: a head over its columns, a label of several rows, a title.

The text of a merged cell goes to its first row and column, and its box reaches over all that it covers. Every other
place has a box of its own, blank ones too.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from pairwright.ingest.layout.tables.columns import EMPTY, Cell, Grid, TableColumn, around
from pairwright.ingest.page.data import BBox, RuledLine
from pairwright.ingest.page.rows import Row, style

# How far, in points, the middle of a merged cell's text may lie from the middle of what it covers.
OFF_MIDDLE = 4.0
# Text that begins this near to its column's start, in points, is set to the left, not in the middle of columns.
AT_START = 0.5
# The least indentation, in em, of labels under a title of theirs.
INDENT = 0.4

# What it costs to leave a column without a head, and to set one where it hardly belongs.
NO_HEAD, UNLIKELY = 3.0, 50.0

Spans = dict[tuple[int, int], tuple[int, int]]


class Extent(NamedTuple):
    """Where the text of a column begins and ends."""

    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


def merge_cells(
    grid: Grid, n_head: int, columns: Sequence[TableColumn], titles: Sequence[int], rules: Sequence[RuledLine]
) -> None:
    """Gives each cell the box of all that it covers, and moves the text of merged ones to their first place.

    titles  the rows that hold only a title of the rows below
    rules   those over some of the columns say what the heads above them cover
    """
    extents = _extents(grid[n_head:] or grid, columns)
    spans = _heads(grid, n_head, extents, rules)
    for title in titles:
        words = next(cell for cell in grid[title] if cell.text)
        grid[title][:] = [words, *(EMPTY for _ in grid[title][1:])]
        spans[title, 0] = (1, len(grid[title]))
    _labels(grid, n_head, set(titles), spans)
    for at, row in enumerate(grid):
        for column, (text, box) in enumerate(row):
            last = column
            while box and last + 1 < len(row) and not row[last + 1].text and box[2] > extents[last + 1].start + 1:
                last += 1
            if text and last > column and (at, column) not in spans:
                spans[at, column] = (1, last - column + 1)
    _set_boxes(grid, extents, spans)


def _extents(grid: Grid, columns: Sequence[TableColumn]) -> list[Extent]:
    extents = []
    for index, (column, following) in enumerate(pairwise(columns)):
        boxes = [box for row in grid if (box := row[index].box)]
        end = max((box[2] for box in boxes if box[2] < following.start), default=column.start)
        extents.append(Extent(column.start, end))
    return extents


def _heads(grid: Grid, n_head: int, extents: Sequence[Extent], rules: Sequence[RuledLine]) -> Spans:
    """The heads that take several places. Text that is centred over columns moves to the first of them."""
    spans: Spans = {}
    for at, row in enumerate(grid[:n_head]):
        lower = [any(other[column].text for other in grid[at + 1 : n_head]) for column in range(len(row))]
        head = _HeadRow(row, lower, extents, rules, grid[n_head:])
        head.join_over_one_rule()
        for column, (first, last) in head.ranges():
            if first < column:
                row[first], row[column] = row[column], EMPTY
            spans[at, first] = (1, last - first + 1)
    for at, first in sorted(spans):
        _, width = spans[at, first]
        below = at + 1
        while below < n_head and not any(cell.text for cell in grid[below][first : first + width]):
            below += 1
        spans[at, first] = (below - at, width)
    return {place: span for place, span in spans.items() if span != (1, 1)}


class _HeadRow:
    """A row of the head: which of its cells reach over which columns.

    lower  whether a column has a head in a lower row
    """

    def __init__(
        self,
        row: list[Cell],
        lower: Sequence[bool],
        extents: Sequence[Extent],
        rules: Sequence[RuledLine],
        body: Grid,
    ) -> None:
        self.row, self.lower, self.extents, self.rules = row, lower, extents, rules
        self.bottom = min((box[1] for cells in body[:1] for _, box in cells if box), default=9e9)

    @cached_property
    def filled(self) -> list[int]:
        return [index for index, cell in enumerate(self.row) if cell.text]

    @cached_property
    def regular(self) -> bool:
        """Whether the cells take equally many columns each, and more than one."""
        steps = {two - one for one, two in pairwise([*self.filled, len(self.row)])}
        return len(self.filled) > 1 and self.filled[0] < 2 and len(steps) == 1 and steps != {1}

    @cached_property
    def ruled(self) -> dict[int, tuple[int, int]]:
        """The columns over the rule below a head, where that rule is below no other head."""
        over = {at: found for at in self.filled if (box := self.row[at].box) and (found := self._ruled(box))}
        return {at: found for at, found in over.items() if list(over.values()).count(found) == 1}

    def join_over_one_rule(self) -> None:
        """Joins the words of one head that begin where columns do."""
        filled = [(column, box) for column, (_, box) in enumerate(self.row) if box]
        for (left, one), (right, two) in reversed(list(pairwise(filled))):
            over = self._ruled(one)
            near = two[0] - one[2] < 0.5 * (one[3] - one[1])
            if near and over and over == self._ruled(two):
                self.row[left], self.row[right] = self.row[left].continued(self.row[right]), EMPTY

    def ranges(self) -> list[tuple[int, tuple[int, int]]]:
        """The column of each cell, and the first and last of the columns that it heads: the best division of all."""
        # What the best division of the columns before each costs, and its ranges.
        best: list[tuple[float, list[tuple[int, tuple[int, int]]]]] = [(0.0, [])]
        for end in range(1, len(self.row) + 1):
            skipped, ranges = best[end - 1]
            choices = [(skipped + NO_HEAD * (end > 1 and (self.regular or self.lower[end - 1])), ranges)]
            if self.row[end - 1].text:
                choices = []
            held: list[int] = []
            for first in reversed(range(end)):
                held += [first] if self.row[first].text else []
                if len(held) > 1:
                    break
                if held:
                    before, ranges = best[first]
                    cost = self._cost(held[0], first, end - 1)
                    choices.append((before + cost, [*ranges, (held[0], (first, end - 1))]))
            best.append(min(choices, key=lambda choice: choice[0]))
        return best[-1][1]

    def _cost(self, column: int, first: int, last: int) -> float:
        """How far a head is from where it would stand over some columns, in points."""
        cell = self.row[column]
        if cell.box is None:
            return 0.0 if first == last else UNLIKELY
        ruled = self.ruled.get(column)
        if ruled:
            return 0.0 if (first, last) == ruled else UNLIKELY / 2 + last - first
        start, end = self.extents[first].start, self.extents[last].end
        left, off = abs(cell.box[0] - start), abs((start + end - cell.box[0] - cell.box[2]) / 2)
        if first == last:
            return min(left, off, OFF_MIDDLE)
        others = all(self.lower[at] for at in range(first, last + 1))
        reaches = all(
            cell.box[0] < self.extents[at].end and cell.box[2] > self.extents[at].start for at in (first, last)
        )
        if first == column and left < AT_START and (self.regular or (others and first) or reaches):
            return 0.0
        # The first column holds labels: a head that is centred over others does not reach over it.
        limit = 2 * OFF_MIDDLE if others or reaches else OFF_MIDDLE
        return off + 1 if off < limit and (first or column == 0) else UNLIKELY

    def _ruled(self, box: BBox) -> tuple[int, int] | None:
        """The columns over the rule right below a head, if it is over only some columns."""
        y, width = (box[1] + box[3]) / 2, self.extents[-1].end - self.extents[0].start
        below = [
            rule
            for rule in self.rules
            if rule.x0 - 2 <= box[0] and box[2] <= rule.x1 + 2 and y < rule.y0 < self.bottom + 2
        ]
        rule = min(below, key=lambda rule: rule.y0, default=None)
        if rule is None or rule.x1 - rule.x0 >= 0.9 * width:
            return None
        over = [at for at, extent in enumerate(self.extents) if rule.x0 - 2 < extent.middle < rule.x1 + 2]
        return (over[0], over[-1]) if over else None


def _labels(grid: Grid, n_head: int, titles: set[int], spans: Spans) -> None:
    """Labels above blank places hold for these rows too, where one of the columns behind has no blank place."""
    body = [at for at in range(n_head, len(grid)) if at not in titles]
    for column in range(len(grid[0]) - 1):
        labels = [at for at in body if grid[at][column].text]
        blank = set(body) - set(labels)
        full = any(all(grid[at][other].text for at in body) for other in range(column + 1, len(grid[0])))
        if not labels or not blank or labels[0] != body[0] or not full:
            return
        for one, two in pairwise([*labels, len(grid)]):
            # A title, or a new label to the left, ends what a label holds for.
            after = range(one + 1, two)
            end = next((at for at in after if at not in blank or any(cell.text for cell in grid[at][:column])), two)
            if end - one > 1:
                spans[one, column] = (end - one, 1)


def _set_boxes(grid: Grid, extents: Sequence[Extent], spans: Spans) -> None:
    """Boxes as wide as the columns and as high as the rows that a cell takes; none where another cell covers."""
    covered = {
        (row, column)
        for (top, left), (n_rows, n_columns) in spans.items()
        for row in range(top, top + n_rows)
        for column in range(left, left + n_columns)
        if (row, column) != (top, left)
    }
    texts = [
        around(box for at, (_, box) in enumerate(row) if spans.get((top, at), (1, 1))[0] == 1)
        for top, row in enumerate(grid)
    ]
    for top, row in enumerate(grid):
        for left, (text, box) in enumerate(row):
            n_rows, n_columns = spans.get((top, left), (1, 1))
            first, last = texts[top] or box, texts[top + n_rows - 1] or box
            if (top, left) in covered or first is None or last is None:
                row[left] = EMPTY
            else:
                place = extents[left].start, first[1], extents[left + n_columns - 1].end, last[3]
                row[left] = Cell(text, around([place, box]))


def title_rows(
    members: Sequence[Row], rows: Sequence[Sequence[Cell]], n_head: int, columns: Sequence[TableColumn]
) -> set[int]:
    """The rows below the head that hold only a title of the rows below them.

    It is centred over the table, or stands in the first column in another style than labels, or labels below it are
    indented, or it reaches over the next column.
    """
    left, right = min(row.x0 for row in members), max(row.x1 for row in members)
    labels = [members[at].words[0] for at in range(n_head, len(rows)) if sum(bool(cell.text) for cell in rows[at]) > 1]
    titles = set()
    for at in range(n_head, len(rows) - 1):
        filled = [column for column, cell in enumerate(rows[at]) if cell.text]
        if len(filled) != 1 or not labels:
            continue
        row, labelled = members[at], bool(rows[at + 1][0].text)
        at_start = abs(row.x0 - columns[filled[0]].start) < AT_START
        centred = abs(row.x0 + row.x1 - left - right) < 2 * OFF_MIDDLE and not at_start
        other = len(row.text) > 1 and all(style(label.main) != style(row.main) for label in labels)
        indented = members[at + 1].x0 > row.x0 + INDENT * row.size
        if centred or (filled == [0] and labelled and (other or indented or row.x1 > columns[1].start)):
            titles.add(at)
    return titles


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
