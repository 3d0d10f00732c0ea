"""Position bias: whether models choose options by the place in which these stand."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.core.records import Record
from pairwright.core.records.items import TaskName
from pairwright.reporting.data.responses import AnsweredItem, AskedModel


class PlaceShares(Record):
    """How often a model chose the option in each place, of a task's questions with as many options.

    chosen    by place, the share of questions in which the option there was chosen
    right     by place, the share of questions in which the option there was right
    expected  the share in each place, did places make no difference
    p         of Cochran's Q test that places make no difference (Cochran 1950, The Comparison of Percentages in Matched
              Samples, Biometrika 37, 256-266); None where each answer names all options or none
    """

    model: str
    task: TaskName
    n: int
    chosen: tuple[float, ...]
    right: tuple[float, ...]
    expected: float
    p: float | None

    @property
    def n_options(self) -> int:
        return len(self.chosen)


def place_shares(models: Sequence[AskedModel]) -> Iterator[PlaceShares]:
    """The shares of each model, task and number of options; options that are labels stand in no place."""
    for model in models:
        groups: dict[tuple[TaskName, int], list[AnsweredItem]] = defaultdict(list)
        for row in model.rows:
            if row.response.outcome == "answered" and len(row.response.shown) > 1:
                groups[row.item.task, len(row.response.shown)].append(row)
        for (task, _), rows in sorted(groups.items()):
            yield _shares(model.label, task, rows)


def _shares(model: str, task: TaskName, rows: Sequence[AnsweredItem]) -> PlaceShares:
    from statsmodels.stats.contingency_tables import cochrans_q

    chosen, right = (
        np.array([[index in indices for index in row.response.shown] for row, indices in zip(rows, named, strict=True)])
        for named in ([row.response.chosen for row in rows], [row.item.answers for row in rows])
    )
    says_something = chosen.any(axis=1) & ~chosen.all(axis=1)
    p = float(cochrans_q(chosen[says_something].astype(int)).pvalue) if says_something.any() else None
    return PlaceShares(
        model=model,
        task=task,
        n=len(rows),
        chosen=tuple(chosen.mean(axis=0).tolist()),
        right=tuple(right.mean(axis=0).tolist()),
        expected=float(chosen.mean()),
        p=p,
    )
