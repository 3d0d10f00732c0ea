"""Finds the rows of a table without rules between them that go on in the next printed row: cells of several lines.

A row goes on where its lines stand closer than rows do, or where the first column stays empty; in both cases only if
the words that follow would not have fitted on the line before.
"""

from collections.abc import Sequence
from itertools import pairwise

from pairwright.ingest.layout.tables.columns import Cell, TableColumn, words_by_column
from pairwright.ingest.page.rows import Row, Word

# Lines of one cell stand closer than rows by this share at least, and never farther than this many em.
CLOSER, LINE = 1.1, 1.5
# The least white, in em, between the text of two columns.
GUTTER = 0.65
# Of the lines that go on, these shares at least are full, and are text: stacked forms are rows.
FULL, TEXTS = 0.8, 0.6
# A line that is a whole translation does not go on.
OPENING, CLOSING = "‘“«", "’”»"

Lines = dict[int, list[Word]]


def find_wraps(members: Sequence[Row], columns: Sequence[TableColumn], n_head: int) -> list[bool]:
    """Which rows only go on with the cells of the row before; the first row below the head never does."""
    body = members[n_head:]
    lines = [words_by_column(row, columns) for row in members]
    wraps = _Wraps(body, lines[n_head:], columns)
    closer = wraps.by_leading()
    return wraps.of_head(members[:n_head], lines[:n_head]) + (closer if closer is not None else wraps.by_room())


class _Wraps:
    """The printed rows of a table's body; `above` is the line last printed in each column of the row that goes on."""

    def __init__(self, body: Sequence[Row], lines: Sequence[Lines], columns: Sequence[TableColumn]) -> None:
        self.body, self.lines = body, lines
        self.starts = starts = [column.start for column in columns[1:]]
        ends: dict[int, list[float]] = {}
        for row in lines:
            for at, words in row.items():
                if words[-1].x1 < starts[at]:
                    ends.setdefault(at, []).append(words[-1].x1)
        size = max((row.size for row in body), default=0.0)
        self.ends = {at: min(max(values), starts[at] - GUTTER * size) for at, values in ends.items()}

    def of_head(self, head: Sequence[Row], lines: Sequence[Lines]) -> list[bool]:
        """The rows of the head that only go on with some of its cells, each of which has a column of its own."""
        result = [False] * len(head)
        for at in range(1, len(head)):
            above, line = lines[at - 1], lines[at]
            near = head[at].baseline - head[at - 1].baseline <= LINE * head[at].size
            fewer = line.keys() < above.keys() and len(above) == len(self.starts)
            result[at] = near and fewer and all(self._full(above[column], line[column], column) for column in line)
        return result

    def by_leading(self) -> list[bool] | None:
        """The rows that stand closer to the row before than most, None where closeness does not tell."""
        gaps = [two.baseline - one.baseline for one, two in pairwise(self.body)]
        ordered = sorted(gaps)
        limit = next((one * CLOSER for one, two in pairwise(ordered) if two > one * CLOSER), 0.0)
        size = max((row.size for row in self.body), default=0.0)
        close = [False, *(gap <= min(limit, LINE * size) for gap in gaps)]
        if not any(close):
            return None
        above: Lines = {}
        partial = texts = full = cells = 0
        for line, goes_on in zip(self.lines, close, strict=True):
            if goes_on:
                if not line.keys() <= above.keys():
                    return None
                partial += len(line) < len(above)
                full += sum(self._full(above[at], words, at) for at, words in line.items())
                texts += sum(_is_text(above[at]) for at in line)
                cells += len(line)
            above = above | line if goes_on else dict(line)
        wrapped = full >= FULL * cells and texts >= TEXTS * cells
        return close if wrapped and 2 * partial >= sum(close) else None

    def by_room(self) -> list[bool]:
        """The rows that begin with an empty cell or a word's second half, and whose words had no room above."""
        result = [False] * len(self.body)
        above: Lines = {}
        for index, line in enumerate(self.lines):
            result[index] = index > 0 and self._goes_on(index, above)
            above = above | line if result[index] else dict(line)
        return result

    def _goes_on(self, index: int, above: Lines) -> bool:
        row, line = self.body[index], self.lines[index]
        if row.baseline - self.body[index - 1].baseline > 1.6 * row.size:
            return False
        if not all(self._full(above.get(at), words, at) for at, words in line.items()):
            return False
        if 0 in line:
            # Only the second half of a word that is cut tells the text of a row's label from the next label.
            last, is_name = above[0][-1], above[0][0].text[:1].isupper()
            return len(line) == 1 and (len(above[0]) > 1 or is_name) and _is_cut(last) and line[0][0].text[:1].islower()
        texts = sum(_is_text(above[at]) for at in line)
        cut = any(_is_cut(above[at][-1]) and line[at][0].text[:1].islower() for at in line)
        few = 2 * len(line) <= len(above) or (cut and texts == len(line) < len(above))
        return 2 * texts >= len(line) and few

    def _full(self, above: Sequence[Word] | None, words: Sequence[Word], at: int) -> bool:
        """Whether the first of the words would not have fitted behind the words above, or is the rest of a word."""
        if not above or (above[0].text[0] in OPENING and above[-1].text[-1] in CLOSING):
            return False
        first, last = words[0], above[-1]
        if _is_cut(last) and first.text[:1].islower():
            return True
        return last.x1 + 0.25 * first.main.size + first.x1 - first.x0 > self.ends.get(at, last.x1)


def _is_cut(word: Word) -> bool:
    return word.text.endswith("-") and len(word.text) > 2


def _is_text(line: Sequence[Word]) -> bool:
    """Whether a line is text that may go on, and not a single form."""
    return len(line) > 1 or line[-1].text.endswith(("-", ","))


def joined(rows: Sequence[Sequence[Cell]], wraps: Sequence[bool]) -> list[list[Cell]]:
    """The rows with what goes on in them."""
    grid: list[list[Cell]] = []
    for cells, goes_on in zip(rows, wraps, strict=True):
        if goes_on:
            grid[-1] = [cell.continued(more) for cell, more in zip(grid[-1], cells, strict=True)]
        else:
            grid.append(list(cells))
    return grid
