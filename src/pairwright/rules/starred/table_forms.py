"""Starred cells of tables, with the forms that may be their good sides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pairwright.languages.linguistics.marks import ANY_STAR, MARKS, STARS, split_mark
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.languages.linguistics.sentences import is_sentence
from pairwright.records import Block
from pairwright.rules.starred.conventions import Conventions
from pairwright.rules.starred.example_forms import WORD_FORM, Form, lone_star, plain_form
from pairwright.text import words

ACCEPTED = "the same form stands unstarred in the table, for something else"
SIGN = "a star behind a word or by itself: the sign of a note, not of a form"

# A star with a space between it and its word.
_LOOSE_STAR = re.compile(rf"^([{STARS}]+)\s+(?=\S)")
_QUOTED = re.compile(r"^[‘“„«](?P<text>[^‘“„«]+)[’”“»]\.?$")


def titles(blocks: Sequence[Block], order: int) -> list[str]:
    """The captions beside a table and the heads of its columns."""
    near = blocks[max(0, order - 1) : order + 2]
    captions = [block.text for block in near if block.kind == "caption"]
    return [*captions, *(cell for row in _head(blocks[order]) for cell in row)]


def table_forms(order: int, block: Block, conventions: Conventions) -> Iterator[Form]:
    """The starred cells of a table with the others of their row, and with those that have a translation as they do.

    Stars behind labels are one form for the table.
    """
    rows = [[_LOOSE_STAR.sub(r"\1", cell.strip()) for cell in row] for row in block.cells or ()]
    accepted = {join_morphemes(cell) for row in rows for cell in row if not ANY_STAR.search(cell)}
    starred = {column for row in rows for column, cell in enumerate(row) if split_mark(cell)[0]}
    for number, row in enumerate(rows if starred else ()):
        is_head = number < block.header_rows
        at, translation = (None if is_head else _translation(row, block, conventions)) or (None, None)
        marked = any(split_mark(cell)[0] for cell in row)
        for column, cell in enumerate(row):
            mark, _ = split_mark(cell)
            written = cell.lstrip(f"{MARKS} ") if mark else cell
            lone = len(words(written)) < 2 and not is_sentence(translation or "")
            wanted = mark or (not lone and (marked or (translation and column in starred)))
            if column != at and written and wanted:
                above = _above(rows[:number], column) if mark and lone and not row[0] else None
                flaw = WORD_FORM if lone and not above else None
                form = plain_form(order, block, mark, written)
                yield replace(
                    form,
                    example=f"{block.id} row {number}",
                    quote=(block.cells or ())[number][column].strip(),
                    translation=form.translation or (translation if column in starred else None),
                    flaw=ACCEPTED if mark and join_morphemes(written) in accepted else flaw,
                    beside=plain_form(order, block, "", above) if above else None,
                )
    if any(ANY_STAR.search(cell) and not split_mark(cell)[0] for row in rows for cell in row):
        yield lone_star(order, block, SIGN)


def _head(block: Block) -> Sequence[Sequence[str]]:
    return (block.cells or ())[: max(1, block.header_rows)]


def _translation(row: Sequence[str], block: Block, conventions: Conventions) -> tuple[int, str] | None:
    """The cell of a row that translates it, by its quotation marks or the head of its column, with its place."""
    headed = {
        column
        for cells in _head(block)
        for column, cell in enumerate(cells)
        if conventions.prose.translations.search(cell)
    }
    for column, cell in enumerate(row):
        quoted = _QUOTED.match(cell)
        if cell and (quoted or column in headed):
            return column, quoted["text"] if quoted else cell
    return None


def _above(rows: Sequence[Sequence[str]], column: int) -> str | None:
    """The nearest cell with one unstarred word in the column above a row without a label, which goes with the row that
    has one."""
    for row in reversed(rows):
        text = row[column]
        if text and not split_mark(text)[0]:
            return text if len(text.split()) == 1 else None
        if row[0]:
            return None
    return None
