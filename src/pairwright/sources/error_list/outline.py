"""The outline of an error list: the rule that each piece of text belongs to, its headword, and the notes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pairwright.core.records import Block
from pairwright.sources.error_list.bracketed import BracketReader
from pairwright.sources.error_list.notation import Notation, any_of

# A headword and a dash before its examples: `on – On Monday …`, `on – a) of time: …`.
_DASHED = re.compile(r"(\w+(?: \w+)?) [–—-]\s+(?=\w)")
# What an item of a rule is about, before its examples: `b) of manner, e.g.`.
_ITEM_LABEL = re.compile(r"(?:^|(?<=\s))\w\)\s[^.!?()]*$")
_SINGLE = re.compile(r"\s*(?P<code>\d+)[.)]\s+")


@dataclass(frozen=True)
class RuleHead:
    """Where a rule begins: its code (empty where the list has no numbers), its wording, and its block."""

    code: str
    label: str
    block: Block

    def is_above(self, other: "RuleHead") -> bool:
        """Whether another rule's code continues this one's: `2.1` is above `2.1.3`."""
        return bool(self.code) and other.code.startswith(self.code + ".")


@dataclass(frozen=True)
class Passage:
    """A stretch of examples.

    offset  where it begins in the block's text
    entry   the headword that it stands under
    note    the wording of the note that makes its examples exceptions
    """

    head: RuleHead
    block: Block
    text: str
    offset: int
    entry: str | None = None
    note: str | None = None

    def line(self, offset: int = 0) -> int | None:
        """The line of the file at an offset of the passage."""
        breaks = self.block.text.count("\n", 0, self.offset + offset)
        if self.block.row_lines:
            return self.block.row_lines[breaks]
        return self.block.line + breaks if self.block.line is not None else None


class OutlineReader:
    """Reads the blocks of an error list one by one. `heads` are the rules that have begun so far, in order."""

    def __init__(self, notation: Notation, title: str) -> None:
        self._brackets = BracketReader(notation)
        self._code = re.compile(rf"\s*(?P<code>{notation.code})\.?\)?(?!\w)\s*")
        self._intro = re.compile(rf"(?:^|(?<=\s)){any_of(notation.intros)}\s*")
        self._label = re.compile(rf"(?:^|(?<=[\s]))(?:{'|'.join(notation.labels) or '(?!)'})\s*", re.IGNORECASE)
        self._note = re.compile(rf"\s*(?:\d+\s*)?{any_of(notation.notes)}\s*[.:]?\s*", re.IGNORECASE)
        self._reference = re.compile(rf"\s*{any_of(notation.references)}")
        # What the headword should govern may stand behind its arrow: `→ = ko:`, `→ ko:`.
        self._arrow = re.compile(
            rf"(?P<sign>{any_of(notation.entry_arrows)})(?:\s*(?P<governed>=[^:]*|[^:.!?()]*):(?=\s))?"
        )
        self._title = title
        self.is_wrapped = True
        self.heads: list[RuleHead] = []

    def learn(self, blocks: Iterable[Block]) -> None:
        """Learns whether line ends mean nothing: before most of them, the next word would not have fitted the line."""
        texts = [block.text.split("\n") for block in blocks if block.kind in ("paragraph", "list_item")]
        width = max((len(line) for lines in texts for line in lines), default=0)
        both = [pair for lines in texts for pair in pairwise(lines) if pair[1].strip()]
        ends = [len(line) + len(after.split()[0]) for line, after in both]
        self.is_wrapped = 2 * sum(end < width for end in ends) <= len(ends)

    def passages(self, block: Block) -> list[Passage]:
        """The passages of the next block. A block without examples only continues the outline."""
        if self.is_wrapped or block.kind == "table":
            return list(self._passages(block))
        breaks = (each.end() for each in re.finditer("\n", block.text))
        cuts = (at for at in breaks if block.text.count("(", 0, at) <= block.text.count(")", 0, at))
        passages = list[Passage]()
        for start, end in pairwise([0, *cuts, len(block.text)]):
            emphasis = tuple((a - start, b - start) for a, b in block.emphasis if start <= a and b <= end)
            line = block.line and block.line + block.text.count("\n", 0, start)
            part = block.model_copy(update={"text": block.text[start:end], "emphasis": emphasis, "line": line})
            passages += self._passages(part)
        return passages

    def _passages(self, block: Block) -> Iterator[Passage]:
        if block.kind == "table":
            yield from self._cells(block)
            return
        text, offset = block.text, 0
        match = self._code.match(text) or (_SINGLE.match(text) if block.kind == "heading" else None)
        if match:
            offset = self._examples_at(text, match.end())
            label = text[match.end() : offset].strip(" \n\t–—-:→").rstrip(",").strip()
            label = re.sub(self._intro.pattern + r"$", "", label).strip(" \n–—-:,")
            self.heads.append(RuleHead(match["code"], label, block))
        elif block.kind == "heading":
            self.heads.append(RuleHead("", text.strip(" :"), block))
            return
        head = self.head(block)
        noted = self._note.match(text, offset)
        if noted:
            yield self._note_passage(head, block, noted.end())
        elif text[offset:].strip():
            yield from self._labelled(self._entry(head, block, offset))

    def head(self, block: Block) -> RuleHead:
        """The rule that a block belongs to; the whole list where no rule has begun."""
        if not self.heads:
            self.heads.append(RuleHead("", self._title, block))
        return self.heads[-1]

    def section(self, head: RuleHead) -> tuple[str, ...]:
        """The headings above a rule, without those of other rules: by its code, 4.4 is not under 4.3."""
        codes = [
            (heading, match["code"] if (match := self._code.match(heading)) else "") for heading in head.block.section
        ]
        return tuple(heading for heading, code in codes if not code or f"{head.code}.".startswith(f"{code}."))

    def _cells(self, block: Block) -> Iterator[Passage]:
        """The cells of a table, each a passage. The first cell of a row is the headword of the others."""
        head, offset = self.head(block), 0
        for row in block.text.split("\n"):
            cells = row.split("\t")
            for place, cell in enumerate(cells):
                if self._brackets.has_correction(cell):
                    yield Passage(head, block, cell, offset, entry=cells[0] if place else None)
                offset += len(cell) + 1

    def _examples_at(self, text: str, start: int) -> int:
        """Where the examples begin in a text that opens with a rule's wording; its end where there are none."""
        if not self._brackets.has_correction(text):
            return len(text)
        openings = [match.start() for pattern in (self._intro, self._label) if (match := pattern.search(text, start))]
        if openings and not self._brackets.has_correction(text[start : min(openings)]):
            return min(openings)
        colons = (match.end() for match in re.finditer(r":\s+", text[start:]))
        return start + next((colon for colon in colons if text[start + colon].isupper()), 0)

    def _entry(self, head: RuleHead, block: Block, offset: int) -> Passage:
        """The passage behind a headword and its arrow; all the rest where no arrow stands before a correction."""
        text = block.text
        arrow = self._arrow.search(text, offset)
        if not arrow or self._brackets.has_correction(text[offset : arrow.start()]):
            dashed = _DASHED.match(text, offset)
            end = next((last for first, last in block.emphasis if first == offset < last), offset)
            end, entry = (dashed.end(), dashed[1]) if dashed else (end, text[offset:end])
            # A headword in small letters, set off from the sentence that follows; before a correction, it is wrong.
            rest = text[end:].lstrip()
            is_entry = entry.islower() and not (rest[:2].islower() and rest[1] != ")")
            is_entry = is_entry and not self._brackets.opening.match(rest)
            end, entry = (end, entry.strip(" :")) if is_entry else (offset, "")
            return Passage(head, block, text[end:], end, entry=entry or None)
        entry, governed, end = text[offset : arrow.start()].strip(), arrow["governed"] or "", arrow.end()
        is_wording = not governed.startswith("=") and (not governed.islower() or self._intro.match(f"{governed}:"))
        if governed and is_wording:
            end = arrow.end("sign")
        elif governed:
            entry = f"{entry} {arrow['sign']} {governed.lstrip('= ')}"
        return Passage(head, block, text[end:], end, entry=entry)

    def _labelled(self, passage: Passage) -> Iterator[Passage]:
        """The stretches of a passage between its labels and introductions, without cross references."""
        cuts = sorted(
            match.span()
            for pattern in (self._intro, self._label)
            for match in pattern.finditer(passage.text)
            if passage.text.count("(", 0, match.start()) <= passage.text.count(")", 0, match.start())
        )
        start = 0
        for first, last in [*cuts, (len(passage.text), len(passage.text))]:
            text = _ITEM_LABEL.sub("", passage.text[start:first]) if first < last else passage.text[start:]
            if text.strip(" \n;–—-,") and not self._reference.match(text):
                yield replace(passage, text=text, offset=passage.offset + start)
            start = max(start, last)

    def _note_passage(self, head: RuleHead, block: Block, start: int) -> Passage:
        """The examples of a note: what follows its introduction, or its colon before a capital."""
        text = block.text
        colon = re.compile(r":\s+(?=\S)").search(text, start + 1)
        cut = self._intro.search(text, start) or (colon if colon and text[colon.end()].isupper() else None)
        first, end = cut.span() if cut else (len(text), len(text))
        return Passage(head, block, text[end:], end, note=text[start:first].strip(" \n:,") or text[start:])

    def wrong_part(self, entry: str) -> str:
        """What stands before the arrow of an entry."""
        return str(self._arrow.split(entry)[0])
