"""The context windows of a grammar that a language model reads: sliding passages of its prose."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pairwright.config import RuleSettings
from pairwright.records import Block, Rejection
from pairwright.rules import rejection
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS, ExampleNames, show_example
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.sentences import ProseSentence, sentences
from pairwright.text import squeeze

# The largest share of a window that a single example may take.
_EXAMPLE_SHARE = 0.6
# The most characters of a text that a message repeats.
_SHOWN = 300

WindowItem = ProseSentence | Block
"""A sentence of the prose, or the block of an example."""


@dataclass(frozen=True)
class Window:
    """A passage of a section.

    text     what a language model is shown of it
    blocks   the blocks it is made of, in the book's order; a quotation must stand in them
    around   the sentences before and after a table
    rows     the indices of the table's rows that are asked about; empty for prose
    remarks  what a program notices in the rows of a paradigm, such as two cells with one form
    """

    section: GrammarSection
    text: str
    blocks: tuple[Block, ...]
    names: ExampleNames = field(compare=False)
    around: str = ""
    table: Block | None = None
    rows: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def first(self) -> Block:
        return self.table or self.blocks[0]

    @property
    def subject(self) -> str:
        """The name of a request about it in messages."""
        row = f", row {self.rows[0] + 1}" if self.rows else ""
        return f"page {self.first.page}{row}, {self.first.id}"

    def rejection(self, reason: str, text: str) -> Rejection:
        """What could not be made a rule, with the place of the window."""
        lines = self.first.row_lines
        line = lines[self.rows[0]] if self.rows and self.rows[0] < len(lines) else None
        return rejection(self.first, reason, shortened(text), line)


def shortened(text: str) -> str:
    """A text in one line of at most 300 characters."""
    line = squeeze(text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def prose_windows(section: GrammarSection, settings: RuleSettings, abbreviations: frozenset[str]) -> Iterator[Window]:
    """Windows over a section's text, each of `settings.window_sentences` sentences with the examples among them.

    A window that would be longer than the settings allow has fewer sentences. Neighbouring windows share sentences,
    except where one is cut among examples that follow a single sentence.
    """
    items = list(prose_items(section, abbreviations))
    start = 0
    while start < len(items):
        end = _end(items, start, settings)
        blocks = blocks_of(items[start:end])
        names = ExampleNames(blocks)
        yield Window(section, show_items(items[start:end], names, settings), blocks, names)
        if end == len(items):
            return
        at = [index for index in range(start, end) if isinstance(items[index], ProseSentence)]
        following = [*at[settings.stride : settings.stride + 1], *at[-1:], end]
        start = next(index for index in following if index > start)


def prose_items(section: GrammarSection, abbreviations: frozenset[str]) -> Iterator[WindowItem]:
    """The sentences and examples of a section in reading order, without tables and their captions."""
    captions = {caption.id for caption in table_captions(section).values()}
    blocks = [block for block in section.blocks if block.kind not in {"table", "figure"} and block.id not in captions]
    # Paragraphs with their continuations on later pages, by the id of their first block.
    chains: dict[str, list[Block]] = defaultdict(list)
    firsts: dict[str | None, str] = {}
    for block in blocks:
        if block.kind not in EXAMPLE_KINDS:
            firsts[block.id] = firsts.get(block.continues, block.id)
            chains[firsts[block.id]].append(block)
    for block in blocks:
        if block.kind in EXAMPLE_KINDS:
            yield block
        elif block.id in chains:
            yield from sentences(chains[block.id], abbreviations)


def table_captions(section: GrammarSection) -> dict[str, Block]:
    """The caption of each table that has one, by the table's id: the block before it, else the one after it."""
    captions: dict[str, Block] = {}
    pairs = list(pairwise(section.blocks))
    for table, caption in (*((table, before) for before, table in pairs), *pairs):
        free = caption.kind == "caption" and caption.id not in {other.id for other in captions.values()}
        if table.kind == "table" and free:
            captions.setdefault(table.id, caption)
    return captions


def _example_length(settings: RuleSettings) -> int:
    return int(settings.window_characters * _EXAMPLE_SHARE)


def _length(item: WindowItem, settings: RuleSettings) -> int:
    return len(item.text) if isinstance(item, ProseSentence) else min(len(item.text) + 10, _example_length(settings))


def _end(items: Sequence[WindowItem], start: int, settings: RuleSettings) -> int:
    """The index after the last item of the window that begins at `start`."""
    count = length = 0
    for index in range(start, len(items)):
        count += isinstance(items[index], ProseSentence)
        length += _length(items[index], settings)
        if index > start and (count > settings.window_sentences or length > settings.window_characters):
            return index
    return len(items)


def show_items(items: Sequence[WindowItem], names: ExampleNames, settings: RuleSettings) -> str:
    """Sentences and examples as a language model is shown them: each paragraph and example on a line of its own."""
    lines: list[str] = []
    paragraph: Block | None = None
    for item in items:
        if isinstance(item, Block):
            lines.append(show_example(item, names.of_block[item.id], _example_length(settings)))
        elif paragraph and item.blocks[0].id == paragraph.id:
            lines[-1] += f" {item.text}"
        else:
            lines.append(item.text)
        paragraph = None if isinstance(item, Block) else item.blocks[-1]
    return "\n".join(lines)


def blocks_of(items: Sequence[WindowItem]) -> tuple[Block, ...]:
    """The blocks that sentences and examples stand in, each once, in order."""
    return tuple({block.id: block for item in items for block in _blocks(item)}.values())


def _blocks(item: WindowItem) -> tuple[Block, ...]:
    return (item,) if isinstance(item, Block) else item.blocks


def items_around(
    section: GrammarSection, items: Sequence[WindowItem], table: Block, settings: RuleSettings
) -> tuple[list[WindowItem], list[WindowItem]]:
    """The sentences of a section before and after a table, as many as the settings say, and the examples among them."""
    places = {block.id: index for index, block in enumerate(section.blocks)}
    before = [item for item in items if places[_blocks(item)[0].id] < places[table.id]]
    after = [item for item in items if places[_blocks(item)[0].id] > places[table.id]]
    return _nearest(before[::-1], settings)[::-1], _nearest(after, settings)


def _nearest(items: list[WindowItem], settings: RuleSettings) -> list[WindowItem]:
    """The first items, up to a number of sentences and a quarter of a window's length."""
    count = length = 0
    for index, item in enumerate(items):
        length += _length(item, settings)
        if count == settings.table_context or length > settings.window_characters // 4:
            return items[:index]
        count += isinstance(item, ProseSentence)
    return items
