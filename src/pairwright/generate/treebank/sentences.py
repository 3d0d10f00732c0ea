"""Which sentences of a treebank make pairs."""

import re

from pairwright.config import TreebankSettings
from pairwright.records import Block
from pairwright.records.trees import Tree, Word
from pairwright.text import ends_sentence, unpaired, words

_ENUMERATED = re.compile(r"\W*\d+(\.\d+)*[.)]\s")
# „ and « open in all languages that have them at the beginning of a word.
_MISPLACED = re.compile(r"[„(\[{]\s|\s[)\]}]|„[^“”]*\s[“”]|[“”»]\s[“”»]")


def unfit_sentence(block: Block, settings: TreebankSettings) -> str | None:
    """Why a sentence makes no pairs; None where it may."""
    count = len(words(block.text))
    if not settings.min_words <= count <= settings.max_words:
        return f"not {settings.min_words} to {settings.max_words} words (treebank.min_words, treebank.max_words)"
    if not ends_sentence(block.text):
        return "no mark ends it, as in a heading"
    if next(char for char in block.text if char.isalnum()).islower():
        return "it begins with a small letter"
    if _ENUMERATED.match(block.text):
        return "it begins with the number of a list"
    if any(unpaired(block.text)) or _MISPLACED.search(block.text):
        return "a bracket or quotation mark without its partner, or with a space on the wrong side"
    if block.tree is None or not _has_predicate(block.tree):
        return "no finite verb, subject or copula, as in a heading"
    if any("Typo=Yes" in word.feats.split("|") for word in block.tree.words):
        return "the treebank marks a misspelling"
    return None


def _is_finite(word: Word) -> bool:
    names = dict(feature.split("=", 1) for feature in word.feats.split("|") if "=" in feature)
    # Some treebanks have VerbForm on other forms alone.
    return word.upos in ("VERB", "AUX") and names.get("VerbForm", "Fin" if "Person" in names else "") == "Fin"


def _has_predicate(tree: Tree) -> bool:
    """Whether a sentence has a finite verb, or a root with a subject or copula; an infinitive alone is a heading."""
    if any(_is_finite(word) for word in tree.words):
        return True
    roots = [word for word in tree.words if word.head == 0]
    below = {word.deprel.partition(":")[0] for word in tree.words if any(word.head == root.id for root in roots)}
    is_verb = any(root.upos in ("VERB", "AUX") and "VerbForm=Inf" not in root.feats.split("|") for root in roots)
    return is_verb or bool(below & {"cop", "nsubj", "csubj"})
