"""Two models on the same pairs: McNemar's test, many such tests, and the smallest difference they can show."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from pairwright.records import Record

Verdicts = NDArray[np.bool_]


class McNemar(Record):
    """Two models on the `n` pairs that both scored.

    only_a  pairs that the first model alone gets right; `only_b` those of the second
    p       the exact two-sided p-value
    """

    n: int
    only_a: int
    only_b: int
    p: float

    @property
    def difference(self) -> float:
        """The accuracy of the first model minus that of the second, on these pairs."""
        return (self.only_a - self.only_b) / self.n

    @property
    def discordance(self) -> float:
        """The share of pairs that one of them alone gets right."""
        return (self.only_a + self.only_b) / self.n


def exact_mcnemar(right_a: Verdicts, right_b: Verdicts) -> McNemar:
    """The exact McNemar test on the verdicts of two models on the same pairs, in the same order.

    Raises ValueError where the lengths differ or there is no pair.

    Source: McNemar (1947), Note on the sampling error of the difference between correlated proportions, Psychometrika
    12, 153-157; exact form as a binomial test on the discordant pairs.
    """
    if len(right_a) != len(right_b) or not len(right_a):
        raise ValueError(f"no paired test of {len(right_a)} and {len(right_b)} verdicts")
    only_a = int(np.count_nonzero(right_a & ~right_b))
    only_b = int(np.count_nonzero(right_b & ~right_a))
    p = float(mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue)
    return McNemar(n=len(right_a), only_a=only_a, only_b=only_b, p=min(p, 1.0))


def smallest_difference(n: float, discordance: float, *, level: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest difference of two accuracies that McNemar's test on n pairs finds with the given power.

    n            pairs; where pairs are clustered, their effective number
    discordance  the share of pairs that one of the two models alone gets right

    None where even the largest difference that this discordance allows, all of it one-sided, would go unseen. Raises
    ValueError for an n or a discordance that can't be.

    Source: Connor (1987), Sample size for testing differences in proportions for the paired-sample design, Biometrics
    43, 207-211.
    """
    if n <= 0 or not 0 < discordance <= 1:
        raise ValueError(f"no power for {n} pairs at discordance {discordance}")
    at_level, at_power = norm.ppf(1 - level / 2), norm.ppf(power)

    def lacking(difference: float) -> float:
        spread = at_level * math.sqrt(discordance) + at_power * math.sqrt(discordance - difference**2)
        return float(spread**2 / difference**2 - n)

    return None if lacking(discordance) > 0 else float(brentq(lacking, 1e-9, discordance))


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
    return tuple(float(value) for value in multipletests(p_values, method=method)[1]) if p_values else ()
