"""What models answered to items: accuracies, coefficients and chrF++, and how sure they are.

A score is a row of a frame: a share, or MCC from -1 to 1, as `value` with its 95% interval, had other rules been drawn,
or other items where rules are few. `sd` is the standard deviation over `n_runs` draws of examples and seeds of items,
and `chance` the score where as many options as are right are drawn at random.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import comb
from string import ascii_uppercase
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from pairwright.core.records.items import Item, TaskName
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS, Row, ends
from pairwright.reporting.data import AnsweredItem, AskedModel
from pairwright.stats.bootstrap import (
    Floats,
    cluster_sums,
    confusion_cells,
    macro_f1,
    mcc,
    percentile_interval,
    resampled_sums,
    share_intervals,
)
from pairwright.stats.intervals import Interval, wilson

# Models times tasks times conditions are many; each resample of translations is computed in Python.
TASK_RESAMPLES, TRANSLATION_RESAMPLES = 2_000, 1_000
MAIN = ("accuracy", "MCC", "chrF++")
_OUTCOMES = ("answered", "refused", "unreadable", "cut", "failed")
Rows = Sequence[AnsweredItem]


def task_results(models: Sequence[AskedModel]) -> dict[str, DataFrame]:
    """The frames of the tasks that models were asked.

    task_headline  scores by model, task, condition and metric: of tasks in several sizes at the smallest, all kinds of
                   wrong options together; `column` is what a score is called where tasks stand side by side, with its
                   `way` where a model was asked other items or shots than most, so that only equal runs share a column.
                   `always` is the only answer that the model ever gave, if it was wrong at times
    task_scores    for each condition apart
    task_outcomes  what became of a task's `n` questions (shares), and what they took; tokens and cost are missing where
                   no server counted them. `right_of_all`: had every question without an answer been answered wrong
    """
    if not models:
        return {}
    headline = list(_headline(models))
    frames: dict[str, Iterable[Row]] = {
        "task_headline": headline,
        "task_scores": (row for model in models for row in _scores(model, _by_condition(model.rows))),
        "task_outcomes": (row for model in models for row in _outcomes(model)),
    }
    return {name: DataFrame(list(rows)) for name, rows in frames.items()}


def _headline(models: Sequence[AskedModel]) -> Iterator[Row]:
    columns = [(model, pooled(model.rows)) for model in models]
    asked: dict[tuple[TaskName, str], list[tuple[frozenset[str], int]]] = defaultdict(list)
    for model, groups in columns:
        for key, rows in groups.items():
            asked[key].append(_asked(model, rows))
    usual = {key: max(own, key=lambda one: (own.count(one), len(one[0]), one[1])) for key, own in asked.items()}
    for model, groups in columns:
        for row in _scores(model, groups):
            rows = groups[row["task"], row["condition"]]
            (items, shots), (most_items, most_shots) = _asked(model, rows), usual[row["task"], row["condition"]]
            marks = [f"items={len(items)}"] * (items != most_items) + [f"shots={shots}"] * (shots != most_shots)
            metric = "" if row["metric"] == "accuracy" else row["metric"]
            parts = (row["task"], row["condition"], metric, *marks)
            yield row | {"column": ", ".join(filter(None, parts)), "way": " ".join(marks), "always": _always(rows)}


def _asked(model: AskedModel, rows: Rows) -> tuple[frozenset[str], int]:
    """The items that a model was asked, and how many examples stood before each."""
    part = model.run.tasks.get(rows[0].item.task)
    return frozenset(row.item.id for row in rows), part.shots if part else 0


def _always(rows: Rows) -> str | None:
    """The letters, or the label, of the only answer that a model ever gave; None where that was always right."""
    rows = [row for row in rows if row.response.outcome == "answered" and row.item.options]
    answers = {_places(row, row.response.chosen) for row in rows}
    if len(answers) != 1 or all(is_right(row.item, row.response.chosen) for row in rows):
        return None
    (answer,) = answers
    return ", ".join(sorted(it if isinstance(it, str) else ascii_uppercase[it] for it in answer)) or "-"


def _scores(model: AskedModel, groups: Mapping[tuple[TaskName, str], Rows]) -> Iterator[Row]:
    for (task, condition), rows in groups.items():
        for score in task_scores(task, rows):
            yield {"model": model.label, "task": task, "condition": condition, **score}


def pooled(rows: Iterable[AnsweredItem]) -> dict[tuple[TaskName, str], list[AnsweredItem]]:
    """The rows of each column of the first table: of tasks in several sizes those of the smallest, all kinds together.

    The kinds of wrong options count together; with and without the rule, or a direction of translation, stand apart.
    """
    rows = list(rows)
    smallest: dict[TaskName, tuple[int, ...]] = {}
    for row in rows:
        size = size_of(row.item.condition)
        smallest[row.item.task] = min(smallest.get(row.item.task, size), size)
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


def _by_condition(rows: Rows) -> dict[tuple[TaskName, str], list[AnsweredItem]]:
    """Rows by task and condition, in order."""
    groups: dict[tuple[TaskName, str], list[AnsweredItem]] = defaultdict(list)
    for row in rows:
        groups[row.item.task, row.item.condition].append(row)
    tasks = list(dict.fromkeys(task for task, _ in groups))
    return {key: groups[key] for key in sorted(groups, key=lambda key: (tasks.index(key[0]), size_of(key[1]), key[1]))}


# Scores


def task_scores(task: TaskName, rows: Rows) -> Iterator[Row]:
    """The scores of the answered rows of a task, by all its metrics; nothing without an answer."""
    rows = [row for row in rows if row.response.outcome == "answered"]
    if not rows:
        return
    if task == "translation":
        if rows := [row for row in rows if row.item.reference is not None]:
            yield _chrf(rows)
    elif task == "acceptability":
        yield from _coefficients(rows)
    else:
        yield answered_accuracy(rows)


def _chrf(rows: Rows) -> Row:
    """chrF++ of the whole corpus, with the interval of the bootstrap over clusters.

    Source: Popović (2017), chrF++: words helping character n-grams, WMT 2017, 612-618; Post (2018), A Call for Clarity
    in Reporting BLEU Scores, WMT 2018, 186-191 (sacrebleu, whose own bootstrap adds up the same rows).
    """
    from sacrebleu.metrics.chrf import CHRF

    metric: Any = CHRF(word_order=2)
    ours, theirs = [row.response.raw.strip() for row in rows], [row.item.reference or "" for row in rows]
    statistics = np.array(metric._extract_corpus_statistics(ours, [theirs]), dtype=np.float64)
    sums = cluster_sums(statistics, clusters_of(rows))

    def score(own: Floats) -> float:
        return float(metric._compute_score_from_stats([int(number) for number in own]).score) / 100

    drawn = np.array([score(own) for own in resampled_sums(sums, n_resamples=TRANSLATION_RESAMPLES)])
    interval = percentile_interval(drawn, len(sums))
    by_run = [score(statistics[run].sum(axis=0)) for run in _runs(rows)]
    return _score("chrF++", rows, score(statistics.sum(axis=0)), interval, by_run, None)


def clusters_of(rows: Rows) -> NDArray[np.str_]:
    """The rule of each row, the first of its item's; the items themselves where there are too few rules."""
    rules = np.array([row.item.rule_ids[0] if row.item.rule_ids else row.item.id for row in rows])
    return rules if len(np.unique(rules)) >= FEWEST_CLUSTERS else np.array([row.item.id for row in rows])


def _runs(rows: Rows) -> list[list[int]]:
    """The places of the rows of each seed of items and draw of examples."""
    runs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        runs[row.item.seed, row.response.draw].append(index)
    return [runs[key] for key in sorted(runs)]


def _score(
    metric: str,
    rows: Rows,
    value: float,
    interval: Interval | None,
    by_run: Sequence[float] | Floats,
    chance: float | None,
) -> Row:
    sd = float(np.std(by_run, ddof=1)) if len(by_run) > 1 else None
    numbers = {"metric": metric, "n": len(rows), "value": float(value), **ends("value", interval), "sd": sd}
    return {**numbers, "n_runs": len(by_run), "chance": chance}


def answered_accuracy(rows: Rows) -> Row:
    """The accuracy on rows, all of which have an answer, with its interval and its deviation over runs.

    Wilson's interval where the rows are few and independent.
    """
    hits = np.array([(is_right(row.item, row.response.chosen), 1) for row in rows])
    # Networks and draws of examples answer an item again: it counts once in all.
    sums = cluster_sums(hits, clusters_of(rows)) * len({row.item.id for row in rows}) / len(rows)
    (interval,) = share_intervals(sums[:, :1], sums[:, 1:])
    if len(sums) < FEWEST_CLUSTERS:
        interval = wilson(*sums.sum(axis=0).tolist())
    value, *by_run = (float(np.divide(*hits[own].sum(axis=0))) for own in ([*range(len(rows))], *_runs(rows)))
    return _score("accuracy", rows, value, interval, by_run, float(np.mean([chance(row.item) for row in rows])))


def _coefficients(rows: Rows) -> Iterator[Row]:
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
    shape = (-1, len(runs), n_labels, n_labels)
    counts = sums.sum(axis=0).reshape(shape)[0]
    resampled = resampled_sums(sums, n_resamples=TASK_RESAMPLES).reshape(shape)
    given = counts.sum(axis=-1)[..., None]
    # Answers that name each label as often.
    guessed = np.repeat(given, n_labels, axis=-1) / n_labels
    coefficients: tuple[tuple[str, Callable[[NDArray[Any]], Floats]], ...] = (("MCC", mcc), ("macro-F1", macro_f1))
    for metric, coefficient in coefficients:
        by_run = coefficient(counts)
        interval = percentile_interval(coefficient(resampled).mean(axis=1), len(sums))
        yield _score(metric, rows, by_run.mean(), interval, by_run, float(coefficient(guessed).mean()))


# Answers


def is_right(item: Item, chosen: Sequence[int]) -> bool:
    """Whether exactly the right options are chosen; those of which nothing is known count for nothing."""
    return set(chosen) - set(item.unknown) == set(item.answers)


def chance(item: Item) -> float:
    """How probable it is to answer right without reading: by as many options as are right, drawn at random."""
    return 1 / comb(len(item.options), len(item.answers))


def _places(row: AnsweredItem, indices: Iterable[int]) -> frozenset[int | str]:
    """Options by the places in which a model saw them, or those in the item; by their words where these are labels."""
    shown, options = row.response.shown, row.item.options
    if row.item.is_labelled:
        return frozenset(options[index].text for index in indices)
    return frozenset(shown.index(index) if shown else index for index in indices)


def _outcomes(model: AskedModel) -> Iterator[Row]:
    by_task: dict[TaskName, list[AnsweredItem]] = defaultdict(list)
    for row in model.rows:
        by_task[row.item.task].append(row)
    for task, rows in by_task.items():
        right = [r.response.outcome == "answered" and is_right(r.item, r.response.chosen) for r in rows]
        counts = Counter[str](row.response.outcome for row in rows)
        taken = {}
        for name in ("input_tokens", "output_tokens", "thinking_tokens", "cost"):
            given = [number for row in rows if (number := getattr(row.response, name)) is not None]
            taken[name] = sum(given) if given else None
        yield {
            "model": model.label,
            "task": task,
            "n": len(rows),
            "n_answered": counts["answered"],
            **{name: counts[name] / len(rows) for name in _OUTCOMES},
            "right_of_all": None if task == "translation" else sum(right) / len(rows),
            **taken,
            "seconds": model.run.tasks[task].seconds if task in model.run.tasks else None,
        }
