"""Correlations with their intervals, and which pairs go with how well models do on all others."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import scipy  # scipy.stats is loaded where it is first used
from numpy.typing import NDArray
from scipy.special import ndtri

from pairwright.core.records import Record
from pairwright.stats.intervals import Interval

FEWEST = 4
# With fewer models, no pair is said to tell them apart.
FEWEST_MODELS = 3


class Correlation(Record):
    """A correlation of `n` points. `interval` is the 95% one; None where n is below 4 or the points lie on a line."""

    n: int
    value: float
    interval: Interval | None
    p: float


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
    result = (scipy.stats.pearsonr if method == "pearson" else scipy.stats.spearmanr)(a, b)
    value = max(-1.0, min(1.0, float(result.statistic)))
    return Correlation(n=len(a), value=value, interval=_fisher(value, len(a), method), p=float(result.pvalue))


def both_correlations(x: Sequence[float], y: Sequence[float]) -> tuple[Correlation | None, Correlation | None]:
    """Pearson's and Spearman's correlation, as `correlation` gives them."""
    return correlation(x, y, "pearson"), correlation(x, y, "spearman")


def discrimination(right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Per pair, how far being right on it goes with being right on all others: the corrected item-total correlation.

    One row a model, one column a pair. NaN where all models agree on the pair or do equally well on the others.

    Source: Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28, 211-218.
    """
    table = right.astype(float)
    rest = table.sum(axis=1, keepdims=True) - table
    a, b = table - table.mean(axis=0), rest - rest.mean(axis=0)
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = np.where(spread > 1e-12, (a * b).sum(axis=0) / spread, np.nan)
    return result


def _fisher(value: float, n: int, method: str) -> Interval | None:
    if n < FEWEST or abs(value) > 1 - 1e-9:
        return None
    variance = (1 + value**2 / 2 if method == "spearman" else 1.0) / (n - 3)
    half, centre = float(ndtri(0.975)) * math.sqrt(variance), math.atanh(value)
    return Interval(low=math.tanh(centre - half), high=math.tanh(centre + half))
