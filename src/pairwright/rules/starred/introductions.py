"""The sentence of the prose that introduces an example: the one that names its number, else the last one before it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pairwright.records import Block, Evidence
from pairwright.rules.error_lists.brackets import UnbalancedError, sentence_ends, top_brackets
from pairwright.rules.starred.marks import LEADING_MARK
from pairwright.rules.starred.prose_forms import LABEL
from pairwright.text import words

# How many blocks away from an example the prose may stand that names it.
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
# A sentence with fewer words beside its reference only points to an example.
_LEAST_WORDS = 4
_PROSE = frozenset({"paragraph", "list_item", "footnote"})


@dataclass(frozen=True)
class Introduction:
    """A sentence of the prose with the pieces of it that stand in each block, that of its end last."""

    text: str
    pieces: tuple[tuple[Block, str], ...]

    @property
    def block(self) -> Block:
        """The block that the quotation is taken from: the one with most of the sentence."""
        return max(self.pieces, key=lambda piece: len(piece[1]))[0]

    @property
    def quote(self) -> str:
        return max(self.pieces, key=lambda piece: len(piece[1]))[1]

    def evidence(self) -> tuple[Evidence, ...]:
        """The places that it stands in, that of the quotation first."""
        ordered = sorted(self.pieces, key=lambda piece: -len(piece[1]))
        return tuple(
            Evidence(block_id=block.id, file=block.file, page=block.page, line=block.line, quote=piece)
            for block, piece in ordered
        )


@lru_cache(maxsize=256)
def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a prose block, letter by letter; a footnote's sign behind a full stop belongs to them."""
    plain = re.sub(r"(?<=[.!?…])[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda sign: "”" * len(sign.group()), text)
    try:
        ends = list(sentence_ends(plain, top_brackets(plain)))
    except UnbalancedError:
        ends = list(sentence_ends(plain, []))
    pieces: list[str] = []
    start = 0
    for end in [*ends, len(text)]:
        piece = text[start:end]
        if pieces and _NO_END.search(pieces[-1]):
            pieces[-1] += piece
        else:
            pieces.append(piece)
        start = end
    return tuple(piece.strip() for piece in pieces if piece.strip())


def introduction(
    blocks: Sequence[Block], order: int, place: Sequence[str], differing: Sequence[str] = ()
) -> Introduction | None:
    """The sentence that introduces the example of the block at `order`, whose number and letters are `place`.

    A sentence that names the very part is better than one that names the number, one before the example better than
    one behind it, a near one better than a far one. Where none names it, it is taken from the prose between the heading
    and the example: the last sentence that mentions one of the `differing` words of the pair, else the last one that
    forbids something, else the last one, in each case without those that name other examples.
    """
    found = [
        (_rank(named, at - order), introduced)
        for at, introduced in _around(blocks, order)
        if (named := _names(introduced.text, place))
    ]
    if found:
        return min(found, key=lambda item: item[0])[1]
    for at in range(order - 1, max(-1, order - _REACH), -1):
        if blocks[at].kind == "heading":
            return None
        if blocks[at].kind == "paragraph" and blocks[at].gloss is None and not LEADING_MARK.match(blocks[at].text):
            return _last(list(_sentences(blocks, at)), differing)
    return None


def surrounding(block: Block, quote: str, *, part: bool) -> Introduction | None:
    """The sentence of prose that a form stands in; for a `part` of a run-on example, what is said before the first
    part. None where the block is nothing but the form."""
    if part:
        label = LABEL.search(block.text)
        before = block.text[: label.start()].strip() if label else ""
        return Introduction(before, ((block, before),)) if len(words(before)) >= _LEAST_WORDS else None
    around = next((text for text in split_sentences(block.text) if quote in text), "")
    if len(words(around)) < len(words(quote)) + _LEAST_WORDS:
        return None
    return Introduction(around, ((block, around),))


def _last(sentences: list[Introduction], differing: Sequence[str]) -> Introduction:
    wanted = {word for part in differing for word in words(part)}
    mentions = [sentence for sentence in sentences if wanted & set(words(sentence.text))]
    general = [sentence for sentence in sentences if not _REFERENCE.search(sentence.text)]
    bans = [sentence for sentence in general if _BAN.search(sentence.text)]
    return (mentions or bans or general or sentences)[-1]


def _rank(named: int, distance: int) -> tuple[int, bool, int]:
    return -named, distance > 0, abs(distance)


def _around(blocks: Sequence[Block], order: int) -> Iterator[tuple[int, Introduction]]:
    """The sentences of the prose around an example, in its own chapter: numbers may begin anew in the next one."""
    chapter = blocks[order].section[:1]
    for at in range(max(0, order - _REACH), min(len(blocks), order + _REACH + 1)):
        block = blocks[at]
        if block.kind in _PROSE and block.gloss is None and block.section[:1] == chapter:
            for introduced in _sentences(blocks, at):
                yield at, introduced


def _sentences(blocks: Sequence[Block], at: int) -> Iterator[Introduction]:
    """The sentences that end in a block. The first may begin on the page before; one that only points to an example,
    such as `Compare (12) with (13).`, is taken with the one before it."""
    block = blocks[at]
    before = next((b for b in reversed(blocks[max(0, at - _REACH) : at]) if b.id == block.continues), None)
    end = 0
    last: tuple[int, str] | None = None
    for index, text in enumerate(split_sentences(block.text)):
        start = block.text.index(text, end)
        end = start + len(text)
        if index == 0 and before and before.kind in _PROSE and not _ENDED.search(before.text):
            begun = split_sentences(before.text)[-1]
            yield Introduction(f"{begun} {text}", ((before, begun), (block, text)))
        elif last and _REFERENCE.search(text) and len(words(_REFERENCE.sub("", text))) < _LEAST_WORDS:
            whole = block.text[last[0] : end]
            yield Introduction(whole, ((block, whole),))
        else:
            yield Introduction(text, ((block, text),))
        last = (start, text)


def _names(text: str, place: Sequence[str]) -> int:
    """How closely a sentence names an example: 2 its very part, 1 its number alone, 0 not at all or another part."""
    best = 0
    for reference in _REFERENCE.finditer(text) if place else ():
        for named in _NUMBERS.finditer(reference["inside"] or reference["named"]):
            if named["number"] != place[0]:
                continue
            letters = _spelled_out(named["letters"] or "")
            if not letters or len(place) == 1:
                best = max(best, 1)
            elif place[1] in letters:
                best = 2
    return best


def _spelled_out(letters: str) -> set[str]:
    """The letters of `a, c` or `a–c`."""
    found = set(re.findall(r"[a-z]", letters))
    for first, last in re.findall(r"([a-z])\s?[-–]\s?([a-z])", letters):
        found |= {chr(code) for code in range(ord(first), ord(last) + 1)}
    return found
