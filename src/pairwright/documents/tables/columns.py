"""Cuts the rows of a table into columns at the white strips between them, and tells what its heads and labels cover.

The text of a merged cell goes to its first row and column, and its box reaches over all that it covers. Every other
place has a box of its own, blank ones too. Notes right below a table belong to it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from math import inf
from statistics import median
from typing import NamedTuple
from unicodedata import normalize

from pairwright.core.records import TableNote
from pairwright.documents.lines.data import BBox, Profile, RuledLine, union
from pairwright.documents.lines.rows import (
    CELL_GAP,
    SIGNS,
    Row,
    Word,
    cluster,
    is_cut,
    join_rows,
    joined,
    leading_mark,
    split_mark,
)

# A mark on the line: a letter, a number or signs, with or without what closes it.
PLAIN = re.compile(rf"^\(?(?P<mark>[a-z]|\d{{1,2}}|[{SIGNS}]{{1,3}})[.):]?$")
# A word such as `Note:` or `Source:`, in whatever language.
LABEL = re.compile(r"^[^\W\d_]{3,15}:$")
# The most white between a table and its notes, in em; notes without a mark, or in the type of the text, stand nearer.
FAR, NEAR = 1.8, 1.0
# Notes are smaller than the text by this share at least, and their lines no farther apart than this, in em.
SMALLER, LINE = 0.95, 1.45


class Cell(NamedTuple):
    """The text and box of a cell; both are empty where a merged cell covers its place."""

    text: str = ""
    box: BBox | None = None

    def continued(self, more: "Cell") -> "Cell":
        """The cell with what goes on in it on the next row."""
        return Cell(joined(self.text, more.text), around([self.box, more.box])) if more.text else self


Grid = list[list[Cell]]


@dataclass(frozen=True)
class FoundTable:
    """A table: the box of it and its notes, the text and box of each cell row by row, how many rows are its head.

    A merged cell has its text in its first row and column; the other places have no text and no box. Marks of notes
    stand with the notes, not in the cells.
    """

    box: BBox
    cells: tuple[tuple[str, ...], ...]
    boxes: tuple[tuple[BBox | None, ...], ...]
    header_rows: int
    notes: tuple[TableNote, ...] = ()


class _Note(NamedTuple):
    """A note: its mark, empty where it has none, and its rows without the mark."""

    mark: str
    rows: list[Row]


def around(boxes: Iterable[BBox | None]) -> BBox | None:
    """The smallest box around the boxes that there are."""
    present = [box for box in boxes if box]
    return union(present) if present else None


def finished(box: BBox, grid: Grid, header_rows: int) -> FoundTable | None:
    """The table without columns and rows that hold nothing; None where less than two columns are left."""
    columns = [index for index in range(len(grid[0])) if any(row[index].text for row in grid)]
    lines = [index for index, row in enumerate(grid) if any(cell.text for cell in row)]
    if len(columns) < 2 or len(lines) < 2:
        return None
    return FoundTable(
        box=box,
        cells=tuple(tuple(grid[line][index].text for index in columns) for line in lines),
        boxes=tuple(tuple(grid[line][index].box for index in columns) for line in lines),
        header_rows=sum(line < header_rows for line in lines),
    )


def with_notes(
    build: Callable[[Sequence[Row]], FoundTable | None], members: Sequence[Row], below: Sequence[Row], profile: Profile
) -> tuple[FoundTable | None, int]:
    """The table that is built of rows, with its notes, and how many of the rows below it they fill."""
    table = build(members)
    notes = _find_notes(below, table.box, members, profile) if table else []
    if table is None or not notes:
        return table, 0
    rows, places = _without_marks(members, {note.mark for note in notes})
    table = build(rows) if places else table
    if table is None:
        return build(members), 0
    found = tuple(
        TableNote(
            mark=note.mark,
            text=join_rows(note.rows, profile),
            cells=_cells_at(table, [(x, y) for mark, x, y in places if mark == note.mark]),
        )
        for note in notes
    )
    box = union([table.box, *(row.box for note in notes for row in note.rows)])
    n_rows = sum(row.baseline - 0.3 * row.size < box[3] for row in below)
    return replace(table, box=box, notes=found), n_rows


def _cells_at(table: FoundTable, places: Sequence[tuple[float, float]]) -> tuple[tuple[int, int], ...]:
    """The rows and columns of the cells with text around places."""
    return tuple(
        (row, column)
        for row, boxes in enumerate(table.boxes)
        for column, box in enumerate(boxes)
        if box and table.cells[row][column] and any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in places)
    )


def _find_notes(below: Sequence[Row], table: BBox, members: Sequence[Row], profile: Profile) -> list[_Note]:
    """The notes with which the rows `below` a table begin; `members` are its own rows."""
    if not below:
        return []
    marks = {mark for row in members for word in row.words for mark in _marks(split_mark(word)[1])}
    first = below[0]
    white = (first.baseline - 0.75 * first.size - table[3]) / first.size
    mark = _leading(first, marks)[0]
    small = first.size < SMALLER * profile.body_size
    labelled = LABEL.match(first.words[0].text) is not None and len(first.words) > 1
    begins = mark in marks or (not mark and (small or labelled) and white < NEAR)
    if not begins or white > FAR or profile.conventions.caption.match(first.text) or len(first.cells) > 2:
        return []
    notes: list[_Note] = []
    for number, row in enumerate(below):
        near = number == 0 or row.baseline - below[number - 1].baseline <= LINE * first.size
        if not near or abs(row.size - first.size) > 0.6 or profile.conventions.caption.match(row.text):
            break
        mark, rest = _leading(row, marks)
        if mark or not notes or LABEL.match(row.words[0].text):
            notes.append(_Note(mark, []))
        notes[-1].rows.extend([rest] if rest else [])
    return notes if all(note.rows for note in notes) else []


def _leading(row: Row, marks: set[str]) -> tuple[str, Row | None]:
    """The mark with which a row begins, empty where it has none, and the words after it."""
    mark, rest = leading_mark(row)
    plain = PLAIN.match(row.words[0].text)
    if not _plain(mark) and plain and plain["mark"] in marks and len(row.words) > 1:
        return plain["mark"], Row(row.words[1:])
    return (_plain(mark), rest) if _plain(mark) else ("", row)


def _without_marks(members: Iterable[Row], marks: set[str]) -> tuple[list[Row], list[tuple[str, float, float]]]:
    """The rows of a table without the marks of its notes, and each mark with the place of the word before it."""
    rows: list[Row] = []
    places: list[tuple[str, float, float]] = []
    for row in members:
        words = []
        for word in row.words:
            rest, mark = split_mark(word)
            own = _marks(mark)
            if rest and own and set(own) <= marks:
                word = rest
                places += [(mark, (rest.x0 + rest.x1) / 2, row.baseline - 0.3 * row.size) for mark in own]
            words.append(word)
        rows.append(Row(tuple(words)))
    return rows, places


def _marks(text: str) -> list[str]:
    return [mark for part in text.split(",") if (mark := _plain(part))]


def _plain(mark: str) -> str:
    """A mark as it stands on the line: superscript letters and digits become plain ones."""
    return normalize("NFKC", mark).strip(" .):,")


# The least white, in em, that parts columns in all rows of a table: more than a space between words.
STRIP = 0.45
# How far, in points, a word may reach into a strip, and from where its column begins.
REACH, EXACT = 2.5, 1.6
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
    for share in (0.0, 1.0):
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
        begins = abs(word.x0 - columns[column_at(word.x0, columns)].start) < EXACT
        return word.x0 - cell[-1].x1 <= CELL_GAP * row.size and (cell[0].text[0] in OPENING or not begins)

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
        cells = [
            Cell(Row(tuple(words)).text, union(run.box for word in words for run in word.runs)) if words else Cell()
            for words in (line.get(at) for at in range(len(starts)))
        ]
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


# No head has more rows; a row apart from the others by this much of their distance is a head.
MOST, APART = 3, 1.3
# How far, in points, the middle of a head may lie from the middle of the columns that it covers; text that begins
# nearer to its column's start is set to the left.
OFF_MIDDLE, AT_START = 8.0, 0.5
# What it costs to leave a column under other heads without one, and to set a head where it hardly belongs.
NO_HEAD, UNLIKELY = 3.0, 50.0

Spans = dict[tuple[int, int], tuple[int, int]]


class _Extent(NamedTuple):
    """Where the text of a column begins and ends."""

    start: float
    end: float


def set_rows(
    box: BBox, members: Sequence[Row], columns: Sequence[Column], n_head: int, rules: Sequence[RuledLine] = ()
) -> FoundTable | None:
    """The table of rows that are cut into columns; `rules` over some of the columns say what heads cover."""
    # Rules reach beyond the text on the right as far as on the left.
    end = box[2] - max(columns[0].start - box[0], 0.0) + 0.65 * members[0].size
    columns = [*columns, Column(end, end)]
    head, body = _raised(members[:n_head], columns, True), _raised(members[n_head:], columns, False)
    grid, n_head = cut_rows([*head, *body], columns, len(head))
    extents = []
    for index, (column, following) in enumerate(pairwise(columns)):
        edges = (cell.box[2] for row in grid[n_head:] or grid if (cell := row[index]).box)
        extents.append(_Extent(column.start, max((x for x in edges if x < following.start), default=column.start)))
    _set_boxes(grid, extents, _head_spans(grid, n_head, extents, rules) | _label_spans(grid, n_head))
    return finished(box, grid, n_head)


def count_head_rows(members: Sequence[Row], columns: Sequence[Column]) -> int:
    """How many of the first rows are the head of a table without rules over its whole width, 0 where none is.

    They have no label where nearly all others have one, or the first is bold or stands apart.
    """
    if len(members) < 3:
        return 0
    rows = [words_by_column(row, [*columns, Column(9e9, 9e9)]) for row in members]
    n_head = len(list(takewhile(lambda row: 0 not in row, rows)))
    labels = sum(0 in row for row in rows[n_head:])
    if 0 < n_head <= MOST and labels >= max(2, 0.8 * (len(rows) - n_head)):
        return n_head
    bold = [all(word.main.bold for word in row.words) for row in members[:2]]
    gaps = [two.baseline - one.baseline for one, two in pairwise(members)]
    return int(bold == [True, False] or gaps[0] > APART * median(gaps[1:]))


def _raised(members: Sequence[Row], columns: Sequence[Column], is_head: bool) -> list[Row]:
    """Rows of a head or body with each label in the first of the rows that it names, where it stood in their middle.

    Nothing changes unless each row belongs to one label.
    """
    rows = [words_by_column(row, columns) for row in members]
    # The labels stand in the columns that the first row leaves blank.
    width = 1 if is_head or not rows else max(min(rows[0]), 1)
    lone = [at for at, row in enumerate(rows) if max(row) < width]
    kept = [at for at in range(len(rows)) if at not in lone]
    raised = [list(members[at].words) for at in kept]
    if not kept or (not lone and 0 in rows[0]):
        return list(members)
    first = 0
    for at, row in enumerate(rows):
        if 0 in row:
            middles = ((members[kept[first]].baseline + members[other].baseline) / 2 for other in kept[first:])
            off = (abs(middle - members[at].baseline) for middle in middles)
            size = next((n for n, far in enumerate(off, 1) if far < 0.2 * members[at].size), 0)
            if not size:
                return list(members)
            label = [word for column in range(width) for word in row.get(column, ())]
            if at in kept:
                raised[kept.index(at)] = [word for word in members[at].words if word not in label]
            raised[first] = [*label, *(word for word in raised[first] if word not in label)]
            first += size
    return [Row(tuple(words)) for words in raised] if first == len(kept) else list(members)


def _head_spans(grid: Grid, n_head: int, extents: Sequence[_Extent], rules: Sequence[RuledLine]) -> Spans:
    """The heads that take several places. Text that is centred over columns moves to the first of them."""
    spans: Spans = {}
    bottom = min((box[1] for row in grid[n_head : n_head + 1] for _, box in row if box), default=9e9)
    for at, row in enumerate(grid[:n_head]):
        lower = [any(other[column].text for other in grid[at + 1 : n_head]) for column in range(len(row))]
        ruled = {column: _ruled(cell.box, extents, rules, bottom) for column, cell in enumerate(row) if cell.box}
        shared = Counter(ruled.values())
        own = {column: over for column, over in ruled.items() if over and shared[over] == 1}
        for column, (first, last) in _divided(row, lower, extents, own):
            if first < column:
                row[first], row[column] = row[column], Cell()
            below = at + 1
            while below < n_head and not any(cell.text for cell in grid[below][first : last + 1]):
                below += 1
            spans[at, first] = (below - at, last - first + 1)
    return spans


def _divided(
    row: Sequence[Cell], lower: Sequence[bool], extents: Sequence[_Extent], ruled: Mapping[int, tuple[int, int]]
) -> list[tuple[int, tuple[int, int]]]:
    """The column of each head of a row, and the first and last of the columns under it: the cheapest division of all.

    lower  whether a column has a head in a lower row
    ruled  the columns over a rule of its own, for each head
    """

    def cost(column: int, first: int, last: int) -> float:
        """How far a head is from where it would stand over some columns, in points."""
        box, over = row[column].box, ruled.get(column)
        if over or box is None:
            return 0.0 if (first, last) == (over or (column, column)) else UNLIKELY / 2 + last - first
        start, end = extents[first].start, extents[last].end
        left, off = abs(box[0] - start), abs((start + end - box[0] - box[2]) / 2)
        if first == last:
            return min(left, off, OFF_MIDDLE / 2)
        if first == column > 0 and left < AT_START and all(lower[first : last + 1]):
            return 0.0
        # The first column holds labels: a head that is centred over others does not reach over it.
        return off + 1 if off < OFF_MIDDLE and (first or column == 0) else UNLIKELY

    # What the best division of the columns before each costs, and its ranges.
    best: list[tuple[float, list[tuple[int, tuple[int, int]]]]] = [(0.0, [])]
    for end in range(1, len(row) + 1):
        skipped, ranges = best[end - 1]
        choices = [] if row[end - 1].text else [(skipped + NO_HEAD * (end > 1 and lower[end - 1]), ranges)]
        held: list[int] = []
        for first in reversed(range(end)):
            held += [first] if row[first].text else []
            if len(held) > 1:
                break
            if held:
                before, ranges = best[first]
                choices.append((before + cost(held[0], first, end - 1), [*ranges, (held[0], (first, end - 1))]))
        best.append(min(choices, key=lambda choice: choice[0]))
    return best[-1][1]


def _ruled(box: BBox, extents: Sequence[_Extent], rules: Sequence[RuledLine], bottom: float) -> tuple[int, int] | None:
    """The columns over the rule right below a head, if it is over only some columns."""
    y = (box[1] + box[3]) / 2
    below = [rule for rule in rules if rule.x0 - 2 <= box[0] and box[2] <= rule.x1 + 2 and y < rule.y0 < bottom + 2]
    rule = min(below, key=lambda rule: rule.y0, default=None)
    if rule is None or rule.x1 - rule.x0 >= 0.9 * (extents[-1].end - extents[0].start):
        return None
    over = [at for at, (start, end) in enumerate(extents) if rule.x0 - 2 < (start + end) / 2 < rule.x1 + 2]
    return (over[0], over[-1]) if over else None


def _label_spans(grid: Grid, n_head: int) -> Spans:
    """Labels above blank places hold for these rows too, where one of the other columns has no blank place."""
    body = grid[n_head:]
    labels = [at for at, row in enumerate(body) if row[0].text]
    full = any(all(row[column].text for row in body) for column in range(1, len(grid[0])))
    if not full or labels[:1] != [0]:
        return {}
    return {(n_head + one, 0): (two - one, 1) for one, two in pairwise([*labels, len(body)]) if two - one > 1}


def _set_boxes(grid: Grid, extents: Sequence[_Extent], spans: Spans) -> None:
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
                row[left] = Cell()
            else:
                place = extents[left].start, first[1], extents[left + n_columns - 1].end, last[3]
                row[left] = Cell(text, around([place, box]))
