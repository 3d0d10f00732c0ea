"""What Label Studio exports, read as the rows of a sheet: its JSON, not JSON-MIN (labelstud.io/guide/task_format)."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pairwright.core.errors import ReviewError

Row = tuple[int, tuple[str, ...]]
"""The number of a task, from 1, and its cells."""

# What identifies a row, and what reviewers write, in queues of all kinds.
_SHOWN = ("pair_id", "item_id", "reviewer", "good", "bad", "sentence_a", "sentence_b", "sentence")
_WRITTEN = ("decision", "fixed_good", "fixed_bad", "choice", "rating", "comment")


class _Result(BaseModel):
    from_name: str = ""
    value: dict[str, Any] = {}


class _Annotation(BaseModel):
    result: list[_Result] = []
    was_cancelled: bool = False


class _Task(BaseModel):
    data: dict[str, Any]
    annotations: list[_Annotation]


_TASKS = TypeAdapter(list[_Task])


def annotation_rows(path: Path, data: bytes) -> list[Row]:
    """The answers of a file, a row for each annotator of a task, below a row of field names.

    An answer is known by the name of its control. Skipped tasks and those without an answer give no row; controls that
    are not the queue's give columns of their own. Raises ReviewError if these are no tasks, or nobody has answered.
    """
    try:
        tasks = _TASKS.validate_json(data)
    except ValidationError:
        raise ReviewError(f"{path}: not tasks of Label Studio with their annotations; export them as JSON") from None
    rows: list[tuple[int, dict[str, str]]] = []
    for number, task in enumerate(tasks, start=1):
        shown = {name: " ".join(_texts(task.data[name])) for name in _SHOWN if name in task.data}
        for annotation in task.annotations:
            if annotation.result and not annotation.was_cancelled:
                answers: dict[str, list[str]] = defaultdict(list)
                for result in annotation.result:
                    answers[result.from_name] += _texts(list(result.value.values()))
                written = {name: " ".join(texts) for name, texts in answers.items() if name not in _SHOWN}
                rows.append((number, shown | written))
    if not rows:
        raise ReviewError(f"{path}: no answer in it; export the tasks that are finished")
    names = dict.fromkeys(name for _, cells in rows for name in cells)
    header = tuple(dict.fromkeys([*(name for name in _SHOWN if name in names), *_WRITTEN, *names]))
    return [(0, header), *((number, tuple(cells.get(name, "") for name in header)) for number, cells in rows)]


def _texts(value: Any) -> list[str]:
    """A text or a number as it is, the parts of a list one by one; what else there may be as it is written."""
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [] if value is None else [str(value)]
