"""Which options a model chooses by their log-probabilities.

A base model likes some words better than others whatever it is asked, so that it says yes to everything, or A. What it
says to the same prompt without content shows by how much, and that is taken off (contextual calibration: Zhao and
others 2021, Calibrate Before Use: Improving Few-Shot Performance of Language Models, ICML 2021, PMLR 139).
"""

from collections.abc import Callable, Sequence

from pairwright.core.records.items import OptionScore

OptionMeasure = Callable[[OptionScore], float]


def by_sum(score: OptionScore) -> float:
    """The log-probability of the words, in nats."""
    return score.sum_logprob


def calibrated(score: OptionScore) -> float:
    """By how much the content of the prompt raises the log-probability of the words, in nats."""
    return score.sum_logprob - (score.free_logprob or 0.0)


def choose(scores: Sequence[OptionScore], denials: Sequence[OptionScore], measure: OptionMeasure) -> tuple[int, ...]:
    """The indices of the options that are chosen: the highest one, or with denials each that exceeds its denial."""
    values = list(map(measure, scores))
    if denials:
        pairs = zip(values, map(measure, denials), strict=True)
        return tuple(index for index, (value, denied) in enumerate(pairs) if value > denied)
    return (max(range(len(values)), key=values.__getitem__),)
