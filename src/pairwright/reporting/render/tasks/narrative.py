"""The results of prompted tasks in sentences, all of them from the numbers."""

from collections.abc import Iterator

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.tasks.results import TaskResults
from pairwright.stats.correlation import FEWEST_MODELS

ALPHA = 0.05
MOST_NAMED = 6


def results(tasks: TaskResults, words: Words) -> str:
    """How much was asked, and how much of it was answered."""
    n = sum(row.n for row in tasks.outcomes)
    answered = sum(row.outcomes.get("answered", 0) for row in tasks.outcomes)
    n_models, n_tasks = len(tasks.labels), len({row.task for row in tasks.outcomes})
    return words("text.asked", n_models=n_models, n=n, n_tasks=n_tasks, answered=answered)


def overall(tasks: TaskResults, words: Words) -> Iterator[str]:
    """How to read the table, and which results may be chance."""
    yield words("text.task_chance")
    within = [
        words("text.task_place", model=score.model, task=", ".join(filter(None, (score.task, score.condition))))
        for score in tasks.headline
        if score.metric in ("accuracy", "MCC")
        and score.chance is not None
        and score.interval is not None
        and score.interval.low <= score.chance <= score.interval.high
    ]
    if within:
        yield words("text.task_within", names=words.listed(within, MOST_NAMED))


def answers(tasks: TaskResults, words: Words) -> Iterator[str]:
    """Which models choose by place, and how much was not answered."""
    tested = [shares.p for shares in tasks.places if shares.p is not None]
    if tested:
        yield words("text.task_biased", n=sum(p * len(tested) < ALPHA for p in tested), of=len(tested))
    n = sum(row.n for row in tasks.outcomes)
    missing = n - sum(row.outcomes.get("answered", 0) for row in tasks.outcomes)
    if missing:
        yield words("text.task_missing", n=missing, of=n)


def correlations(tasks: TaskResults, words: Words) -> str:
    """Over how many models tasks are correlated, or why they are not."""
    if tasks.correlations.pairs:
        return words("text.task_correlated", n=tasks.correlations.n_models)
    return words("text.task_few", n=tasks.correlations.n_models, fewest=FEWEST_MODELS)
