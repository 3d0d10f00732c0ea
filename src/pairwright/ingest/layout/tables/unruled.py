"""Finds tables without rules between their cells: runs of rows that white strips cut into columns."""

from collections.abc import Sequence
from itertools import pairwise

from pairwright.ingest.layout.tables.columns import FAR, TableColumn, find_columns
from pairwright.ingest.layout.tables.heads import count_head_rows
from pairwright.ingest.layout.tables.table import FoundTable, from_rows, with_notes, within
from pairwright.ingest.page.data import Profile, RuledLine, union
from pairwright.ingest.page.profile import LEADER
from pairwright.ingest.page.rows import Row, count_while


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
    table, n_notes = with_notes(lambda rows: _unruled(rows, rules), members, upcoming[n_rows:], profile)
    return None if table is None else (n_rows + n_notes, table)


def _unruled(members: Sequence[Row], rules: Sequence[RuledLine]) -> FoundTable | None:
    box = union(row.box for row in members)
    columns = find_columns(members, box[0])
    later = [column.start for column in columns[1:]]
    divided = sum(len(row.table_cells) > 1 or any(abs(row.x0 - x) < 2 for x in later) for row in members)
    if len(columns) < 2 or divided < 0.7 * len(members) or not _aligned(members, columns):
        return None
    n_head = count_head_rows(members, [*columns, FAR], rules)
    inside = [rule for rule in rules if rule.horizontal and within(rule, box)]
    return from_rows(box, members, columns, n_head, inside)


def _table_rows(upcoming: Sequence[Row], profile: Profile) -> int:
    if len(upcoming[0].cells) == 1:
        return 0
    width = max(row.x1 for row in upcoming[:8]) - min(row.x0 for row in upcoming[:8])

    def goes_on(index: int) -> bool:
        row = upcoming[index]
        near = row.baseline - upcoming[index - 1].baseline <= 2.2 * profile.leading
        wide = len(row.cells) == 1 and row.x1 - row.x0 > 0.75 * width
        return near and not wide and not profile.conventions.caption.match(row.text)

    count = 0 if profile.conventions.caption.match(upcoming[0].text) else count_while(upcoming, goes_on)
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
