"""The sentence of the prose that introduces an example: the one that names its number, else the last one before it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pairwright.records import Block, Evidence
from pairwright.rules.brackets import UnbalancedError, sentence_ends, top_brackets

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
_NO_END = re.compile(r"(?:\b(?:cf|vs|ex|exx|fig|lit|ca|resp|approx|sect|ch|p|pp|no)\.|\b(?:e\.g|i\.e)\.)$", re.IGNORECASE)
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


def split_sentences(text: str) -> list[str]:
    """The sentences of a prose block, letter by letter."""
    try:
        ends = list(sentence_ends(text, top_brackets(text)))
    except UnbalancedError:
        ends = list(sentence_ends(text, []))
    pieces: list[str] = []
    start = 0
    for end in [*ends, len(text)]:
        piece = text[start:end]
        if pieces and _NO_END.search(pieces[-1]):
            pieces[-1] += piece
        else:
            pieces.append(piece)
        start = end
    return [piece.strip() for piece in pieces if piece.strip()]


def introduction(blocks: Sequence[Block], order: int, place: Sequence[str]) -> Introduction | None:
    """The sentence that introduces the example of the block at `order`, whose number and letters are `place`.

    A sentence that names the very part is better than one that names the number, one before the example better than
    one behind it, a near one better than a far one. Where none names it, the last sentence of the prose between the
    heading and the example.
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
        if blocks[at].kind in {"paragraph", "list_item"}:
            return list(_sentences(blocks, at))[-1]
    return None


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
    """The sentences that end in a block; the first may begin on the page before."""
    block = blocks[at]
    sentences = split_sentences(block.text)
    before = next((b for b in reversed(blocks[max(0, at - _REACH) : at]) if b.id == block.continues), None)
    for index, text in enumerate(sentences):
        if index == 0 and before and before.kind in _PROSE and not re.search(r"[.!?:…][\"”’)]*$", before.text):
            begun = split_sentences(before.text)[-1]
            yield Introduction(f"{begun} {text}", ((before, begun), (block, text)))
        else:
            yield Introduction(text, ((block, text),))


def _names(text: str, place: Sequence[str]) -> int:
    """How closely a sentence names an example: 2 its very part, 1 its number, 0 not at all."""
    if not place:
        return 0
    best = 0
    for reference in _REFERENCE.finditer(text):
        for named in _NUMBERS.finditer(reference["inside"] or reference["named"]):
            if named["number"] == place[0]:
                best = max(best, 1 + (place[-1] in (named["letters"] or "") and len(place) > 1))
    return best
