"""The passages of a grammar that a language model is shown: prose, with examples, tables and notes in their places."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from pairwright.config import RuleSettings
from pairwright.errors import one_line
from pairwright.records import Block, Rejection
from pairwright.rules import rejection
from pairwright.rules.grammar.book_examples import ExampleNames, show_example
from pairwright.rules.grammar.items import WindowItem, chapter_items, chapters
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.sentences import ProseSentence
from pairwright.rules.grammar.tables import TableRows
from pairwright.text import comparison_key, squeeze

# The largest share of a window that a single example or a part of a table may take, and the one that windows share.
_ITEM_SHARE = 0.6
_OVERLAP_SHARE = 1 / 8
# A window ends where the text does best, at no less than this share of its due length.
_LEAST_SHARE = 0.75
# The most characters of a text that a message repeats.
_SHOWN = 300


@dataclass(frozen=True)
class Window:
    """A passage of a chapter.

    section  the headings above its beginning, outermost first
    text     what a language model is shown of it
    blocks   the blocks it is made of, in the order of reading; a quotation must stand in them
    """

    section: tuple[str, ...]
    text: str
    blocks: tuple[Block, ...]
    names: ExampleNames = field(compare=False)

    @cached_property
    def words(self) -> str:
        """The words that are shown, for comparison."""
        return comparison_key(self.text)

    @property
    def subject(self) -> str:
        """The name of a request about it in messages."""
        return f"page {self.blocks[0].page}, {self.blocks[0].id}"

    def rejection(self, reason: str, text: str) -> Rejection:
        """What could not be made a rule, with the place of the window."""
        return rejection(self.blocks[0], reason, shortened(text))


def shortened(text: str) -> str:
    """A text in one line of at most 300 characters."""
    return one_line(squeeze(text), _SHOWN)


def grammar_windows(
    sections: Sequence[GrammarSection],
    settings: RuleSettings,
    abbreviations: frozenset[str],
    tables: Mapping[str, Block],
) -> Iterator[Window]:
    """Windows over the chapters of a grammar, none longer than the settings allow unless a single item is.

    A chapter is cut into windows of about one length, at the end of a section or a paragraph where one is near. A
    window that begins inside a section begins with the last sentences of the one before.
    """
    for blocks in chapters(sections):
        items = chapter_items(blocks, abbreviations, tables, _longest_item(settings))
        chapter_names = ExampleNames(blocks)
        ends = list(accumulate((_length(item, settings) for item in items), initial=0))
        start = shared = 0
        while start < len(items):
            end = _end(items, ends, start, settings.window_characters)
            while shared and ends[end] - ends[start - shared] > settings.window_characters:
                shared -= 1
            shown = items[start - shared : end]
            within = tuple({block.id: block for item in shown for block in item.blocks}.values())
            names = ExampleNames(within, chapter_names)
            yield Window(shown[0].section, show_items(shown, names, settings), within, names)
            start, shared = end, _shared(items, ends, end, settings)


def _longest_item(settings: RuleSettings) -> int:
    return int(settings.window_characters * _ITEM_SHARE)


def _length(item: WindowItem, settings: RuleSettings) -> int:
    content = item.content
    if not isinstance(content, Block):
        return len(content.text) + 1
    longest = _longest_item(settings)
    return min(len(show_example(content, "E99", sys.maxsize)), longest) + 1


def _end(items: Sequence[WindowItem], ends: Sequence[int], start: int, longest: int) -> int:
    """The index after the last item of the window that begins at `start`."""
    left = ends[-1] - ends[start]
    room = longest * (1 - _OVERLAP_SHARE) if start else longest
    if left <= room:
        return len(items)
    due = left / (left // room + 1)
    last = max(start + 1, bisect_right(ends, ends[start] + room) - 1)
    first = min(last, bisect_left(ends, ends[start] + _LEAST_SHARE * due))
    return max(
        range(max(first, start + 1), last + 1),
        key=lambda end: (_break(items, end), -abs(ends[end] - ends[start] - due)),
    )


def _break(items: Sequence[WindowItem], end: int) -> int:
    """How good it is to cut before an item: 3 between sections, 2 between paragraphs, 1 between sentences, else 0."""
    before, after = items[end - 1], items[end]
    if before.section != after.section:
        return 3
    if not isinstance(after.content, ProseSentence) or before.blocks[-1].text.rstrip().endswith(":"):
        return 0
    return 1 if after.blocks[0] in before.blocks else 2


def _shared(items: Sequence[WindowItem], ends: Sequence[int], end: int, settings: RuleSettings) -> int:
    """How many items before `end` the next window repeats: the last sentences of its section, within a limit."""
    count = sentences = 0
    for index in range(end - 1, -1, -1):
        other_section = end < len(items) and items[index].section != items[end].section
        too_long = ends[end] - ends[index] > settings.window_characters * _OVERLAP_SHARE
        if sentences == settings.overlap_sentences or other_section or too_long:
            break
        count += 1
        sentences += isinstance(items[index].content, ProseSentence)
    return count


def show_items(items: Sequence[WindowItem], names: ExampleNames, settings: RuleSettings) -> str:
    """Items as a language model is shown them: each paragraph, example and table on lines of its own, with headings."""
    lines: list[str] = []
    section = items[0].section
    paragraph: Block | None = None
    for item in items:
        content = item.content
        if item.section != section:
            lines.append(f"## {_new_headings(item.section, section)}")
            section, paragraph = item.section, None
        if isinstance(content, Block):
            lines.append(show_example(content, names.of_block[content.id], _longest_item(settings)))
        elif isinstance(content, TableRows):
            lines.append(content.text)
        elif paragraph and content.blocks[0].id == paragraph.id:
            lines[-1] += f" {content.text}"
        else:
            lines.append(f"{'[footnote] ' if content.blocks[0].kind == 'footnote' else ''}{content.text}")
        paragraph = content.blocks[-1] if isinstance(content, ProseSentence) else None
    return "\n".join(lines)


def _new_headings(path: Sequence[str], before: Sequence[str]) -> str:
    """The headings of a path below those that it shares with the section before; at least the last one."""
    same = next((at for at, pair in enumerate(zip(path, before, strict=False)) if pair[0] != pair[1]), len(before))
    return " > ".join(squeeze(heading) for heading in path[min(same, len(path) - 1) :])
