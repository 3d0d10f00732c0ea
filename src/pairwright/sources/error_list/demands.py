"""The features that a rule demands, inferred from the pairs that the source itself gives for it.

The heading of a rule names the wrong case and seldom the right one, while most of its pairs go from one case to the
other. A pair votes if its changed words, read as forms of one lemma, leave one difference open, or several of which the
other pairs choose.
"""

from collections import Counter
from collections.abc import Iterable

from pairwright.core.errors import counted
from pairwright.core.records import Contrast, Example, Rule
from pairwright.core.text import words
from pairwright.languages.features import Demand, show_demand, show_features
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.forms import one_lexeme
from pairwright.languages.morphology import Analyser

# A demand is inferred from at least so many pairs, and where this share of them shows it.
_LEAST_PAIRS, _LEAST_SHARE = 2, 0.9


def with_demand(rule: Rule, analyser: Analyser) -> Rule:
    """The rule with the contrast that its own pairs show; as it is where they show none, or it has one already."""
    pairs = [example for example in rule.examples if example.bad and example.default and not example.exception]
    inferred = None if rule.contrast else _inferred(pairs, analyser)
    if inferred is None:
        return rule
    demand, shown, of = inferred
    good, bad = show_features(demand.good), show_features(demand.bad)
    contrast = Contrast(
        licence="banned",
        what=f"{good} where the bad sentence has {bad}, in {shown} of the source's own {counted(of, 'pair')} of forms",
        features=show_demand(demand),
        support=(shown, of),
    )
    return rule.model_copy(update={"contrast": contrast})


def _inferred(pairs: Iterable[Example], analyser: Analyser) -> tuple[Demand, int, int] | None:
    """The demand that most pairs show, how many show it, and how many could; None without a clear majority."""
    votes = [options for pair in pairs if (options := _differences(pair.good, pair.bad or "", analyser))]
    shown = Counter(demand for options in votes for demand in options)
    ranked: list[tuple[Demand | None, int]] = [*shown.most_common(2), (None, 0)]
    (best, count), *others = ranked
    is_clear = count >= max(_LEAST_PAIRS, _LEAST_SHARE * len(votes)) and all(count > n for _, n in others)
    return (best, count, len(votes)) if best and is_clear else None


def _differences(good: str, bad: str, analyser: Analyser) -> frozenset[Demand]:
    """The differences in features that all changed words of a pair may show; none where words were exchanged."""
    per_word = []
    for change in changes(good, bad):
        left, right = words(change.good), words(change.bad)
        if len(left) != len(right):
            return frozenset()
        per_word += [_least_differences(*pair, analyser) for pair in zip(left, right, strict=True)]
    return frozenset.intersection(*per_word) if per_word else frozenset()


def _least_differences(good: str, bad: str, analyser: Analyser) -> frozenset[Demand]:
    """The smallest differences between the readings of two words as forms of one lemma."""
    both = [
        (left.features, right.features) for left, right in one_lexeme(analyser.analyse(good), analyser.analyse(bad))
    ]
    demands = [Demand(own - other, other - own) for own, other in both if own - other and other - own]
    least = min((len(demand.good | demand.bad) for demand in demands), default=0)
    return frozenset(demand for demand in demands if len(demand.good | demand.bad) == least)
