"""The tables of prompted tasks, from the summary; None where there is nothing to show. tables.toml has the columns."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from pairwright.languages.locale import CellFormat, Words
from pairwright.reporting.analysis.tasks.results import TaskResults, column_of
from pairwright.reporting.analysis.tasks.scores import TaskScore
from pairwright.reporting.render.tables.columns import (
    ReportColumn,
    ReportTable,
    ValueWithDeviation,
    between,
    specified,
    table,
)


def models_by_tasks(tasks: TaskResults, words: Words) -> ReportTable | None:
    """Models down and tasks across, values with their standard deviations, and a last row with chance."""
    scores = {(score.model, column_of(score)): score for score in tasks.headline}

    def column(name: str) -> ReportColumn[str]:
        own = [score for score in tasks.headline if column_of(score) == name]
        form: CellFormat = "number" if own[0].metric == "MCC" else "percent"
        return ReportColumn(name, lambda label: _cell(scores.get((label, name)), own, label == chance), form)

    chance = words("columns.chance")
    return table(
        "task-table",
        words("tables.task-table.title"),
        [*tasks.labels, chance] if tasks.headline else [],
        ReportColumn[str](words("columns.model"), str),
        *map(column, tasks.columns),
        note=words("tables.task-table.note"),
    )


def _cell(score: TaskScore | None, column: Sequence[TaskScore], is_chance: bool) -> ValueWithDeviation | None:
    if is_chance:
        known = [score.chance for score in column if score.chance is not None]
        return ValueWithDeviation(sum(known) / len(known), None) if known else None
    return ValueWithDeviation(score.value, score.sd) if score is not None else None


def scores(tasks: TaskResults, words: Words) -> ReportTable | None:
    """Every score, a row each."""
    return specified(
        words, "task-scores", tasks.scores, value_with_interval=lambda score: between(score.value, score.interval)
    )


def outcomes(tasks: TaskResults, words: Words) -> ReportTable | None:
    """The shares of questions without an answer, by reason."""

    def share(name: Any) -> Any:
        return lambda item: item.outcomes.get(name, 0) / item.n

    names = ("answered", "refused", "unreadable", "cut", "failed")
    return specified(words, "task-outcomes", tasks.outcomes, **{name: share(name) for name in names})


def places(tasks: TaskResults, words: Words) -> ReportTable | None:
    """Shares of choices by place, a row a place."""
    rows = [
        SimpleNamespace(
            **shares.model_dump(include={"model", "task", "n", "expected", "p"}),
            n_options=shares.n_options,
            place=index + 1,
            chosen=chosen,
            right=right,
        )
        for shares in tasks.places
        for index, (chosen, right) in enumerate(zip(shares.chosen, shares.right, strict=True))
    ]
    return specified(words, "task-places", rows)


def correlations(tasks: TaskResults, words: Words) -> ReportTable | None:
    """Each couple of columns over models; None with too few models."""
    return specified(
        words,
        "between-tasks",
        tasks.correlations.pairs,
        n=lambda item: item.pearson.n if item.pearson else None,
    )


def runs(tasks: TaskResults, words: Words) -> ReportTable | None:
    """How each task was put to each model."""
    rows = [
        SimpleNamespace(label=label, run=run, task=task, part=part)
        for label, run in zip(tasks.labels, tasks.runs, strict=True)
        for task, part in run.tasks.items()
    ]
    return specified(
        words,
        "task-runs",
        rows,
        policy=lambda row: "chat" if row.task == "translation" else row.run.policy,
        template=lambda row: words(
            f"cells.{'server' if row.run.policy == 'chat' else 'yes' if row.run.template else 'no'}"
        ),
        prompt=lambda row: "; ".join(row.part.prompts),
    )
