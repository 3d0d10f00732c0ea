"""How well predicted classes agree with true ones. Each measure names its source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairwright.stats.bootstrap import Floats


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
