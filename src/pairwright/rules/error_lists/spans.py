"""Which words before a bracket the bracket corrects: every span that may be meant, with its probability.

A log-linear model over the candidate spans (conditional logit; McFadden 1974, "Conditional logit analysis of
qualitative choice behavior"): the weighted sum of a span's features is the logarithm of its odds. The groups of
alternatives in a bracket mostly replace the same words, so each gains where the others believe. Spans that give the
same words add up.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pairwright.morphology import Analyser
from pairwright.rules.error_lists.alignment import ClosedClasses
from pairwright.rules.error_lists.alternatives import Alternative
from pairwright.rules.error_lists.span_features import Before, Mentions, Span, SpanFeatures, small_words
from pairwright.rules.error_lists.span_weights import AGREED, CERTAIN, NONE, WEIGHTS

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# How far back the wrong words are looked for, how many words they may be, and how many away from the bracket.
_REACH, _MOST_WORDS, _MOST_APART = 14, 10, 5
# What one group believes of a span counts at least so much for another.
FLOOR = 0.01


class Ranked(NamedTuple):
    """The spans that alternatives may replace, the most likely first, and their probabilities.

    Spans that give the same words count as the first of them.
    """

    spans: tuple[Span, ...]
    probabilities: tuple[float, ...]

    @property
    def is_certain(self) -> bool:
        """Whether the first span is as good as sure."""
        return self.probabilities[0] >= CERTAIN


class SpanFinder:
    """Ranks the spans before one bracket that its groups of alternatives may replace."""

    def __init__(
        self,
        before: Before,
        mentions: Mentions,
        closed: ClosedClasses,
        analyser: Analyser | None,
        groups: Sequence[Sequence[Alternative]],
    ) -> None:
        self._before = before
        self._groups = groups
        self._features = SpanFeatures(before, mentions, closed, analyser, groups)

    def ranked(self) -> list[Ranked]:
        """The ranked spans of each group of alternatives; all alternatives of a group replace the same words."""
        groups = self._groups
        if self._before.marked:
            size = len(self._before.words)
            return [Ranked((Span(size - self._before.marked, size),), (1.0,)) for _ in groups]
        scores = [{span: weighed(features) for span, features in self.features(group).items()} for group in groups]
        bonuses = self._agreement([softmax(values) for values in scores])
        return [
            self._ranked(group[0], {span: value + AGREED * bonus.get(span, 0.0) for span, value in values.items()})
            for group, values, bonus in zip(groups, scores, bonuses, strict=True)
        ]

    def _agreement(self, beliefs: Sequence[Mapping[Span, float]]) -> list[dict[Span, float]]:
        """For each group, how much others believe in the spans: those that begin a sentence as it does, or do not."""
        capital = self.capitals()
        bonuses: list[dict[Span, float]] = []
        for number in range(len(capital)):
            others = [k for k in range(len(capital)) if k != number and capital[k] == capital[number]]
            bonus: dict[Span, float] = defaultdict(float)
            for span, belief in ((span, belief) for k in others for span, belief in beliefs[k].items()):
                bonus[span] += math.log1p(belief / FLOOR) / len(others)
            bonuses.append(bonus)
        return bonuses

    def capitals(self) -> list[bool]:
        """Which groups begin a sentence."""
        return [self._features.begins_sentence(group[0].words) for group in self._groups]

    def features(self, group: Sequence[Alternative]) -> dict[Span, dict[str, float]]:
        """The features of each span that a group of alternatives may replace, as their mean over the alternatives."""
        table: dict[Span, dict[str, float]] = {}
        for span in self._spans():
            values = [self._features.of(alternative, span) for alternative in group]
            total: dict[str, float] = defaultdict(float)
            for name, value in ((name, value) for features in values if features for name, value in features.items()):
                total[name] += value / len(group)
            if all(features is not None for features in values):
                table[span] = total
        return table

    def _spans(self) -> list[Span]:
        size = len(self._before.words)
        reach = max(0, size - _REACH)
        spans = [Span(first, size) for first in sorted({*range(max(reach, size - _MOST_WORDS), size), 0})]
        for first in range(reach, size):
            spans += [Span(first, last) for last in range(first + 1, min(size, first + _MOST_APART))]
        return spans if 0 in self._before.openings else [*spans, Span(-1, size)]

    def _ranked(self, alternative: Alternative, scores: Mapping[Span, float]) -> Ranked:
        """The spans by probability, without those that give the same words as a likelier one."""
        if not scores:
            return Ranked((Span(len(self._before.words) - 1, len(self._before.words)),), (0.0,))
        beliefs, small = softmax(scores), small_words(self._before.words)
        spans: dict[tuple[str, ...], Span] = {}
        totals: dict[Span, float] = defaultdict(float)
        for span in sorted(scores, key=lambda span: (-scores[span], -span.last, -span.first)):
            result = [*small[: max(span.first, 0)], *small_words(alternative.words), *small[span.last :]]
            once = tuple(word for place, word in enumerate(result) if result[place - 1 : place] != [word])
            totals[spans.setdefault(once, span)] += beliefs[span]
        order = sorted(totals, key=lambda span: -totals[span])
        return Ranked(tuple(order), tuple(totals[span] for span in order))


def weighed(features: Mapping[str, float]) -> float:
    """The log-odds of a span up to a constant: the weighted sum of its features."""
    return sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())


def softmax(scores: Mapping[Span, float]) -> dict[Span, float]:
    """The probabilities that belong to log-odds; what is missing to 1 is that no span is meant."""
    highest = max(scores.values(), default=NONE)
    powers = {span: math.exp(score - highest) for span, score in scores.items()}
    total = math.fsum(powers.values()) + math.exp(NONE - highest)
    return {span: power / total for span, power in powers.items()}
