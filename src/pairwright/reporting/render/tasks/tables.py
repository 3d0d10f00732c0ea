"""The tables of prompted tasks, from the summary; None where there is nothing to show. tables.toml has the columns."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from pairwright.records.items import TaskName, TaskPart, TaskRun
from pairwright.reporting.analysis.tasks.results import TaskResults, column_of
from pairwright.reporting.analysis.tasks.scores import TaskScore
from pairwright.reporting.render.tables import (
    CellFormat,
    ReportColumn,
    ReportTable,
    ValueWithDeviation,
    between,
    specified,
    table,
)

CHANCE = "Chance"
_POLICIES = {"chat": "words", "logprob": "log-probabilities", "trained": "a network that was trained"}


def models_by_tasks(tasks: TaskResults) -> ReportTable | None:
    """Models down and tasks across, values with their standard deviations, and a last row with chance."""
    scores = {(score.model, column_of(score)): score for score in tasks.headline}

    def column(name: str) -> ReportColumn[str]:
        own = [score for score in tasks.headline if column_of(score) == name]
        form: CellFormat = "number" if own[0].metric == "MCC" else "percent"
        return ReportColumn(name, lambda label: _cell(scores.get((label, name)), own, label), form)

    return table(
        "task-table",
        "Models and tasks",
        [*tasks.labels, CHANCE] if tasks.headline else [],
        ReportColumn[str]("Model", str),
        *map(column, tasks.columns),
        note="Percent; MCC is -1 to 1. ± is the standard deviation over draws of examples and seeds of items, where "
        "there are several. Accuracy asks for all right options and no other. Of several sizes, the smallest.",
    )


def _cell(score: TaskScore | None, column: Sequence[TaskScore], label: str) -> ValueWithDeviation | None:
    if label == CHANCE:
        known = [score.chance for score in column if score.chance is not None]
        return ValueWithDeviation(sum(known) / len(known), None) if known else None
    return ValueWithDeviation(score.value, score.sd) if score is not None else None


def scores(tasks: TaskResults) -> ReportTable | None:
    """Every score, a row each."""
    return specified(
        "task-scores", tasks.scores, value_with_interval=lambda score: between(score.value, score.interval)
    )


def sizes(tasks: TaskResults) -> ReportTable | None:
    """Accuracies by the number of options."""
    return specified("task-sizes", tasks.sizes)


def outcomes(tasks: TaskResults) -> ReportTable | None:
    """The shares of questions without an answer, by reason."""

    def share(name: Any) -> Any:
        return lambda item: item.outcomes.get(name, 0) / item.n

    names = ("answered", "refused", "unreadable", "cut", "failed")
    return specified("task-outcomes", tasks.outcomes, **{name: share(name) for name in names})


def cost(tasks: TaskResults) -> ReportTable | None:
    """Tokens, money and time."""
    return specified("task-cost", tasks.outcomes)


def places(tasks: TaskResults) -> ReportTable | None:
    """Shares of choices by place, a row a place."""
    rows = [
        SimpleNamespace(
            **shares.model_dump(include={"model", "task", "n", "expected", "p"}),
            n_options=shares.n_options,
            place=place + 1,
            chosen=chosen,
            right=right,
        )
        for shares in tasks.places
        for place, (chosen, right) in enumerate(zip(shares.chosen, shares.right, strict=True))
    ]
    return specified("task-places", rows)


def measures(tasks: TaskResults) -> ReportTable | None:
    """Options compared by the sum, per token and per character."""
    return specified("task-measures", tasks.measures)


def correlations(tasks: TaskResults) -> ReportTable | None:
    """Each couple of columns over models; None with too few models."""
    return specified(
        "between-tasks",
        tasks.correlations.pairs,
        n=lambda item: item.pearson.n if item.pearson else None,
    )


def runs(tasks: TaskResults) -> ReportTable | None:
    """How each task was put to each model."""
    rows = [
        SimpleNamespace(label=label, run=run, task=task, part=part)
        for label, run in zip(tasks.labels, tasks.runs, strict=True)
        for task, part in _parts(run)
    ]
    return specified(
        "task-runs",
        rows,
        policy=lambda row: "words" if row.task == "translation" else _POLICIES[row.run.policy],
        template=lambda row: "the server's" if row.run.policy == "chat" else "yes" if row.run.template else "no",
        prompt=lambda row: "; ".join(row.part.prompts),
    )


def _parts(run: TaskRun) -> Iterator[tuple[TaskName, TaskPart]]:
    yield from run.tasks.items()
