"""Which sentences of a treebank make pairs."""

from pairwright.config import TreebankSettings
from pairwright.languages.linguistics.sentences import why_no_sentence
from pairwright.records import Block
from pairwright.records.trees import Tree, Word
from pairwright.text import words


def unfit_sentence(block: Block, settings: TreebankSettings) -> str | None:
    """Why a sentence makes no pairs; None where it may."""
    count = len(words(block.text))
    if not settings.min_words <= count <= settings.max_words:
        return f"not {settings.min_words} to {settings.max_words} words (treebank.min_words, treebank.max_words)"
    if reason := why_no_sentence(block.text):
        return reason
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
