"""How a program derived a pair, in lines for people."""

from collections.abc import Iterator

from pairwright.core.records import Augmentation, Corruption, Derivation, ParadigmVariant, Replacement, TreebankChange

_CORRUPTIONS = {"delete": "word {} is left out", "flip_neighbours": "words {} have changed places"}


def derivation_lines(derivation: Derivation) -> Iterator[str]:
    """What was changed in the treebank's sentence or in the seed, and by what."""
    if isinstance(derivation, TreebankChange):
        yield f"sentence {derivation.sent_id} of the treebank"
        yield f"word {derivation.word}, {derivation.lemma}: {derivation.good_features} -> {derivation.bad_features}"
        yield f"contrast {derivation.contrast}, form from {derivation.lexicon}"
    elif isinstance(derivation, Corruption):
        yield f"sentence {derivation.sent_id} of the treebank"
        yield _CORRUPTIONS[derivation.kind].format(" and ".join(map(str, derivation.words)))
    elif isinstance(derivation, Augmentation):
        yield from map(_replacement, derivation.replacements)
        yield f"proposed by {derivation.model}, rank {derivation.rank}"
    elif isinstance(derivation, ParadigmVariant):
        yield f"condition {derivation.condition} of paradigm {derivation.paradigm_id}"


def _replacement(replacement: Replacement) -> str:
    follows = ", which agrees" if replacement.agrees else ""
    return f"{replacement.seed} -> {replacement.new} ({replacement.lemma}{follows})"
