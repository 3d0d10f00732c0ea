"""Makes a table of rows that are cut into columns, with its merged cells and its notes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pairwright.ingest.layout.tables.columns import Grid, TableColumn, cut_row
from pairwright.ingest.layout.tables.merges import merge_cells, raise_labels, set_labels_first, title_rows
from pairwright.ingest.layout.tables.notes import find_notes, without_marks
from pairwright.ingest.layout.tables.wraps import find_wraps, joined
from pairwright.ingest.page.data import BBox, Profile, RuledLine, union
from pairwright.ingest.page.rows import Row
from pairwright.records import TableNote

# How far apart, in points, places may be that count as one.
SAME = 5.0


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


def within(rule: RuledLine, box: BBox) -> bool:
    """Whether a rule lies in the box of a table."""
    return rule.x0 > box[0] - SAME and rule.x1 < box[2] + SAME and rule.y0 > box[1] - SAME and rule.y1 < box[3] + SAME


def with_notes(
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


def from_rows(
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
    n_head -= sum(wraps[:n_head])
    titles = {id(grid[at]) for at, index in enumerate(first_lines) if index in titled}
    n_head = raise_labels(grid, heights, n_head)
    _close_up(grid, columns)
    merge_cells(grid, n_head, columns, [at for at, row in enumerate(grid) if id(row) in titles], rules)
    return finished(box, grid, n_head)


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
