"""The cells of tables with the heads of their rows and columns."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from pairwright.records import Block
from pairwright.text import squeeze


class Cell(NamedTuple):
    """A cell of a table's body with the heads over its column and before its row; each may be empty."""

    row: int
    row_head: str
    column_head: str
    text: str

    @property
    def heads(self) -> str:
        """Both heads, as in `GEN, PLURAL`."""
        return ", ".join(filter(None, (self.row_head, self.column_head)))


def cells_with_heads(table: Block) -> Iterator[Cell]:
    """The cells of a table that are not blank, row by row. A merged head counts for all that it covers."""
    cells = [[squeeze(cell) for cell in row] for row in table.cells or ()]
    for row, boxes in enumerate(table.cell_boxes or ()):
        is_head = row < table.header_rows
        for column, box in enumerate(boxes):
            if box is None and not cells[row][column] and is_head and column:
                cells[row][column] = cells[row][column - 1]
            elif box is None and not cells[row][column] and not is_head and not column and row:
                cells[row][column] = cells[row - 1][column]
    heads = cells[: table.header_rows]
    for number, row_cells in enumerate(cells[table.header_rows :]):
        for column, text in enumerate(row_cells):
            over = " ".join(filter(None, dict.fromkeys(head[column] for head in heads if column < len(head))))
            # The first column has the heads of the rows; with a head of its own, it may be one of forms.
            if text and (column or over):
                yield Cell(number, row_cells[0] if column else "", over, text)


def show_table(table: Block) -> str:
    """A table in lines, one a row: each cell behind its heads, as in `GEN, SG: taron; GEN, PL: tarosin`.

    Cells without a head over them stand together behind the head of their row.
    """
    lines = []
    for _, row in groupby(cells_with_heads(table), key=lambda cell: cell.row):
        shown = [
            (heads, " | ".join(cell.text for cell in cells)) for heads, cells in groupby(row, key=lambda it: it.heads)
        ]
        lines.append("; ".join(f"{heads}: {text}" if heads else text for heads, text in shown))
    return "\n".join(lines)
