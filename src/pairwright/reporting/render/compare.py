"""Compares two reports: which models changed, on which pairs, and whether by more than chance."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pandas import DataFrame

from pairwright.core.errors import ReleaseError
from pairwright.core.store import read_record
from pairwright.reporting.analysis.comparisons import tested
from pairwright.reporting.analysis.groups import Row
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.render.page import SUMMARY
from pairwright.stats.paired import paired_test


class ReportComparison(NamedTuple):
    """Two reports. `shared` counts the pairs that are in both releases, `only_first` those that only the first has.

    models  by model and measure, on the `n` pairs that it scored in both reports: the accuracies `before` and `after`,
            the ids of pairs with another verdict (`changed`), and the test of the second against the first: `only_a`
            pairs are right in the second alone. No test without a pair, and where the model was scored under another
            conditioning or number format (`tested`)
    tasks   by model and column, on tasks of both: the scores, of `n_before` and `n_after` answers. A report does not
            hold single answers, so no test is made; `same_way`: asked about the same release, by chat or by
            log-probabilities in both
    """

    shared: int
    only_first: int
    only_second: int
    models: DataFrame
    tasks: DataFrame


def read_summary(report: Path) -> Summary:
    """The numbers of a report, from its folder or the one that `score` wrote, its page or its summary.json.

    Raises ReleaseError.
    """
    folder = report if report.is_dir() else report.parent
    path = next((own for own in (folder / SUMMARY, folder / "report" / SUMMARY) if own.is_file()), folder / SUMMARY)
    if not path.exists():
        raise ReleaseError(f"{report}: no report there; give the folder of a report, with its {SUMMARY}")
    remedy = "write it again with pairwright evaluate RELEASE --report-only"
    return read_record(path, Summary, "the numbers of a report", remedy, ReleaseError)


def compare_reports(first: Summary, second: Summary) -> ReportComparison:
    """What changed from the first report to the second, on the pairs that both releases hold."""
    ids = [list(summary["pairs"]["pair_id"]) for summary in (first, second)]
    place = {pair_id: number for number, pair_id in enumerate(ids[1])}
    shared = [(number, place[pair_id]) for number, pair_id in enumerate(ids[0]) if pair_id in place]
    return ReportComparison(
        shared=len(shared),
        only_first=len(ids[0]) - len(shared),
        only_second=len(ids[1]) - len(shared),
        models=DataFrame(list(_changes(first, second, np.array(shared, dtype=np.intp).reshape(-1, 2)))),
        tasks=DataFrame(list(_task_changes(first, second))),
    )


def _changes(first: Summary, second: Summary, shared: np.ndarray) -> Iterator[Row]:
    for label, measure in ((label, measure) for label, own in first.verdicts.items() for measure in own):
        if measure not in second.verdicts.get(label, {}):
            continue
        before, after = (
            np.array(list(it.verdicts[label][measure]))[shared[:, side]] for side, it in enumerate((first, second))
        )
        both = (before != "-") & (after != "-")
        old, new, rows = before[both] == "1", after[both] == "1", shared[both, 0]
        a, b = first.runs[label], second.runs[label]
        same_way = (a.conditioning, a.model.dtype) == (b.conditioning, b.model.dtype)
        row: Row = {"model": label, "measure": measure, "n": len(rows), "tested": same_way and len(rows) > 0}
        row["changed"] = list(first["pairs"]["pair_id"].iloc[rows[old != new]])
        if len(rows):
            row |= {"before": float(old.mean()), "after": float(new.mean())}
        if row["tested"]:
            row |= tested(paired_test(new, old, first["pairs"]["cluster"].to_numpy()[rows]))
        yield row


def _task_changes(first: Summary, second: Summary) -> Iterator[Row]:
    """The scores that stand in the first table on tasks of both reports."""
    later = {(row["model"], row["column"]): row for row in second.rows("task_headline")}
    for row in first.rows("task_headline"):
        if other := later.get((row["model"], row["column"])):
            a, b = (it.task_runs[row["model"]] for it in (first, second))
            same_way = (a.release_sha256, a.policy, a.template) == (b.release_sha256, b.policy, b.template)
            named = {"model": row["model"], "column": row["column"], "same_way": same_way}
            yield {
                **named,
                "before": row["value"],
                "after": other["value"],
                "n_before": row["n"],
                "n_after": other["n"],
            }
