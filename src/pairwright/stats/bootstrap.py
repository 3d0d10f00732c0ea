"""The cluster bootstrap: how far a share or a difference would move, had other clusters of pairs been drawn."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from pairwright.stats.intervals import Interval, wilson

RESAMPLES = 10_000
SEED = 20_261_121
# What one step holds: resamples times clusters. It keeps the memory flat however many of either there are.
_CELLS = 12_000_000
_EXACT_IN_FLOAT32 = 2**24

Floats = NDArray[np.float64]


def cluster_sums(values: NDArray[Any], clusters: Sequence[str] | NDArray[Any]) -> Floats:
    """The sums of the columns of `values`, a row a pair, within each cluster: one row a cluster, in sorted order."""
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    return np.stack([np.bincount(index, weights=column, minlength=len(names)) for column in values.T], axis=1)


def distinct_columns(table: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], list[int]]:
    """The different columns of a table, and for each column of the table which of them it is."""
    places: dict[bytes, int] = {}
    which = [places.setdefault(column.tobytes(), len(places)) for column in np.ascontiguousarray(table.T)]
    return table[:, [which.index(place) for place in range(len(places))]], which


def resampled_sums(sums: Floats, *, n_resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
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
    width = math.sqrt(n_clusters / (n_clusters - 1)) * t.ppf(0.975, n_clusters - 1)
    return float(norm.cdf(-width)), float(norm.cdf(width))


def share_interval(hits: Floats, counts: Floats, drawn_hits: Floats, drawn_counts: Floats) -> Interval | None:
    """The cluster-bootstrap interval of sum(hits) / sum(counts), from cluster sums and from their resamples.

    Where all pairs are right, or none is, no resample can differ, and the bootstrap is silent: the interval is then
    Wilson's, with each cluster as one trial. Clusters without a pair don't count. None with fewer than two.
    """
    n_clusters = int(np.count_nonzero(counts))
    total, right = float(counts.sum()), float(hits.sum())
    if n_clusters < 2:
        return None
    if right in (0.0, total):
        return wilson(n_clusters if right else 0, n_clusters)
    with np.errstate(invalid="ignore", divide="ignore"):
        interval = percentile_interval(drawn_hits / drawn_counts, n_clusters)
    if interval is None:
        return None
    share = right / total
    return Interval(low=min(interval.low, share), high=max(interval.high, share))


def clustered_shares(
    right: NDArray[np.bool_], scored: NDArray[np.bool_], clusters: NDArray[Any], n_resamples: int = RESAMPLES
) -> list[tuple[Interval | None, int]]:
    """The cluster-bootstrap interval of each column's share of right pairs, and how many clusters it rests on.

    right, scored  one row a pair, one column a model and measure; only pairs that are scored count
    clusters       the cluster of each pair
    """
    if (clusters == clusters[0]).all():
        return [(None, int(column.any())) for column in scored.T]
    columns = _resampled(right, scored, clusters, n_resamples)
    return [(share_interval(*column), int(np.count_nonzero(column[1]))) for column in columns]


def clustered_means(values: NDArray[Any], counted: NDArray[np.bool_], clusters: NDArray[Any]) -> list[Interval | None]:
    """The cluster-bootstrap interval of the mean of each column over the rows that are counted; others must be 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return [
            percentile_interval(drawn_sums / drawn_counts, int(np.count_nonzero(counts)))
            for _, counts, drawn_sums, drawn_counts in _resampled(values, counted, clusters, RESAMPLES)
        ]


def _resampled(
    values: NDArray[Any], counted: NDArray[np.bool_], clusters: NDArray[Any], n_resamples: int
) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    """For each column its sums and its counts by cluster, and the resamples of both."""
    counts, place = distinct_columns(counted)
    sums = cluster_sums(np.concatenate([values, counts], axis=1), clusters)
    drawn = resampled_sums(sums, n_resamples=n_resamples)
    for column, at in enumerate(values.shape[1] + number for number in place):
        yield sums[:, column], sums[:, at], drawn[:, column], drawn[:, at]


def clustered_share(
    right: Sequence[bool] | NDArray[np.bool_], clusters: Sequence[str] | NDArray[Any]
) -> tuple[float, Interval | None]:
    """The share of pairs that are right, with its 95% interval by the cluster bootstrap.

    right     whether each pair is right
    clusters  the cluster of each pair, such as its rule; pairs of one cluster resemble each other

    The interval is None with fewer than two clusters; with fewer than about five it can't tell how clusters vary.
    Raises ValueError where the lengths differ or there is no pair.
    """
    verdicts, names = np.asarray(right, dtype=bool)[:, None], np.asarray(clusters)
    if len(verdicts) != len(names) or not len(names):
        raise ValueError(f"no share of {len(verdicts)} pairs in {len(names)} places of clusters")
    ((interval, _),) = clustered_shares(verdicts, np.ones_like(verdicts), names)
    return float(verdicts.mean()), interval
