"""The context windows of tables: rows with their labels, column heads, caption and the sentences around."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pairwright.config import RuleSettings
from pairwright.records import Block
from pairwright.rules.grammar.book_examples import ExampleNames
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.windows import Window, blocks_of, items_around, prose_items, show_items, table_captions
from pairwright.text import squeeze, words

Box = tuple[float, float, float, float]


class PrintedTable:
    """A table with merged cells and labels filled in. `head` is that of the table which this one continues."""

    def __init__(self, block: Block, head: Sequence[Sequence[str]] = ()) -> None:
        self.cells = [[squeeze(cell) for cell in row] for row in block.cells or ()]
        self.placed = block.cell_boxes is not None
        self.filled = _filled(self.cells, block.cell_boxes or ())
        self.notes = block.notes
        n_head = min(block.header_rows, max(len(self.cells) - 1, 0))
        self.head = self.filled[:n_head] or [[squeeze(cell) for cell in row] for row in head]
        self.columns = [self._column_label(column) for column in range(max(map(len, self.cells), default=0))]
        # The columns before the first one with a head hold the labels of the rows.
        self.n_labels = max(1, next((at for at, label in enumerate(self.columns) if label), 1))
        self.labels = self._row_labels(n_head)

    def _column_label(self, column: int) -> str:
        # Where places are not known, a head above others reaches over the empty cells to its right.
        reach = (row[column : column + 1] if self.placed else reversed(row[: column + 1]) for row in self.head[:-1])
        spread = [next(filter(None, cells), "") for cells in reach]
        lowest = [row[column] for row in self.head[-1:] if column < len(row)]
        return " / ".join(dict.fromkeys(filter(None, (*spread, *lowest))))

    def _row_labels(self, n_head: int) -> dict[int, tuple[str, ...]]:
        """The labels of the rows below the head, by their indices; rows that name a group have none."""
        labels = {}
        group, above = "", [""] * self.n_labels
        for at, row in enumerate(self.filled[n_head:], start=n_head):
            if len(row) > 1 and sum(map(bool, self.cells[at])) == 1 == len(set(filter(None, row))):
                group, above = next(filter(None, row)), [""] * self.n_labels
                continue
            own = row[: self.n_labels]
            # Where places are known, a blank label is none.
            last = 0 if self.placed else next((place for place, cell in enumerate(own) if cell), len(own))
            above = above[:last] + own[last:]
            labels[at] = tuple(filter(None, (group, *above)))
        return labels

    @property
    def rows(self) -> list[int]:
        """The indices of the rows with content: not the head, and neither empty rows nor those that name a group."""
        return [at for at in self.labels if any(self.filled[at])]

    def show_row(self, at: int) -> str:
        """A row as printed, and its cells one by one with their labels."""
        lines = [" | ".join(cell or "–" for cell in self.cells[at])]
        for column in range(self.n_labels, len(self.filled[at])):
            label = ": ".join(filter(None, (", ".join(self.labels[at]), self.columns[column])))
            if self.filled[at][column]:
                lines.append(f"  {label} = {self.filled[at][column]}")
        return "\n".join(lines)

    def notes_on(self, rows: Sequence[int]) -> list[str]:
        """The notes on the cells of rows and of the head, and those on no cell."""
        lines = []
        for note in self.notes:
            on = [self.cells[row][column] for row, column in note.cells if row in rows or row not in self.labels]
            if on or not note.cells:
                lines.append(": ".join(filter(None, ("Note", ", ".join(dict.fromkeys(on)), note.text))))
        return lines

    def same_forms(self, at: int) -> list[str]:
        """A sentence for each single word of a row that also stands in other rows of its column."""
        rows_of: dict[str, list[str]] = defaultdict(list)
        for column in range(self.n_labels, len(self.filled[at])):
            form = self.filled[at][column]
            if len(words(form)) != 1 or len(form) < 2:
                continue
            for other in self.rows:
                if other != at and self.filled[other][column : column + 1] == [form]:
                    rows_of[form].append(" ".join(self.labels[other]))
        return [f"{form} is also the form of: {', '.join(others)}" for form, others in rows_of.items()]


def _filled(cells: Sequence[Sequence[str]], places: Sequence[Sequence[Box | None]]) -> list[list[str]]:
    """The rows with the text of merged cells in all that they cover. A blank cell, which has a place, stays blank."""
    filled = [list(row) for row in cells]
    starts = [min((box[0] for box in column if box), default=0.0) for column in zip(*places, strict=True)]
    for at, boxes in enumerate(places):
        for column in (column for column, box in enumerate(boxes) if box is None):
            left = next((other for other in reversed(range(column)) if boxes[other]), None)
            box = boxes[left] if left is not None else None
            if left is not None and box and box[2] > starts[column] + 1:
                filled[at][column] = cells[at][left]
            elif at:
                filled[at][column] = filled[at - 1][column]
    return filled


def table_windows(
    section: GrammarSection, settings: RuleSettings, abbreviations: frozenset[str], tables: Mapping[str, Block]
) -> Iterator[Window]:
    """Windows over a section's tables, some rows each. `tables` are the document's, by id: one may continue another."""
    captions = table_captions(section)
    items = list(prose_items(section, abbreviations))
    for block in section.blocks:
        if block.kind != "table" or not block.cells:
            continue
        first = tables.get(block.continues or "")
        head = [list(row) for row in (first.cells or ())[: first.header_rows]] if first else []
        table = PrintedTable(block, head)
        before, after = items_around(section, items, block, settings)
        near = blocks_of([*before, *after])
        names = ExampleNames(near)
        shown = (show_items(before, names, settings), "[the table]", show_items(after, names, settings))
        caption = captions.get(block.id) or (captions.get(first.id) if first else None)
        blocks = (block, *([caption] if caption else []), *near)
        for start in range(0, len(table.rows), settings.table_rows):
            rows = tuple(table.rows[start : start + settings.table_rows])
            remarks = tuple(remark for row in rows for remark in table.same_forms(row))
            lines = [*([caption.text] if caption else []), *map(table.show_row, rows), *table.notes_on(rows)]
            text = "\n".join(lines)[: settings.window_characters]
            yield Window(section, text, blocks, names, "\n".join(filter(None, shown)), block, rows, remarks)
