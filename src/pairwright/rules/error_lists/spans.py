"""Which words before a bracket the bracket corrects: every span that may be meant, with its probability.

A log-linear model over the candidate spans (conditional logit; McFadden 1974, "Conditional logit analysis of
qualitative choice behavior"): the weighted sum of a span's features is the logarithm of its odds. The groups of
alternatives in a bracket mostly replace the same words, so each gains where the others believe. Spans that give the
same words add up. A logistic regression on the log-odds and the features of the likeliest span says whether it is
right: what the words around it show may speak against every span.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from pairwright.languages.linguistics.likeness import ClosedClasses
from pairwright.rules.error_lists.agreement import Agreement
from pairwright.rules.error_lists.alternatives import Alternative
from pairwright.rules.error_lists.span_features import Before, Mentions, Span, SpanFeatures, small_words
from pairwright.rules.error_lists.span_weights import AGREED, CERTAIN, WEIGHTS

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

# How far back the wrong words are looked for, how many words they may be, and how many away from the bracket.
_REACH, _MOST_WORDS, _MOST_APART = 14, 10, 5
# What one group believes of a span counts at least so much for another.
FLOOR = 0.01
# What it weighs that two spans stand on both sides of one coordinator.
_BESIDE = 1.0
# What it adds to the logarithm of the odds that two alternatives replace words of their own, and where it ends.
_APIECE = 1.0
_LEAST_APIECE = -6.0
# Where probabilities are cut before their odds are taken.
_LEAST = 0.001
# The logarithm of the longest odds against a span that a number holds.
_MOST_ODDS = 700.0


class Ranked(NamedTuple):
    """The spans that alternatives may replace, the most likely first, with their probabilities.

    Spans that give the same words count as the first of them. `is_certain` says that the first is as good as sure.
    """

    spans: tuple[Span, ...]
    probabilities: tuple[float, ...]
    is_certain: bool


class SpanFinder:
    """Ranks the spans before one bracket that its groups of alternatives may replace."""

    def __init__(
        self,
        before: Before,
        mentions: Mentions,
        closed: ClosedClasses,
        agreement: Agreement,
        groups: Sequence[Sequence[Alternative]],
    ) -> None:
        self._before = before
        self._groups = groups
        self._closed = closed
        self._forms = agreement
        self._features = SpanFeatures(before, mentions, closed, agreement, groups)

    def ranked(self) -> list[Ranked]:
        """The ranked spans of each group of alternatives; all alternatives of a group replace the same words."""
        groups = self._groups
        if self._before.marked:
            size = len(self._before.words)
            return [Ranked((Span(size - self._before.marked, size),), (1.0,), True) for _ in groups]
        tables = [self.features(group) for group in groups]
        scores = [{span: weighed(features) for span, features in table.items()} for table in tables]
        bonuses = self._agreement([softmax(values) for values in scores])
        agreed = [
            {span: value + AGREED * bonus.get(span, 0.0) for span, value in values.items()}
            for values, bonus in zip(scores, bonuses, strict=True)
        ]
        ranked = [
            self._ranked(group[0], values, table, bonus)
            for group, values, table, bonus in zip(groups, agreed, tables, bonuses, strict=True)
        ]
        # Alternatives mostly replace the same words: what replaces others than the first is a guess.
        first, *later = ranked
        return [first, *(r._replace(is_certain=r.is_certain and r.spans[0] == first.spans[0]) for r in later)]

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
        capital = self._features.begins_sentence(group[0].words)
        for span in self._spans():
            if span.first < 0 and not capital:
                continue
            values = [self._features.of(alternative, span) for alternative in group]
            total: dict[str, float] = defaultdict(float)
            for name, value in ((name, value) for features in values if features for name, value in features.items()):
                total[name] += value / len(group)
            if all(features is not None for features in values):
                table[span] = total
        return table

    def apiece(self) -> tuple[float, Span, Span] | None:
        """The likeliest spans of two alternatives that replace one each, in order, on both sides of a coordinator.

        Behind how likely that is, as a logarithm; None where it is out of the question.
        """
        alternatives = [alternative for group in self._groups for alternative in group]
        small = enumerate(small_words(self._before.words))
        joints = [place for place, word in small if place and word in self._closed.coordinators]
        if len(alternatives) != 2 or not joints or self._before.marked:
            return None
        tables = [self.features([alternative]) for alternative in alternatives]
        first, second = ({span: weighed(values) for span, values in table.items()} for table in tables)
        pairs = [
            (first[left] + second[right] + _BESIDE * (left.last == right.first - 1), left, right)
            for left, right in product(first, second)
            if right.first - 1 in joints and left.first >= 0 and left.last < right.first
        ]
        score, left, right = max(pairs, default=(-math.inf, Span(0, 0), Span(0, 0)))
        score += _APIECE - max(first.values(), default=0.0) - max(second.values(), default=0.0)
        return (score, left, right) if score > _LEAST_APIECE else None

    def _spans(self) -> list[Span]:
        size = len(self._before.words)
        reach = max(0, size - _REACH)
        spans = [Span(first, size) for first in sorted({*range(max(reach, size - _MOST_WORDS), size), 0})]
        for first in range(reach, size):
            spans += [Span(first, last) for last in range(first + 1, min(size, first + _MOST_APART))]
        return spans if 0 in self._before.openings else [*spans, Span(-1, size)]

    def _ranked(
        self,
        alternative: Alternative,
        scores: Mapping[Span, float],
        table: Mapping[Span, Mapping[str, float]],
        bonus: Mapping[Span, float],
    ) -> Ranked:
        """The spans by probability, without those that give the same words as a likelier one."""
        if not scores:
            return Ranked((Span(len(self._before.words) - 1, len(self._before.words)),), (0.0,), False)
        beliefs, small = softmax(scores), small_words(self._before.words)
        spans: dict[tuple[str, ...], Span] = {}
        totals: dict[Span, float] = defaultdict(float)
        for span in sorted(scores, key=lambda span: (-scores[span], -span.last, -span.first)):
            result = [*small[: max(span.first, 0)], *small_words(alternative.words), *small[span.last :]]
            once = tuple(word for place, word in enumerate(result) if result[place - 1 : place] != [word])
            totals[spans.setdefault(once, span)] += beliefs[span]
        # A capital that is no name's begins the sentence.
        opens = {-1, *self._before.openings} if self._features.begins_sentence(alternative.words) else set()
        order = sorted([span for span in totals if span.first in opens] or totals, key=lambda span: -totals[span])
        doubt = max(bonus.get(span, 0.0) for span in scores) - bonus.get(order[0], 0.0)
        values = {**table[order[0]], "candidates": math.log(len(totals)), "others doubt it": doubt}
        certain = certainty_of(totals[order[0]], values) >= CERTAIN[self._forms.analyser is not None]
        certain = certain and not self._may_govern_otherwise(alternative, order[0])
        return Ranked(tuple(order), tuple(totals[span] for span in order), certain)

    def _may_govern_otherwise(self, alternative: Alternative, span: Span) -> bool:
        """Whether another adposition alone takes the place of one: the noun behind it may need another case."""
        old, *follows = [*self._before.words[span.last - 1 :], *self._before.behind][:2]
        both = self._closed.adpositions.issuperset(small_words((old, *alternative.words)))
        return both and len(alternative.words) == 1 and any(map(self._forms.is_inflected, follows))


def weighed(features: Mapping[str, float], column: int = 0) -> float:
    """Log-odds as a weighted sum of features: those of a span up to a constant, or, by column 1, of its being right."""
    return sum(WEIGHTS[name][column] * value for name, value in features.items() if name in WEIGHTS)


def softmax(scores: Mapping[Span, float]) -> dict[Span, float]:
    """The probabilities that belong to log-odds."""
    highest = max(scores.values(), default=0.0)
    powers = {span: math.exp(score - highest) for span, score in scores.items()}
    total = math.fsum(powers.values())
    return {span: power / total for span, power in powers.items()}


def log_odds(probability: float) -> float:
    """The logarithm of the odds of a probability, without infinities."""
    return math.log(max(probability, _LEAST) / max(1 - probability, _LEAST))


def certainty_of(probability: float, features: Mapping[str, float]) -> float:
    """The probability that the likeliest span is right.

    None where a modifier no longer agrees by its ending: nothing tells whether it should.
    """
    if features.get("agreement lost on the left, by endings"):
        return 0.0
    given = {**features, "always": 1.0, "log-odds": log_odds(probability)}
    return 1 / (1 + math.exp(min(-weighed(given, 1), _MOST_ODDS)))
