"""The context windows of tables: rows with their labels, column heads, caption and the sentences around."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from pairwright.config import RuleSettings
from pairwright.records import Block
from pairwright.rules.grammar.book_examples import ExampleNames
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.windows import Window, blocks_of, items_around, prose_items, show_items, table_captions
from pairwright.text import squeeze, words


class PrintedTable:
    """A table with merged cells and labels filled in. `head` is that of the table which this one continues."""

    def __init__(self, block: Block, head: Sequence[Sequence[str]] = ()) -> None:
        self.cells = [[squeeze(cell) for cell in row] for row in block.cells or ()]
        self.filled = [list(row) for row in self.cells]
        for at, boxes in enumerate(block.cell_boxes or ()):
            for column in (column for column, box in enumerate(boxes) if box is None):
                # A merged cell begins to the left of the place that it covers, or above.
                above = (row[column] for row in reversed(self.cells[:at]))
                covering = filter(None, chain(reversed(self.cells[at][:column]), above))
                self.filled[at][column] = next(covering, "")
        n_head = min(block.header_rows, max(len(self.cells) - 1, 0))
        self.head = self.filled[:n_head] or [[squeeze(cell) for cell in row] for row in head]
        self.columns = [self._column_label(column) for column in range(max(map(len, self.cells), default=0))]
        # The columns before the first one with a head hold the labels of the rows.
        self.n_labels = max(1, next((at for at, label in enumerate(self.columns) if label), 1))
        self.labels = self._row_labels(n_head)

    def _column_label(self, column: int) -> str:
        # A head above others reaches over the empty cells to its right.
        spread = [next(filter(None, reversed(row[: column + 1])), "") for row in self.head[:-1]]
        lowest = [row[column] for row in self.head[-1:] if column < len(row)]
        return " / ".join(dict.fromkeys(filter(None, (*spread, *lowest))))

    def _row_labels(self, n_head: int) -> dict[int, tuple[str, ...]]:
        """The labels of the rows below the head, by their indices; rows that name a group have none."""
        labels = {}
        group, above = "", [""] * self.n_labels
        for at, row in enumerate(self.filled[n_head:], start=n_head):
            if len(row) > 1 and sum(map(bool, row)) == 1:
                group, above = next(filter(None, row)), [""] * self.n_labels
                continue
            own = row[: self.n_labels]
            last = next((place for place, cell in enumerate(own) if cell), len(own))
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
            lines = [*([caption.text] if caption else []), *map(table.show_row, rows)]
            text = "\n".join(lines)[: settings.window_characters]
            yield Window(section, text, blocks, names, "\n".join(filter(None, shown)), block, rows, remarks)
