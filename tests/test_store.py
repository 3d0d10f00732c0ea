"""Stage files: whole or not at all, fresh or run again, readable or refused with file and line."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pairwright.errors import StoreError
from pairwright.ids import file_sha256
from pairwright.records import Record, Rejection, Stage
from pairwright.store import (
    Manifest,
    StageInput,
    append_jsonl,
    atomic,
    read_jsonl,
    read_log,
    read_manifest,
    run_stage,
)


class Line(Record):
    text: str


STAGE = Stage(name="lines", version=1)
INPUT = StageInput(name="input", sha256="a" * 64, count=3)


def rejection(text: str) -> Rejection:
    return Rejection(stage="lines", source_id="s", reason="no words", text=text, file="f", line=1)


def lines(*texts: str) -> Iterator[Record]:
    for text in texts:
        yield Line(text=text) if text.strip() else rejection(text)


def test_a_stage_writes_records_rejections_and_a_manifest(tmp_path: Path) -> None:
    run = run_stage(tmp_path, STAGE, [INPUT], {"limit": 1}, lambda: lines("a", " ", "b"))
    assert (run.ran, run.n_in, run.n_out, run.n_rejected) == (True, 3, 2, 1)
    assert [line.text for line in read_jsonl(tmp_path / "lines.jsonl", Line)] == ["a", "b"]
    assert [r.reason for r in read_jsonl(tmp_path / "lines.rejected.jsonl", Rejection)] == ["no words"]
    manifest = read_manifest(tmp_path, "lines")
    assert isinstance(manifest, Manifest)
    assert manifest.inputs == (INPUT,)
    assert manifest.files["lines.jsonl"] == file_sha256(tmp_path / "lines.jsonl")
    assert manifest.packages["pairwright"]


def test_a_fresh_stage_is_not_run_again(tmp_path: Path) -> None:
    run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("a"))
    again = run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("never asked for"))
    assert (again.ran, again.n_out) == (False, 1)
    assert [line.text for line in read_jsonl(tmp_path / "lines.jsonl", Line)] == ["a"]


@pytest.mark.parametrize(
    ("stage", "source", "settings"),
    [
        (Stage(name="lines", version=2), INPUT, {}),
        (STAGE, INPUT.model_copy(update={"sha256": "b" * 64}), {}),
        (STAGE, INPUT, {"limit": 2}),
    ],
)
def test_a_stage_runs_again_when_version_input_or_settings_change(
    tmp_path: Path, stage: Stage, source: StageInput, settings: dict[str, int]
) -> None:
    run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("a"))
    assert run_stage(tmp_path, stage, [source], settings, lambda: lines("b")).ran


@pytest.mark.parametrize("damage", ["changed", "missing", "no manifest", "half a manifest"])
def test_a_stage_runs_again_when_its_files_are_not_what_the_manifest_says(tmp_path: Path, damage: str) -> None:
    run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("a"))
    if damage == "changed":
        (tmp_path / "lines.jsonl").write_text('{"text":"edited"}\n', encoding="utf-8")
    elif damage == "missing":
        (tmp_path / "lines.rejected.jsonl").unlink()
    elif damage == "no manifest":
        (tmp_path / "lines.manifest.json").unlink()
    else:
        (tmp_path / "lines.manifest.json").write_text("{", encoding="utf-8")
    assert run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("b")).ran


def test_a_stage_that_fails_leaves_what_stood_there(tmp_path: Path) -> None:
    run_stage(tmp_path, STAGE, [INPUT], {}, lambda: lines("a"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def failing() -> Iterator[Record]:
        yield Line(text="b")
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        run_stage(tmp_path, STAGE, [INPUT], {"limit": 2}, failing)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_damaged_line_is_named_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text":"a"}\n{"texts":"b"}\n', encoding="utf-8")
    with pytest.raises(StoreError, match=r"lines\.jsonl:2: not a Line"):
        list(read_jsonl(path, Line))


def test_a_log_forgets_a_half_line_that_a_crash_left(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_jsonl(path, [Line(text="a")])
    with path.open("ab") as handle:
        handle.write(b'{"text":"hal')
    append_jsonl(path, [Line(text="b")])
    assert [line.text for line in read_log(path, Line)] == ["a", "b"]


def test_an_atomic_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"

    def write_half() -> None:
        with atomic(path) as handle:
            handle.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert list(tmp_path.iterdir()) == []


WRITER = """
import sys
from pathlib import Path
from test_store import INPUT, STAGE, lines
from pairwright.store import run_stage
directory = Path(sys.argv[1])
version = 0
while True:
    version += 1
    texts = [f"{version}"] * 2000
    run_stage(directory, STAGE, [INPUT], {"version": version}, lambda: lines(*texts))
"""


def test_kill_9_leaves_a_whole_stage_or_one_that_is_run_again(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    chance = random.Random(7)
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], env=environment)
        deadline = time.monotonic() + 20
        while not (tmp_path / "lines.manifest.json").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        texts = [line.text for line in read_jsonl(tmp_path / "lines.jsonl", Line)]
        assert len(texts) == 2000
        assert len(set(texts)) == 1
    run = run_stage(tmp_path, STAGE, [INPUT], {"version": 0}, lambda: lines("a"))
    assert run.ran
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("lines.jsonl.")]
