"""What models come to on each task: accuracies, coefficients and translation metrics, and how sure they are."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record
from pairwright.core.records.items import TaskName
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.tasks.answers import chance, dealt_accuracy, is_right, option_hits
from pairwright.reporting.analysis.tasks.translation import TranslationMetrics
from pairwright.reporting.data.responses import AnsweredItem
from pairwright.stats.bootstrap import Floats, cluster_sums, percentile_interval, resampled_sums
from pairwright.stats.classification import confusion_cells, macro_f1, mcc
from pairwright.stats.clustered import share_intervals
from pairwright.stats.intervals import Interval, wilson

Metric = Literal["accuracy", "accuracy by option", "MCC", "macro-F1", "chrF++", "spBLEU", "COMET"]
# Models times tasks times conditions are many.
TASK_RESAMPLES = 2_000
_Coefficient = Callable[[NDArray[np.float64]], Floats]
_COEFFICIENTS: tuple[tuple[Metric, _Coefficient], ...] = (("MCC", mcc), ("macro-F1", macro_f1))


class TaskScore(Record):
    """A model on the items of a task that it answered; `n` counts its answers. All metrics are shares; MCC is -1 to 1.

    condition  of the items; empty for all of a task's base size together
    interval   95%, had other rules been drawn, or other items where rules are few; more draws don't narrow it
    sd         the standard deviation over the draws of examples and the seeds of items; None for a single one
    chance     of answers that are drawn at random; None where there is no such thing
    shuffled   of the model's own answers, each given to another item: what it would come to without reading the items
    """

    model: str
    task: TaskName
    condition: str
    metric: Metric
    n: int
    value: float
    interval: Interval | None
    sd: float | None
    n_runs: int
    chance: float | None
    shuffled: float | None


class Cell(Record):
    """Where a score belongs: the model, the task and the condition."""

    model: str
    task: TaskName
    condition: str = ""


def task_scores(cell: Cell, rows: Sequence[AnsweredItem], metrics: TranslationMetrics) -> Iterator[TaskScore]:
    """The scores of the answered rows of a cell, by all metrics of its task; nothing without an answer."""
    rows = [row for row in rows if row.response.outcome == "answered"]
    if not rows:
        return
    if cell.task == "translation":
        yield from _translation(cell, rows, metrics)
    elif cell.task == "acceptability":
        yield from _coefficients(cell, rows)
    else:
        yield answered_accuracy(cell, rows)
        several = [row for row in rows if row.item.takes_several]
        if several:
            yield _by_option(cell, several)


def clusters_of(rows: Sequence[AnsweredItem]) -> NDArray[np.str_]:
    """The rule of each row, the first of its item's; the items themselves where there are too few rules."""
    rules = np.array([row.item.rule_ids[0] if row.item.rule_ids else row.item.id for row in rows])
    return rules if len(np.unique(rules)) >= FEWEST_CLUSTERS else np.array([row.item.id for row in rows])


def _score(cell: Cell, metric: Metric, rows: Sequence[AnsweredItem], **numbers: object) -> TaskScore:
    return TaskScore.model_validate(dict(cell) | {"metric": metric, "n": len(rows)} | numbers)


def _runs(rows: Sequence[AnsweredItem]) -> list[list[int]]:
    """The places of the rows of each seed of items and draw of examples."""
    runs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        runs[row.item.seed, row.response.draw].append(index)
    return [runs[key] for key in sorted(runs)]


def _deviation(values: Sequence[float] | Floats) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def answered_accuracy(cell: Cell, rows: Sequence[AnsweredItem]) -> TaskScore:
    """The accuracy on rows, all of which have an answer, with its interval and its deviation over runs."""
    right, runs = np.array([is_right(row.item, row.response.chosen) for row in rows]), _runs(rows)
    sums = _item_sums(np.stack([right, np.ones_like(right)], axis=1), rows)
    (interval,) = share_intervals(sums[:, :1], sums[:, 1:])
    if len(sums) < FEWEST_CLUSTERS:
        interval = wilson(*sums.sum(axis=0).tolist())
    return _score(
        cell,
        "accuracy",
        rows,
        value=float(right.mean()),
        interval=interval,
        sd=_deviation([float(right[run].mean()) for run in runs]),
        n_runs=len(runs),
        chance=float(np.mean([chance(row.item) for row in rows])),
        shuffled=dealt_accuracy(rows),
    )


def _item_sums(hits: NDArray[Any], rows: Sequence[AnsweredItem]) -> Floats:
    """The sums over each cluster's rows. Networks and draws of examples answer an item again: it counts once in all."""
    sums: Floats = cluster_sums(hits, clusters_of(rows)) * len({row.item.id for row in rows}) / len(rows)
    return sums


def _by_option(cell: Cell, rows: Sequence[AnsweredItem]) -> TaskScore:
    """Each option counts once, as right or wrong by itself."""
    hits = np.array([option_hits(row.item, row.response.chosen) for row in rows], dtype=np.float64)
    runs = _runs(rows)
    sums = _item_sums(hits, rows)
    (interval,) = share_intervals(sums[:, :1], sums[:, 1:])
    return _score(
        cell,
        "accuracy by option",
        rows,
        value=float(hits[:, 0].sum() / hits[:, 1].sum()),
        interval=interval,
        sd=_deviation([float(hits[run, 0].sum() / hits[run, 1].sum()) for run in runs]),
        n_runs=len(runs),
        chance=0.5,
        shuffled=None,
    )


def _coefficients(cell: Cell, rows: Sequence[AnsweredItem]) -> Iterator[TaskScore]:
    """MCC and macro-F1, each the mean over draws of examples.

    Source: EuroEval's iterations (Nielsen 2023, ScandEval, NoDaLiDa): other examples each time, and the mean over them.
    """
    labels = sorted({option.text for row in rows for option in row.item.options})
    n_labels, runs = len(labels), _runs(rows)
    truths, predictions = (
        [labels.index(row.item.options[index].text) for row, (index, *_) in zip(rows, named, strict=True)]
        for named in ([row.item.answers for row in rows], [row.response.chosen for row in rows])
    )
    cells = confusion_cells(truths, predictions, n_labels)
    run_of = np.zeros(len(rows), dtype=np.intp)
    for number, run in enumerate(runs):
        run_of[run] = number
    columns = (cells[:, None, :] & (run_of[:, None] == np.arange(len(runs)))[:, :, None]).reshape(len(rows), -1)
    sums = cluster_sums(columns, clusters_of(rows))
    drawn = resampled_sums(sums, n_resamples=TASK_RESAMPLES)
    shape = (-1, len(runs), n_labels, n_labels)
    counts, resampled = sums.sum(axis=0).reshape(shape)[0], drawn.reshape(shape)
    expected = counts.sum(axis=-1)[..., None] * counts.sum(axis=-2)[..., None, :]
    for metric, coefficient in _COEFFICIENTS:
        by_run = coefficient(counts)
        yield _score(
            cell,
            metric,
            rows,
            value=float(by_run.mean()),
            interval=percentile_interval(coefficient(resampled).mean(axis=1), len(sums)),
            sd=_deviation(by_run),
            n_runs=len(runs),
            chance=_guessed(coefficient, counts),
            shuffled=float(coefficient(expected / expected.sum(axis=(-2, -1), keepdims=True)).mean()),
        )


def _guessed(coefficient: _Coefficient, counts: Floats) -> float:
    """The coefficient of answers that name each label as often."""
    truths = counts.sum(axis=-1)
    return float(coefficient(np.repeat(truths[..., None], counts.shape[-1], axis=-1) / counts.shape[-1]).mean())


def _translation(cell: Cell, rows: Sequence[AnsweredItem], metrics: TranslationMetrics) -> Iterator[TaskScore]:
    rows = [row for row in rows if row.item.reference is not None]
    clusters, runs = clusters_of(rows) if rows else np.array([]), _runs(rows)
    for measured in metrics.measure(rows, clusters):
        by_run = [measured.value_of(run) for run in runs] if len(runs) > 1 else []
        yield _score(
            cell,
            measured.metric,
            rows,
            value=measured.value,
            interval=measured.interval,
            sd=_deviation(by_run),
            n_runs=len(runs),
            chance=None,
            shuffled=measured.shuffled,
        )


def pooled(rows: Iterable[AnsweredItem]) -> dict[tuple[TaskName, str], list[AnsweredItem]]:
    """The rows of each column of the first table: of tasks in several sizes those of the smallest, all kinds together.

    The kinds of wrong options count together; with and without the rule, or a direction of translation, stand apart.
    """
    sizes: dict[TaskName, list[tuple[int, ...]]] = defaultdict(list)
    rows = list(rows)
    for row in rows:
        sizes[row.item.task].append(size_of(row.item.condition))
    smallest = {task: min(own) for task, own in sizes.items()}
    columns: dict[tuple[TaskName, str], list[AnsweredItem]] = defaultdict(list)
    for row in rows:
        task, size = row.item.task, size_of(row.item.condition)
        if size == smallest[task]:
            columns[task, "" if size else row.item.condition].append(row)
    return columns


def size_of(condition: str) -> tuple[int, ...]:
    """The numbers of a condition, `m=2 n=4 far`: sentences and rules; empty where it has none."""
    named = (word.partition("=")[2] for word in condition.split() if "=" in word)
    return tuple(int(number) for number in named if number.isdecimal())
