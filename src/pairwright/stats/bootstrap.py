"""The cluster bootstrap: how far a statistic without a formula would move, had other clusters of pairs been drawn."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from pairwright.stats.intervals import Interval

SEED = 20_261_121
# What one step holds: resamples times clusters. It keeps the memory flat however many of either there are.
_CELLS = 12_000_000
_EXACT_IN_FLOAT32 = 2**24

Floats = NDArray[np.float64]


def cluster_sums(values: NDArray[Any], clusters: Sequence[str] | NDArray[Any]) -> Floats:
    """The sums of the columns of `values`, a row a pair, within each cluster: one row a cluster, in sorted order."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    return np.stack([np.bincount(index, weights=column, minlength=len(names)) for column in values.T], axis=1)


def resampled_sums(sums: Floats, *, n_resamples: int, seed: int = SEED) -> Floats:
    """The column sums of `n_resamples` samples of the rows, each drawn with replacement and as large as the table.

    sums  one row a cluster. All columns share the samples, so what is computed from two columns is paired

    Returns an array of n_resamples rows; the same seed gives the same rows. Raises ValueError without a row.

    Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8: whole clusters are drawn,
    so that pairs that resemble each other stay together; Field and Welsh (2007), Bootstrapping clustered data, JRSS B
    69, 369-390.
    """
    if not len(sums):
        raise ValueError("no cluster to draw from")
    exact = bool(np.all(sums == np.rint(sums))) and float(np.abs(sums).max()) * len(sums) < _EXACT_IN_FLOAT32
    table = sums.astype(np.float32 if exact else np.float64)
    drawn = np.empty((n_resamples, sums.shape[1]))
    done = 0
    for weights in _weights(len(sums), n_resamples, seed):
        drawn[done : done + len(weights)] = weights.astype(table.dtype) @ table
        done += len(weights)
    return drawn


def _weights(n: int, n_resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """How often each of n rows is drawn, a row a resample, some resamples at a time."""
    generator = np.random.default_rng(seed)
    step = max(1, _CELLS // n)
    for start in range(0, n_resamples, step):
        count = min(step, n_resamples - start)
        picked = generator.integers(0, n, size=(count, n), dtype=np.int32)
        picked += (np.arange(count, dtype=np.int32) * n)[:, None]
        yield np.bincount(picked.ravel(), minlength=count * n).reshape(count, n)


def percentile_interval(drawn: Floats, n_clusters: int) -> Interval | None:
    """The expanded 95% percentile interval of resampled estimates; None where there are fewer than two clusters.

    The plain percentile interval of few clusters is too narrow. This one takes the quantiles that make it as wide as a
    t interval with the right number of degrees of freedom would be.

    Source: Hesterberg (2015), What Teachers Should Know About the Bootstrap, The American Statistician 69, 371-386,
    section 5.3.
    """
    values = drawn[np.isfinite(drawn)]
    if n_clusters < 2 or not len(values):
        return None
    low, high = np.quantile(values, _levels(n_clusters))
    return Interval(low=float(low), high=float(high))


@lru_cache(maxsize=100_000)
def _levels(n_clusters: int) -> tuple[float, float]:
    """The quantiles whose distance is that of a t interval."""
    width = math.sqrt(n_clusters / (n_clusters - 1)) * stdtrit(n_clusters - 1, 0.975)
    return float(ndtr(-width)), float(ndtr(width))
