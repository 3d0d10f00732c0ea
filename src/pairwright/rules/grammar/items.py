"""What a chapter is made of, in the order in which it is to be read: sentences, examples, tables, footnotes.

A page breaks paragraphs, floats its tables and puts its notes at the foot. Here a paragraph is whole, a table stands
behind the paragraph that names it, and a footnote behind the one that bears its mark.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pairwright.records import Block
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.sentences import ProseSentence, paragraphs, sentences
from pairwright.rules.grammar.tables import TableRows, reference_pattern, table_captions, table_parts

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_NOTE = re.compile(rf"\s*([{_RAISED}]+)")
_NOTE = re.compile(rf"\s*([{_RAISED}]+|[*†‡])")


class WindowItem(NamedTuple):
    """A sentence, an example or rows of a table, and the headings of the section in which it is read."""

    content: ProseSentence | Block | TableRows
    section: tuple[str, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.content,) if isinstance(self.content, Block) else self.content.blocks


class _Unit(NamedTuple):
    """A paragraph with its continuations, or an example: where it begins in the chapter, and what is shown of it."""

    at: int
    blocks: tuple[Block, ...]
    contents: list[ProseSentence | Block | TableRows]


def chapters(sections: Sequence[GrammarSection]) -> Iterator[list[Block]]:
    """The blocks of neighbouring sections under one heading of the highest level."""
    for _, group in groupby(sections, key=lambda section: section.path[:1]):
        yield [block for section in group for block in section.blocks]


def chapter_items(
    blocks: Sequence[Block], abbreviations: frozenset[str], tables: Mapping[str, Block], longest: int
) -> list[WindowItem]:
    """The items of a chapter in the order of reading. Labels in figures are left out.

    tables   the tables of the document by id: one may continue another
    longest  the most characters of a part of a table
    """
    captions = table_captions(blocks)
    aside = {caption.id for caption in captions.values()}
    flowing = [block for block in blocks if block.kind not in {"table", "figure", "footnote"} and block.id not in aside]
    units = _units(flowing, blocks, abbreviations)
    behind: dict[int, list[_Unit]] = defaultdict(list)
    notes = [block for block in blocks if block.kind == "footnote"]
    for unit in _units(notes, blocks, abbreviations):
        behind[_place_of_note(unit, units)].append(unit)
    for at, block in enumerate(blocks):
        if block.kind == "table" and block.cells:
            caption = captions.get(block.id)
            first = tables.get(block.continues or "")
            marks = [match[1] for note in notes if note.page == block.page and (match := _RAISED_NOTE.match(note.text))]
            unit = _Unit(at, (block,), [*table_parts(block, caption, first, marks, longest)])
            behind[_place_of_table(unit, caption or captions.get(block.continues or ""), units)].append(unit)
    ordered = [(unit, unit) for unit in behind[-1]]
    for number, unit in enumerate(units):
        ordered += [(unit, unit), *((unit, other) for other in behind[number])]
    return [WindowItem(content, main.blocks[0].section) for main, unit in ordered for content in unit.contents]


def _units(blocks: Sequence[Block], chapter: Sequence[Block], abbreviations: frozenset[str]) -> list[_Unit]:
    """The examples, and the paragraphs with their continuations on later pages, in the order of their first blocks."""
    places = {block.id: at for at, block in enumerate(chapter)}
    return [
        _Unit(places[chain[0].id], tuple(chain), [*chain] if whole else [*sentences(chain, abbreviations)])
        for chain in paragraphs(blocks)
        for whole in [chain[0].kind in EXAMPLE_KINDS]
    ]


def _before(at: int, units: Sequence[_Unit]) -> int:
    """The index of the last unit that begins before a place; -1 where none does."""
    return bisect_left([unit.at for unit in units], at) - 1


def _place_of_note(note: _Unit, units: Sequence[_Unit]) -> int:
    """The index of the unit on the note's page that bears its mark, else of the unit before it."""
    mark = _NOTE.match(note.blocks[0].text)
    if mark:
        bearing = re.compile(rf"(?<![{_RAISED}\s]){re.escape(mark[1])}(?![{_RAISED}])")
        page = note.blocks[0].page
        for index, unit in enumerate(units):
            if any(block.page == page and bearing.search(block.text) for block in unit.blocks):
                return index
    return _before(note.at, units)


def _place_of_table(table: _Unit, caption: Block | None, units: Sequence[_Unit]) -> int:
    """The index of the nearest paragraph that names the table by its number, else of the unit before it."""
    natural = _before(table.at, units)
    naming = reference_pattern(caption) if caption else None
    if not naming:
        return natural
    named = [
        index
        for index, unit in enumerate(units)
        if unit.blocks[0].kind not in EXAMPLE_KINDS and any(naming.search(block.text) for block in unit.blocks)
    ]
    return min(named, key=lambda index: (abs(index - natural), index), default=natural)
