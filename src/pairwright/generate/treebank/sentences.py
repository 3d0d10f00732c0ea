"""Which sentences of a treebank make pairs."""

from pairwright.config import TreebankSettings
from pairwright.records import Block
from pairwright.text import END_MARKS, unpaired, words

_CLOSERS = "\"'’”“»›)] "


def unfit_sentence(block: Block, settings: TreebankSettings) -> str | None:
    """Why a sentence makes no pairs; None where it may."""
    count = len(words(block.text))
    if not settings.min_words <= count <= settings.max_words:
        return f"not {settings.min_words} to {settings.max_words} words (treebank.min_words, treebank.max_words)"
    if not block.text.rstrip(_CLOSERS).endswith(tuple(END_MARKS)):
        return "no mark ends it, as in a heading"
    letter = next(char for char in block.text if char.isalpha() or char.isdigit())
    if letter.islower():
        return "it begins with a small letter"
    if any(unpaired(block.text)):
        return "a bracket or quotation mark without its partner"
    if block.tree and any("Typo=Yes" in word.feats.split("|") for word in block.tree.words):
        return "the treebank marks a misspelling"
    return None
