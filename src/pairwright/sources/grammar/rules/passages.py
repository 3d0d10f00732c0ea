"""The passages of a grammar that a language model is shown: prose, with examples, tables and notes in their places.

They are of the sections that state rules of syntax and morphology. A page breaks paragraphs, floats its tables and puts
its notes at the foot. Here a paragraph is whole, a table follows the paragraph that names it, and a footnote the one
that bears its mark.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import accumulate, groupby, pairwise, product, takewhile, zip_longest
from typing import NamedTuple

from pairwright.core.config import RuleSettings, SectionPatterns
from pairwright.core.errors import one_line
from pairwright.core.records import Block, Gloss, Rejection
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language
from pairwright.languages.linguistics.sentences import sentence_ends
from pairwright.sources import rejection

# A heading's number: `3.1.1`, `§ 12`, `IV.`, `A.2`.
_NUMBER = re.compile(r"^(?:§+\s*)?(?P<number>(?:\d+|[A-Z]|[IVXLC]+)(?:\.\d+)*)[.)]?\s+(?=\S)")
EXAMPLE_KINDS = frozenset({"gloss", "example"})
# The largest share of a window that a single example or a part of a table may take, and the one that windows share.
_ITEM_SHARE, _OVERLAP_SHARE = 0.6, 1 / 8
# How many sentences of a window the next one in the same section repeats.
_OVERLAP_SENTENCES = 2
# A window ends where the text does best, at no less than this share of its due length.
_LEAST_SHARE = 0.75
# The most characters of a text that a message repeats.
_SHOWN = 300
# It takes the place of a merged cell's other parts; quotations pass over it.
MERGED = "″"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_NOTE = re.compile(rf"\s*([{_RAISED}]+|[*†‡])")
_LABEL = re.compile(r"\W*(?P<word>[^\W\d]{2,})\.?\s+(?P<number>\d+(?:[.\-–]\d+)*)")
_WORD_EXAMPLE = re.compile(r"^ex(?:ample)?s?(?=\d)")
# A book's own references, as in `see (12)` and `(19c)`.
_PRINTED = re.compile(r"\((\d{1,4})([a-z]{0,3})\)")
# The names that a passage gives to its examples, their lines, its tables and its notes.
SHOWN_NAME = re.compile(r"(?:^|(?<=\s))(?:(?:segmentation|gloss|translation): |\[(?:E\d+|footnote|table|note)\] ?)")


def section_number(path: Sequence[str]) -> str:
    """The number of the innermost heading that has one, such as `3.1.1`; empty where none has."""
    return next((match["number"] for heading in reversed(path) if (match := _NUMBER.match(heading))), "")


def why_left_out(path: Sequence[str], patterns: SectionPatterns, prose: Sequence[Language]) -> str:
    """Why a section states no rules of syntax or morphology, by the user's patterns and the words of its headings.

    The innermost heading that says something in one of the languages of the `prose` decides; where none does, the
    section is read, and there is no reason. A bibliography and the like, with all that stands under it, is never read.
    """
    if any(_matches(glob, path) for glob in patterns.include):
        return ""
    if matching := next((glob for glob in patterns.exclude if _matches(glob, path)), None):
        return f"'{matching}' is among the excluded sections"
    headings = [" ".join(words(_NUMBER.sub("", squeeze(heading)).casefold())) for heading in path]
    apart = [word for language in prose for word in language.sections.apart]
    telling = [(word, True) for language in prose for word in language.sections.grammar]
    telling += [(word, False) for language in prose for word in language.sections.other]
    # A heading begins or ends with a word that stands apart: `References`, `Name index`.
    places = (
        (word, match.span(), heading)
        for heading in headings
        for word in apart
        for match in word_pattern(word.casefold()).finditer(heading)
    )
    deciding = [(word, False) for word, (start, end), heading in places if start == 0 or end == len(heading)]
    for heading in reversed(headings):
        deciding += [(word, included) for word, included in telling if word_pattern(word.casefold()).search(heading)]
    word, is_grammar = next(iter(deciding), ("", True))
    return "" if is_grammar else f"'{word.removesuffix('*')}' is in its heading"


def sections_left_out(
    blocks: Iterable[Block], patterns: SectionPatterns, prose: Sequence[Language]
) -> dict[tuple[str, ...], str]:
    """The sections that are not read, by the headings over them, each with the reason."""
    found = {path: why_left_out(path, patterns, prose) for path in {block.section for block in blocks}}
    return {path: reason for path, reason in found.items() if reason}


def _matches(glob: str, path: Sequence[str]) -> bool:
    texts = [squeeze(text).casefold() for text in (*path, " > ".join(path))]
    return any(fnmatchcase(text, squeeze(glob).casefold()) for text in texts)


def shortened(text: str) -> str:
    """A text in one line of at most 300 characters."""
    return one_line(squeeze(text), _SHOWN)


class Item(NamedTuple):
    """A sentence, an example without its name, or rows of a table with their caption.

    blocks   that hold it, in order; those of a table and its caption
    section  the headings over the paragraph after which it is read
    """

    text: str
    blocks: tuple[Block, ...]
    section: tuple[str, ...] = ()

    @property
    def is_example(self) -> bool:
        return self.blocks[0].kind in EXAMPLE_KINDS

    @property
    def is_sentence(self) -> bool:
        return not self.is_example and self.blocks[0].kind != "table"


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
    names: "ExampleNames" = field(compare=False)

    @cached_property
    def words(self) -> str:
        """The words that are shown, for comparison."""
        return comparison_key(self.text)

    @property
    def subject(self) -> str:
        """The name of a request about it in messages."""
        return f"page {self.blocks[0].page}, {self.blocks[0].id}"

    def block(self, block_id: str) -> Block:
        """Its block with an id. Raises StopIteration where it has none."""
        return next(block for block in self.blocks if block.id == block_id)

    def rejection(self, reason: str, text: str) -> Rejection:
        """What could not be made a rule, with the place of the window."""
        return rejection(self.blocks[0], reason, shortened(text))


def grammar_windows(
    text: Iterable[Block],
    settings: RuleSettings,
    abbreviations: frozenset[str],
    tables: Mapping[str, Block],
) -> Iterator[Window]:
    """Windows over the chapters of a grammar's text, none longer than the settings allow unless a single item is.

    A chapter is cut into windows of about one length, at the end of a section or a paragraph where one is near. A
    window that begins inside a section begins with the last sentences of the one before.
    """
    longest = settings.window_characters
    for blocks in (list(chapter) for _, chapter in groupby(text, key=lambda block: block.section[:1])):
        items = chapter_items(blocks, abbreviations, tables, int(longest * _ITEM_SHARE))
        chapter_names = ExampleNames(blocks)
        ends = list(accumulate((len(item.text) + (6 if item.is_example else 1) for item in items), initial=0))
        start = shared = 0
        while start < len(items):
            end = _end(items, ends, start, longest)
            while shared and ends[end] - ends[start - shared] > longest:
                shared -= 1
            shown = items[start - shared : end]
            within = tuple({block.id: block for item in shown for block in item.blocks}.values())
            names = ExampleNames(within, chapter_names)
            yield Window(shown[0].section, _shown(shown, names), within, names)
            start, shared = end, _shared(items, ends, end, settings)


def _end(items: Sequence[Item], ends: Sequence[int], start: int, longest: int) -> int:
    """The index after the last item of the window that begins at `start`."""
    left = ends[-1] - ends[start]
    room = longest * (1 - _OVERLAP_SHARE) if start else longest
    if left <= room:
        return len(items)
    due = left / (left // room + 1)
    last = max(start + 1, bisect_right(ends, ends[start] + room) - 1)
    first = min(last, bisect_left(ends, ends[start] + _LEAST_SHARE * due))

    def value(end: int) -> tuple[int, float]:
        """3 between sections, 2 between paragraphs, 1 between sentences, else 0; then how near the due length."""
        before, after = items[end - 1], items[end]
        best = 1 if after.blocks[0] in before.blocks else 2
        if not after.is_sentence or before.blocks[-1].text.rstrip().endswith(":"):
            best = 0
        return 3 if before.section != after.section else best, -abs(ends[end] - ends[start] - due)

    return max(range(max(first, start + 1), last + 1), key=value)


def _shared(items: Sequence[Item], ends: Sequence[int], end: int, settings: RuleSettings) -> int:
    """How many items before `end` the next window repeats: the last sentences of its section, within a limit."""
    count = sentences = 0
    for index in range(end - 1, -1, -1):
        other_section = end < len(items) and items[index].section != items[end].section
        too_long = ends[end] - ends[index] > settings.window_characters * _OVERLAP_SHARE
        if sentences == _OVERLAP_SENTENCES or other_section or too_long:
            break
        count += 1
        sentences += items[index].is_sentence
    return count


def _shown(items: Sequence[Item], names: "ExampleNames") -> str:
    """Items as a language model is shown them: each paragraph, example and table on lines of its own, with headings."""
    lines: list[str] = []
    section, paragraph = items[0].section, ""
    for item in items:
        if item.section != section:
            # The headings below those that it shares with the section before; at least the last one.
            shared = takewhile(lambda pair: pair[0] == pair[1], zip(item.section, section, strict=False))
            below = item.section[min(len(list(shared)), len(item.section) - 1) :]
            lines.append(f"## {' > '.join(map(squeeze, below))}")
            section, paragraph = item.section, ""
        first, last = item.blocks[0], item.blocks[-1]
        if item.is_example:
            lines.append(f"[{names.of_block[first.id]}]{item.text}")
        elif first.id == paragraph:
            lines[-1] += f" {item.text}"
        else:
            lines.append(f"{'[footnote] ' if first.kind == 'footnote' else ''}{item.text}")
        paragraph = last.id if item.is_sentence else ""
    return "\n".join(lines)


def chapter_items(
    blocks: Sequence[Block], abbreviations: frozenset[str], tables: Mapping[str, Block], longest: int
) -> list[Item]:
    """The items of a chapter in the order of reading. Labels in figures are left out.

    tables   the tables of the document by id: one may continue another
    longest  the most characters of an example and of a part of a table
    """
    captions = _captions(blocks)
    apart = {caption.id for caption in captions.values()}
    apart.update(block.id for block in blocks if block.kind in ("table", "figure", "footnote"))
    main = paragraphs(block for block in blocks if block.id not in apart)
    places = {block.id: at for at, block in enumerate(blocks)}
    starts = [places[chain[0].id] for chain in main]
    # What the page sets beside the paragraphs, by the index of the paragraph that it is read after.
    after: dict[int, list[list[Item]]] = defaultdict(list)
    for note in paragraphs(block for block in blocks if block.kind == "footnote"):
        natural = bisect_left(starts, places[note[0].id]) - 1
        after[_place_of_note(note[0], main, natural)].append(list(sentences(note, abbreviations)))
    for at, block in enumerate(blocks):
        if block.kind == "table" and block.cells:
            caption, first = captions.get(block.id), tables.get(block.continues or "")
            label = caption or captions.get(block.continues or "")
            place = _place_of_table(label, main, bisect_left(starts, at) - 1)
            after[place].append(table_parts(block, caption, first, longest))
    read = [item._replace(section=item.blocks[0].section) for items in after[-1] for item in items]
    for number, chain in enumerate(main):
        is_example = chain[0].kind in EXAMPLE_KINDS
        own = [Item(_example_text(chain[0], longest), (chain[0],))] if is_example else sentences(chain, abbreviations)
        for items in (own, *after[number]):
            read += [item._replace(section=chain[0].section) for item in items]
    return read


def paragraphs(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks with their continuations, in the order of their first ones. An example stands alone."""
    chains: dict[str, list[Block]] = {}
    firsts: dict[str | None, str] = {}
    before: Block | None = None
    for block in blocks:
        # A table or a note may have cut a paragraph in the middle of a sentence.
        cut = before and before.kind == block.kind == "paragraph" and before.section == block.section
        goes_on = before and cut and block.text[:1].islower() and before.text.rstrip()[-1:].isalnum()
        origin = before.id if before and goes_on else block.continues
        firsts[block.id] = block.id if block.kind in EXAMPLE_KINDS else firsts.get(origin, block.id)
        chains.setdefault(firsts[block.id], []).append(block)
        before = block
    return list(chains.values())


def sentences(blocks: Iterable[Block], abbreviations: frozenset[str]) -> Iterator[Item]:
    """The sentences of a paragraph's blocks. A full stop after one of the casefolded `abbreviations` ends none."""
    text, starts = "", []
    for block in blocks:
        piece = " ".join(block.text.split())
        if re.search(r"\w[-\u00ad‐]$", text) and piece[:1].islower():
            text = text[:-1]
        elif text:
            text += " "
        starts.append((len(text), block))
        text += piece
    for begin, end in pairwise([0, *sentence_ends(text, abbreviations), len(text)]):
        if sentence := text[begin:end].strip():
            last = [block for start, block in starts if start <= begin][-1:]
            inside = [block for start, block in starts if begin < start < end]
            yield Item(sentence, (*last, *inside))


def _place_of_note(note: Block, chains: Sequence[Sequence[Block]], natural: int) -> int:
    """The index of the paragraph on the note's page that bears its mark, else of the `natural` one, before the note."""
    mark = _NOTE.match(note.text)
    bearing = re.compile(rf"(?<![{_RAISED}\s]){re.escape(mark[1])}(?![{_RAISED}])" if mark else "(?!)")
    blocks = ((index, block) for index, chain in enumerate(chains) for block in chain if block.page == note.page)
    return next((index for index, block in blocks if bearing.search(block.text)), natural)


def _place_of_table(caption: Block | None, chains: Sequence[Sequence[Block]], natural: int) -> int:
    """The index of the nearest paragraph that names the table by its number, as in `Tables 3.4 and 3.5`, else of the
    `natural` one, before the table."""
    label = _LABEL.match(caption.text) if caption else None
    if label is None:
        return natural
    word, number = re.escape(label["word"][:3]), re.escape(label["number"])
    naming = re.compile(rf"\b{word}\w*\.?\s.{{0,20}}?(?<![\d.]){number}(?!\.?\d)", re.IGNORECASE | re.DOTALL)
    prose = ((index, chain) for index, chain in enumerate(chains) if chain[0].kind not in EXAMPLE_KINDS)
    named = (index for index, chain in prose if any(naming.search(block.text) for block in chain))
    return min(named, key=lambda index: (abs(index - natural), index), default=natural)


def _captions(blocks: Sequence[Block]) -> dict[str, Block]:
    """The caption of each table that has one, by the table's id: the block before it, else the one after it."""
    captions: dict[str, Block] = {}
    pairs = list(pairwise(blocks))
    for table, caption in (*((table, before) for before, table in pairs), *pairs):
        free = caption.kind == "caption" and caption.id not in {other.id for other in captions.values()}
        if table.kind == "table" and free:
            captions.setdefault(table.id, caption)
    return captions


def table_parts(table: Block, caption: Block | None, first: Block | None, longest: int) -> list[Item]:
    """A table as it is printed, in parts of at most about `longest` characters that repeat its caption and head.

    Its notes follow the last part, each after the cells that carry its mark.

    first  the table that this one continues, for its head
    """
    rows = _rows(table)
    n_head = min(table.header_rows, max(len(rows) - 1, 0))
    head = _rows(first)[: first.header_rows] if first and not n_head else rows[:n_head]
    top = [f"[table] {squeeze(caption.text) if caption else ''}".strip(), *head, *(["---"] if head else [])]
    room = longest - sum(map(len, top))
    parts: list[list[str]] = [[]]
    for row in filter(re.compile(r"[^\s|]").search, rows[n_head:]):
        if parts[-1] and sum(len(line) + 1 for line in parts[-1]) + len(row) > room:
            parts.append([])
        parts[-1].append(row)
    for note in table.notes:
        on = ", ".join(dict.fromkeys(squeeze((table.cells or ())[row][column]) for row, column in note.cells))
        parts[-1].append(f"[note] {on}{': ' if on else ''}{squeeze(note.text)}")
    return [Item("\n".join((*top, *part)), (table, *([caption] if caption else []))) for part in parts]


def _rows(table: Block) -> list[str]:
    """The rows of a table; where a merged cell covers a place, the place has a sign. Blank cells stay blank."""
    rows = []
    for cells, boxes in zip_longest(table.cells or (), table.cell_boxes or (), fillvalue=()):
        merged = [place < len(boxes) and boxes[place] is None for place in range(len(cells))]
        shown = [squeeze(cell) or (MERGED if is_merged else "") for cell, is_merged in zip(cells, merged, strict=True)]
        rows.append(" | ".join(shown))
    return rows


def leaves(gloss: Gloss) -> list[tuple[str, Gloss]]:
    """The sentences of an example, each with its letters, outermost first; "" where there is only one."""
    return [(" ".join(path[bool(gloss.number) :]), leaf) for path, leaf in gloss.leaves()]


def named_lines(label: str, gloss: Gloss) -> list[tuple[str, str]]:
    """The lines of a sentence, each with its name; the sentence itself has its letters and mark and no name."""
    segmentation = " ".join(filter(None, gloss.segmentation))
    sentence = gloss.surface or segmentation or " ".join(gloss.raw.split())
    letters = "".join(f"{letter}. " for letter in label.split())
    lines = [
        ("", f"{letters}{gloss.judgement or ''}{sentence}"),
        ("segmentation", segmentation if segmentation != sentence else ""),
        ("gloss", " ".join(gloss.glosses[0]) if gloss.glosses else ""),
        ("translation", f"‘{gloss.translation}’" if gloss.translation else ""),
    ]
    return [(name, line) for name, line in lines if line]


def _example_text(block: Block, longest: int) -> str:
    """An example as it follows its name: its printed number, and its lines, each with its name."""
    gloss = block.gloss
    if gloss is None:
        return f" {' '.join(block.text.split())}"[:longest]
    head = (f"({gloss.number})" if gloss.number else "", gloss.language or "", gloss.title or "")
    text = "".join(f" {part}" for part in head if part)
    for name, line in (line for leaf in leaves(gloss) for line in named_lines(*leaf)):
        shown = f"\n  {name}: {line}" if name else f"\n{line}"
        if len(text) + len(shown) > longest and "\n" in text:
            break
        text += shown
    return text[:longest]


class ExampleRef(NamedTuple):
    """A block that a rule refers to. `label` names a part of it; empty for the whole block."""

    block: Block
    label: str

    @property
    def leaves(self) -> list[Gloss]:
        """The sentences of the part; those of the whole example where the label is empty."""
        every = leaves(self.block.gloss) if self.block.gloss else []
        return [leaf for label, leaf in every if not self.label or f"{label} ".startswith(f"{self.label} ")]


def _key(name: str) -> str:
    """A name of an example without the punctuation and spaces around its number and letters."""
    return re.sub(r"[\s.,;()\[\]]", "", name.casefold())


class ExampleNames:
    """The names of the examples in one passage: E1, E2 …, with the letters of parts, and the printed numbers.

    around  the names in the whole chapter, by which printed numbers are found that the passage only mentions
    """

    def __init__(self, blocks: Sequence[Block], around: "ExampleNames | None" = None) -> None:
        self._around = around
        blocks = [block for block in blocks if block.kind in EXAMPLE_KINDS]
        self.of_block = {block.id: f"E{number}" for number, block in enumerate(blocks, start=1)}
        self._refs: dict[str, ExampleRef] = {}
        numbers: dict[str | None, str] = {}
        for block in blocks:
            letters = [label.split() for label, _ in leaves(block.gloss)] if block.gloss else []
            labels = {" ".join(path[:depth]) for path in letters for depth in range(len(path) + 1)} | {""}
            names = [self.of_block[block.id]]
            if printed := (block.gloss.number if block.gloss else None) or numbers.get(block.continues):
                numbers[block.id] = printed
                names.append(printed)
            for name, label in product(names, sorted(labels)):
                self._refs.setdefault(_key(f"{name}{label}"), ExampleRef(block, label))

    def find(self, name: str) -> ExampleRef | None:
        """The example of a name such as `E2`, `[E2b]` or `(19c)`; None where there is none."""
        own = self._refs.get(_WORD_EXAMPLE.sub("", _key(name)))
        return own or (self._around.find(name) if self._around and _PRINTED.search(name) else None)

    def printed_in(self, text: str) -> list[ExampleRef]:
        """The examples that a text of the book refers to by their printed numbers."""
        return [ref for match in _PRINTED.finditer(text) if (ref := self.find(match[0]))]
