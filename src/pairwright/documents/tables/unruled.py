"""Finds tables without rules between their cells: runs of rows that white strips cut into columns, and what stands
side by side under captions of its own."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pairwright.documents.lines.data import Profile, union
from pairwright.documents.lines.profile import LEADER
from pairwright.documents.lines.rows import CELL_GAP, Row, count_while, filled_rows
from pairwright.documents.tables.heads import count_head_rows, set_rows
from pairwright.documents.tables.strips import Column, find_columns
from pairwright.documents.tables.table import FoundTable, with_notes
from pairwright.languages.conventions import Conventions

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


class Side(NamedTuple):
    """The rows of one side, from its caption, and the white around it."""

    rows: tuple[Row, ...]
    left: float
    right: float


def split_sides(upcoming: Sequence[Row], profile: Profile) -> tuple[list[Side], int]:
    """The sides that begin with captions on the first of `upcoming` rows, and how many rows they fill; none without."""
    captions = upcoming[0].cells
    if len(captions) < 2 or not all(_begins_table(cell, profile.conventions) for cell in captions):
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
        sides.append(Side(tuple(filled_rows(words)), left, right))
    return sides, n_rows


def _begins_table(cell: Row, conventions: Conventions) -> bool:
    number = conventions.number(cell.words[0].text) is not None and len(cell.words) > 1
    return number or conventions.caption.match(cell.text) is not None


def _white(row: Row, strip: tuple[float, float]) -> tuple[float, float] | None:
    """The widest part of a strip in which a row has no words; None where it is no wider than between cells."""
    inside = [word for word in row.words if word.x1 > strip[0] and word.x0 < strip[1]]
    edges = [strip[0], *(x for word in inside for x in (word.x0, word.x1)), strip[1]]
    free = [(left, right) for left, right in zip(edges[::2], edges[1::2], strict=True) if right > left]
    widest = max(free, key=lambda part: part[1] - part[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] > CELL_GAP * row.size else None
