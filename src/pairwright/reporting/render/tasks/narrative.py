"""The results of prompted tasks in sentences, all of them from the numbers."""

from collections.abc import Iterator

from pairwright.reporting.analysis.tasks.correlations import FEWEST_MODELS
from pairwright.reporting.analysis.tasks.results import TaskResults

LEVEL = 0.05


def results(tasks: TaskResults) -> str:
    """How much was asked, and how much of it was answered."""
    n = sum(row.n for row in tasks.outcomes)
    answered = sum(row.outcomes.get("answered", 0) for row in tasks.outcomes)
    n_models, n_tasks = len(tasks.labels), len({row.task for row in tasks.outcomes})
    return (
        f"{n_models} {'model was' if n_models == 1 else 'models were'} asked {n:,} questions of {n_tasks} "
        f"{'task' if n_tasks == 1 else 'tasks'}, and {answered:,} were answered."
    )


def overall(tasks: TaskResults) -> Iterator[str]:
    """How to read the table, and which results may be chance."""
    yield (
        "Chance is the share of right answers where all answers that a question allows are as probable. A model that "
        "reads nothing, but answers as often with each letter or each number of letters as this one, comes to what "
        "stands under Shuffled."
    )
    within = [
        f"{score.model} on {score.task}{f', {score.condition}' if score.condition else ''}"
        for score in tasks.headline
        if score.metric in ("accuracy", "MCC")
        and score.chance is not None
        and score.interval is not None
        and score.interval.low <= score.chance <= score.interval.high
    ]
    if within:
        names = "; ".join(within[:6]) + (f"; and {len(within) - 6} more" if len(within) > 6 else "")
        yield f"Chance lies within the interval of {names}."


def answers(tasks: TaskResults) -> Iterator[str]:
    """Which models choose by place, and how much was not answered."""
    tested = [shares for shares in tasks.places if shares.p is not None]
    biased = [shares for shares in tested if shares.p is not None and shares.p * len(tested) < LEVEL]
    if tested:
        yield (
            f"In {len(biased)} of {len(tested)} tests, each of a model on a task with so many options, choices depend "
            "on the place of the option (Cochran's Q at the 5% level, by Bonferroni's adjustment)."
        )
    n = sum(row.n for row in tasks.outcomes)
    missing = n - sum(row.outcomes.get("answered", 0) for row in tasks.outcomes)
    if missing:
        yield f"{missing:,} of {n:,} questions have no answer that could be read; they are in no accuracy."


def correlations(tasks: TaskResults) -> str:
    """Over how many models tasks are correlated, or why they are not."""
    n_models = tasks.correlations.n_models
    if tasks.correlations.pairs:
        return f"Correlations are over up to {n_models} models that have a value in both columns."
    return (
        f"{n_models} {'model has' if n_models == 1 else 'models have'} values in two columns or more; a correlation "
        f"over fewer than {FEWEST_MODELS} models would rest on one or two of them, so none is given."
    )
