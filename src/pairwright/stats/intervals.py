"""Accuracy on minimal pairs and how sure we are of it. Each method names its source."""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record

_Z = NormalDist().inv_cdf(0.975)


class Interval(Record):
    """A confidence interval: low <= high. That of a proportion lies within 0 and 1."""

    low: float
    high: float


class Accuracy(Record):
    """On how many of `n` pairs a model prefers the good sentence.

    ties      pairs whose two sentences score the same; they are in `n`, and they are not correct
    interval  the 95% Wilson interval of correct / n
    """

    n: int
    correct: int
    ties: int
    interval: Interval

    @property
    def value(self) -> float:
        return self.correct / self.n


@lru_cache(maxsize=100_000)
def wilson(successes: float, n: float) -> Interval:
    """The 95% Wilson score interval of `successes` out of `n` independent trials.

    Its coverage stays near 95% for small n and for proportions near 0 or 1, where the normal approximation fails.
    Raises ValueError where n is not positive or successes are not in 0..n.

    Source: Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference, JASA 22, 209-212;
    recommended by Brown, Cai and DasGupta (2001), Interval Estimation for a Binomial Proportion, Statistical Science
    16, 101-133.
    """
    if n <= 0 or not 0 <= successes <= n:
        raise ValueError(f"no interval for {successes} of {n}")
    # Written out: the library that has it takes two seconds to load.
    estimate, share = successes / n, _Z**2 / n
    middle = (estimate + share / 2) / (1 + share)
    half = _Z * math.sqrt((estimate * (1 - estimate) + share / 4) / n) / (1 + share)
    # Rounding puts the ends a last digit inside the estimate or outside 0..1 when all or none succeed.
    return Interval(low=max(0.0, min(middle - half, estimate)), high=min(1.0, max(middle + half, estimate)))


def accuracy(differences: Sequence[float] | NDArray[Any]) -> Accuracy | None:
    """The share of pairs whose score difference, good minus bad sentence, is above zero, with its Wilson interval.

    differences  one a pair, in whatever unit; a higher score must mean a more probable sentence. Zero is a tie

    None where there is no pair. Raises ValueError for a difference that is not a number. `clustered.share_intervals`
    gives those for pairs that resemble each other.
    """
    values = np.asarray(differences, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("a score difference is not a number")
    if not len(values):
        return None
    correct = int((values > 0).sum())
    return Accuracy(
        n=len(values), correct=correct, ties=int((values == 0).sum()), interval=wilson(correct, len(values))
    )
