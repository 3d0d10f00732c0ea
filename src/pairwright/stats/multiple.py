"""Many tests at once: p-values that hold for the whole family of comparisons."""

from collections.abc import Sequence
from typing import Literal

from statsmodels.stats.multitest import multipletests


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
