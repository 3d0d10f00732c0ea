"""Intervals over pairs that resemble each other within clusters, such as those of a rule, and what they are drawn for.

What is estimated is the mean over all clusters that could have been chosen, not over those that were. A statistic
without a formula is resampled by whole clusters; for the others each cluster is left out in turn, and the spread of
what the rest give is the standard error (see `_jackknife`).
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, stdtr, stdtrit

from pairwright.stats.intervals import Interval, wilson

SEED = 20_261_121
# What one step holds: resamples times clusters. It keeps the memory flat however many of either there are.
_CELLS = 12_000_000
_EXACT_IN_FLOAT32 = 2**24
# Added to the right and to the wrong pairs before the logarithm, and how far the degrees of freedom go from those of
# all clusters to those of the effective ones: both by the simulations of docs/statistics.md.
ADDED, EFFECTIVE = 0.25, 0.75
Z = 1.959964

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


def share_intervals(hits: Floats, counts: Floats) -> list[Interval | None]:
    """The 95% interval of sum(hits) / sum(counts) of each column, one row a cluster; None with fewer than two clusters.

    The standard error is that of the logit, so that the interval of a share near 1 reaches further down than up. It is
    never narrower than Wilson's, which takes pairs as independent. Where all pairs are right, clusters can't differ:
    the lower end is then that of one wrong pair in the largest cluster, or Wilson's with a trial for each cluster where
    that is higher, and no share with wrong pairs has a higher one. Upper ends mirror lower ones. Clusters without a
    pair don't count.

    Source: the logit interval of Korn and Graubard (1999), Analysis of Health Surveys, section 3.2; the added fraction
    as in Anscombe (1956), On estimating binomial response relations, Biometrika 43, 461-464.
    """
    lows, highs = _lower_ends(hits, counts), 1 - _lower_ends(counts - hits, counts)
    ends = zip(lows.tolist(), highs.tolist(), strict=True)
    sums = zip(hits.sum(axis=0).tolist(), counts.sum(axis=0).tolist(), _present(counts), strict=True)
    return [
        # Rounding puts the mirrored end a last digit below Wilson's.
        Interval(low=low, high=max(high, wilson(right, n).high)) if n_clusters > 1 else None
        for (low, high), (right, n, n_clusters) in zip(ends, sums, strict=True)
    ]


def _lower_ends(hits: Floats, counts: Floats) -> Floats:
    one_wrong, columns = counts.copy(), np.arange(counts.shape[1])
    largest = counts.argmax(axis=0), columns
    one_wrong[largest] = np.maximum(one_wrong[largest] - 1, 0)
    clusters = [wilson(n, n).low if n > 1 else 0.0 for n in _present(counts)]
    all_right = np.maximum(clusters, _logit_ends(one_wrong, counts))
    ends: Floats = np.where((hits == counts).all(axis=0), all_right, np.minimum(all_right, _logit_ends(hits, counts)))
    return ends


def _logit_ends(hits: Floats, counts: Floats) -> Floats:
    """The lower ends by the jackknife, or Wilson's of all pairs where these are lower."""
    right, n = hits.sum(axis=0), counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.log(right / (n - right))
    others_right = right - hits
    left_out = np.log((others_right + ADDED) / (n - counts - others_right + ADDED))
    ends: Floats = expit(centre - _quantile(counts) * np.sqrt(_jackknife(left_out, counts)))
    independent = [wilson(*both).low if both[1] else 0.0 for both in zip(right.tolist(), n.tolist(), strict=True)]
    return np.fmin(ends, independent)


def _present(counts: Floats) -> list[int]:
    """How many clusters of each column have a pair."""
    present: list[int] = np.count_nonzero(counts, axis=0).tolist()
    return present


def clustered_shares(
    right: NDArray[np.bool_], scored: NDArray[np.bool_], clusters: NDArray[Any]
) -> list[tuple[Interval | None, int]]:
    """The interval of each column's share of right pairs, and how many clusters it rests on.

    right, scored  one row a pair, one column a model and measure; only pairs that are scored count
    clusters       the cluster of each pair
    """
    if (clusters == clusters[0]).all():
        return [(None, int(column.any())) for column in scored.T]
    hits, counts = (cluster_sums(table, clusters) for table in (right, scored))
    return list(zip(share_intervals(hits, counts), np.count_nonzero(counts, axis=0).tolist(), strict=True))


def clustered_means(
    values: NDArray[Any], counted: NDArray[np.bool_], clusters: NDArray[Any]
) -> list[tuple[Interval | None, float | None, int]]:
    """Of each column the 95% interval of its mean, the p-value of the mean 0, and the number of clusters.

    values   -1 to 1, one row a pair; 0 where `counted` is false. Such rows don't count

    Both are of one t-test, and None with fewer than two clusters. The interval is never narrower than that of
    independent pairs; the p-value is 0 where all clusters have the same mean, so it needs a test of pairs beside it.
    """
    sums, counts = (cluster_sums(table, clusters) for table in (values, counted))
    total, n = sums.sum(axis=0), np.maximum(counts.sum(axis=0), 1)
    n_clusters = np.count_nonzero(counts, axis=0)
    left_out = (total - sums) / np.maximum(n - counts, 1)
    error = np.sqrt(_jackknife(left_out, counts))
    independent = np.sqrt([np.square(column, dtype=np.float64).sum() for column in values.T]) / n
    mean = total / n
    half = np.maximum(_quantile(counts) * error, Z * independent)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(mean == 0, 1.0, 2 * stdtr(_degrees(counts), -np.abs(mean) / error))
    low, high = np.maximum(mean - half, -1), np.minimum(mean + half, 1)
    columns = zip(low.tolist(), high.tolist(), p.tolist(), n_clusters.tolist(), strict=True)
    return [(Interval(low=start, high=end), value, m) if m > 1 else (None, None, m) for start, end, value, m in columns]


def _jackknife(left_out: Floats, counts: Floats) -> Floats:
    """The variance of each column, from what it comes to without each cluster; clusters without a pair don't count.

    Source: the cluster-robust variance CV3 of MacKinnon, Nielsen and Webb (2023), Fast and reliable jackknife and
    bootstrap methods for cluster-robust inference, Journal of Applied Econometrics 38, 671-694.
    """
    present = counts > 0
    n_clusters = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, left_out, 0).sum(axis=0) / n_clusters
    squares: Floats = np.where(present, left_out - mean, 0) ** 2
    variance: Floats = squares.sum(axis=0) * (n_clusters - 1) / n_clusters
    return variance


def _degrees(counts: Floats) -> Floats:
    """The degrees of freedom of each column, at least 1: between those of all clusters and of the effective ones.

    Source: Kish (1965), Survey Sampling; Carter, Schnepel and Steigerwald (2017), Asymptotic behavior of a t-test
    robust to cluster heterogeneity, Review of Economics and Statistics 99, 698-709.
    """
    squares = np.maximum((counts**2).sum(axis=0), 1e-12)
    effective = counts.sum(axis=0) ** 2 / squares
    between = EFFECTIVE * effective + (1 - EFFECTIVE) * np.count_nonzero(counts, axis=0)
    degrees: Floats = np.maximum(between - 1, 1.0)
    return degrees


def _quantile(counts: Floats) -> Floats:
    quantile: Floats = stdtrit(_degrees(counts), 0.975)
    return quantile


def mcc(confusion: NDArray[Any]) -> Floats:
    """The Matthews correlation coefficient of confusion matrices: 1 all right, 0 no better than chance, -1 all wrong.

    confusion  counts in the last two axes: true classes down, predicted ones across; earlier axes are kept

    0 where all truths or all predictions are of one class, so that the coefficient is not defined.

    Source: Matthews (1975), Biochimica et Biophysica Acta 405, 442-451; for more than two classes Gorodkin (2004),
    Comparing two K-category assignments by a K-category correlation coefficient, Computational Biology and Chemistry
    28, 367-374.
    """
    counts = np.asarray(confusion, dtype=np.float64)
    total, right = counts.sum(axis=(-2, -1)), np.trace(counts, axis1=-2, axis2=-1)
    truths, predictions = counts.sum(axis=-1), counts.sum(axis=-2)
    covariance = right * total - (truths * predictions).sum(axis=-1)
    spread = (total**2 - (truths**2).sum(axis=-1)) * (total**2 - (predictions**2).sum(axis=-1))
    values: Floats = np.divide(covariance, np.sqrt(spread), out=np.zeros_like(total), where=spread > 0)
    return values


def macro_f1(confusion: NDArray[Any]) -> Floats:
    """The mean over the classes of F1, 0-1; a class that is neither true nor predicted anywhere counts for nothing.

    confusion  as for `mcc`

    Source: Opitz and Burst (2019), Macro F1 and Macro F1, arXiv:1911.03347: the mean of the F1 scores.
    """
    counts = np.asarray(confusion, dtype=np.float64)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    named = counts.sum(axis=-1) + counts.sum(axis=-2)
    scores = np.divide(2 * right, named, out=np.zeros_like(named), where=named > 0)
    n_classes = (named > 0).sum(axis=-1)
    means: Floats = np.divide(scores.sum(axis=-1), n_classes, out=np.zeros_like(scores[..., 0]), where=n_classes > 0)
    return means


def confusion_cells(truths: Sequence[int], predictions: Sequence[int], n_classes: int) -> NDArray[np.bool_]:
    """A row for each case: which cell of the confusion matrix it is in, the matrix read row by row."""
    cells = np.asarray(truths) * n_classes + np.asarray(predictions)
    of_cell: NDArray[np.bool_] = cells[:, None] == np.arange(n_classes**2)
    return of_cell
