"""How the feature bundles of a treebank and of a lexicon are compared.

They give a word different features: a treebank may have Polarity where a lexicon has none, and one may call an
auxiliary what the other calls a verb. So bundles agree where they share a name and no shared name has another value.
"""

from functools import lru_cache

from pairwright.languages.features import Features

_REMEMBERED = 50_000
# Parts of speech that one tradition parts and another does not.
_NEAR = ({"NOUN", "PROPN"}, {"VERB", "AUX"}, {"DET", "PRON", "NUM", "ADJ"})


def is_near(upos: str, other: str | None) -> bool:
    """Whether two parts of speech are one to some lexicons, as NOUN and PROPN are; None is any."""
    return other in (None, upos) or any(upos in group and other in group for group in _NEAR)


def agree(one: Features, other: Features) -> bool:
    """Whether two bundles share a name and no shared name differs; of `Int,Rel` one value is enough."""
    others = dict(other)
    shared = [(value, others[name]) for name, value in one if name in others]
    return bool(shared) and all(
        mine == theirs or not set(mine.split(",")).isdisjoint(theirs.split(",")) for mine, theirs in shared
    )


def has_names(bundles: frozenset[Features], wanted: Features) -> bool:
    """Whether a paradigm has all features that are wanted, with whatever values; nouns have no Person."""
    names = _names(bundles)
    return all(name in names for name, _ in wanted)


@lru_cache(_REMEMBERED)
def _names(bundles: frozenset[Features]) -> frozenset[str]:
    return frozenset(name for bundle in bundles for name, _ in bundle)


@lru_cache(_REMEMBERED)
def fitting(bundles: frozenset[Features], goal: Features, wanted: Features) -> tuple[Features, ...]:
    """The bundles of a paradigm that agree with `goal` and have something wanted: those that fit best.

    They share most of `goal`, then have the fewest features besides; an equal one fits best of all.
    """
    if goal in bundles:
        return (goal,)
    agreeing = [bundle for bundle in bundles if not wanted.isdisjoint(bundle) and agree(bundle, goal)]
    best = min((_distance(bundle, goal) for bundle in agreeing), default=None)
    return tuple(bundle for bundle in agreeing if _distance(bundle, goal) == best)


def _distance(bundle: Features, goal: Features) -> tuple[int, int]:
    shared = len(bundle & goal)
    return -shared, len(bundle) - shared
