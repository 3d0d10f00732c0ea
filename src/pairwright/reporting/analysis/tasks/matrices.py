"""What models come to on matrices, and which wrong answers they choose."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from pairwright.records import Record
from pairwright.reporting.analysis.tasks.answers import is_right
from pairwright.reporting.analysis.tasks.scores import Cell, answered_accuracy
from pairwright.reporting.data.responses import AnsweredItem, AskedModel
from pairwright.stats.intervals import Interval

RIGHT = "right"


class MatrixError(Record):
    """How often one answer of a condition's problems was chosen: its label, the pattern that it fills, its share."""

    model: str
    condition: str
    label: str
    pattern: str
    n: int
    share: float


class MatrixResult(Record):
    """A model on the problems of a condition. `f1` is a share: of two problems that a network got right, by the mean.

    f1        of choosing the right answer: twice the right ones by the problems and the answers to them; where every
              problem has an answer it is the share of right ones. The mean over `n_runs` seeds; None without answers
    reason    why there is no answer at all: the most frequent of the reasons that the responses give
    interval  95%, had other problems been drawn, of the answers that there are
    sd        the standard deviation over seeds; None for a single one
    chosen    the answers by what was chosen, the most frequent first
    """

    model: str
    condition: str
    n_problems: int
    n_runs: int
    f1: float | None
    reason: str = ""
    interval: Interval | None
    sd: float | None
    chance: float | None
    chosen: tuple[MatrixError, ...]

    @property
    def by_label(self) -> dict[str, float]:
        """The share of each label among the answers; `RIGHT` for the right ones."""
        shares: dict[str, float] = defaultdict(float)
        for error in self.chosen:
            shares[error.label] += error.share
        return dict(shares)


def matrix_results(models: Sequence[AskedModel]) -> Iterator[MatrixResult]:
    """A result for each model and condition of its matrices."""
    for model in models:
        rows = [row for row in model.rows if row.item.task == "matrix"]
        for condition in sorted({row.item.condition for row in rows}):
            yield _result(model.label, condition, [row for row in rows if row.item.condition == condition])


def _result(model: str, condition: str, rows: Sequence[AnsweredItem]) -> MatrixResult:
    answered = [row for row in rows if row.response.outcome == "answered" and row.response.chosen]
    draws = sorted({row.response.draw for row in rows})
    by_run = [_f1([row for row in rows if row.response.draw == draw]) for draw in draws]
    score = answered_accuracy(Cell(model=model, task="matrix", condition=condition), answered) if answered else None
    counts = Counter(_named(row) for row in answered)
    reasons = Counter(row.response.reason or row.response.outcome for row in rows)
    return MatrixResult(
        model=model,
        condition=condition,
        n_problems=len({row.item.id for row in rows}),
        n_runs=len(draws),
        f1=float(np.mean(by_run)) if answered else None,
        reason="" if answered else reasons.most_common(1)[0][0],
        interval=score.interval if score else None,
        sd=float(np.std(by_run, ddof=1)) if answered and len(by_run) > 1 else None,
        chance=score.chance if score else None,
        chosen=tuple(
            MatrixError(model=model, condition=condition, label=label, pattern=pattern, n=n, share=n / len(answered))
            for (label, pattern), n in sorted(counts.items(), key=lambda count: (-count[1], count[0]))
        ),
    )


def _f1(rows: Sequence[AnsweredItem]) -> float:
    answered = [row for row in rows if row.response.outcome == "answered"]
    right = sum(is_right(row.item, row.response.chosen) for row in answered)
    return 2 * right / (len(rows) + len(answered))


def _named(row: AnsweredItem) -> tuple[str, str]:
    """The label of the chosen answer and its pattern."""
    label, _, pattern = row.item.options[row.response.chosen[0]].label.partition(" ")
    return (RIGHT, "") if is_right(row.item, row.response.chosen) else (label, pattern)
