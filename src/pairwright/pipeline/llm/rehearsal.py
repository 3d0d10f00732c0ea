"""A rehearsal of a build: the same steps on copies of their files, so that nothing in the workspace changes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context


class _Copy(Workspace):
    """A workspace whose stage files and logs of review stand in another folder; all else is its own."""

    def __init__(self, root: Path, folder: Path) -> None:
        super().__init__(root)
        self._folder = folder

    @property
    def annotations(self) -> Path:
        return self._folder / "annotations"

    def work(self, source_id: str) -> Path:
        return self._folder / "work" / source_id


@contextmanager
def rehearsed(context: Context, source_id: str) -> Iterator[Context]:
    """A context for rebuilding a source: silent, in this process, with copies of what the steps write."""
    workspace = context.workspace
    with TemporaryDirectory(prefix="pairwright-") as folder:
        copy = _Copy(workspace.root, Path(folder))
        # Of other sources, the checks read what passed.
        for path in workspace.stage_files("checked"):
            if path.parent.name != source_id:
                copy.work(path.parent.name).mkdir(parents=True)
                shutil.copyfile(path, copy.stage_file(path.parent.name, "checked"))
        if workspace.work(source_id).is_dir():
            shutil.copytree(workspace.work(source_id), copy.work(source_id))
        for path in workspace.annotations.glob("*/*.json*"):
            (copy.annotations / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy.annotations / path.parent.name / path.name)
        yield Context(copy, extras=context.extras)
