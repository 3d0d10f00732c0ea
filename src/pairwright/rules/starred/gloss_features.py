"""The features by which the glosses of a starred and of an unstarred sentence differ.

Source: the Leipzig Glossing Rules, rules 2 to 4 and the list of abbreviations.
"""

import re

from pairwright.languages.features import NO_FEATURES, Demand, Features, override
from pairwright.languages.tagset import Tagset

# `-` and `=` part morphemes, `.` parts a morpheme's labels, and a person stands before its number: `1SG`, `3PL`.
_LABEL = re.compile(r"[123](?=[A-Z])|[^\W_]+")


def gloss_demand(good: str, bad: str, tagset: Tagset) -> Demand:
    """The features that the differing words of two glossed sentences must have, by their gloss lines.

    Only features with another value on the other side count, and only where all differing words agree on them:
    `dog.NOM see.PST bird-GEN` against `dog.NOM see.PST bird-ACC` demands Case=Gen of the good word and Case=Acc of the
    bad one. Empty where the lines have different numbers of words.
    """
    nothing = Demand(NO_FEATURES, NO_FEATURES)
    rows = [line.split() for line in (good, bad)]
    if len(rows[0]) != len(rows[1]):
        return nothing
    contrasts = {_contrast(_features(a, tagset), _features(b, tagset)) for a, b in zip(*rows, strict=True)} - {nothing}
    return contrasts.pop() if len(contrasts) == 1 else nothing


def _features(gloss: str, tagset: Tagset) -> Features:
    features = NO_FEATURES
    for label in _LABEL.findall(gloss):
        # Labels are printed in capitals; a meaning, such as `in` or `def`, is none.
        if label == label.upper():
            features = override(features, tagset.meaning(label)[1])
    return features


def _contrast(good: Features, bad: Features) -> Demand:
    differing = {name for name, _ in good - bad} & {name for name, _ in bad - good}
    good, bad = (frozenset(item for item in features if item[0] in differing) for features in (good, bad))
    return Demand(good, bad)
