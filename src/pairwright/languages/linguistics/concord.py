"""Concord: which words agree with a noun, by their readings."""

from pairwright.languages.features import Features
from pairwright.languages.morphology import Analysis

NOUNS = frozenset({"NOUN", "PROPN"})
IMPOSED = ("Animacy", "Gender", "NounClass")
"""The features that a noun has from the lexicon, and gives to the words that agree with it."""
CONCORD = (*IMPOSED, "Case", "Number")
_MODIFIERS = frozenset({"ADJ", "DET", "NUM", "PRON"})


def may_modify(reading: Analysis) -> bool:
    """Whether a word read so may agree with a noun: an adjective, a determiner, a numeral, a pronoun, a participle."""
    return reading.upos in _MODIFIERS or ("VerbForm", "Part") in reading.features


def concord(one: Features, other: Features) -> bool:
    """Whether two bundles share two features of concord or more, and differ in none that both have.

    A possessor has a case of its own, as the pronoun in Lithuanian `savo piniginės`, and shares no more than that.
    """
    left, right = dict(one), dict(other)
    both = [name for name in CONCORD if name in left and name in right]
    return len(both) > 1 and all(left[name] == right[name] for name in both)


def agrees(modifier: Analysis, noun: Analysis) -> bool:
    """Whether two readings are those of a modifier and its noun."""
    return noun.upos in NOUNS and may_modify(modifier) and concord(modifier.features, noun.features)
