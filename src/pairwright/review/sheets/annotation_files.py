"""What Label Studio and Argilla export, read as the rows of a sheet.

Formats: Label Studio's JSON (not JSON-MIN), labelstud.io/guide/task_format, as label-studio-sdk 2.1 reads it; records
of Argilla 2.8, as `dataset.records.to_json` writes them. An answer is known by the name of its control or question.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pairwright.core.errors import ReviewError

Row = tuple[int, tuple[str, ...]]
"""The number of a task or record, from 1, and its cells."""

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


class _Response(BaseModel):
    value: Any
    user_id: str


class _Record(BaseModel):
    fields: dict[str, Any]
    metadata: dict[str, Any] = {}
    responses: dict[str, list[_Response]]


_TASKS, _RECORDS = TypeAdapter(list[_Task]), TypeAdapter(list[_Record])


def annotation_rows(path: Path, data: bytes) -> list[Row]:
    """The answers of a file, a row for each annotator of a task, below a row of field names.

    Skipped tasks and those without an answer give no row; controls that are not the queue's give columns of their own.
    Raises ReviewError if the file is neither tool's, or nobody has answered in it.
    """
    for read in (_label_studio, _argilla):
        try:
            rows = list(read(data))
        except ValidationError:
            continue
        if not rows:
            raise ReviewError(f"{path}: no answer in it; export the tasks that are finished")
        names = dict.fromkeys(name for _, cells in rows for name in cells)
        header = [*(name for name in _SHOWN if name in names), *_WRITTEN]
        header += [name for name in names if name not in header]
        return [
            (0, tuple(header)),
            *((number, tuple(cells.get(name, "") for name in header)) for number, cells in rows),
        ]
    raise ReviewError(
        f"{path}: neither tasks of Label Studio with their annotations nor records of Argilla; export them as JSON"
    )


def _label_studio(data: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    for number, task in enumerate(_TASKS.validate_json(data), start=1):
        for annotation in task.annotations:
            if annotation.result and not annotation.was_cancelled:
                answers: dict[str, list[str]] = defaultdict(list)
                for result in annotation.result:
                    answers[result.from_name] += _texts(list(result.value.values()))
                yield number, _cells(task.data, answers)


def _argilla(data: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    for number, record in enumerate(_RECORDS.validate_json(data), start=1):
        by_user: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for question, responses in record.responses.items():
            for response in responses:
                by_user[response.user_id][question] = _texts(response.value)
        for answers in by_user.values():
            yield number, _cells(record.fields | record.metadata, answers)


def _cells(shown: dict[str, Any], answers: dict[str, list[str]]) -> dict[str, str]:
    cells = {name: " ".join(_texts(shown[name])) for name in _SHOWN if name in shown}
    return cells | {name: " ".join(texts) for name, texts in answers.items() if name not in _SHOWN}


def _texts(value: Any) -> list[str]:
    """A text or a number as it is, the parts of a list one by one; what else a tool may give as it is written."""
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [] if value is None else [str(value)]
