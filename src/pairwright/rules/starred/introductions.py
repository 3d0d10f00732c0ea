"""The sentence of the prose that introduces an example: the one that names its number, else one before it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pairwright.languages.linguistics.brackets import UnbalancedError, top_brackets
from pairwright.languages.linguistics.marks import ANY_STAR, split_mark
from pairwright.languages.linguistics.sentences import sentence_ends
from pairwright.records import Block, Evidence
from pairwright.rules.starred.conventions import ProseWords
from pairwright.rules.starred.prose_forms import LABEL, LISTED
from pairwright.rules.starred.references import reference_pattern, references
from pairwright.text import words

# How many blocks away from an example the prose that names it may stand.
REACH = 30
_ENDED = re.compile(r"[.!?:…][\"”’)⁰¹²³⁴⁵⁶⁷⁸⁹]*$")
# A sentence with fewer words than this beside its reference only points to an example.
_LEAST_WORDS = 4
# How many blocks away a sentence that forbids wins over others.
_NEAR = 2
# How many sentences behind the one that names an example may state the ban.
_BAN_REACH = 2
PROSE = frozenset({"paragraph", "list_item", "footnote"})


class Introduction(NamedTuple):
    """A sentence of the prose, and the pieces of it that stand in each block, in order."""

    text: str
    pieces: tuple[tuple[Block, str], ...]

    def evidence(self) -> tuple[Evidence, ...]:
        """The places of the pieces, the longest one first."""
        return tuple(Evidence.at(*piece) for piece in sorted(self.pieces, key=lambda piece: -len(piece[1])))


@lru_cache(maxsize=256)
def split_sentences(text: str, prose: ProseWords) -> tuple[str, ...]:
    """The sentences of a prose block, letter for letter. A footnote's sign behind a full stop belongs to them."""
    try:
        brackets = top_brackets(text)
    except UnbalancedError:
        brackets = []
    ends = sentence_ends(text, prose.abbreviations, brackets)
    pieces = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return tuple(filter(None, pieces))


def introduction(
    blocks: Sequence[Block], order: int, place: Sequence[str], prose: ProseWords, differing: Sequence[str] = ()
) -> Introduction | None:
    """The sentence that introduces the example of the block at `order`, whose number and letters are `place`.

    A sentence that names the part itself wins over one that names only the number, one near by that forbids something
    over others, one before the example over one behind it, a near one over a far one; where it forbids nothing, the ban
    right behind it belongs to it. Where none names it, the prose around it decides, as `_unnamed` says.
    """
    # Another chapter may count its examples from 1 again.
    chapter = blocks[order].section[:1]
    naming = [
        (-precision, not (distance <= _NEAR and _forbids(whole, prose)), at > order, distance, whole)
        for at in range(max(0, order - REACH), min(len(blocks), order + REACH + 1))
        if is_prose(blocks[at]) and blocks[at].section[:1] == chapter
        for sentence in prose_sentences(blocks, at, prose)
        if (precision := max((item.precision(place) for item in references(sentence.text, prose)), default=0))
        for whole, distance in [(_with_ban(sentence, prose), abs(at - order))]
    ]
    if naming:
        return min(naming, key=lambda item: item[:4])[4]
    return _unnamed(blocks, order, prose, differing)


def _unnamed(blocks: Sequence[Block], order: int, prose: ProseWords, differing: Sequence[str]) -> Introduction | None:
    """The sentence around an example that may introduce it where none names it.

    In this order: of the paragraph before it, the last sentence that mentions one of the `differing` words and forbids
    something, that only mentions one, that only forbids; the sentence right behind it that forbids; the last of the
    paragraphs before it up to a heading or to another example; the caption of a table; the last sentence before it. But
    for the first two, it may neither name examples other than those right behind it nor have a star.
    """
    before = _paragraphs_before(blocks, order)
    series = {gloss.number for block in blocks[before[0] if before else order : order] if (gloss := block.gloss)}
    differing_words = {word for span in differing for word in words(span)}

    def is_general(sentence: Introduction) -> bool:
        # A sentence with another example or another starred form speaks of that one.
        others = {item.number for item in references(sentence.text, prose)} - series
        return not others and not ANY_STAR.search(sentence.text)

    def of(at: int) -> list[Introduction]:
        return [it for it in reversed(list(prose_sentences(blocks, at, prose))) if _is_sentence(it.text)]

    nearest = of(before[0]) if before else []
    mentions = [sentence for sentence in nearest if not differing_words.isdisjoint(words(sentence.text))]
    general = [sentence for sentence in nearest if is_general(sentence)]
    further = [sentence for at in before[1:] for sentence in of(at) if is_general(sentence)]
    behind = [sentence for sentence in _behind(blocks, order, prose) if is_general(sentence)]
    banning = [[it for it in found if _forbids(it, prose)] for found in (mentions, general, behind, further)]
    choices = [banning[0], mentions, banning[1], banning[2], banning[3], _caption(blocks, order), general]
    return next((found[0] for found in choices if found), None)


def _paragraphs_before(blocks: Sequence[Block], order: int) -> list[int]:
    """The paragraphs before an example, the nearest first, up to a heading or, behind the first one, an example."""
    listed = LISTED.match(blocks[order].text)
    found: list[int] = []
    for at in range(order - 1, max(-1, order - REACH), -1):
        block = blocks[at]
        is_example = block.gloss or split_mark(block.text)[0] or (listed and LISTED.match(block.text))
        if block.kind == "heading" or (found and (is_example or block.kind == "table")):
            break
        if block.kind == "paragraph" and not is_example and _is_sentence(block.text):
            found.append(at)
    return found


def _behind(blocks: Sequence[Block], order: int, prose: ProseWords) -> list[Introduction]:
    """The first sentence of the paragraph right behind an example."""
    after = blocks[order + 1] if order + 1 < len(blocks) else None
    if after is None or after.kind != "paragraph" or after.gloss or after.section != blocks[order].section:
        return []
    return list(prose_sentences(blocks, order + 1, prose))[:1]


def _caption(blocks: Sequence[Block], order: int) -> list[Introduction]:
    """The caption of a table, before it or behind it."""
    beside = [blocks[at] for at in (order - 1, order + 1) if 0 <= at < len(blocks) and blocks[order].kind == "table"]
    return [Introduction(block.text, ((block, block.text),)) for block in beside if block.kind == "caption"]


def _forbids(sentence: Introduction, prose: ProseWords) -> bool:
    return bool(prose.refusals.search(sentence.text))


def _is_sentence(text: str) -> bool:
    """Whether a text may be a sentence; words that stand alone belong to a figure or are a heading."""
    return len(words(text)) >= (_LEAST_WORDS if _ENDED.search(text) else 2 * _LEAST_WORDS)


def surrounding(block: Block, quote: str, prose: ProseWords, *, part: bool) -> Introduction | None:
    """The prose that a form stands in, or that stands before the parts of a run-on example; None without any."""
    if part:
        label = LABEL.search(block.text)
        text, least = block.text[: label.start()].strip() if label else "", _LEAST_WORDS
    else:
        text = next((text for text in split_sentences(block.text, prose) if quote in text), "")
        least = len(words(quote)) + _LEAST_WORDS
    return Introduction(text, ((block, text),)) if len(words(text)) >= least else None


def _with_ban(sentence: Introduction, prose: ProseWords) -> Introduction:
    """A sentence that names an example, up to the one behind it that states the ban; alone where it forbids itself."""
    block, text = sentence.pieces[-1]
    if prose.refusals.search(sentence.text):
        return sentence
    start = block.text.index(text)
    end = start + len(text)
    for following in split_sentences(block.text[end:], prose)[:_BAN_REACH]:
        if references(following, prose):
            break
        end = block.text.index(following, end) + len(following)
        if prose.refusals.search(following):
            pieces = (*sentence.pieces[:-1], (block, block.text[start:end]))
            return Introduction(" ".join(piece for _, piece in pieces), pieces)
    return sentence


def is_prose(block: Block) -> bool:
    """Whether a block is running text, which may speak of examples."""
    return block.kind in PROSE and block.gloss is None


def prose_sentences(blocks: Sequence[Block], at: int, prose: ProseWords) -> Iterator[Introduction]:
    """The sentences that end in a block; the first one may begin on the page before.

    One that only points to an example, such as `Compare (12) with (13).`, comes with the one before it.
    """
    block = blocks[at]
    before = next((b for b in reversed(blocks[max(0, at - REACH) : at]) if b.id == block.continues), None)
    end = previous = 0
    for index, text in enumerate(split_sentences(block.text, prose)):
        start = block.text.index(text, end)
        end = start + len(text)
        if index == 0 and before and before.kind in PROSE and not _ENDED.search(before.text):
            begun = split_sentences(before.text, prose)[-1]
            yield Introduction(f"{begun} {text}", ((before, begun), (block, text)))
        else:
            named = reference_pattern(prose)
            if index and named.search(text) and len(words(named.sub("", text))) < _LEAST_WORDS:
                text = block.text[previous:end]
            yield Introduction(text, ((block, text),))
        previous = start
