"""The responses of a model to a release, in `tasks/` beside its scores: task by task, each whole or not at all."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from pairwright.core.errors import StoreError
from pairwright.core.files import read_file
from pairwright.core.ids import file_sha256
from pairwright.core.records.items import Response, TaskName, TaskPart, TaskRun
from pairwright.core.store import read_jsonl, write_jsonl, write_text

FOLDER, RESPONSES, RUN = "tasks", "responses.jsonl", "tasks.json"


class TaskFolder:
    """Where the responses of a model go. What an earlier run of the same model and release left there is kept.

    plan     the record of the run, without tasks
    task_of  the task of each item of the release

    `replaces` says that responses to other items, or by another policy, are about to be lost.
    """

    def __init__(self, folder: Path, plan: TaskRun, task_of: Mapping[str, TaskName]) -> None:
        self._folder = folder
        self._task_of = task_of
        self._responses: dict[TaskName, list[Response]] = {}
        earlier = self._earlier()
        self.run = plan
        self.replaces = False
        if earlier is not None and _identity(earlier) == _identity(plan):
            for response in read_jsonl(folder / RESPONSES, Response):
                if task := task_of.get(response.item_id):
                    self._responses.setdefault(task, []).append(response)
            whole = {name: part for name, part in earlier.tasks.items() if len(self._of(name)) == part.n_responses}
            self.run = plan.model_copy(update={"tasks": whole})
        self.replaces = earlier is not None and self.run.tasks.keys() != earlier.tasks.keys()

    def finished(self, task: TaskName, key: str) -> TaskPart | None:
        """The part of a task that was asked before, where all that decides the responses is the same."""
        part = self.run.tasks.get(task)
        return part if part and part.key == key else None

    def keep(self, task: TaskName, part: TaskPart, responses: Sequence[Response]) -> None:
        """Writes the responses of a task beside those of the others: all of them sorted, then the record."""
        self._responses[task] = list(responses)
        tasks = self.run.tasks | {task: part}
        chosen = [response for name in tasks for response in self._of(name)]
        chosen.sort(key=lambda response: (response.item_id, response.draw))
        write_jsonl(self._folder / RESPONSES, chosen)
        sha256 = file_sha256(self._folder / RESPONSES)
        self.run = self.run.model_copy(update={"tasks": dict(sorted(tasks.items())), "responses_sha256": sha256})
        write_text(self._folder / RUN, self.run.model_dump_json(indent=2) + "\n")

    def _of(self, task: TaskName) -> Sequence[Response]:
        return self._responses.get(task, ())

    def _earlier(self) -> TaskRun | None:
        """The record of an earlier run; None where there is none, or one that a kill left between its two files."""
        if not (self._folder / RUN).is_file() or not (self._folder / RESPONSES).is_file():
            return None
        try:
            run = TaskRun.model_validate_json(read_file(self._folder / RUN, error=StoreError))
        except ValidationError:
            return None
        return run if run.responses_sha256 == file_sha256(self._folder / RESPONSES) else None


def _identity(run: TaskRun) -> tuple[object, ...]:
    return run.release_sha256, run.requested, run.policy, run.template
