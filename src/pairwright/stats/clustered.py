"""Intervals of shares and of differences over pairs that resemble each other within clusters, such as those of a rule.

What is estimated is the mean over all clusters that could have been chosen, not over those that were. Each cluster is
left out in turn, and the spread of what the others give is the standard error: the cluster jackknife, which is the
cluster-robust variance CV3 (MacKinnon, Nielsen and Webb 2023, Fast and reliable jackknife and bootstrap methods for
cluster-robust inference, Journal of Applied Econometrics 38, 671-694). Clusters of unequal size count for less than
their number, for their effective number (Kish 1965, Survey Sampling; Carter, Schnepel and Steigerwald 2017, Asymptotic
behavior of a t-test robust to cluster heterogeneity, Review of Economics and Statistics 99, 698-709). One degree of
freedom less than the clusters is too many for the t distribution, less than the effective clusters too few; what lies
between holds in simulations (docs/statistics.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr, stdtrit

from pairwright.stats.bootstrap import Floats, cluster_sums
from pairwright.stats.intervals import Interval, wilson

# Added to the right and to the wrong pairs before the logarithm, and how far the degrees of freedom go from those of
# all clusters to those of the effective ones: both by the simulations of docs/statistics.md.
ADDED, EFFECTIVE = 0.25, 0.75
Z = 1.959964


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
    """The variance of each column, from what it comes to without each cluster; clusters without a pair don't count."""
    present = counts > 0
    n_clusters = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, left_out, 0).sum(axis=0) / n_clusters
    squares: Floats = np.where(present, left_out - mean, 0) ** 2
    variance: Floats = squares.sum(axis=0) * (n_clusters - 1) / n_clusters
    return variance


def _degrees(counts: Floats) -> Floats:
    """The degrees of freedom of each column, at least 1."""
    squares = np.maximum((counts**2).sum(axis=0), 1e-12)
    effective = counts.sum(axis=0) ** 2 / squares
    between = EFFECTIVE * effective + (1 - EFFECTIVE) * np.count_nonzero(counts, axis=0)
    degrees: Floats = np.maximum(between - 1, 1.0)
    return degrees


def _quantile(counts: Floats) -> Floats:
    quantile: Floats = stdtrit(_degrees(counts), 0.975)
    return quantile
