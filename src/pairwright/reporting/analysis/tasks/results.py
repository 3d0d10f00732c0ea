"""The numbers of a report's part on tasks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from pairwright.core.records import Record
from pairwright.core.records.items import ResponseOutcome, TaskName, TaskRun
from pairwright.reporting.analysis.tasks.answers import is_right
from pairwright.reporting.analysis.tasks.correlations import TaskCorrelations, correlate
from pairwright.reporting.analysis.tasks.places import PlaceShares, place_shares
from pairwright.reporting.analysis.tasks.scores import Cell, TaskScore, pooled, size_of, task_scores
from pairwright.reporting.analysis.tasks.translation import TranslationMetrics
from pairwright.reporting.data.responses import AnsweredItem, AskedModel
from pairwright.stats.choice import by_sum, calibrated, choose, per_character, per_token

PAIR_ACCURACY = "Minimal pairs, sum_logprob"
_MAIN = ("accuracy", "MCC", "chrF++")


class TaskOutcomes(Record):
    """What became of a task's questions, and what they took. Tokens and cost are None where no server counted them.

    right_of_all  the share of right answers, had every question without one been answered wrong; None for translation
    seconds       by the clock; None where the run does not say
    """

    model: str
    task: TaskName
    n: int
    outcomes: dict[ResponseOutcome, int]
    right_of_all: float | None
    input_tokens: int | None
    output_tokens: int | None
    thinking_tokens: int | None
    cost: float | None
    seconds: float | None


class OptionMeasures(Record):
    """A local model's accuracy on a task, its options compared in four ways, all on the same `n` answers.

    by_sum      by the sum of log-probabilities; per_token and per_character: by the mean
    calibrated  by the sum less that without content; None for tasks that are not calibrated
    """

    model: str
    task: TaskName
    condition: str
    n: int
    by_sum: float
    per_token: float
    per_character: float
    calibrated: float | None = None


class SizeScore(Record):
    """A model's accuracy on a task by the number of options, all kinds of wrong options together."""

    n_sentences: int | None
    n_options: int
    score: TaskScore


class TaskResults(Record):
    """The tasks that models were asked.

    labels    of the models, those of `runs` in the same order
    headline  a score for each model, task and metric, at the task's base size
    scores    for each condition apart
    """

    labels: tuple[str, ...]
    runs: tuple[TaskRun, ...]
    headline: tuple[TaskScore, ...]
    scores: tuple[TaskScore, ...]
    sizes: tuple[SizeScore, ...]
    outcomes: tuple[TaskOutcomes, ...]
    places: tuple[PlaceShares, ...]
    measures: tuple[OptionMeasures, ...]
    correlations: TaskCorrelations

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the first table, task by task."""
        return tuple(dict.fromkeys(column_of(score) for score in self.headline))


def column_of(score: TaskScore) -> str:
    """What a score is called as a column: task, condition, and the metric unless it is accuracy."""
    parts = (score.task, score.condition, "" if score.metric == "accuracy" else score.metric)
    return ", ".join(part for part in parts if part)


def task_results(
    models: Sequence[AskedModel], pair_accuracies: Mapping[str, float], metrics: TranslationMetrics
) -> TaskResults | None:
    """All results of the models that were asked; None where none was.

    pair_accuracies  by the name of a model, its accuracy on the release's pairs by the sum
    """
    if not models:
        return None
    headline = tuple(score for model in models for score in _headline(model, metrics))
    values: dict[str, dict[str, float]] = {model.label: {} for model in models}
    for score in headline:
        if score.metric in _MAIN:
            values[score.model][column_of(score)] = score.value
    for model in models:
        if model.run.model in pair_accuracies:
            values[model.label][PAIR_ACCURACY] = pair_accuracies[model.run.model]
    columns = [*dict.fromkeys(column_of(score) for score in headline if score.metric in _MAIN), PAIR_ACCURACY]
    return TaskResults(
        labels=tuple(model.label for model in models),
        runs=tuple(model.run for model in models),
        headline=headline,
        scores=tuple(score for model in models for score in _by_condition(model, metrics)),
        sizes=tuple(size for model in models for size in _sizes(model, metrics)),
        outcomes=tuple(row for model in models for row in _outcomes(model)),
        places=tuple(place_shares(models)),
        measures=tuple(row for model in models for row in _measures(model)),
        correlations=correlate(columns, values),
    )


def _headline(model: AskedModel, metrics: TranslationMetrics) -> Iterator[TaskScore]:
    for (task, condition), rows in pooled(model.rows).items():
        yield from task_scores(Cell(model=model.label, task=task, condition=condition), rows, metrics)


def _grouped(rows: Iterable[AnsweredItem]) -> dict[tuple[TaskName, str], list[AnsweredItem]]:
    """Rows by task and condition, in order."""
    groups: dict[tuple[TaskName, str], list[AnsweredItem]] = defaultdict(list)
    for row in rows:
        groups[row.item.task, row.item.condition].append(row)
    tasks = list(dict.fromkeys(task for task, _ in groups))
    return {key: groups[key] for key in sorted(groups, key=lambda key: (tasks.index(key[0]), size_of(key[1]), key[1]))}


def _by_condition(model: AskedModel, metrics: TranslationMetrics) -> Iterator[TaskScore]:
    for (task, condition), rows in _grouped(model.rows).items():
        yield from task_scores(Cell(model=model.label, task=task, condition=condition), rows, metrics)


def _sizes(model: AskedModel, metrics: TranslationMetrics) -> Iterator[SizeScore]:
    """The accuracies by size, of tasks that were asked in several."""
    groups: dict[TaskName, dict[tuple[int, ...], list[AnsweredItem]]] = defaultdict(lambda: defaultdict(list))
    for row in model.rows:
        if size := size_of(row.item.condition):
            groups[row.item.task][size].append(row)
    for task, by_size in groups.items():
        for size in sorted(by_size) if len(by_size) > 1 else ():
            (*sentences, n_options) = size
            for score in task_scores(Cell(model=model.label, task=task), by_size[size], metrics):
                if score.metric == "accuracy":
                    yield SizeScore(n_sentences=sentences[0] if sentences else None, n_options=n_options, score=score)


def _outcomes(model: AskedModel) -> Iterator[TaskOutcomes]:
    by_task: dict[TaskName, list[AnsweredItem]] = defaultdict(list)
    for row in model.rows:
        by_task[row.item.task].append(row)
    for task, rows in by_task.items():
        responses = [row.response for row in rows]
        right = [r.response.outcome == "answered" and is_right(r.item, r.response.chosen) for r in rows]
        yield TaskOutcomes(
            model=model.label,
            task=task,
            n=len(rows),
            outcomes=dict(sorted(Counter(response.outcome for response in responses).items())),
            right_of_all=None if task == "translation" else sum(right) / len(rows),
            input_tokens=_total(response.input_tokens for response in responses),
            output_tokens=_total(response.output_tokens for response in responses),
            thinking_tokens=_total(response.thinking_tokens for response in responses),
            cost=_total(response.cost for response in responses),
            seconds=model.run.tasks[task].seconds if task in model.run.tasks else None,
        )


def _total(numbers: Iterable[float | None]) -> float | None:
    """The sum of the numbers that are there; None where none is."""
    given = [number for number in numbers if number is not None]
    return sum(given) if given else None


def _measures(model: AskedModel) -> Iterator[OptionMeasures]:
    """Options compared in four ways, where the model gave log-probabilities."""
    for (task, condition), rows in _grouped(model.rows).items():
        scored = [(row.item, row.response) for row in rows if row.response.scores]
        if not scored:
            continue
        is_calibrated = all(response.scores[0].free_logprob is not None for _, response in scored)
        shares = {
            measure.__name__: float(
                np.mean([is_right(item, choose(said.scores, said.denials, measure)) for item, said in scored])
            )
            for measure in (by_sum, per_token, per_character, *([calibrated] if is_calibrated else []))
        }
        named = {"model": model.label, "task": task, "condition": condition, "n": len(scored)}
        yield OptionMeasures.model_validate(named | shares)
