"""Finds tables: stacks of horizontal rules of the same width, and runs of rows that white strips cut into columns.

The columns of a ruled table are its vertical rules, else the white strips that the words of (nearly) all rows leave
free.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from pairwright.documents.lines.data import BBox, Profile, RuledLine, union
from pairwright.documents.lines.profile import LEADER
from pairwright.documents.lines.rows import (
    CELL_GAP,
    Row,
    TextColumn,
    Word,
    cluster,
    count_while,
    filled_rows,
    join_words,
)
from pairwright.documents.tables.columns import (
    MOST,
    Cell,
    Column,
    FoundTable,
    count_head_rows,
    find_columns,
    finished,
    set_rows,
    with_notes,
)

# How far apart, in points, places may be that count as one.
SAME = 5.0
# The least white, in em, between the rules of a table and the text of another table beside it.
BESIDE = 1.4


class _Region(NamedTuple):
    """The box of a ruled table and the rules in it."""

    box: BBox
    horizontal: list[RuledLine]
    vertical: list[RuledLine]


def ruled_tables(page_rows: Sequence[Row], rules: Sequence[RuledLine], profile: Profile) -> list[FoundTable]:
    """The ruled tables of a page with their notes, from top to bottom."""
    if profile.head_below is not None:
        # A rule right below a running head.
        head_end = profile.head_below + 0.8 * profile.leading
        rules = [rule for rule in rules if rule.y1 > head_end]
    tables = []
    for region in _regions(page_rows, rules, profile):
        inside = filled_rows(words_inside(row, region.box) for row in page_rows)

        def build(members: Sequence[Row], region: _Region = region) -> FoundTable | None:
            return _gridded(region, members) or _open(region, members)

        below = [row for row in page_rows if row.baseline - 0.3 * row.size > region.box[3] + 1]
        tables.append(with_notes(build, inside, below, profile)[0])
    return [table for table in tables if table is not None]


def words_inside(row: Row, box: BBox, reach: float = SAME) -> tuple[Word, ...]:
    """The words of a row whose middles stand in a box, or `reach` points beside it."""
    if not box[1] - 1 < row.baseline - 0.3 * row.size < box[3] + 1:
        return ()
    return tuple(word for word in row.words if box[0] - reach <= (word.x0 + word.x1) / 2 <= box[2] + reach)


def _regions(page_rows: Sequence[Row], rules: Sequence[RuledLine], profile: Profile) -> list[_Region]:
    """Stacks of horizontal rules of one width that lie in no larger one, from top to bottom."""
    stacks: list[list[RuledLine]] = []
    for rule in _joined(rule for rule in rules if rule.horizontal):
        for stack in stacks:
            same = abs(stack[-1].x0 - rule.x0) < SAME and abs(stack[-1].x1 - rule.x1) < SAME
            if same and not _interrupted(stack[-1], rule, page_rows, profile):
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
        x0, y0, x1, y1 = box[0] - SAME, box[1] - SAME, box[2] + SAME, box[3] + SAME
        inside = [rule for rule in rules if rule.x0 > x0 and rule.x1 < x1 and rule.y0 > y0 and rule.y1 < y1]
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


def _interrupted(above: RuledLine, below: RuledLine, page_rows: Sequence[Row], profile: Profile) -> bool:
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
    captioned = any(profile.conventions.caption.match(cell.text) for cell in between)
    return captioned or len(wider) > 0.34 * max(len(rows_between), 1)


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
        if len(inside) > 3 and len(find_columns(inside)) > len(xs) - 1:
            # Only some of the columns are parted by rules.
            return None
        # No rule separates the rows: their boundaries are half-way between baselines.
        ys = _distinct([*ys, *(row.baseline - 0.85 * row.size for row in inside[1:])], near=6.0)
    grid = [[Cell() for _ in xs[1:]] for _ in ys[1:]]
    owners = _owners(xs, ys, region)
    for (row, column), box in owners.items():
        texts = (join_words(words_inside(line, box, 1.0)) for line in inside)
        grid[row][column] = Cell(" ".join(filter(None, texts)), box)
    return finished(region.box, grid, _grid_head(xs, ys, owners))


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
            y = (ys[row] + ys[row + 1]) / 2
            crossing = [rule.x0 for rule in region.vertical if rule.y0 - 1 <= y <= rule.y1 + 1]
            while right + 1 < n_columns and not any(abs(x - xs[right + 1]) < 4 for x in crossing):
                right += 1
            x = (xs[column] + xs[right + 1]) / 2
            while below + 1 < n_rows:
                drawn = [rule for rule in region.horizontal if abs(rule.y0 - ys[below + 1]) < 4]
                if not drawn or any(rule.x0 - 1 <= x <= rule.x1 + 1 for rule in drawn):
                    break
                below += 1
            taken.update((r, c) for r in range(row, below + 1) for c in range(column, right + 1))
            owners[row, column] = (xs[column], ys[row], xs[right + 1], ys[below + 1])
    return owners


def _open(region: _Region, inside: Sequence[Row]) -> FoundTable | None:
    """A table with horizontal rules only, as books set them."""
    if len(inside) < 2:
        return None
    width = region.box[2] - region.box[0]
    heights = _distinct(rule.y0 for rule in region.horizontal if rule.x1 - rule.x0 > 0.9 * width)
    n_head = _head_above(inside, [y for y in heights if region.box[1] + 6 < y < region.box[3] - 6])
    body = inside[n_head:] if len(inside) - n_head >= 2 else inside
    columns = find_columns(body)
    n_head = n_head or count_head_rows(inside, columns)
    return set_rows(region.box, inside, columns, n_head, region.horizontal) if len(columns) > 1 else None


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


# Rows farther apart than this, in parts of the leading, do not belong together.
APART = 2.2


def find_unruled(upcoming: Sequence[Row], profile: Profile, captioned: bool) -> tuple[int, FoundTable] | None:
    """A table without rules between its cells that begins with the first of `upcoming` rows: how many rows it
    and its notes fill, and the table."""
    n_rows = _table_rows(upcoming, profile)
    members = upcoming[:n_rows]
    # Lines of a table of contents are not table rows.
    if n_rows < (2 if captioned else 3) or 3 * sum(bool(LEADER.search(row.text)) for row in members) > n_rows:
        return None
    table, n_notes = with_notes(_unruled, members, upcoming[n_rows:], profile)
    return None if table is None else (n_rows + n_notes, table)


def _unruled(members: Sequence[Row]) -> FoundTable | None:
    columns = find_columns(members)
    later = [column.start for column in columns[1:]]
    divided = sum(len(row.table_cells) > 1 or any(abs(row.x0 - x) < 2 for x in later) for row in members)
    if len(columns) < 2 or divided < 0.7 * len(members) or not _aligned(members, columns):
        return None
    return set_rows(union(row.box for row in members), members, columns, count_head_rows(members, columns))


def _table_rows(upcoming: Sequence[Row], profile: Profile) -> int:
    if len(upcoming[0].cells) == 1:
        return 0
    width = max(row.x1 for row in upcoming[:8]) - min(row.x0 for row in upcoming[:8])

    def goes_on(index: int) -> bool:
        row = upcoming[index]
        near = row.baseline - upcoming[index - 1].baseline <= APART * profile.leading
        wide = len(row.cells) == 1 and row.x1 - row.x0 > 0.75 * width
        return near and not wide and not profile.conventions.caption.match(row.text)

    count = 0 if profile.conventions.caption.match(upcoming[0].text) else count_while(upcoming, goes_on)
    while count and len(upcoming[count - 1].cells) == 1:
        count -= 1
    return count


def _aligned(members: Sequence[Row], columns: Sequence[Column]) -> bool:
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


def split_sides(upcoming: Sequence[Row], profile: Profile) -> tuple[list[TextColumn], int]:
    """The sides that begin with captions on the first of `upcoming` rows, each up to the middle of the white around it,
    and how many rows they fill; none without."""
    captions, conventions = upcoming[0].cells, profile.conventions
    numbered = (conventions.number(cell.words[0].text) if len(cell.words) > 1 else None for cell in captions)
    begun = [number or conventions.caption.match(cell.text) for number, cell in zip(numbered, captions, strict=True)]
    if len(captions) < 2 or not all(begun):
        return [], 0
    strips = [(one.x1, two.x0) for one, two in pairwise(captions)]
    n_rows = 1
    for above, row in pairwise(upcoming):
        narrower = [_white(row, strip) for strip in strips]
        if row.baseline - above.baseline > APART * profile.leading or None in narrower:
            break
        strips = [strip for strip in narrower if strip]
        n_rows += 1
    edges = [float("-inf"), *((left + right) / 2 for left, right in strips), float("inf")]
    sides = []
    for left, right in pairwise(edges):
        words = ([word for word in row.words if left < word.x0 < right] for row in upcoming[:n_rows])
        sides.append(TextColumn(tuple(filled_rows(words)), left, right))
    return sides, n_rows


def _white(row: Row, strip: tuple[float, float]) -> tuple[float, float] | None:
    """The widest part of a strip in which a row has no words; None where it is no wider than between cells."""
    inside = [word for word in row.words if word.x1 > strip[0] and word.x0 < strip[1]]
    edges = [strip[0], *(x for word in inside for x in (word.x0, word.x1)), strip[1]]
    free = [(left, right) for left, right in zip(edges[::2], edges[1::2], strict=True) if right > left]
    widest = max(free, key=lambda part: part[1] - part[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] > CELL_GAP * row.size else None
