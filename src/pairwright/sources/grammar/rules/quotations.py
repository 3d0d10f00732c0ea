"""Where quoted words stand in a book, letter for letter.

A quotation may differ from the book in white space, in hyphens and the division of words, in the form of quotation
marks and in ligatures, and it may leave out footnote marks. Everything else must be the same.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from pairwright.core.records import Block, Evidence
from pairwright.core.text import words
from pairwright.sources.grammar.rules.passages import leaves, named_lines

# Hyphens and dashes, quotation marks and primes, the bar between table cells, and invisible characters.
_PASSED_OVER = frozenset("-\u00ad‐‑‒–—―−'\"`´‘’‚‛“”„‟‹›«»′″|\u200b\u200c\u200d\u2060\ufeff")
_FOOTNOTE_MARKS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")

# What may stand between two parts of a sentence.
_ASIDE = frozenset({"gloss", "example", "table", "caption", "footnote", "figure"})

LEAST_WORDS = 3
LEAST_LETTERS = 15


class TextSpan(NamedTuple):
    """A stretch of a block's text: the block's id, and its offsets from `start` up to `end`."""

    block_id: str
    start: int
    end: int


def quotable(block: Block) -> str:
    """The words of a block that can be quoted: its text and, behind it, the notes of a table."""
    return "\n".join([block.text, *(note.printed for note in block.notes)])


def says_enough(quotation: str) -> bool:
    """Whether a quotation is long enough to support a rule: a word or two stand on every page."""
    return len(words(quotation)) >= LEAST_WORDS or sum(map(str.isalnum, quotation)) >= LEAST_LETTERS


def find_quotation(quotation: str, blocks: Sequence[Block]) -> tuple[TextSpan, ...]:
    """Where a quotation stands in consecutive blocks: one span for each block it runs through, or none.

    It must begin and end where words do. Examples and tables may stand between two parts of a sentence. For a line of
    an example that the page breaks, the span is the whole of that part of the example.
    """
    needle, _ = _fold([quotation])
    if not needle:
        return ()
    prose = [block for block in blocks if block.kind not in _ASIDE]
    others = [block for block in blocks if block.kind in _ASIDE]
    searches = chain(
        (_find(needle, quotation.strip(), group) for group in (prose, *([block] for block in others))),
        (_find_in_example(needle, block) for block in others),
    )
    return next(filter(None, searches), ())


def _find_in_example(needle: str, block: Block) -> tuple[TextSpan, ...]:
    """The part of an example in whose lines, without page breaks and columns, a quotation stands."""
    for label, leaf in leaves(block.gloss) if block.gloss else ():
        lines, raw = [line for _, line in named_lines(label, leaf)], leaf.raw
        if next(_whole_matches(needle, lines), None):
            at = block.text.find(raw)
            # Parts that are set side by side can't be cut apart.
            start, end = (at, at + len(raw)) if raw and at >= 0 else (0, len(block.text))
            return (TextSpan(block.id, start, end),)
    return ()


def evidence(spans: Sequence[TextSpan], blocks: Sequence[Block]) -> tuple[Evidence, ...]:
    """The words at some spans as the blocks have them, with their places."""
    by_id = {block.id: block for block in blocks}
    quoted = []
    for block_id, start, end in spans:
        block = by_id[block_id]
        row_lines = block.row_lines[block.text.count("\n", 0, start) :]
        quoted.append(Evidence.at(block, quotable(block)[start:end], row_lines[0] if row_lines else None))
    return tuple(quoted)


def _fold(texts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The letters of several texts that are compared, and for each the index of its text and its offset there."""
    letters, places = [], []
    for index, text in enumerate(texts):
        for offset, char in enumerate(text):
            if not (char.isspace() or char in _PASSED_OVER or char in _FOOTNOTE_MARKS):
                plain = unicodedata.normalize("NFKD", char)
                letters.append(plain)
                places += [(index, offset)] * len(plain)
    return "".join(letters), places


def _find(needle: str, quotation: str, blocks: Sequence[Block]) -> tuple[TextSpan, ...]:
    texts = [quotable(block) for block in blocks]
    for first, last in _whole_matches(needle, texts):
        spans = []
        for index in range(first[0], last[0] + 1):
            text = texts[index]
            begin = first[1] if index == first[0] else len(text) - len(text.lstrip())
            end = last[1] + 1 if index == last[0] else len(text.rstrip())
            begin, end = _with_marks(text, begin, end, quotation)
            if begin < end:
                spans.append(TextSpan(blocks[index].id, begin, end))
        return tuple(spans)
    return ()


def _whole_matches(needle: str, texts: Sequence[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where folded letters stand in texts as whole words: the places of the first and the last letter."""
    letters, places = _fold(texts)
    start = letters.find(needle)
    while start >= 0:
        end = start + len(needle)
        first, last = places[start], places[end - 1]
        # A letter and its accent, or the letters of a ligature, have one place.
        whole_letters = first not in places[max(0, start - 1) : start] and last not in places[end : end + 1]
        if whole_letters and _whole_words(texts, first, last):
            yield first, last
        start = letters.find(needle, start + 1)


def _whole_words(texts: Sequence[str], first: tuple[int, int], last: tuple[int, int]) -> bool:
    """Whether no word is cut, and no accent from its letter."""
    before, after = texts[first[0]][: first[1]][-1:], texts[last[0]][last[1] + 1 :][:1]
    begins = not (before.isalnum() and texts[first[0]][first[1]].isalnum())
    ends = not (after.isalnum() and after not in _FOOTNOTE_MARKS and texts[last[0]][last[1]].isalnum())
    return begins and ends and not (after and unicodedata.combining(after))


def _with_marks(text: str, begin: int, end: int, quotation: str) -> tuple[int, int]:
    """A stretch with those hyphens and quotation marks at its ends that the quotation has too."""
    while quotation[:1] in _PASSED_OVER and begin > 0 and text[begin - 1] in _PASSED_OVER:
        begin -= 1
    while quotation[-1:] in _PASSED_OVER and end < len(text) and text[end] in _PASSED_OVER:
        end += 1
    return begin, end
