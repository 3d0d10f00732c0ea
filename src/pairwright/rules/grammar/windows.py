"""Passages of a grammar that a language model is shown: sliding windows over its prose, rows of its tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pairwright.config import RuleSettings
from pairwright.records import Block
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS, ExampleNames, show_example
from pairwright.rules.grammar.sections import Section
from pairwright.rules.grammar.sentences import Sentence, sentences

# No single example may take more of a passage than this share of its length.
_EXAMPLE_SHARE = 0.6


@dataclass(frozen=True)
class Window:
    """A passage of a section.

    text     what a language model is shown of it, and `around` what stands before and after the rows of a table
    blocks   the blocks it is made of, in the book's order; a quotation has to stand in one of them
    rows     of a table: the indices of the rows that are asked about; empty for prose
    remarks  what a program sees in the rows of a paradigm, such as two cells with one form
    """

    section: Section
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
        """What a request about it is called in messages."""
        row = f", row {self.rows[0] + 1}" if self.rows else ""
        return f"page {self.first.page}{row}, {self.first.id}"


Item = Sentence | Block


def prose_windows(section: Section, settings: RuleSettings, abbreviations: frozenset[str]) -> Iterator[Window]:
    """Windows of so many sentences over a section's text, with the examples in their places.

    A window that would be longer than the settings allow has fewer sentences. Two neighbours share sentences, also
    where one is cut short, except where the cut falls among examples that follow a single sentence.
    """
    items = list(prose_items(section, abbreviations))
    start = 0
    while start < len(items):
        end = _end(items, start, settings)
        yield _prose_window(section, items[start:end], settings)
        if end == len(items):
            return
        at = [index for index in range(start, end) if isinstance(items[index], Sentence)]
        following = [*at[settings.stride : settings.stride + 1], *at[-1:], end]
        start = next(index for index in following if index > start)


def prose_items(section: Section, abbreviations: frozenset[str]) -> Iterator[Item]:
    """The sentences and examples of a section in reading order; a table's captions belong to the table."""
    captions = {caption.id for caption in table_captions(section).values()}
    blocks = [block for block in section.blocks if block.kind != "table" and block.id not in captions]
    chains = _chains([block for block in blocks if block.kind not in EXAMPLE_KINDS])
    for block in blocks:
        if block.kind in EXAMPLE_KINDS:
            yield block
        elif block.id in chains:
            yield from sentences(chains[block.id], abbreviations)


def table_captions(section: Section) -> dict[str, Block]:
    """The caption of each table that has one, by the table's id: the block before it, else the one after it."""
    found: dict[str, Block] = {}
    used: set[str] = set()
    for step in (-1, 1):
        for index, block in enumerate(section.blocks):
            other = section.blocks[index + step] if 0 <= index + step < len(section.blocks) else None
            if block.kind != "table" or block.id in found or other is None:
                continue
            if other.kind == "caption" and other.id not in used:
                found[block.id] = other
                used.add(other.id)
    return found


def _chains(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """Paragraphs with what goes on from them on a later page, by the id of their first block."""
    chains: dict[str, list[Block]] = {}
    heads: dict[str, str] = {}
    for block in blocks:
        head = heads.get(block.continues or "", block.id)
        heads[block.id] = head
        chains.setdefault(head, []).append(block)
    return chains


def _length(item: Item, settings: RuleSettings) -> int:
    return len(item.text) if isinstance(item, Sentence) else min(len(item.text) + 10, _example_length(settings))


def _example_length(settings: RuleSettings) -> int:
    return int(settings.window_characters * _EXAMPLE_SHARE)


def _end(items: Sequence[Item], start: int, settings: RuleSettings) -> int:
    """The index after the last item of the window that begins at `start`."""
    count = length = 0
    for index in range(start, len(items)):
        count += isinstance(items[index], Sentence)
        length += _length(items[index], settings)
        if index > start and (count > settings.window_sentences or length > settings.window_characters):
            return index
    return len(items)


def _prose_window(section: Section, items: Sequence[Item], settings: RuleSettings) -> Window:
    blocks = blocks_of(items)
    names = ExampleNames([block for block in blocks if block.kind in EXAMPLE_KINDS])
    return Window(section, shown(items, names, settings), blocks, names)


def shown(items: Sequence[Item], names: ExampleNames, settings: RuleSettings) -> str:
    """Sentences and examples as a language model is shown them: paragraphs and examples on lines of their own."""
    lines: list[str] = []
    paragraph: Block | None = None
    for item in items:
        if isinstance(item, Block):
            lines.append(show_example(item, names.of_block[item.id], _example_length(settings)))
            paragraph = None
        elif lines and paragraph and item.blocks[0].id == paragraph.id:
            lines[-1] += f" {item.text}"
            paragraph = item.blocks[-1]
        else:
            lines.append(item.text)
            paragraph = item.blocks[-1]
    return "\n".join(lines)


def blocks_of(items: Sequence[Item]) -> tuple[Block, ...]:
    """The blocks that sentences and examples stand in, each once, in order."""
    found: dict[str, Block] = {}
    for item in items:
        for block in (item,) if isinstance(item, Block) else item.blocks:
            found.setdefault(block.id, block)
    return tuple(found.values())


def neighbours(
    section: Section, items: Sequence[Item], table: Block, settings: RuleSettings
) -> tuple[list[Item], list[Item]]:
    """The sentences of a section before and after a table, as many as the settings say, and the examples among them."""
    places = {block.id: index for index, block in enumerate(section.blocks)}
    before = [item for item in items if places[_first_block(item).id] < places[table.id]]
    after = [item for item in items if places[_first_block(item).id] > places[table.id]]
    return _first(before[::-1], settings)[::-1], _first(after, settings)


def _first_block(item: Item) -> Block:
    return item.blocks[0] if isinstance(item, Sentence) else item


def _first(items: Sequence[Item], settings: RuleSettings) -> list[Item]:
    """Items up to a number of sentences; of no more than a quarter of a passage's length."""
    found: list[Item] = []
    count = length = 0
    for item in items:
        length += _length(item, settings)
        if count == settings.table_context or length > settings.window_characters // 4:
            break
        found.append(item)
        count += isinstance(item, Sentence)
    return found
