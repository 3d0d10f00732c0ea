"""The sentence of the prose that introduces an example: the one that names its number, else one before it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pairwright.records import Block, Evidence
from pairwright.rules.error_lists.brackets import UnbalancedError, sentence_ends, top_brackets
from pairwright.rules.starred.marks import split_mark
from pairwright.rules.starred.prose_forms import LABEL
from pairwright.text import words

# How many blocks away from an example the prose that names it may stand.
_REACH = 30
_REFERENCE = re.compile(
    r"""
    \(\s*(?P<inside>[A-Z]?\d{1,4}(?:\.\d{1,3})*(?:[^()§]{0,24})?)\)
    | \b(?:examples?|sentences?|exx?\.|pavyzdys|pavyzdžiai|sakinys|Beispiele?|Satz|exemples?|пример\w*)\s+
      \(?(?P<named>[A-Z]?\d{1,4}(?:\.\d{1,3})*\s?[a-z]?)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERS = re.compile(
    r"(?P<number>[A-Z]?\d{1,4}(?:\.\d{1,3})*)\s?(?P<letters>[a-z](?:\s?[-–,/]\s?[a-z](?![a-z]))*)?(?![a-z\d])"
)
_NO_END = re.compile(r"\b(?:cf|vs|exx?|fig|lit|ca|resp|approx|sect|ch|pp?|no|e\.g|i\.e)\.$", re.IGNORECASE)
_ENDED = re.compile(r"[.!?:…][\"”’)⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
_BAN = re.compile(
    r"\b(?:ungrammatical|unacceptable|not (?:acceptable|allowed|possible|used|grammatical)|incorrect|impossible|never"
    r"|cannot|can ?not|can't|must not|may not|only)\b",
    re.IGNORECASE,
)
# A sentence with fewer words than this beside its reference only points to an example.
_LEAST_WORDS = 4
_PROSE = frozenset({"paragraph", "list_item", "footnote"})


class Introduction(NamedTuple):
    """A sentence of the prose, and the pieces of it that stand in each block, in order."""

    text: str
    pieces: tuple[tuple[Block, str], ...]

    def evidence(self) -> tuple[Evidence, ...]:
        """The places of the pieces, the longest one first."""
        return tuple(Evidence.at(*piece) for piece in sorted(self.pieces, key=lambda piece: -len(piece[1])))


@lru_cache(maxsize=256)
def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a prose block, letter for letter. A footnote's sign behind a full stop belongs to them."""
    plain = re.sub(r"(?<=[.!?…])[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda sign: "”" * len(sign[0]), text)
    try:
        brackets = top_brackets(plain)
    except UnbalancedError:
        brackets = []
    ends = [end for end in sentence_ends(plain, brackets) if not _NO_END.search(text[:end])]
    pieces = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return tuple(filter(None, pieces))


def introduction(
    blocks: Sequence[Block], order: int, place: Sequence[str], differing: Sequence[str] = ()
) -> Introduction | None:
    """The sentence that introduces the example of the block at `order`, whose number and letters are `place`.

    A sentence that names the part itself wins over one that names only the number, one before the example over one
    behind it, a near one over a far one. Where none names it, the prose between the heading and the example decides:
    the last sentence that mentions one of the `differing` words of the pair, else the last that forbids something, else
    the last one. The latter two may not name other examples.
    """
    # Another chapter may count its examples from 1 again.
    chapter = blocks[order].section[:1]
    naming = [
        (-precision, at > order, abs(at - order), sentence)
        for at in range(max(0, order - _REACH), min(len(blocks), order + _REACH + 1))
        if blocks[at].kind in _PROSE and blocks[at].gloss is None and blocks[at].section[:1] == chapter
        for sentence in _sentences(blocks, at)
        if (precision := _precision(sentence.text, place))
    ]
    if naming:
        return min(naming, key=lambda item: item[:3])[3]
    for at in range(order - 1, max(-1, order - _REACH), -1):
        if blocks[at].kind == "heading":
            return None
        if blocks[at].kind == "paragraph" and blocks[at].gloss is None and not split_mark(blocks[at].text)[0]:
            return _last(list(_sentences(blocks, at)), differing)
    return None


def surrounding(block: Block, quote: str, *, part: bool) -> Introduction | None:
    """The prose that a form stands in, or that stands before the parts of a run-on example; None without any."""
    if part:
        label = LABEL.search(block.text)
        text, least = block.text[: label.start()].strip() if label else "", _LEAST_WORDS
    else:
        text = next((text for text in split_sentences(block.text) if quote in text), "")
        least = len(words(quote)) + _LEAST_WORDS
    return Introduction(text, ((block, text),)) if len(words(text)) >= least else None


def _last(sentences: list[Introduction], differing: Sequence[str]) -> Introduction:
    differing_words = {word for span in differing for word in words(span)}
    mentions = [sentence for sentence in sentences if not differing_words.isdisjoint(words(sentence.text))]
    general = [sentence for sentence in sentences if not _REFERENCE.search(sentence.text)]
    bans = [sentence for sentence in general if _BAN.search(sentence.text)]
    return (mentions or bans or general or sentences)[-1]


def _sentences(blocks: Sequence[Block], at: int) -> Iterator[Introduction]:
    """The sentences that end in a block; the first one may begin on the page before.

    One that only points to an example, such as `Compare (12) with (13).`, comes with the one before it.
    """
    block = blocks[at]
    before = next((b for b in reversed(blocks[max(0, at - _REACH) : at]) if b.id == block.continues), None)
    end = previous = 0
    for index, text in enumerate(split_sentences(block.text)):
        start = block.text.index(text, end)
        end = start + len(text)
        if index == 0 and before and before.kind in _PROSE and not _ENDED.search(before.text):
            begun = split_sentences(before.text)[-1]
            yield Introduction(f"{begun} {text}", ((before, begun), (block, text)))
        else:
            if index and _REFERENCE.search(text) and len(words(_REFERENCE.sub("", text))) < _LEAST_WORDS:
                text = block.text[previous:end]
            yield Introduction(text, ((block, text),))
        previous = start


def _precision(text: str, place: Sequence[str]) -> int:
    """How precisely a sentence names an example: 2 the part itself, 1 only its number, 0 neither."""
    best = 0
    for reference in _REFERENCE.finditer(text) if place else ():
        for named in _NUMBERS.finditer(reference["inside"] or reference["named"]):
            if named["number"] != place[0]:
                continue
            # Letters stand alone, `a, c`, or as a range, `a–c`.
            ranges = re.findall(r"([a-z])(?:\s?[-–]\s?([a-z]))?", named["letters"] or "")
            letters = {chr(code) for first, last in ranges for code in range(ord(first), ord(last or first) + 1)}
            if not letters or len(place) == 1:
                best = max(best, 1)
            elif place[1] in letters:
                best = 2
    return best
