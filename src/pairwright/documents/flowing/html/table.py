"""Reads HTML tables: merged cells in place, the lines inside cells, the head."""

from collections.abc import Sequence

from bs4 import Tag

from pairwright.core.errors import SourceError
from pairwright.documents.flowing.html.inline import inline_of
from pairwright.documents.flowing.pieces import MAX_CELLS, TextPiece, table


def read_table(element: Tag, first_line: int, *, marked: bool) -> TextPiece | None:
    """The table that an element holds, None where it is empty; `marked` says that it is called an example.

    A merged cell's text stands in its first place. Raises SourceError for a table that spans claim to be huge.
    """
    rows: list[list[list[str]]] = []
    lines: list[int] = []
    head: list[bool] = []
    below: dict[int, int] = {}
    width = 0
    for row in own_rows(element):
        cells = row.find_all(["td", "th"], recursive=False)
        placed, below = _placed(cells, below)
        line = first_line + (row.sourceline or 1) - 1
        width = max(width, len(placed))
        if width * (len(rows) + 1) > MAX_CELLS:
            raise SourceError(f"line {line}: a table with more than {MAX_CELLS:,} cells; correct its colspan")
        if any(placed):
            rows.append(placed)
            lines.append(line)
            in_head = row.parent is not None and row.parent.name == "thead"
            head.append(in_head or (bool(cells) and all(cell.name == "th" for cell in cells)))
    if not rows:
        return None
    header_rows = head.index(False) if False in head else 0
    return table([row + [[]] * (width - len(row)) for row in rows], lines[0], lines, header_rows, marked=marked)


def own_rows(table: Tag) -> list[Tag]:
    """The rows of a table without those of the tables in its cells."""
    parts = table.find_all(["tr", "thead", "tbody", "tfoot"], recursive=False)
    return [row for part in parts for row in ([part] if part.name == "tr" else part.find_all("tr", recursive=False))]


def _placed(cells: Sequence[Tag], below: dict[int, int]) -> tuple[list[list[str]], dict[int, int]]:
    """The cells of a row in their columns, and for how many more rows merged cells fill which columns."""
    row: list[list[str]] = []
    left = {column: count - 1 for column, count in below.items() if count > 1}
    for cell in cells:
        while len(row) in below:
            row.append([])
        across, down = _span(cell, "colspan", 1_000), _span(cell, "rowspan", 65_534)
        if down > 1:
            left |= dict.fromkeys(range(len(row), len(row) + across), down - 1)
        row += [_lines(cell), *([[]] * (across - 1))]
        # The table is refused, and the rest of the row would only cost memory.
        if len(row) > MAX_CELLS:
            break
    while len(row) in below:
        row.append([])
    return row, left


def _span(cell: Tag, name: str, most: int) -> int:
    """The columns or rows that a cell fills, at most as many as HTML allows."""
    value = str(cell.get(name) or "1").strip()
    return min(max(int(value), 1), most) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _lines(cell: Tag) -> list[str]:
    """The lines of a cell: its paragraphs, or its text cut at `<br>`."""
    if not cell.find(["p", "div", "li", "pre"], recursive=False):
        return inline_of(cell.children).lines
    return [
        line
        for child in cell.children
        for line in inline_of([child], keep_space=isinstance(child, Tag) and child.name == "pre").lines
    ]
