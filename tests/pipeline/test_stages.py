"""Whatever file of the workspace a stage reads decides whether it is fresh."""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from pairwright.cli import EXTRAS
from pairwright.core.store import run_stage
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context, Direct
from pairwright.pipeline.review import build

ROOT = Path(__file__).parents[2]
SOURCES = ("lt-sample", "lt-sample-grammar", "lt-sample-treebank")
# By the folder of a file of the workspace: the inputs that hold what it says.
HELD_BY = {
    "languages": {"language", "prose"},
    "contrasts": {"contrasts"},
    "tagsets": {"glosses"},
    "notations": {"notations"},
}
_opened: list[Path] | None = None


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _opened is not None and isinstance(arguments[0], str | Path):
        _opened.append(Path(arguments[0]))


class Watching(Direct):
    """Keeps which files of a workspace each stage reads that it doesn't name as an input."""

    def __init__(self, root: Path) -> None:
        self.root, self.forgotten, self.ran = root, list[str](), set[str]()

    def call(self, name: str, part: Any, /, *args: Any, **kwargs: Any) -> Any:
        global _opened
        if part is not run_stage:
            return part(*args, **kwargs)
        work, stage, inputs = args[:3]
        given = {each.name for each in inputs}
        _opened = []
        run = part(*args, **kwargs)
        read, _opened = set(_opened), None
        self.ran.add(stage.name)
        for path in (path for path in read if path.is_relative_to(self.root)):
            folder, name = path.relative_to(self.root).parts[0], path.name.replace(".manifest.json", ".jsonl")
            own = path.parent == work and name.startswith((f"{stage.name}.", f".{stage.name}."))
            of_source = path.parent.parent == self.root / "sources" and (name in given or "conventions" in given)
            cached = "cache" in path.parts
            if not (own or cached or of_source or name in given or HELD_BY.get(folder, set()) & given):
                self.forgotten.append(f"{stage.name}: {path.relative_to(self.root)}")
        return run


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace with sources of each kind and with files of its own in place of all that are shipped."""
    for folder in ("sources", "annotations"):
        for source in SOURCES:
            if (ROOT / folder / source).is_dir():
                shutil.copytree(ROOT / folder / source, tmp_path / folder / source)
    for folder in HELD_BY:
        shipped = [path for path in (ROOT / folder, ROOT / "src" / "pairwright" / folder) if path.is_dir()]
        for path in (path for place in shipped for path in place.glob("*.toml")):
            (tmp_path / folder).mkdir(exist_ok=True)
            shutil.copy(path, tmp_path / folder)
    return Workspace(tmp_path)


def test_no_stage_reads_a_file_that_does_not_decide_its_freshness(workspace: Workspace) -> None:
    sys.addaudithook(_note)
    watching = Watching(workspace.root)
    for source in SOURCES:
        build(Context(workspace, executor=watching, extras=EXTRAS), workspace.sources / source)
    assert watching.ran >= {"blocks", "rules", "treebank_pairs", "candidates", "llm_judgments", "checked"}
    assert not watching.forgotten, "\n".join(sorted(set(watching.forgotten)))
