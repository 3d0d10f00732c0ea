"""Finds tables, ruled or not, with their cells, merged cells and heads of several rows.

A ruled table is a stack of horizontal rules of the same width. Its columns are its vertical rules, else the white
strips that the words of (nearly) all rows leave free. An unruled table is a run of rows cut by such strips.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from pairwright.ingest.examples.finder import CAPTION
from pairwright.ingest.layout.table_columns import (
    EMPTY,
    Cell,
    Grid,
    TableColumn,
    cut_row,
    find_columns,
)
from pairwright.ingest.layout.table_heads import MOST, count_head_rows
from pairwright.ingest.layout.table_merges import merge_cells, raise_labels, set_labels_first, title_rows
from pairwright.ingest.layout.table_notes import find_notes, without_marks
from pairwright.ingest.layout.table_wraps import find_wraps, joined
from pairwright.ingest.page.data import BBox, Profile, RuledLine, union
from pairwright.ingest.page.profile import LEADER
from pairwright.ingest.page.rows import Row, Word, cluster, count_while, filled_rows, join_words
from pairwright.records import TableNote

SAME = 5.0
# The least white, in em, between the rules of a table and the text of another table beside it.
BESIDE = 1.4
FAR = TableColumn(9e9, 9e9)


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


class _Region(NamedTuple):
    """The box of a ruled table and the rules in it."""

    box: BBox
    horizontal: list[RuledLine]
    vertical: list[RuledLine]


def ruled_tables(page_rows: Sequence[Row], rules: Sequence[RuledLine], profile: Profile) -> list[FoundTable]:
    """The ruled tables of a page with their notes, from top to bottom."""
    tables = []
    for region in _regions(page_rows, rules):
        inside = filled_rows(words_inside(row, region.box) for row in page_rows)

        def build(members: Sequence[Row], region: _Region = region) -> FoundTable | None:
            return _gridded(region, members) or _open(region, members)

        tables.append(_with_notes(build, inside, _rows_below(page_rows, region.box), profile)[0])
    return [table for table in tables if table is not None]


def _rows_below(page_rows: Sequence[Row], box: BBox) -> list[Row]:
    """What begins below a table, and not beside that."""
    below = (row for row in page_rows if row.baseline - 0.3 * row.size > box[3] + 1)
    starts = ([cell for cell in row.cells if box[0] - 2 * row.size < cell.x0 < box[2]] for row in below)
    return filled_rows([word for cell in cells for word in cell.words] for cells in starts)


def _with_notes(
    build: Callable[[Sequence[Row]], FoundTable | None], members: Sequence[Row], below: Sequence[Row], profile: Profile
) -> tuple[FoundTable | None, int]:
    """The table that is built of rows, with its notes, and how many of the rows below it they fill."""
    table = build(members)
    found = find_notes(below, table.box, members, profile) if table else None
    if table is None or found is None:
        return table, 0
    rows, places = without_marks(members, {note.mark for note in found.notes})
    table = build(rows) if places else table
    if table is None:
        return build(members), 0
    notes = tuple(
        TableNote(mark=mark, text=text, cells=_cells_at(table, [(x, y) for other, x, y in places if other == mark]))
        for mark, text in found.texts(profile)
    )
    return replace(table, box=union([table.box, found.box]), notes=notes), found.n_rows


def _cells_at(table: FoundTable, places: Sequence[tuple[float, float]]) -> tuple[tuple[int, int], ...]:
    """The rows and columns of the cells with text around places."""
    return tuple(
        (row, column)
        for row, boxes in enumerate(table.boxes)
        for column, box in enumerate(boxes)
        if box and table.cells[row][column] and any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in places)
    )


def words_inside(row: Row, box: BBox, reach: float = SAME) -> tuple[Word, ...]:
    """The words of a row whose middles stand in a box, or `reach` points beside it."""
    if not box[1] - 1 < row.baseline - 0.3 * row.size < box[3] + 1:
        return ()
    return tuple(word for word in row.words if box[0] - reach <= (word.x0 + word.x1) / 2 <= box[2] + reach)


def _regions(page_rows: Sequence[Row], rules: Sequence[RuledLine]) -> list[_Region]:
    """Stacks of horizontal rules of one width that lie in no larger one, from top to bottom."""
    stacks: list[list[RuledLine]] = []
    for rule in _joined(rule for rule in rules if rule.horizontal):
        for stack in stacks:
            same = abs(stack[-1].x0 - rule.x0) < SAME and abs(stack[-1].x1 - rule.x1) < SAME
            if same and not _interrupted(stack[-1], rule, page_rows):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    boxes = [union(stack) for stack in stacks if len(stack) > 1]
    outermost: list[BBox] = []
    for box in sorted(boxes, key=lambda box: -(box[2] - box[0]) * (box[3] - box[1])):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        inner = any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in outermost)
        if box[3] - box[1] >= 8 and not inner:
            outermost.append(box)
    regions = []
    for box in sorted(outermost, key=lambda box: (round(box[1]), box[0])):
        inside = [rule for rule in rules if _within(rule, box)]
        horizontal, vertical = ([rule for rule in inside if rule.horizontal is level] for level in (True, False))
        regions.append(_Region(box, horizontal, vertical))
    return regions


def _joined(horizontal: Iterable[RuledLine]) -> list[RuledLine]:
    """Rules on one height whose ends touch, as one: grids are often drawn cell by cell."""
    by_place = sorted(sorted(horizontal, key=itemgetter(1)), key=lambda rule: (round(rule.y0), rule.x0))
    touching = cluster(
        by_place, lambda rules, rule: abs(rules[0].y0 - rule.y0) < 1 and rule.x0 - max(one.x1 for one in rules) < 2
    )
    joined = [RuledLine(rules[0].x0, rules[0].y0, max(rule.x1 for rule in rules), rules[0].y0) for rules in touching]
    return sorted(joined, key=itemgetter(1))


def _interrupted(above: RuledLine, below: RuledLine, page_rows: Sequence[Row]) -> bool:
    """Whether a caption or wider text stands between two rules, which then belong to two tables."""
    rows_between = [row for row in page_rows if above.y0 < row.baseline - 0.3 * row.size < below.y0]
    # What stands far beside the rules may be another table.
    between = [
        cell
        for row in rows_between
        for cell in row.cells
        if cell.x0 < above.x1 + BESIDE * row.size and cell.x1 > above.x0 - BESIDE * row.size
    ]
    wider = [cell for cell in between if cell.x0 < above.x0 - SAME or cell.x1 > above.x1 + 3 * SAME]
    return any(CAPTION.match(cell.text) for cell in between) or len(wider) > 0.34 * max(len(rows_between), 1)


def _within(rule: RuledLine, box: BBox) -> bool:
    return rule.x0 > box[0] - SAME and rule.x1 < box[2] + SAME and rule.y0 > box[1] - SAME and rule.y1 < box[3] + SAME


def _distinct(values: Iterable[float], near: float = 3.5) -> list[float]:
    return [group[0] for group in cluster(sorted(values), lambda group, value: value - group[0] <= near)]


def _gridded(region: _Region, inside: Sequence[Row]) -> FoundTable | None:
    """A table with rules on all sides of its cells; None where there are no inner vertical rules."""
    height = region.box[3] - region.box[1]
    xs = _distinct(rule.x0 for rule in region.vertical)
    inner = [x for x in xs if region.box[0] + SAME < x < region.box[2] - SAME]
    drawn = [sum(rule.y1 - rule.y0 for rule in region.vertical if abs(rule.x0 - x) < 4) for x in inner]
    if not inner or min(drawn) < 0.6 * height:
        return None
    xs = _distinct([region.box[0], *inner, region.box[2]])
    ys = _distinct([region.box[1], region.box[3], *(rule.y0 for rule in region.horizontal)])
    if len(ys) - 1 < 0.4 * len(inside) and len(ys) <= 3:
        if len(inside) > 3 and len(find_columns(inside, region.box[0])) > len(xs) - 1:
            # Only some of the columns are parted by rules.
            return None
        # No rule separates the rows: their boundaries are half-way between baselines.
        ys = _distinct([*ys, *(row.baseline - 0.85 * row.size for row in inside[1:])], near=6.0)
    grid = [[EMPTY for _ in xs[1:]] for _ in ys[1:]]
    owners = _owners(xs, ys, region)
    for (row, column), box in owners.items():
        texts = (join_words(words_inside(line, box, 1.0)) for line in inside)
        grid[row][column] = Cell(" ".join(filter(None, texts)), box)
    return _finished(region.box, grid, _grid_head(xs, ys, owners))


def _grid_head(xs: Sequence[float], ys: Sequence[float], owners: Mapping[tuple[int, int], BBox]) -> int:
    """The rows of a grid's head: those under a cell of the first row that reaches over some of the columns, too."""
    first = [box for (row, _), box in owners.items() if row == 0]
    over = any(sum(box[0] < x < box[2] for x in xs[1:-1]) and box[2] - box[0] < xs[-1] - xs[0] - 1 for box in first)
    depth = max(sum(box[1] < y < box[3] for y in ys[1:-1]) + 1 for box in first)
    return min(max(depth, 2), len(ys) - 2) if over and len(ys) > 3 else 1


def _owners(xs: Sequence[float], ys: Sequence[float], region: _Region) -> dict[tuple[int, int], BBox]:
    """The first place of each cell with its box; cells without a rule between them are one."""
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    taken: set[tuple[int, int]] = set()
    owners = {}
    for row in range(n_rows):
        for column in range(n_columns):
            if (row, column) in taken:
                continue
            right, below = column, row
            while right + 1 < n_columns and not _vertical_at(xs[right + 1], (ys[row] + ys[row + 1]) / 2, region):
                right += 1
            x = (xs[column] + xs[right + 1]) / 2
            while below + 1 < n_rows and not _horizontal_at(x, ys[below + 1], region):
                below += 1
            taken.update((r, c) for r in range(row, below + 1) for c in range(column, right + 1))
            owners[row, column] = (xs[column], ys[row], xs[right + 1], ys[below + 1])
    return owners


def _vertical_at(x: float, y: float, region: _Region) -> bool:
    return any(abs(rule.x0 - x) < 4 and rule.y0 - 1 <= y <= rule.y1 + 1 for rule in region.vertical)


def _horizontal_at(x: float, y: float, region: _Region) -> bool:
    drawn = [rule for rule in region.horizontal if abs(rule.y0 - y) < 4]
    return not drawn or any(rule.x0 - 1 <= x <= rule.x1 + 1 for rule in drawn)


def _open(region: _Region, inside: Sequence[Row]) -> FoundTable | None:
    """A table with horizontal rules only, as books set them."""
    if len(inside) < 2:
        return None
    width = region.box[2] - region.box[0]
    heights = _distinct(rule.y0 for rule in region.horizontal if rule.x1 - rule.x0 > 0.9 * width)
    inner = [y for y in heights if region.box[1] + 6 < y < region.box[3] - 6]
    n_head = _head_above(inside, inner)
    body = inside[n_head:] if len(inside) - n_head >= 2 else inside
    columns = find_columns(body, region.box[0])
    n_head = n_head or count_head_rows(inside, [*columns, FAR], region.horizontal)
    bands = [region.box[1], *inner, region.box[3]]
    return _from_rows(region.box, inside, columns, n_head, region.horizontal, bands) if len(columns) > 1 else None


def _head_above(inside: Sequence[Row], heights: Sequence[float]) -> int:
    """The rows above the first rule over the whole width, or above the second where a row of the head has its own.

    0 where they are too many: such a rule parts rows of the body.
    """
    above = [sum(row.baseline < height for row in inside) for height in heights]
    if not above or above[0] > MOST:
        return 0
    first, second = above[0], above[1] if len(above) > 1 else 0
    rest = len(inside) - second
    if second != first + 1 or rest < 2 or (len(above) > 2 and above[2] == second + 1):
        return first
    over, under = inside[first - 1], inside[first]
    # A head over columns, or a row without a label where those below have one.
    reaches = len(over.table_cells) < len(under.table_cells)
    corner = under.x0 > min(row.x0 for row in inside[second:]) + under.size
    return second if reaches or corner else first


def _from_rows(
    box: BBox,
    members: Sequence[Row],
    columns: Sequence[TableColumn],
    n_head: int,
    rules: Sequence[RuledLine],
    heights: Sequence[float] = (),
) -> FoundTable | None:
    """The table of rows that are cut into columns, with the rules in it; `heights` are those over the whole width."""
    # Rules reach beyond the text on the right as far as on the left.
    end = box[2] - max(columns[0].start - box[0], 0.0) + 0.65 * members[0].size
    columns = [*columns, TableColumn(end, end)]
    members, cells = set_labels_first(members, [cut_row(row, columns) for row in members], n_head)
    wraps = find_wraps(members, columns, n_head)
    titled = title_rows(members, cells, n_head, columns)
    grid = joined(cells, wraps)
    first_lines = [index for index, goes_on in enumerate(wraps) if not goes_on]
    titles = {id(grid[at]) for at, index in enumerate(first_lines) if index in titled}
    n_head = raise_labels(grid, heights, n_head)
    _close_up(grid, columns)
    merge_cells(grid, n_head, columns, [at for at, row in enumerate(grid) if id(row) in titles], rules)
    return _finished(box, grid, n_head)


def _close_up(grid: Grid, columns: list[TableColumn]) -> None:
    """Joins two columns of which one holds only a head and the other only what stands under it, set to the right.

    Columns that hold nothing are taken out.
    """
    column = 0
    while column + 1 < len(grid[0]):
        left, right = ([index for index, row in enumerate(grid) if row[at].text] for at in (column, column + 1))
        apart = not set(left) & set(right)
        if column and apart and [0] in (left, right) and len(left) + len(right) >= len(grid) - 1:
            for row in grid:
                row[column : column + 2] = [row[column] if row[column].text else row[column + 1]]
            del columns[column + 1]
        elif not left:
            for row in grid:
                del row[column]
            del columns[column]
        else:
            column += 1


def _finished(box: BBox, grid: Grid, header_rows: int) -> FoundTable | None:
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


def find_unruled(
    upcoming: Sequence[Row], profile: Profile, captioned: bool, rules: Sequence[RuledLine] = ()
) -> tuple[int, FoundTable] | None:
    """A table without rules between its cells that begins with the first of `upcoming` rows: how many rows it
    and its notes fill, and the table. One of the page's `rules` may be under its head."""
    n_rows = _table_rows(upcoming, profile)
    members = upcoming[:n_rows]
    # Lines of a table of contents are none of a table.
    if n_rows < (2 if captioned else 3) or 3 * sum(bool(LEADER.search(row.text)) for row in members) > n_rows:
        return None
    table, n_notes = _with_notes(lambda rows: _unruled(rows, rules), members, upcoming[n_rows:], profile)
    return None if table is None else (n_rows + n_notes, table)


def _unruled(members: Sequence[Row], rules: Sequence[RuledLine]) -> FoundTable | None:
    box = union(row.box for row in members)
    columns = find_columns(members, box[0])
    later = [column.start for column in columns[1:]]
    divided = sum(len(row.table_cells) > 1 or any(abs(row.x0 - x) < 2 for x in later) for row in members)
    if len(columns) < 2 or divided < 0.7 * len(members) or not _aligned(members, columns):
        return None
    n_head = count_head_rows(members, [*columns, FAR], rules)
    inside = [rule for rule in rules if rule.horizontal and _within(rule, box)]
    return _from_rows(box, members, columns, n_head, inside)


def _table_rows(upcoming: Sequence[Row], profile: Profile) -> int:
    if len(upcoming[0].cells) == 1:
        return 0
    width = max(row.x1 for row in upcoming[:8]) - min(row.x0 for row in upcoming[:8])

    def goes_on(index: int) -> bool:
        row = upcoming[index]
        near = row.baseline - upcoming[index - 1].baseline <= 2.2 * profile.leading
        wide = len(row.cells) == 1 and row.x1 - row.x0 > 0.75 * width
        return near and not wide and not CAPTION.match(row.text)

    count = 0 if CAPTION.match(upcoming[0].text) else count_while(upcoming, goes_on)
    full = count
    while full and len(upcoming[full - 1].cells) == 1:
        full -= 1
    if full > 2:
        while full < count and _ends_cell(upcoming, full):
            full += 1
    return full


def _ends_cell(rows: Sequence[Row], last: int) -> bool:
    """Whether a row of one cell may be the last line of a cell in another column than the first."""
    first = last
    while first and len(rows[first].cells) == 1:
        first -= 1
    starts = [cell.x0 for cell in rows[first].cells[1:]]
    row = rows[last]
    near = row.baseline - rows[last - 1].baseline < 1.5 * row.size
    return near and any(-2 < row.x0 - start < 2 * row.size for start in starts)


def _aligned(members: Sequence[Row], columns: Sequence[TableColumn]) -> bool:
    """Whether most cells begin, end or have their middle where others of their column do."""
    good = total = 0
    cells = [cell for row in members for cell in row.cells]
    for left, right in pairwise([*(column.start for column in columns), 9e9]):
        places = [(cell.x0, cell.x1, (cell.x0 + cell.x1) / 2) for cell in cells if left - 2.5 < cell.x0 < right - 2.5]
        edges = zip(*places, strict=True)
        total += len(places)
        in_line = (max(sum(abs(one - other) < 2.5 for other in edge) for one in edge) for edge in edges)
        good += max(in_line, default=0)
    return good >= 0.75 * total
