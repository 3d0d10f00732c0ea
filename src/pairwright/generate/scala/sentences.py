"""Which sentences of a treebank ScaLA corrupts."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from pairwright.records import Block, Rejection

STAGE = "scala"
_FEWEST = 6


class Token(NamedTuple):
    """A token as the text writes it: a word, or a multiword token with the part of speech of its first word.

    start, end  its character offsets in the sentence
    numbers     of its words in their tree
    """

    form: str
    lemma: str
    upos: str
    start: int
    end: int
    numbers: tuple[int, ...]


class Sentence(NamedTuple):
    """A sentence of a treebank with its tokens."""

    block: Block
    tokens: tuple[Token, ...]

    @property
    def upos(self) -> list[str]:
        return [token.upos for token in self.tokens]


def sentence_of(block: Block) -> Sentence:
    """A sentence with its tokens; without any where the block has no tree."""
    words = block.tree.words if block.tree else ()
    tokens = []
    for (start, end), group in groupby(words, key=lambda word: (word.start, word.end)):
        parts = list(group)
        form, numbers = block.text[start:end], tuple(word.id for word in parts)
        tokens.append(Token(form, parts[0].lemma, parts[0].upos, start, end, numbers))
    return Sentence(block, tuple(tokens))


def eligible(blocks: Iterable[Block]) -> Iterator[Sentence | Rejection]:
    """The sentences that may be corrupted, in their order, and the reason for each other one."""
    texts: set[str] = set()
    for block in blocks:
        sentence = sentence_of(block)
        reason = "it repeats an earlier sentence" if block.text in texts else _unfit(sentence)
        texts.add(block.text)
        yield block.rejection(STAGE, reason) if reason else sentence


def _unfit(sentence: Sentence) -> str | None:
    text, upos = sentence.block.text, sentence.upos
    if len(upos) < _FEWEST:
        return "five tokens or fewer"
    if len(set(upos)) < _FEWEST:
        return "five different parts of speech or fewer"
    if text.count('"') % 2:
        return "an odd number of quotation marks"
    if upos[0] in ("PUNCT", "SYM"):
        return "it begins with PUNCT or SYM"
    return "more than one =" if text.count("=") > 1 else None
