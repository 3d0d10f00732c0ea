"""Compares two reports: which models changed, on which pairs, and whether by more than chance."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pairwright.core.errors import ReleaseError
from pairwright.core.records import Record
from pairwright.core.store import read_record
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.analysis.tasks.results import column_of
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.render.page import SUMMARY
from pairwright.stats.paired import PairedTest, paired_test


class ModelChange(Record):
    """A model in two reports, on the pairs that it scored in both.

    n            the pairs
    test         the second report against the first: `only_a` pairs are right in the second alone. None without a pair,
                 and where it was scored under another conditioning or number format
    accuracies   in the first and in the second report; None without a pair
    changed      ids of the pairs with another verdict
    """

    label: str
    measure: Measure
    n: int
    test: PairedTest | None
    accuracies: tuple[float, float] | None
    changed: tuple[str, ...]


class TaskChange(Record):
    """A model's score on a task in two reports, in `values`, of `n` answers each.

    A report does not hold single answers, so no test is made. same_way: asked about the same release, by chat or by
    log-probabilities in both
    """

    label: str
    column: str
    values: tuple[float, float]
    n: tuple[int, int]
    same_way: bool


class ReportComparison(Record):
    """Two reports. `shared` counts the pairs that are in both releases, `only_first` those that only the first has."""

    releases: tuple[str, str]
    same_release: bool
    shared: int
    only_first: int
    only_second: int
    models: tuple[ModelChange, ...]
    tasks: tuple[TaskChange, ...]
    models_only_first: tuple[str, ...]
    models_only_second: tuple[str, ...]


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
    place = {pair_id: number for number, pair_id in enumerate(second.pair_ids)}
    shared = [(number, place[pair_id]) for number, pair_id in enumerate(first.pair_ids) if pair_id in place]
    later = {model.label: model for model in second.models}
    both = [(model, later[model.label]) for model in first.models if model.label in later]
    return ReportComparison(
        releases=tuple(f"{item.release} {item.version}".strip() for item in (first, second)),
        same_release=first.release_sha256 == second.release_sha256,
        shared=len(shared),
        only_first=len(first.pair_ids) - len(shared),
        only_second=len(second.pair_ids) - len(shared),
        models=tuple(
            _change(a, b, measure, first, shared) for a, b in both for measure in a.verdicts if measure in b.verdicts
        ),
        tasks=tuple(_task_changes(first, second)),
        models_only_first=tuple(model.label for model in first.models if model.label not in later),
        models_only_second=tuple(sorted(set(later) - {model.label for model in first.models})),
    )


def _task_changes(first: Summary, second: Summary) -> Iterator[TaskChange]:
    """The scores that stand in the first table on tasks of both reports."""
    if first.tasks is None or second.tasks is None:
        return
    policies = [
        {label: (run.release_sha256, run.policy, run.template) for label, run in zip(it.labels, it.runs, strict=True)}
        for it in (first.tasks, second.tasks)
    ]
    later = {(score.model, column_of(score)): score for score in second.tasks.headline}
    for score in first.tasks.headline:
        if (other := later.get((score.model, column := column_of(score)))) is not None:
            yield TaskChange(
                label=score.model,
                column=column,
                values=(score.value, other.value),
                n=(score.n, other.n),
                same_way=policies[0][score.model] == policies[1][score.model],
            )


def _change(
    a: ModelSummary, b: ModelSummary, measure: Measure, first: Summary, shared: Sequence[tuple[int, int]]
) -> ModelChange:
    letters = [
        (before, a.verdicts[measure][before], b.verdicts[measure][after])
        for before, after in shared
        if "-" not in (a.verdicts[measure][before], b.verdicts[measure][after])
    ]
    old, new = (np.array([entry[side] == "1" for entry in letters], dtype=bool) for side in (1, 2))
    clusters = [first.clusters[entry[0]] for entry in letters]
    comparable = (a.run.conditioning, a.run.model.dtype) == (b.run.conditioning, b.run.model.dtype)
    return ModelChange(
        label=a.label,
        measure=measure,
        n=len(letters),
        test=paired_test(new, old, np.array(clusters)) if letters and comparable else None,
        accuracies=(float(old.mean()), float(new.mean())) if letters else None,
        changed=tuple(first.pair_ids[place] for place, before, after in letters if before != after),
    )
