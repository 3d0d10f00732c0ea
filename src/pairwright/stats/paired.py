"""Two models on the same pairs: a paired test, many such tests, and the smallest difference they can show."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy  # scipy.stats is loaded where it is first used, and so is scipy.optimize
from numpy.typing import NDArray
from scipy.special import ndtri

from pairwright.core.records import Record
from pairwright.stats.clustered import clustered_means
from pairwright.stats.intervals import Interval

Verdicts = NDArray[np.bool_]


class PairedTest(Record):
    """Two models on the `n` pairs that both scored.

    only_a     pairs that the first model alone gets right; `only_b` those of the second
    interval   the 95% interval of the difference, had other clusters of pairs been chosen; None for a single cluster
    p          the two-sided p-value, with pairs of one of the `n_clusters` as dependent; McNemar's for a single cluster
    p_mcnemar  the exact McNemar test, which takes pairs as independent
    """

    n: int
    only_a: int
    only_b: int
    n_clusters: int
    interval: Interval | None
    p: float
    p_mcnemar: float

    @property
    def difference(self) -> float:
        """The accuracy of the first model minus that of the second, on these pairs."""
        return (self.only_a - self.only_b) / self.n

    @property
    def discordance(self) -> float:
        """The share of pairs that one of them alone gets right."""
        return (self.only_a + self.only_b) / self.n


def paired_test(right_a: Verdicts, right_b: Verdicts, clusters: Sequence[str] | NDArray[Any]) -> PairedTest:
    """The paired test of the verdicts of two models on the same pairs, in the same order; see `paired_tests`.

    clusters  the cluster of each pair, such as its rule

    Raises ValueError where the lengths differ or there is no pair.
    """
    if not len(right_a) == len(right_b) == len(clusters) > 0:
        raise ValueError(f"no paired test of {len(right_a)} and {len(right_b)} verdicts in {len(clusters)} clusters")
    gains = right_a.astype(np.int8)[:, None] - right_b[:, None]
    return paired_tests(gains, np.ones(gains.shape, dtype=bool), np.asarray(clusters))[0]


def paired_tests(gains: NDArray[np.int8], scored: NDArray[np.bool_], clusters: NDArray[Any]) -> list[PairedTest]:
    """The paired test of each column.

    gains   one row a pair: 1 where the first model alone is right, -1 where the second is, else 0
    scored  whether both scored the pair; a column needs one at least

    The p-value is that of the t-test of `clustered_means`, and never smaller than McNemar's.

    Source: McNemar (1947), Note on the sampling error of the difference between correlated proportions, Psychometrika
    12, 153-157; exact form as a binomial test on the discordant pairs.
    """
    tests = []
    for column, (interval, p, n_clusters), n in zip(
        gains.T, clustered_means(gains, scored, clusters), scored.sum(axis=0).tolist(), strict=True
    ):
        only_a, only_b = int((column > 0).sum()), int((column < 0).sum())
        p_mcnemar = scipy.stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
        test = PairedTest(
            n=n,
            only_a=only_a,
            only_b=only_b,
            n_clusters=n_clusters,
            interval=interval,
            p=max(p or 0.0, p_mcnemar),
            p_mcnemar=p_mcnemar,
        )
        tests.append(test)
    return tests


def smallest_difference(n: float, discordance: float) -> float | None:
    """The smallest difference of two accuracies that McNemar's test on n pairs finds at 5% with 80% power.

    n            pairs; where pairs are clustered, their effective number
    discordance  the share of pairs that one of the two models alone gets right

    None where even the largest difference that this discordance allows, all of it one-sided, would go unseen. Raises
    ValueError for an n or a discordance that can't be.

    Source: Connor (1987), Sample size for testing differences in proportions for the paired-sample design, Biometrics
    43, 207-211.
    """
    if n <= 0 or not 0 < discordance <= 1:
        raise ValueError(f"no power for {n} pairs at discordance {discordance}")
    at_level, at_power = ndtri(0.975), ndtri(0.8)

    def lacking(difference: float) -> float:
        spread = at_level * math.sqrt(discordance) + at_power * math.sqrt(discordance - difference**2)
        return float(spread**2 / difference**2 - n)

    return None if lacking(discordance) > 0 else float(scipy.optimize.brentq(lacking, 1e-9, discordance))


def design_effect(width_clustered: float, width_independent: float) -> float:
    """How many times more pairs the clustering costs: the squared ratio of the widths of two intervals, at least 1.

    Source: Kish (1965), Survey Sampling, chapter 5.
    """
    return max(1.0, (width_clustered / width_independent) ** 2) if width_independent > 0 else 1.0


def adjusted(p_values: Sequence[float], method: Literal["holm", "fdr_bh"]) -> tuple[float, ...]:
    """The adjusted p-values, in the order given.

    holm    keeps the chance of any false finding below the level, whatever the dependence. Source: Holm (1979), A
            simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70
    fdr_bh  keeps the expected share of false findings below the level, where tests are independent or depend
            positively. Source: Benjamini and Hochberg (1995), Controlling the false discovery rate, JRSS B 57, 289-300

    Raises ValueError for a p-value that is not in 0..1.
    """
    if any(not 0 <= value <= 1 for value in p_values):
        raise ValueError("a p-value is not between 0 and 1")
    order, n = np.argsort(p_values, kind="stable"), len(p_values)
    ordered = np.asarray(p_values, dtype=float)[order]
    if method == "holm":
        ordered = np.maximum.accumulate(ordered * np.arange(n, 0, -1))
    else:
        ordered = np.minimum.accumulate((ordered * n / np.arange(1, n + 1))[::-1])[::-1]
    return tuple(np.minimum(ordered, 1.0)[np.argsort(order)].tolist())
