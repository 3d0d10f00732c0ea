"""A table as it is found on a page: its cells, merged ones too, and the notes right below it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from unicodedata import normalize

from pairwright.core.records import TableNote
from pairwright.documents.lines.data import BBox, Profile, union
from pairwright.documents.lines.hyphens import join_rows, joined
from pairwright.documents.lines.rows import SIGNS, Row, leading_mark, split_mark

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
