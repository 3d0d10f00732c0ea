"""Where the words that somebody quotes stand in a book, letter by letter.

A quotation may differ from the book in white space, in hyphens and the division of words, in the form of quotation
marks and in ligatures, and it may leave out the marks of footnotes. Everything else has to be the same.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.records import Block, Evidence
from pairwright.rules.grammar.book_examples import leaves
from pairwright.text import words

# Hyphens and dashes, quotation marks and primes, the bar between the cells of a table, and what nobody sees.
_PASSED_OVER = frozenset("-\u00ad‐‑‒–—―−'\"`´‘’‚‛“”„‟‹›«»′″|\u200b\u200c\u200d\u2060\ufeff")
_FOOTNOTE_MARKS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")

# What stands between two parts of a sentence without being a part of it.
_ASIDE = frozenset({"gloss", "example", "table", "caption", "footnote"})

LEAST_WORDS = 3
LEAST_LETTERS = 15


class Span(NamedTuple):
    """A stretch of a block's text: the block's id, and the offsets of its first character and after its last one."""

    block_id: str
    start: int
    end: int


@dataclass(frozen=True)
class _Folded:
    """The letters of several texts that are compared, each with the text and the offset it comes from."""

    letters: str
    places: tuple[tuple[int, int], ...]


def says_enough(quotation: str) -> bool:
    """Whether a quotation is long enough to rest a rule on: a word or two stand on every page."""
    return len(words(quotation)) >= LEAST_WORDS or sum(map(str.isalnum, quotation)) >= LEAST_LETTERS


def find_quotation(quotation: str, blocks: Sequence[Block]) -> tuple[Span, ...]:
    """Where a quotation stands in blocks that follow each other: a span for each block it runs through; else empty.

    Examples and tables may stand between two parts of a sentence. It begins and ends where words do. Where it is a line
    of an example that the page breaks, the whole of that part of the example is its span.
    """
    needle = _fold([quotation]).letters
    if not needle:
        return ()
    prose = [block for block in blocks if block.kind not in _ASIDE]
    others = [block for block in blocks if block.kind in _ASIDE]
    for group in (prose, *([block] for block in others)):
        if found := _find(needle, quotation.strip(), group):
            return found
    return next(filter(None, (_find_in_example(needle, block) for block in others)), ())


def _find_in_example(needle: str, block: Block) -> tuple[Span, ...]:
    """The part of an example whose lines, without the breaks and columns of the page, have a quotation in them."""
    for leaf in leaves(block.gloss) if block.gloss else ():
        lines, raw = leaf.lines, leaf.gloss.raw
        folded = _fold(lines)
        for start in _occurrences(needle, folded.letters):
            if _whole_words(lines, folded.places[start], folded.places[start + len(needle) - 1]):
                at = block.text.find(raw)
                # Parts that are set side by side can't be cut apart.
                return (Span(block.id, at, at + len(raw)) if raw and at >= 0 else Span(block.id, 0, len(block.text)),)
    return ()


def evidence(spans: Sequence[Span], blocks: Sequence[Block]) -> tuple[Evidence, ...]:
    """The words at some spans as the blocks have them, with their places."""
    known = {block.id: block for block in blocks}
    return tuple(
        Evidence(
            block_id=block.id,
            file=block.file,
            page=block.page,
            line=_line(block, span.start),
            quote=block.text[span.start : span.end],
        )
        for span in spans
        for block in [known[span.block_id]]
    )


def _line(block: Block, offset: int) -> int | None:
    """The line of a text file on which an offset of a block stands: exact for the rows of tables."""
    row = block.text.count("\n", 0, offset)
    return block.row_lines[row] if row < len(block.row_lines) else block.line


def _fold(texts: Sequence[str]) -> _Folded:
    letters: list[str] = []
    places: list[tuple[int, int]] = []
    for index, text in enumerate(texts):
        for offset, char in enumerate(text):
            if char.isspace() or char in _PASSED_OVER or char in _FOOTNOTE_MARKS:
                continue
            plain = unicodedata.normalize("NFKD", char)
            letters.append(plain)
            places += [(index, offset)] * len(plain)
    return _Folded("".join(letters), tuple(places))


def _find(needle: str, quotation: str, blocks: Sequence[Block]) -> tuple[Span, ...]:
    texts = [block.text for block in blocks]
    folded = _fold(texts)
    for start in _occurrences(needle, folded.letters):
        first, last = folded.places[start], folded.places[start + len(needle) - 1]
        if not _whole_words(texts, first, last):
            continue
        spans = []
        for index in range(first[0], last[0] + 1):
            text = texts[index]
            begin = first[1] if index == first[0] else len(text) - len(text.lstrip())
            end = last[1] + 1 if index == last[0] else len(text.rstrip())
            begin, end = _with_marks(text, begin, end, quotation)
            if begin < end:
                spans.append(Span(blocks[index].id, begin, end))
        return tuple(spans)
    return ()


def _occurrences(needle: str, letters: str) -> Iterator[int]:
    start = letters.find(needle)
    while start >= 0:
        yield start
        start = letters.find(needle, start + 1)


def _whole_words(texts: Sequence[str], first: tuple[int, int], last: tuple[int, int]) -> bool:
    """Whether no word is cut, and no letter from the accent on it."""
    before, after = texts[first[0]][: first[1]][-1:], texts[last[0]][last[1] + 1 :][:1]
    begins = not (before.isalnum() and texts[first[0]][first[1]].isalnum())
    ends = not (after.isalnum() and after not in _FOOTNOTE_MARKS and texts[last[0]][last[1]].isalnum())
    return begins and ends and not (after and unicodedata.combining(after))


def _with_marks(text: str, begin: int, end: int, quotation: str) -> tuple[int, int]:
    """A stretch with the hyphens and quotation marks at its ends that the quotation has too."""
    if quotation[:1] in _PASSED_OVER:
        while begin > 0 and text[begin - 1] in _PASSED_OVER:
            begin -= 1
    if quotation[-1:] in _PASSED_OVER:
        while end < len(text) and text[end] in _PASSED_OVER:
            end += 1
    return begin, end
