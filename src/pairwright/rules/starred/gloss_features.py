"""What the glosses of a starred and of an unstarred sentence say of the words that tell them apart.

Source: the Leipzig Glossing Rules, rules 2 to 4 and the list of abbreviations.
"""

import re

from pairwright.languages.features import NO_FEATURES, Demand, Features, override
from pairwright.languages.tagset import Tagset

# `-` and `=` between morphemes, `.` and its kin within one, and the person before a number: `1SG`, `3PL`.
_LABEL = re.compile(r"[123](?=[A-Z])|[^\W_]+")


def gloss_demand(good: str, bad: str, tagset: Tagset) -> Demand:
    """The features that the differing words of two glossed sentences must have, by their glosses.

    good, bad  the gloss lines, a gloss for each word

    Only features with another value on the other side count, and only where all differing words say the same of them:
    `dog.NOM see.PST bird-GEN` against `dog.NOM see.PST bird-ACC` demands Case=Gen of the good word and Case=Acc of the
    bad one. Empty where the sentences have different numbers of words.
    """
    rows = [line.split() for line in (good, bad)]
    nothing = Demand(NO_FEATURES, NO_FEATURES)
    if len(rows[0]) != len(rows[1]):
        return nothing
    found = {
        _contrast(_features(one, tagset), _features(other, tagset))
        for one, other in zip(*rows, strict=True)
        if one != other
    } - {nothing}
    return found.pop() if len(found) == 1 else nothing


def _features(gloss: str, tagset: Tagset) -> Features:
    features = NO_FEATURES
    for label in _LABEL.findall(gloss):
        # A meaning, such as `in` or `def`, is no label: those are printed in capitals.
        if label == label.upper():
            features = override(features, tagset.meaning(label)[1])
    return features


def _contrast(good: Features, bad: Features) -> Demand:
    names = dict(good).keys() & dict(bad).keys()
    differing = {name for name in names if dict(good)[name] != dict(bad)[name]}
    kept = [frozenset(item for item in features if item[0] in differing) for features in (good, bad)]
    return Demand(*kept)
