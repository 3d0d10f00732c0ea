"""What people say beside what models say: ratings made comparable, preferences, and correlations with intervals."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, pearsonr, spearmanr

from pairwright.records import Record
from pairwright.stats.intervals import Interval

Floats = NDArray[np.float64]
FEWEST = 4


class Correlation(Record):
    """A correlation of `n` points. `interval` is the 95% one; None where n is below 4 or the points lie on a line."""

    n: int
    value: float
    interval: Interval | None
    p: float


def z_scores(ratings: Floats) -> Floats:
    """Ratings, one row a rater, with each rater's own mean and standard deviation taken out; NaN stays NaN.

    People use a scale differently: one never goes below 3, another knows 1 and 7 alone. A rater who gives one answer
    throughout has no z-score and becomes NaN.

    Source: Schütze and Sprouse (2013), Judgment data, in Research Methods in Linguistics, 27-50; with the standard
    deviation of the ratings as a population, which gives the published figures of TurBLiMP.
    """
    given = np.isfinite(ratings)
    count = given.sum(axis=1, keepdims=True)
    total = np.where(given, ratings, 0.0).sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = ratings - total / count
        squares = np.where(given, centred**2, 0.0).sum(axis=1, keepdims=True)
        spread = np.sqrt(squares / count)
        return np.where(spread > 0, centred / spread, np.nan)


def correlation(x: Sequence[float], y: Sequence[float], method: Literal["pearson", "spearman"]) -> Correlation | None:
    """The correlation of two series with its 95% interval; None with fewer than 3 points or where one never varies.

    Raises ValueError where the lengths differ or a value is not finite.

    Source: Fisher (1921), On the probable error of a coefficient of correlation, Metron 1, 3-32; for Spearman's rho the
    variance of Bonett and Wright (2000), Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations, Psychometrika 65, 23-28.
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(a) != len(b) or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a correlation needs two series of finite numbers of one length")
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    result = (pearsonr if method == "pearson" else spearmanr)(a, b)
    value = max(-1.0, min(1.0, float(result.statistic)))
    return Correlation(n=len(a), value=value, interval=_fisher(value, len(a), method), p=float(result.pvalue))


def _fisher(value: float, n: int, method: str) -> Interval | None:
    if n < FEWEST or abs(value) > 1 - 1e-9:
        return None
    variance = (1 + value**2 / 2 if method == "spearman" else 1.0) / (n - 3)
    half, centre = float(norm.ppf(0.975)) * math.sqrt(variance), math.atanh(value)
    return Interval(low=math.tanh(centre - half), high=math.tanh(centre + half))
