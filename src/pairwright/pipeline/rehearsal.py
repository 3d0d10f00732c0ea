"""A rehearsal of a build: the same steps on copies of the stage files, so that nothing in the workspace changes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pairwright.pipeline.context import Context
from pairwright.workspace import Workspace


class _Copy(Workspace):
    """A workspace whose stage files stand in another folder; all else is its own."""

    def __init__(self, root: Path, stages: Path) -> None:
        super().__init__(root)
        self._stages = stages

    def work(self, source_id: str) -> Path:
        return self._stages / source_id


@contextmanager
def rehearsed(context: Context, source_id: str) -> Iterator[Context]:
    """A context for rebuilding a source: silent, in this process, with copies of the stage files."""
    workspace = context.workspace
    with TemporaryDirectory(prefix="pairwright-") as folder:
        copy = _Copy(workspace.root, Path(folder))
        # Of other sources, the checks read what passed.
        for path in workspace.stage_files("checked"):
            if path.parent.name != source_id:
                copy.work(path.parent.name).mkdir()
                shutil.copyfile(path, copy.stage_file(path.parent.name, "checked"))
        if workspace.work(source_id).is_dir():
            shutil.copytree(workspace.work(source_id), copy.work(source_id))
        yield Context(copy)
