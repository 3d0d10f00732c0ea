"""What else could explain a score difference: a regression on properties of sentences that are not grammar."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record
from pairwright.stats.bootstrap import Floats
from pairwright.stats.intervals import Interval


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
