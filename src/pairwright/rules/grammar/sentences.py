"""The sentences of a section's prose, each with the blocks that it stands in."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from pairwright.languages.linguistics.sentences import sentence_ends
from pairwright.records import Block
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS


class ProseSentence(NamedTuple):
    """A sentence in one line, and the blocks that hold it, in order."""

    text: str
    blocks: tuple[Block, ...]


def paragraphs(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks with their continuations, in the order of their first ones. An example stands alone."""
    chains: dict[str, list[Block]] = {}
    firsts: dict[str | None, str] = {}
    before: Block | None = None
    for block in blocks:
        broken = before is not None and _goes_on(before, block)
        origin = before.id if before and broken else block.continues
        firsts[block.id] = block.id if block.kind in EXAMPLE_KINDS else firsts.get(origin, block.id)
        chains.setdefault(firsts[block.id], []).append(block)
        before = block
    return list(chains.values())


def _goes_on(before: Block, block: Block) -> bool:
    """Whether a paragraph goes on from the one before, which a table or a note has cut in the middle of a sentence."""
    both = before.kind == block.kind == "paragraph" and before.section == block.section
    return both and block.text[:1].islower() and before.text.rstrip()[-1:].isalnum()


def sentences(blocks: Iterable[Block], abbreviations: frozenset[str]) -> Iterator[ProseSentence]:
    """The sentences of a paragraph's blocks. A full stop behind one of the casefolded `abbreviations` ends none."""
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
            yield ProseSentence(sentence, (*last, *inside))
