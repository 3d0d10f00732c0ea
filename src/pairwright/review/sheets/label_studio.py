"""What Label Studio exports, read as the rows of a sheet: its JSON, not JSON-MIN (labelstud.io/guide/task_format)."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from pairwright.core.errors import ReviewError

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


def annotation_rows(path: Path, data: bytes) -> list[tuple[int, tuple[str, ...]]]:
    """The number of a task and its cells, for each annotator of it, below a row of field names.

    An answer is known by the name of its control; controls that are not the queue's are passed over, and so are skipped
    tasks. Raises ReviewError if these are no tasks, or nobody has answered.
    """
    try:
        tasks = _TASKS.validate_json(data)
    except ValidationError:
        raise ReviewError(f"{path}: not tasks of Label Studio with their annotations; export them as JSON") from None
    rows: list[tuple[int, dict[str, str]]] = []
    for number, task in enumerate(tasks, start=1):
        shown = {name: str(text) for name, text in task.data.items() if name in _SHOWN}
        for annotation in task.annotations:
            written: dict[str, list[str]] = defaultdict(list)
            for result in annotation.result:
                for value in result.value.values() if result.from_name in _WRITTEN else ():
                    written[result.from_name] += map(str, value if isinstance(value, list) else [value])
            if written and not annotation.was_cancelled:
                rows.append((number, shown | {name: " ".join(texts) for name, texts in written.items()}))
    if not rows:
        raise ReviewError(f"{path}: no answer in it; export the tasks that are finished")
    fields = [*(name for name in _SHOWN if any(name in cells for _, cells in rows)), *_WRITTEN]
    return [(0, tuple(fields)), *((number, tuple(cells.get(name, "") for name in fields)) for number, cells in rows)]
