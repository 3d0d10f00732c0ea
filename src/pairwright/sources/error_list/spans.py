"""Which words before a bracket the bracket corrects: every span that may be meant, with its probability.

A log-linear model over the candidate spans (conditional logit; McFadden 1974, "Conditional logit analysis of
qualitative choice behavior"): the weighted sum of a span's features is the logarithm of its odds.
"""

import math
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.sources.error_list.alternatives import Alternative
from pairwright.sources.error_list.edits import WordSpan, small_words
from pairwright.sources.error_list.span_features import LOST, SpanFeatures

Rank = Callable[[Sequence[str]], Sequence[float]]
"""How likely each of some sentences is, as the log-probability that a language model gives it."""

_MODEL = tomllib.loads(Path(__file__).with_name("span_weights.toml").read_text(encoding="utf-8"))
WEIGHTS: dict[str, float] = _MODEL["weights"]
CERTAIN: float = _MODEL["certain"]
FLUENCY: float = _MODEL["fluency"]
NONE: float = _MODEL["none"]
# How far back the wrong words are looked for, how many words they may be, and how many away from the bracket.
_REACH, _MOST_WORDS, _MOST_APART = 14, 10, 5


class RankedSpans(NamedTuple):
    """The spans that alternatives may replace, the most likely first, with their probabilities.

    Spans that give the same words count as the first of them. `is_certain` says that the first is as good as sure.
    """

    spans: tuple[WordSpan, ...]
    probabilities: tuple[float, ...]
    is_certain: bool


def rank_spans(features: SpanFeatures, group: Sequence[Alternative]) -> RankedSpans:
    """The ranked spans of a group of alternatives, all of which replace the same words."""
    site, size = features.site, len(features.site.words)
    if site.marked:
        return RankedSpans((WordSpan(size - site.marked, size),), (1.0,), True)
    table, alternative = span_table(features, group), group[0]
    if not table:
        return RankedSpans((WordSpan(size - 1, size),), (0.0,), False)
    beliefs, small = softmax(table), small_words(site.words)
    spans: dict[tuple[str, ...], WordSpan] = {}
    totals: dict[WordSpan, float] = defaultdict(float)
    for span in sorted(table, key=lambda span: (-beliefs[span], -span.last, span.first)):
        result = [*small[: max(span.first, 0)], *small_words(alternative.words), *small[span.last :]]
        once = tuple(word for place, word in enumerate(result) if result[place - 1 : place] != [word])
        totals[spans.setdefault(once, span)] += beliefs[span]
    # A capital that is no name's begins the sentence.
    opens = {-1, *site.openings} if features.begins_sentence(alternative.words) else set()
    order = sorted([span for span in totals if span.first in opens] or totals, key=lambda span: -totals[span])
    # A modifier that no longer agrees may have to change as well.
    certain = totals[order[0]] >= CERTAIN and not table[order[0]].get(LOST)
    return RankedSpans(tuple(order), tuple(totals[span] for span in order), certain)


def span_table(features: SpanFeatures, group: Sequence[Alternative]) -> dict[WordSpan, dict[str, float]]:
    """The features of each span that a group of alternatives may replace, as their mean over the alternatives."""
    site, table = features.site, dict[WordSpan, dict[str, float]]()
    size, capital = len(site.words), features.begins_sentence(group[0].words)
    reach = max(0, size - _REACH)
    spans = [WordSpan(first, size) for first in sorted({*range(max(reach, size - _MOST_WORDS), size), 0})]
    for first in range(reach, size):
        spans += [WordSpan(first, last) for last in range(first + 1, min(size, first + _MOST_APART))]
    for span in spans if 0 in site.openings or not capital else [*spans, WordSpan(-1, size)]:
        total: dict[str, float] = defaultdict(float)
        values = [features.of(alternative, span) for alternative in group]
        for name, value in ((name, value) for each in values if each for name, value in each.items()):
            total[name] += value / len(group)
        if all(each is not None for each in values):
            table[span] = total
    return table


def softmax(table: Mapping[WordSpan, Mapping[str, float]]) -> dict[WordSpan, float]:
    """The probability of each span by its features; what is left is that of none of them."""
    scores = {
        span: sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
        for span, features in table.items()
    }
    highest = max(scores.values(), default=0.0)
    powers = {span: math.exp(score - highest) for span, score in scores.items()}
    total = math.fsum([*powers.values(), math.exp(NONE - highest)])
    return {span: power / total for span, power in powers.items()}
