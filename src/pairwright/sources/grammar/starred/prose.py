"""How the prose of a grammar speaks of its examples: which it names, and which sentence introduces one."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pairwright.core.records import Block, Evidence
from pairwright.core.text import word_pattern, words
from pairwright.languages.conventions import Conventions
from pairwright.languages.linguistics.sentences import (
    ANY_STAR,
    UnbalancedError,
    sentence_ends,
    split_mark,
    top_brackets,
)

# How many blocks away from an example the prose that names it may be, and prose that compares without naming it.
REACH, _NEAR = 30, 2
# What has fewer words belongs to a figure or a heading.
_LEAST_WORDS = 4
# How many sentences after the one that names an example may state the ban.
_BAN_REACH = 2

_NUMBER = r"[A-Z]?\d{1,4}(?:\.\d{1,3})*"
_PART = r"[a-z][ivx]{0,4}(?![a-z])"
_NUMBERS = re.compile(
    rf"(?P<first>{_NUMBER})(?:\s?[-‑–]\s?(?P<last>\d{{1,4}})(?![.\d]))?"
    rf"\s?(?P<parts>{_PART}(?:\s?[-–,/]\s?{_PART})*)?(?![a-z\d])"
)
_PARTS = re.compile(rf"(?P<first>{_PART})(?:\s?[-–]\s?(?P<last>{_PART}))?")
_ENDED = re.compile(r"[.!?:…][\"”’)⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
# A number that begins an example in a list; a sentence may begin with one in round brackets, which is a reference.
LISTED = re.compile(r"^\d{1,4}(?:\.\d{1,3})*[.)]\s+(?=\S)")


class Passage(NamedTuple):
    """A sentence of the prose, or a few, and the pieces of it in each block, in order."""

    text: str
    pieces: tuple[tuple[Block, str], ...]

    def evidence(self) -> tuple[Evidence, ...]:
        """The places of the pieces, the longest one first."""
        return tuple(Evidence.at(*piece) for piece in sorted(self.pieces, key=lambda piece: -len(piece[1])))


class Prose:
    """The prose of a book, by the words of the languages that it is written in."""

    def __init__(self, blocks: Sequence[Block], book: Conventions) -> None:
        self._blocks, said = blocks, book.words
        self.history, self._refusals = word_pattern(*said.history), word_pattern(*said.refusals)
        self._comparisons = word_pattern(*said.comparisons)
        self._abbreviations = frozenset(said.abbreviations)
        # What may name examples: numbers in round brackets, or after a word such as `example` or `compare`.
        before = rf"{word_pattern(*said.references, *said.comparisons).pattern}\.?"
        self._naming = re.compile(
            rf"\(\s*(?:{before}\s+)?(?P<inside>{_NUMBER}(?:[^()§]{{0,24}})?)\)"
            rf"|{before}\s+(?P<named>{_NUMBER}\s?(?:{_PART})?)(?!\w)",
            re.IGNORECASE,
        )
        self.mentions = lru_cache(4096)(self._mentions)
        self._spans = lru_cache(256)(self._sentence_spans)

    def _mentions(self, text: str) -> frozenset[tuple[str, str]]:
        """The numbers of examples that a text names, each with the parts, "" for the whole: `(12a)`, `(7a–c)`, `cf. 4`.

        In a book that counts its examples by chapters, `3-6` is the sixth one of the third; in others it names both.
        """
        named = set[tuple[str, str]]()
        for mention in self._naming.finditer(text):
            for match in _NUMBERS.finditer(mention["inside"] or mention["named"]):
                first, last, parts = match["first"], match["last"], _parts(match["parts"] or "")
                numbers = (first,) if last is None else (last, f"{first}-{last}")
                named |= {(number, part) for number in numbers for part in parts}
                named |= {(first, "")} if last else set()
        return frozenset(named)

    def precision(self, text: str, place: Sequence[str]) -> int:
        """How precisely a text names the example of a place: 2 the part itself, 1 only its number, 0 neither."""
        parts = {part for number, part in self.mentions(text) if place and number == place[0]}
        if len(place) > 1 and parts & {place[1], "".join(place[1:])}:
            return 2
        return int("" in parts or (bool(parts) and len(place) == 1))

    def _sentence_spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """Where the sentences of a prose block are."""
        try:
            brackets = top_brackets(text)
        except UnbalancedError:
            brackets = []
        bounds = pairwise([0, *sentence_ends(text, self._abbreviations, brackets), len(text)])
        spans = ((b - len(text[a:b].lstrip()), a + len(text[a:b].rstrip())) for a, b in bounds)
        return tuple((first, last) for first, last in spans if first < last)

    def _passages(self, at: int) -> Iterator[Passage]:
        """The sentences that end in a block; the first one may begin on the page before.

        One that names an example comes with the ban right after it.
        """
        block = self._blocks[at]
        spans = self._spans(block.text)
        for index, (start, end) in enumerate(spans):
            text = block.text[start:end]
            for first, last in spans[index + 1 : index + 1 + _BAN_REACH] if self.mentions(text) else ():
                following = block.text[first:last]
                if self._refusals.search(text) or self.mentions(following):
                    break
                if self._refusals.search(following):
                    end = last
                    break
            pieces: tuple[tuple[Block, str], ...] = ((block, block.text[start:end]),)
            before = next((b for b in reversed(self._blocks[max(0, at - REACH) : at]) if b.id == block.continues), None)
            if index == 0 and before and _is_prose(before) and not _ENDED.search(before.text):
                first, last = self._spans(before.text)[-1]
                pieces = ((before, before.text[first:last]), *pieces)
            yield Passage(" ".join(piece for _, piece in pieces), pieces)

    def introduction(self, order: int, place: Sequence[str], differing: Sequence[str] = ()) -> Passage | None:
        """The sentence that introduces the example of the block at `order`, whose number and letters are `place`.

        One that names the part itself wins over one that names only the number, one before the example over one after
        it, a near one over a far one; for one that only points at examples, the one before it stands. Where none names
        it, it is one of the paragraph right before it with a `differing` word, best one that forbids; else the nearest
        one that forbids, up to a heading or another example; else the caption of a table, or the last sentence before
        it.
        """
        blocks = self._blocks
        # Another chapter may count its examples from 1 again.
        chapter = blocks[order].section[:1]
        naming = []
        for at in range(max(0, order - REACH), min(len(blocks), order + REACH + 1)):
            if _is_prose(blocks[at]) and blocks[at].section[:1] == chapter:
                last: Passage | None = None
                for passage in self._passages(at):
                    # Of one that says nothing but where examples are: `Compare (12) with (13).`
                    text = self._comparisons.sub(" ", self._naming.sub(" ", passage.text))
                    only_points = len(words(text)) < _LEAST_WORDS and not self._refusals.search(passage.text)
                    said = last if only_points else passage
                    if said and (precision := self.precision(passage.text, place)):
                        naming.append(((-precision, at > order, abs(at - order)), said))
                    last = passage
        if naming:
            return min(naming, key=lambda item: item[0])[1]
        before = self._paragraphs_before(order)
        differing_words = {word for span in differing for word in words(span)}
        ranked: list[tuple[int, Passage]] = []
        for at in before:
            for passage in reversed(list(self._passages(at))):
                listed = words(passage.text)
                speaks = at == before[0] and not differing_words.isdisjoint(listed)
                rank = 2 * speaks + bool(self._refusals.search(passage.text))
                # A sentence with another example or another starred form speaks of that one.
                general = not (self.mentions(passage.text) or ANY_STAR.search(passage.text))
                if len(listed) >= _LEAST_WORDS and (speaks or (general and (rank or at == before[0]))):
                    ranked.append((rank, passage))
        rank, best = max(ranked, key=lambda item: item[0], default=(0, None))
        near = (blocks[at] for at in (order - 1, order + 1) if 0 <= at < len(blocks) and blocks[order].kind == "table")
        captions = (Passage(block.text, ((block, block.text),)) for block in near if block.kind == "caption")
        return best if rank else next(captions, best)

    def compared(self, order: int, place: Sequence[str]) -> set[tuple[str, str]]:
        """The examples with which the prose of its section compares the one of the block at `order`, as in `mentions`.

        A sentence that names it names the other examples beside it. So does one right before or after it that compares
        what it does not name with a single example, as does a comparison in the example itself.
        """
        named = set[tuple[str, str]]()
        for at in range(max(0, order - REACH), min(len(self._blocks), order + REACH + 1)):
            block = self._blocks[at]
            if block.section == self._blocks[order].section and (_is_prose(block) or at == order):
                for text, _ in self._passages(at):
                    others = {(number, part) for number, part in self.mentions(text) if not place or number != place[0]}
                    single = abs(at - order) <= _NEAR and len({number for number, _ in others}) == 1
                    if (at != order and self.precision(text, place)) or (single and self._comparisons.search(text)):
                        named |= others
        return named

    def _paragraphs_before(self, order: int) -> list[int]:
        """The paragraphs before an example, the nearest first, up to a heading or, after the first one, an example."""
        listed = LISTED.match(self._blocks[order].text)
        found: list[int] = []
        for at in range(order - 1, max(-1, order - REACH), -1):
            block = self._blocks[at]
            is_example = block.gloss or split_mark(block.text)[0] or (listed and LISTED.match(block.text))
            if block.kind == "heading" or (found and (is_example or block.kind == "table")):
                break
            if block.kind == "paragraph" and not is_example and len(words(block.text)) >= _LEAST_WORDS:
                found.append(at)
        return found

    def surrounding(self, block: Block, quote: str) -> Passage | None:
        """The sentence of the prose that a form is part of; None where it has hardly any other words."""
        texts = (block.text[start:end] for start, end in self._spans(block.text))
        text = next((text for text in texts if quote in text), "")
        return Passage(text, ((block, text),)) if len(words(text)) >= len(words(quote)) + _LEAST_WORDS else None


def _parts(text: str) -> set[str]:
    """Parts alone, `a, c`, or as a range of letters, `a–c`; "" without any."""
    parts: set[str] = set()
    for match in _PARTS.finditer(text):
        first, last = match["first"], match["last"] or match["first"]
        parts |= {first, last}
        if len(first) == len(last) == 1:
            parts |= {chr(code) for code in range(ord(first), ord(last))}
    return parts or {""}


def _is_prose(block: Block) -> bool:
    return block.kind in {"paragraph", "list_item", "footnote"} and block.gloss is None
