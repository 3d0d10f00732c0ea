"""Which pairs tell models apart."""

import numpy as np
from numpy.typing import NDArray

FEWEST_MODELS = 3


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
