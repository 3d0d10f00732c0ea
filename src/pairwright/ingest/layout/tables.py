"""Finds tables, ruled or not, with their cells, merged cells and heads of several rows.

A ruled table is a stack of horizontal rules of the same width. Its columns are the vertical rules where it has them,
else the white strips that the words of (nearly) all rows leave free. An unruled table is a run of rows cut by such
strips.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pairwright.ingest.examples.finder import CAPTION
from pairwright.ingest.layout.table_columns import TableColumn, column_at, cut_row, extent, find_columns, tight_cells
from pairwright.ingest.layout.table_merges import raise_labels, settle_heads
from pairwright.ingest.page.data import BBox, Profile, RuledLine, union
from pairwright.ingest.page.rows import Row, Word, join_words

SAME = 5.0


@dataclass(frozen=True)
class FoundTable:
    """A table: its box, the text and box of each cell row by row, and how many rows are its head.

    A merged cell has its text in its first row and column; the other places have no text and no box.
    """

    box: BBox
    cells: tuple[tuple[str, ...], ...]
    boxes: tuple[tuple[BBox | None, ...], ...]
    header_rows: int


@dataclass(frozen=True)
class _Region:
    box: BBox
    horizontal: tuple[RuledLine, ...]
    vertical: tuple[RuledLine, ...]


def ruled_tables(page_rows: Sequence[Row], rules: Sequence[RuledLine]) -> list[FoundTable]:
    """The ruled tables of a page, from top to bottom."""
    found = []
    for region in _regions(page_rows, rules):
        inside = [Row(words) for words in (words_inside(row, region.box) for row in page_rows) if words]
        table = _gridded(region, inside) or _open(region, inside)
        if table is not None:
            found.append(table)
    return found


def words_inside(row: Row, box: BBox, reach: float = SAME) -> tuple[Word, ...]:
    """The words of a row whose middles stand in a box, or `reach` points beside it."""
    if not box[1] - 1 < row.baseline - 0.3 * row.size < box[3] + 1:
        return ()
    return tuple(word for word in row.words if box[0] - reach <= (word.x0 + word.x1) / 2 <= box[2] + reach)


def _regions(page_rows: Sequence[Row], rules: Sequence[RuledLine]) -> list[_Region]:
    horizontal = sorted((rule for rule in rules if rule.horizontal), key=lambda rule: rule.y0)
    full = _joined(horizontal)
    stacks: list[list[RuledLine]] = []
    for rule in full:
        for stack in stacks:
            same = abs(stack[-1].x0 - rule.x0) < SAME and abs(stack[-1].x1 - rule.x1) < SAME
            if same and not _interrupted(stack[-1], rule, page_rows):
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    regions = []
    for stack in stacks:
        box = union([(rule.x0, rule.y0, rule.x1, rule.y1) for rule in stack])
        if len(stack) < 2 or box[3] - box[1] < 8:
            continue
        inner = [rule for rule in rules if _within(rule, box)]
        regions.append(
            _Region(box, tuple(rule for rule in inner if rule.horizontal), tuple(r for r in inner if not r.horizontal))
        )
    return _outermost(regions)


def _outermost(regions: Sequence[_Region]) -> list[_Region]:
    """The regions that lie in no larger one."""
    kept: list[_Region] = []
    for region in sorted(regions, key=lambda item: -(item.box[2] - item.box[0]) * (item.box[3] - item.box[1])):
        x, y = (region.box[0] + region.box[2]) / 2, (region.box[1] + region.box[3]) / 2
        if not any(other.box[0] <= x <= other.box[2] and other.box[1] <= y <= other.box[3] for other in kept):
            kept.append(region)
    return sorted(kept, key=lambda item: item.box[1])


def _joined(horizontal: Sequence[RuledLine]) -> list[RuledLine]:
    """Rules on one height whose ends touch, as one: grids are often drawn cell by cell."""
    joined: list[RuledLine] = []
    for rule in sorted(horizontal, key=lambda rule: (round(rule.y0), rule.x0)):
        last = joined[-1] if joined else None
        if last is not None and abs(last.y0 - rule.y0) < 1 and rule.x0 - last.x1 < 2:
            joined[-1] = RuledLine(last.x0, last.y0, max(last.x1, rule.x1), last.y0)
        else:
            joined.append(rule)
    return sorted(joined, key=lambda rule: rule.y0)


def _interrupted(above: RuledLine, below: RuledLine, page_rows: Sequence[Row]) -> bool:
    """Whether a caption or wider text stands between two rules, which then belong to two tables."""
    between = [row for row in page_rows if above.y0 < row.baseline - 0.3 * row.size < below.y0]
    wider = [row for row in between if row.x0 < above.x0 - SAME or row.x1 > above.x1 + 3 * SAME]
    return any(CAPTION.match(row.text) for row in between) or len(wider) > 0.34 * max(len(between), 1)


def _within(rule: RuledLine, box: BBox) -> bool:
    return rule.x0 > box[0] - SAME and rule.x1 < box[2] + SAME and rule.y0 > box[1] - SAME and rule.y1 < box[3] + SAME


def _distinct(values: Iterable[float], near: float = 3.5) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > near:
            kept.append(value)
    return kept


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
        ys = _between_rows(ys, inside)
    cells = [["" for _ in xs[1:]] for _ in ys[1:]]
    boxes: list[list[BBox | None]] = [[None for _ in xs[1:]] for _ in ys[1:]]
    owners = _owners(xs, ys, region)
    for (row, column), box in owners.items():
        boxes[row][column] = box
        cells[row][column] = " ".join(filter(None, (join_words(words_inside(line, box, 1.0)) for line in inside)))
    return _finished(region.box, cells, boxes, 1)


def _between_rows(ys: Sequence[float], inside: Sequence[Row]) -> list[float]:
    """Boundaries for rows that no rule separates: half-way between baselines."""
    extra = [two.baseline - 0.85 * two.size for _, two in pairwise(inside)]
    return _distinct([*ys, *extra], near=6.0)


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
    heights = _distinct(
        rule.y0 for rule in region.horizontal if rule.x1 - rule.x0 > 0.9 * (region.box[2] - region.box[0])
    )
    inner = [y for y in heights if region.box[1] + 6 < y < region.box[3] - 6]
    n_head = sum(row.baseline < inner[0] for row in inside) if inner else 0
    body = inside[n_head:] if len(inside) - n_head >= 2 else inside
    found = find_columns(body, region.box[0])
    bands = [region.box[1], *inner, region.box[3]]
    return _from_rows(region.box, inside, found, n_head, bands) if len(found) > 1 else None


def _from_rows(
    box: BBox, members: Sequence[Row], found: Sequence[TableColumn], n_head: int, heights: Sequence[float] = ()
) -> FoundTable | None:
    """The table of rows that are cut into columns; `heights` are its rules over the whole width."""
    # Rules reach beyond the text on the right as far as on the left.
    end = box[2] - max(found[0].start - box[0], 0.0) + 0.65 * members[0].size
    columns = [*found, TableColumn(end, end)]
    cells: list[list[str]] = []
    boxes: list[list[BBox | None]] = []
    for index, row in enumerate(members):
        texts, places = cut_row(row, columns)
        if cells and index >= n_head and _continues(members[index - 1], row, texts, cells[-1], columns):
            _append(cells[-1], boxes[-1], texts, places)
            continue
        cells.append(texts)
        boxes.append(places)
    settle_heads(cells, boxes, n_head, columns)
    n_head = raise_labels(cells, boxes, heights, n_head)
    _close_up(cells, boxes)
    return _finished(box, cells, boxes, n_head)


def _close_up(cells: list[list[str]], boxes: list[list[BBox | None]]) -> None:
    """Joins two columns of which one holds only a head and the other only what stands under it, set to the right."""
    column = 0
    while column + 1 < len(cells[0]):
        left = [index for index, row in enumerate(cells) if row[column]]
        right = [index for index, row in enumerate(cells) if row[column + 1]]
        apart = not set(left) & set(right)
        if column and apart and (left == [0] or right == [0]) and len(left) + len(right) >= len(cells) - 1:
            for row, places in zip(cells, boxes, strict=True):
                row[column : column + 2] = [row[column] or row[column + 1]]
                places[column : column + 2] = [places[column] or places[column + 1]]
        else:
            column += 1


def _continues(
    before: Row, row: Row, texts: Sequence[str], above: Sequence[str], columns: Sequence[TableColumn]
) -> bool:
    """Whether a row only wraps cells of the row before: its first word would not have fitted there."""
    filled = [index for index, text in enumerate(texts) if text]
    if (
        not filled
        or filled[0] == 0
        or 2 * len(filled) > sum(map(bool, above))
        or row.baseline - before.baseline > 1.6 * row.size
    ):
        return False
    if not any(" " in above[index] or above[index].endswith("-") for index in filled):
        return False
    for index in filled:
        last = [word for word in before.words if column_at(word.x0, columns) == index]
        first = next(word for word in row.words if column_at(word.x0, columns) == index)
        if not above[index] or not last:
            return False
        hyphen = last[-1].text.endswith("-") and len(last[-1].text) > 2 and first.text[:1].islower()
        room = columns[index + 1].start - last[-1].x1 - 0.9 * row.size
        if not hyphen and room > first.x1 - first.x0:
            return False
    return True


def _append(cells: list[str], boxes: list[BBox | None], texts: Sequence[str], places: Sequence[BBox | None]) -> None:
    for index, (text, place) in enumerate(zip(texts, places, strict=True)):
        if not text:
            continue
        cut = cells[index].endswith("-") and len(cells[index]) > 2 and cells[index][-2].isalpha() and text[0].islower()
        cells[index] = cells[index][:-1] + text if cut else f"{cells[index]} {text}".strip()
        above = boxes[index]
        boxes[index] = union([above, place]) if above and place else place


def _finished(box: BBox, cells: list[list[str]], boxes: list[list[BBox | None]], header_rows: int) -> FoundTable | None:
    """The table without columns and rows that hold nothing; None where less than two columns are left."""
    keep = [index for index in range(len(cells[0])) if any(row[index] for row in cells)]
    lines = [index for index, row in enumerate(cells) if any(row)]
    if len(keep) < 2 or len(lines) < 2:
        return None
    return FoundTable(
        box=box,
        cells=tuple(tuple(cells[line][index] for index in keep) for line in lines),
        boxes=tuple(tuple(boxes[line][index] for index in keep) for line in lines),
        header_rows=sum(line < header_rows for line in lines),
    )


def find_unruled(upcoming: Sequence[Row], profile: Profile, captioned: bool) -> tuple[int, FoundTable] | None:
    """A table without rules that begins with the first of `upcoming` rows: how many rows it fills, and the table."""
    n_rows = _table_rows(upcoming, profile)
    members = upcoming[:n_rows]
    if n_rows < (2 if captioned else 3):
        return None
    box = union([row.box for row in members])
    found = find_columns(members, box[0])
    later = [column.start for column in found[1:]]
    divided = sum(len(tight_cells(row, row.size)) > 1 or any(abs(row.x0 - x) < 2 for x in later) for row in members)
    if len(found) < 2 or divided < 0.7 * n_rows or not _aligned(members, found):
        return None
    head = 1 if _is_head(members) else 0
    table = _from_rows(box, members, found, head)
    return None if table is None else (n_rows, table)


def _table_rows(upcoming: Sequence[Row], profile: Profile) -> int:
    count = 0
    for index, row in enumerate(upcoming):
        gap = row.baseline - upcoming[index - 1].baseline if index else 0.0
        single = len(row.cells) == 1
        wide = single and row.x1 - row.x0 > 0.75 * (max(r.x1 for r in upcoming[:8]) - min(r.x0 for r in upcoming[:8]))
        if gap > 2.2 * profile.leading or wide or CAPTION.match(row.text) or (single and index == 0):
            break
        count = index + 1
    while count and len(upcoming[count - 1].cells) == 1:
        count -= 1
    return count


def _aligned(members: Sequence[Row], found: Sequence[TableColumn]) -> bool:
    """Whether most cells begin, end or have their middle where others of their column do."""
    edges = [*(column.start for column in found), 9e9]
    good = total = 0
    for left, right in pairwise(edges):
        places = [
            extent(words)
            for row in members
            for words in tight_cells(row, row.size)
            if left - 2.5 < words[0].x0 < right - 2.5
        ]
        total += len(places)
        good += max((_most(value) for value in zip(*((a, b, (a + b) / 2) for a, b in places), strict=True)), default=0)
    return good >= 0.75 * total


def _most(values: Sequence[float]) -> int:
    return max(sum(abs(value - other) < 2.5 for other in values) for value in values)


def _is_head(members: Sequence[Row]) -> bool:
    """Whether the first row is set apart by weight or by a gap."""
    first, second = members[0], members[1]
    heavier = all(word.main.bold for word in first.words) and not all(word.main.bold for word in second.words)
    gap = second.baseline - first.baseline
    return heavier or (len(members) > 2 and gap > 1.3 * (members[2].baseline - second.baseline))
