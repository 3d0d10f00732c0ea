"""A workspace with a damaged file: each command works or says in one line what is wrong, and never falls silent."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from workspace_parts import approve_all

from pairwright.lm.settings import ModelSettings
from pairwright.pipeline.build import build
from pairwright.pipeline.context import Context
from pairwright.pipeline.evaluate import evaluate
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.release import create
from pairwright.records import CheckedPair
from pairwright.reporting.analysis.inputs import ReportFiles
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace

LIST = """\
# Linksniai

## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų). Neturiu laiką (= laiko; daug laiko).
- Neperku duoną (= duonos) ir pieną (= pieno).

## 1.2. Naudininkas nevartotinas su šiais veiksmažodžiais:
- Jis vadovauja skyrių (= skyriui).
"""

Run = Callable[..., tuple[int, str, str]]


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def drop_a_line(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :]))


def fill_with_garbage(path: Path) -> None:
    path.write_bytes(b'\xff\xfe{"\x00garbage": [[[\n\n{}\nnull\n')


DAMAGES = (Path.unlink, empty, cut, replace_by_folder, drop_a_line, fill_with_garbage)


class Whole(NamedTuple):
    """A workspace in which everything was done, and the commands to try on a damaged copy of it."""

    root: Path
    commands: tuple[tuple[str, ...], ...]

    def files(self) -> list[Path]:
        return [path.relative_to(self.root) for path in sorted(self.root.rglob("*")) if path.is_file()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    root, document = folder / "workspace", folder / "sarasas.md"
    root.mkdir()
    (root / "pairwright.toml").write_text('[review]\nreviewers = ["ana", "jonas"]\n', encoding="utf-8")
    document.write_text(LIST, encoding="utf-8")
    context = Context(Workspace(root))
    build(context, document, SourceOptions(language="lt"))
    approve_all(root)
    create(context, "lt-test", "1.0.0")
    evaluate(context, "lt-test-1.0.0", [ModelSettings(name=str(tiny_model))], ReportFiles())
    pair = next(read_jsonl(root / "output" / "work" / "sarasas" / "checked.jsonl", CheckedPair)).candidate.id
    return Whole(
        root,
        (
            ("status",),
            ("trace", pair),
            ("rules", "sarasas"),
            ("review", "status"),
            ("release", "verify", str(Path("output") / "releases" / "lt-test-1.0.0")),
            ("release", "create", "--name", "lt-test", "--version", "1.0.1"),
            ("evaluate", "lt-test-1.0.0", "--report-only"),
            ("build", "sarasas"),
            ("review", "import", "--queue", "sarasas"),
        ),
    )


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_mended_or_named(
    damage: Callable[[Path], None], whole: Whole, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = []
    for number, name in enumerate(whole.files()):
        root = tmp_path / str(number)
        shutil.copytree(whole.root, root)
        monkeypatch.chdir(root)
        damage(root / name)
        for command in whole.commands:
            code, _, err = run(*command)
            clear = code == 0 or (code == 2 and err.startswith("error: ") and err.count("\n") == 1)
            if not clear or "Traceback" in err or "fault of pairwright" in err:
                faults.append(f"{name}: {' '.join(command)}: {code}: {err}")
        shutil.rmtree(root)
    assert not faults, "\n".join(faults)
