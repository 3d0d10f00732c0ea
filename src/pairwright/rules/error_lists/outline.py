"""The outline of an error list: which rule each piece of text belongs to, its headword, and whether it is a note."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pairwright.languages import Language
from pairwright.records import Block
from pairwright.rules.error_lists.brackets import BracketReader
from pairwright.rules.error_lists.notation import Notation, opening


@dataclass(frozen=True)
class RuleHead:
    """Where a rule begins: its code (empty where the list numbers nothing), its wording, and its block."""

    code: str
    label: str
    block: Block


@dataclass(frozen=True)
class Passage:
    """A stretch of examples. `offset` is where it begins in the block's text; `note` is the wording of the note that
    makes its examples exceptions."""

    head: RuleHead
    block: Block
    text: str
    offset: int
    entry: str | None = None
    note: str | None = None

    def line(self, offset: int = 0) -> int | None:
        """The line of the file on which an offset of the passage stands."""
        breaks = self.block.text.count("\n", 0, self.offset + offset)
        if self.block.row_lines:
            return self.block.row_lines[breaks]
        return self.block.line + breaks if self.block.line is not None else None


class OutlineReader:
    """Follows the blocks of an error list one by one; `heads` holds the rule heads that have begun so far, in order."""

    def __init__(self, notation: Notation, language: Language, title: str) -> None:
        self._reader = BracketReader(notation)
        self._code = re.compile(rf"\s*(?P<code>{notation.code})\.?\)?(?!\w)\s*")
        self._single = re.compile(r"\s*(?P<code>\d+)[.)]\s+")
        self._intro = re.compile(rf"(?:^|(?<=\s)){opening(notation.intros).pattern}\s*")
        self._label = re.compile(rf"(?:^|(?<=[\s]))(?:{'|'.join(notation.labels) or '(?!)'})\s*", re.IGNORECASE)
        words = "|".join(map(re.escape, notation.notes)) or "(?!)"
        self._note = re.compile(rf"\s*(?:\d+\s*)?(?:{words})\b\s*[.:]?\s*", re.IGNORECASE)
        self._reference = re.compile(rf"\s*{opening(notation.references).pattern}")
        self._arrows = notation.entry_arrows
        self._stress = language.stress
        self._title = title
        self._note_wording: str | None = None
        self.heads: list[RuleHead] = []

    def passages(self, block: Block) -> list[Passage]:
        """The passages of the next block in order; a block without examples only moves the outline on."""
        found = list(self._of_block(block, self._note_wording))
        self._note_wording = self._open_note(block, self._note_wording)
        return found

    def _of_block(self, block: Block, note: str | None) -> Iterator[Passage]:
        if block.kind == "table":
            yield from self._cells(block)
            return
        text, offset = block.text, 0
        match = self._code.match(text) or (self._single.match(text) if block.kind == "heading" else None)
        if match:
            offset = self._examples_at(text, match.end())
            label = text[match.end() : offset].strip(" \n\t–—-:→").rstrip(",")
            self.heads.append(RuleHead(match["code"], self._without_intro(label), block))
        elif block.kind == "heading":
            self.heads.append(RuleHead("", text.strip(" :"), block))
            return
        head = self.head(block)
        noted = self._note.match(text, offset)
        if noted:
            yield from self._note_passages(head, block, noted.end())
        elif note is not None and not self._reader.has_correction(text):
            yield Passage(head, block, text[offset:], offset, note=note)
        elif text[offset:].strip():
            yield from self._labelled(self._entry(head, block, offset))

    def head(self, block: Block) -> RuleHead:
        """The rule that a block belongs to; where none has begun, the list itself."""
        if not self.heads:
            self.heads.append(RuleHead("", self._title, block))
        return self.heads[-1]

    def _cells(self, block: Block) -> Iterator[Passage]:
        """The cells of a table, each a passage of its own; the first cell of a row is the headword of the others."""
        head, offset = self.head(block), 0
        for row in block.text.split("\n"):
            cells = row.split("\t")
            for place, cell in enumerate(cells):
                if self._reader.has_correction(cell):
                    yield Passage(head, block, cell, offset, entry=cells[0] if place else None)
                offset += len(cell) + 1

    def _open_note(self, block: Block, note: str | None) -> str | None:
        """The wording of a note whose examples stand in the blocks that follow, as in `Pastaba. … ne klaida:`."""
        noted = self._note.match(block.text)
        if noted and block.text.rstrip().endswith(":"):
            return block.text[noted.end() :].strip()
        begins_anew = block.kind == "heading" or self._code.match(block.text) or noted
        return None if begins_anew or self._reader.has_correction(block.text) else note

    def _examples_at(self, text: str, start: int) -> int:
        """Where the examples begin in a text that opens with a rule's wording; the text's end where there are none."""
        if not self._reader.has_correction(text):
            return len(text)
        found = [match.start() for pattern in (self._intro, self._label) if (match := pattern.search(text, start))]
        if found:
            return min(found)
        colon = next((m.end() for m in re.finditer(r":\s+", text[start:]) if text[start + m.end()].isupper()), None)
        return start + colon if colon is not None else start

    def _without_intro(self, label: str) -> str:
        return re.sub(self._intro.pattern + r"$", "", label.strip()).strip(" \n–—-:,")

    def _entry(self, head: RuleHead, block: Block, offset: int) -> Passage:
        """The passage behind a headword and its arrow, or the whole rest where no arrow stands before a correction."""
        text = block.text
        places = [(place, arrow) for arrow in self._arrows if (place := text.find(arrow, offset)) >= 0]
        place, arrow = min(places, default=(-1, ""))
        if place < 0 or self._reader.has_correction(text[offset:place]):
            return Passage(head, block, text[offset:], offset)
        start = place + len(arrow)
        government = re.match(r"\s*=[^:]*:", text[start:])
        start += government.end() if government else 0
        return Passage(head, block, text[start:], start, entry=text[offset:place].strip())

    def _labelled(self, passage: Passage) -> Iterator[Passage]:
        """A passage cut at its labels and introductions, these left out; a cross reference gives nothing."""
        cuts = sorted(
            (match.start(), match.end())
            for pattern in (self._intro, self._label)
            for match in pattern.finditer(passage.text)
            if passage.text.count("(", 0, match.start()) == passage.text.count(")", 0, match.start())
        )
        start = 0
        for first, last in [*cuts, (len(passage.text), len(passage.text))]:
            text = passage.text[start:first]
            if text.strip(" \n;–—-,") and not self._reference.match(text):
                yield replace(passage, text=text, offset=passage.offset + start)
            start = max(start, last)

    def _note_passages(self, head: RuleHead, block: Block, start: int) -> Iterator[Passage]:
        """The examples of a note: what follows its introduction, or its colon before a capital."""
        text = block.text
        intro = self._intro.search(text, start)
        colon = next((m for m in re.finditer(r":\s+", text) if m.start() > start and m.end() < len(text)), None)
        cut = intro or (colon if colon and text[colon.end()].isupper() else None)
        end = cut.end() if cut else len(text)
        wording = text[start : cut.start() if cut else end].strip(" \n:,") or text[start:]
        yield Passage(head, block, text[end:], end, note=wording)

    def headword(self, entry: str | None) -> tuple[str, ...]:
        """A headword's words without stress marks and optional words: `sąryšyje (su)` is `sąryšyje`."""
        if not entry:
            return ()
        decomposed = unicodedata.normalize("NFD", entry)
        plain = unicodedata.normalize("NFC", "".join(c for c in decomposed if c not in self._stress))
        plain = re.sub(r"(?:^|\s)\([^)]*\)(?!\w)", " ", plain)
        return tuple(re.sub(r"[()]", "", plain).replace(",", " ").split())
