"""Tables as a language model is shown them: as printed, in parts where they are long."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from pairwright.records import Block, TableNote
from pairwright.text import squeeze

# It stands in the place of a merged cell's other parts; quotations pass over it.
MERGED = "″"
_LABEL = re.compile(r"\W*(?P<word>[^\W\d]{2,})\.?\s+(?P<number>\d+(?:[.\-–]\d+)*)")


class TableRows(NamedTuple):
    """Rows of a table, shown with its caption and head, and the blocks of the table and its caption."""

    text: str
    blocks: tuple[Block, ...]


def table_captions(blocks: Sequence[Block]) -> dict[str, Block]:
    """The caption of each table that has one, by the table's id: the block before it, else the one after it."""
    captions: dict[str, Block] = {}
    pairs = list(pairwise(blocks))
    for table, caption in (*((table, before) for before, table in pairs), *pairs):
        free = caption.kind == "caption" and caption.id not in {other.id for other in captions.values()}
        if table.kind == "table" and free:
            captions.setdefault(table.id, caption)
    return captions


def reference_pattern(caption: Block) -> re.Pattern[str] | None:
    """A pattern for the words by which a text refers to a table, as in `Tables 3.4 and 3.5`; None without a number."""
    label = _LABEL.match(caption.text)
    if not label:
        return None
    word, number = re.escape(label["word"][:3]), re.escape(label["number"])
    return re.compile(rf"\b{word}\w*\.?\s.{{0,20}}?(?<![\d.]){number}(?!\.?\d)", re.IGNORECASE | re.DOTALL)


def table_parts(
    table: Block, caption: Block | None, first: Block | None, marks: Collection[str], longest: int
) -> list[TableRows]:
    """A table as it is printed, in parts of at most about `longest` characters that repeat its caption and head.

    Its notes stand behind the last part.

    first  the table that this one continues, for its head
    marks  the footnote marks of the page, which are left out
    """
    rows = [" | ".join(_plain(cell, marks) for cell in row) for row in _with_merged(table)]
    n_head = min(table.header_rows, max(len(rows) - 1, 0))
    head, body = rows[:n_head], rows[n_head:]
    if first and not n_head:
        head = [" | ".join(_plain(cell, marks) for cell in row) for row in _with_merged(first)[: first.header_rows]]
    top = [f"[table] {squeeze(caption.text) if caption else ''}".strip(), *head, *(["---"] if head else [])]
    room = longest - sum(map(len, top))
    parts: list[list[str]] = [[]]
    for row in filter(re.compile(r"[^\s|]").search, body):
        if parts[-1] and sum(len(line) + 1 for line in parts[-1]) + len(row) > room:
            parts.append([])
        parts[-1].append(row)
    parts[-1] += [_note(note, table) for note in table.notes]
    blocks = (table, *([caption] if caption else []))
    return [TableRows("\n".join((*top, *part)), blocks) for part in parts]


def _plain(cell: str, marks: Collection[str]) -> str:
    """A cell in one line, without the footnote marks at the ends of its words."""
    text = squeeze(cell)
    return re.sub(rf"(?<=[^\s⁰¹²³⁴⁵⁶⁷⁸⁹])(?:{'|'.join(map(re.escape, marks))})(?=\W|$)", "", text) if marks else text


def _with_merged(table: Block) -> list[list[str]]:
    """The cells of a table; where a merged cell covers a place, the place has a sign. Blank cells stay blank."""
    cells = [list(row) for row in table.cells or ()]
    for row, boxes in zip(cells, table.cell_boxes or (), strict=False):
        for column, box in enumerate(boxes):
            if box is None and not row[column].strip():
                row[column] = MERGED
    return cells


def _note(note: TableNote, table: Block) -> str:
    """A note below a table, behind the cells that carry its mark."""
    cells = table.cells or ()
    on = ", ".join(dict.fromkeys(squeeze(cells[row][column]) for row, column in note.cells))
    return f"[note] {on}{': ' if on else ''}{squeeze(note.text)}"
