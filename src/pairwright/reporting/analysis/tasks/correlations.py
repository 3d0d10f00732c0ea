"""How tasks, translation and pair accuracy go together over models."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from pairwright.core.records import Record
from pairwright.stats.correlation import FEWEST_MODELS, Correlation, both_correlations


class TaskPairCorrelation(Record):
    """The correlation of two columns over the models that have both; None where one never varies."""

    a: str
    b: str
    pearson: Correlation | None
    spearman: Correlation | None


class TaskCorrelations(Record):
    """The correlations of all couples of columns that enough models have both of.

    n_models  that have a value in two columns or more
    """

    columns: tuple[str, ...]
    n_models: int
    pairs: tuple[TaskPairCorrelation, ...]


def correlate(columns: Sequence[str], values: Mapping[str, Mapping[str, float]]) -> TaskCorrelations:
    """Correlates columns over models; `values` are by model and column."""
    pairs = []
    for a, b in combinations(columns, 2):
        both = [(own[a], own[b]) for own in values.values() if a in own and b in own]
        if len(both) >= FEWEST_MODELS:
            pearson, spearman = both_correlations(*zip(*both, strict=True))
            pairs.append(TaskPairCorrelation(a=a, b=b, pearson=pearson, spearman=spearman))
    n_models = sum(len(own) > 1 for own in values.values())
    return TaskCorrelations(columns=tuple(columns), n_models=n_models, pairs=tuple(pairs))
