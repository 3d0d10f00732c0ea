"""Models compared: paired tests, correlations, and what else than grammar could explain a difference."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import scipy  # scipy.stats and scipy.optimize are loaded where they are first used
from numpy.typing import NDArray
from scipy.special import ndtri

from pairwright.core.records import Record
from pairwright.stats.bootstrap import Floats, clustered_means
from pairwright.stats.intervals import Interval

Verdicts = NDArray[np.bool_]
# With fewer models, no pair is said to tell them apart.
FEWEST_MODELS = 3


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
    if n < 4 or abs(value) > 1 - 1e-9:
        return None
    variance = (1 + value**2 / 2 if method == "spearman" else 1.0) / (n - 3)
    half, centre = float(ndtri(0.975)) * math.sqrt(variance), math.atanh(value)
    return Interval(low=math.tanh(centre - half), high=math.tanh(centre + half))


class Coefficient(Record):
    """A standardised coefficient: by how many of its standard deviations the outcome goes up with one of `name`."""

    name: str
    value: float
    interval: Interval
    p: float


class Regression(Record):
    """A linear regression on `n` pairs in `n_clusters` clusters.

    r2       the share of the outcome's variance that the coefficients explain, 0-1
    left_out  properties that were not used, since they never vary or follow from the others
    """

    n: int
    n_clusters: int
    r2: float
    coefficients: tuple[Coefficient, ...]
    left_out: tuple[str, ...]


def standardised_regression(
    outcome: Floats, properties: Mapping[str, Floats], clusters: Sequence[str] | NDArray[np.intp]
) -> Regression | None:
    """The least-squares regression of an outcome on properties, all with mean 0 and standard deviation 1.

    Standard errors take pairs of one cluster as dependent. None with fewer than ten pairs a property or fewer than two
    clusters, or where nothing varies. Raises ValueError for a value that is not finite.

    Source: Liang and Zeger (1986), Longitudinal data analysis using generalized linear models, Biometrika 73, 13-22,
    for the errors, with the t distribution on the number of clusters minus 1 (Cameron and Miller 2015, A
    Practitioner's Guide to Cluster-Robust Inference, Journal of Human Resources 50, 317-372).
    """
    columns = {name: np.asarray(values, dtype=float) for name, values in properties.items()}
    if not all(np.isfinite(values).all() for values in (outcome, *columns.values())):
        raise ValueError("a regression needs finite numbers")
    kept = _independent(columns)
    index = np.unique(np.asarray(clusters), return_inverse=True)[1]
    n_clusters = int(index.max()) + 1 if len(index) else 0
    if not kept or len(outcome) < 10 * len(kept) or n_clusters < 2 or np.ptp(outcome) == 0:
        return None
    from statsmodels.regression.linear_model import OLS
    from statsmodels.tools.tools import add_constant

    table = np.stack([_standardised(columns[name]) for name in kept], axis=1)
    fit = OLS(_standardised(outcome), add_constant(table)).fit(
        cov_type="cluster", cov_kwds={"groups": index}, use_t=True
    )
    estimates = zip(kept, fit.params[1:].tolist(), fit.conf_int()[1:].tolist(), fit.pvalues[1:].tolist(), strict=True)
    return Regression(
        n=len(outcome),
        n_clusters=n_clusters,
        r2=float(fit.rsquared),
        coefficients=tuple(
            Coefficient(name=name, value=value, interval=Interval(low=low, high=high), p=p)
            for name, value, (low, high), p in estimates
        ),
        left_out=tuple(name for name in columns if name not in kept),
    )


def _independent(columns: Mapping[str, Floats]) -> list[str]:
    """The properties that vary and do not follow from those before them."""
    kept: list[str] = []
    for name, values in columns.items():
        if len(values) < 2 or np.ptp(values) == 0:
            continue
        table = np.stack([_standardised(columns[other]) for other in [*kept, name]], axis=1)
        if np.linalg.matrix_rank(table, tol=1e-6 * np.sqrt(len(values))) > len(kept):
            kept.append(name)
    return kept


def _standardised(values: Floats) -> Floats:
    result: Floats = (values - values.mean()) / values.std(ddof=1)
    return result
