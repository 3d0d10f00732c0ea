"""Reads and checks what models answered to a release's items. What can't be used is named, never silently dropped."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pairwright.core.errors import StoreError
from pairwright.core.ids import file_sha256
from pairwright.core.records.items import Item, Response, TaskName, TaskRun
from pairwright.core.records.release import Release
from pairwright.core.store import read_jsonl, read_record
from pairwright.reporting.data.evaluations import ReportFault

RUN, RESPONSES = "tasks.json", "responses.jsonl"
_TASKS = get_args(TaskName)


class TaskAnswers(NamedTuple):
    """How a model was asked, and its responses."""

    run: TaskRun
    responses: tuple[Response, ...]


class AskedTasks(NamedTuple):
    """The items of a release by id, and the answers of each model that was asked."""

    items: Mapping[str, Item]
    answers: Sequence[TaskAnswers]


class AnsweredItem(NamedTuple):
    """An item with a model's response to it."""

    item: Item
    response: Response


class AskedModel(NamedTuple):
    """A model with its label in the report and all its responses to items of the release, answered or not.

    rows  by task, in the order in which they are documented, and by condition
    """

    label: str
    run: TaskRun
    rows: tuple[AnsweredItem, ...]


def read_responses(folder: Path) -> TaskAnswers:
    """What a model answered, from the `tasks` folder of its evaluation.

    Raises StoreError where a file is missing, not as it was written, or not what its run recorded.
    """
    path = folder / RUN
    run = read_record(path, TaskRun, "the record of a run of tasks", "ask the model again")
    responses = folder / RESPONSES
    if file_sha256(responses, StoreError) != run.responses_sha256:
        raise StoreError(f"{responses}: changed since {run.model} was asked; ask the model again")
    return TaskAnswers(run, tuple(read_jsonl(responses, Response)))


def check_answers(release: Release, tasks: AskedTasks) -> tuple[list[AskedModel], list[ReportFault]]:
    """The models that were asked, by label, and what is wrong with their answers.

    Answers to another release are left out, and responses to items that the release lacks; both are named.
    """
    models: list[AskedModel] = []
    faults: list[ReportFault] = []
    for label, answers in zip(_labels([answers.run for answers in tasks.answers]), tasks.answers, strict=True):
        run, responses = answers
        if run.release_sha256 != release.sha256:
            reason = (
                f"was asked about {run.release} ({run.release_sha256[:12]}), not about {release.name} "
                f"{release.version} ({release.sha256[:12]}); ask it about this release"
            )
            faults.append(ReportFault(kind="other-release", subject=label, values={"reason": reason}))
            continue
        rows = tuple(
            sorted(
                (AnsweredItem(tasks.items[it.item_id], it) for it in responses if it.item_id in tasks.items),
                key=lambda row: (_TASKS.index(row.item.task), row.item.condition),
            )
        )
        models.append(AskedModel(label, run, rows))
        if unknown := tuple(dict.fromkeys(it.item_id for it in responses if it.item_id not in tasks.items)):
            values: dict[str, Any] = {"n": len(unknown), "labels": unknown}
            faults.append(ReportFault(kind="other-items", subject=label, values=values))
        if failed := [row for row in rows if row.response.outcome == "failed"]:
            values = {"n": len(failed), "of": len(rows), "labels": tuple(row.item.id for row in failed)}
            values["reason"] = failed[0].response.reason
            faults.append(ReportFault(kind="not-answered", subject=label, values=values))
    return sorted(models, key=lambda model: model.label.lower()), faults


def _labels(runs: Sequence[TaskRun]) -> list[str]:
    """A label a run: the model's name, with what the user asked for where two share the name, and then a number."""
    names = Counter(run.model for run in runs)
    labels = [run.model if names[run.model] == 1 else f"{run.model} ({run.requested})" for run in runs]
    seen: Counter[str] = Counter()
    for index, label in enumerate(labels):
        seen[label] += 1
        labels[index] = label if seen[label] == 1 else f"{label} {seen[label]}"
    return labels
