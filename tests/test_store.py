"""Stage files: whole or not at all, fresh or run again, readable or refused with file and line."""

import os
import platform
import random
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pairwright.core.errors import StoreError
from pairwright.core.files import held
from pairwright.core.ids import file_sha256
from pairwright.core.records import Record, Rejection, Stage
from pairwright.core.store import (
    StageInput,
    StageRun,
    append_log,
    atomic,
    file_input,
    log_faults,
    read_jsonl,
    read_log,
    read_manifest,
    run_stage,
    whole_folder,
    write_log,
    write_text,
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


def run_lines(folder: Path, *texts: str, stage: Stage = STAGE, source: StageInput = INPUT, **asked: Any) -> StageRun:
    return run_stage(folder, stage, [source], lambda: lines(*texts), **asked)


def test_a_stage_writes_records_rejections_and_a_manifest_once(tmp_path: Path) -> None:
    run = run_lines(tmp_path, "a", " ", "b")
    assert (run.ran, run.n_out, run.n_rejected) == (True, 2, 1)
    assert [line.text for line in read_jsonl(tmp_path / "lines.jsonl", Line)] == ["a", "b"]
    assert [r.reason for r in read_jsonl(tmp_path / "lines.rejected.jsonl", Rejection)] == ["no words"]
    manifest = read_manifest(tmp_path, "lines")
    assert manifest
    assert manifest.inputs == (INPUT,)
    assert manifest.files["lines.jsonl"] == file_sha256(tmp_path / "lines.jsonl")
    again = run_lines(tmp_path, "never asked for")
    assert (again.ran, again.n_out) == (False, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"stage": Stage(name="lines", version=2)},
        {"source": INPUT.model_copy(update={"sha256": "b" * 64})},
        {"prompts": {"ask": "c" * 64}},
        {"assistant": "server"},
    ],
)
def test_a_stage_runs_again_when_version_input_prompts_or_model_change(tmp_path: Path, other: dict[str, Any]) -> None:
    run_lines(tmp_path, "a")
    assert run_lines(tmp_path, "b", **other).ran


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lines.jsonl", '{"text":"edited"}\n'),
        ("lines.rejected.jsonl", None),
        ("lines.manifest.json", None),
        ("lines.manifest.json", "{"),
    ],
)
def test_a_stage_runs_again_when_its_files_are_not_what_the_manifest_says(
    tmp_path: Path, name: str, content: str | None
) -> None:
    run_lines(tmp_path, "a")
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert run_lines(tmp_path, "b").ran


def test_a_stage_that_fails_leaves_what_stood_there(tmp_path: Path) -> None:
    run_lines(tmp_path, "a")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def failing() -> Iterator[Record]:
        yield Line(text="b")
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        run_stage(tmp_path, STAGE, [], failing)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("damage", ["a line less", "a line changed", "no file"])
def test_a_stage_file_that_its_stage_did_not_write_so_is_refused_with_the_command_to_run(
    tmp_path: Path, damage: str
) -> None:
    foreign = tmp_path / "lines.jsonl"
    foreign.write_text('{"text":"a"}\n{"texts":"b"}\n', encoding="utf-8")
    with pytest.raises(StoreError, match=r"lines\.jsonl:2: not a Line"):
        list(read_jsonl(foreign, Line))
    work = tmp_path / "work" / "my-list"
    run_lines(work, "a", "b", "c")
    path = work / "lines.jsonl"
    whole = path.read_text(encoding="utf-8")
    if damage == "no file":
        path.unlink()
    else:
        path.write_text(whole.replace('{"text":"b"}\n', "" if damage == "a line less" else '{"text":"B"}\n'))
    with pytest.raises(StoreError, match=r"lines\.jsonl: .*; run pairwright build my-list$"):
        list(read_jsonl(path, Line))


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda content: content.replace(b'"text":"b"', b'"text":"B"'), 2),
        (lambda content: re.sub(rb',"checksum":"\w+"', b"", content, count=1), 1),
        (lambda content: content.replace(b'"checksum":"', b'"checksum":"0', 1), 1),
        (lambda content: b"<<<<<<< HEAD\n" + content, 1),
        (lambda content: content.replace(b"}\n", b"}\n\n", 1), 2),
        (lambda content: content.replace(b"}\n", b"}", 1), 1),
        (lambda content: content[: len(content) // 3 * 2 + 5] + content[len(content) // 3 * 2 + 6 :], 3),
        (lambda content: content.replace(b'"text"', b'"tex\x00"'), 1),
    ],
)
def test_a_line_of_a_log_that_is_not_as_it_was_written_is_named(
    damage: Callable[[bytes], bytes], line: int, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    append_log(path, lines("a", "b", "c"))
    whole = path.read_bytes()
    # The line ends of another system are no damage.
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert ([line.text for line in read_log(path, Line)], log_faults(path)) == (["a", "b", "c"], [])
    path.write_bytes(damage(whole))
    assert log_faults(path)[0] == line
    with pytest.raises(StoreError, match=rf"log\.jsonl:{line}: "):
        list(read_log(path, Line))


def test_a_line_that_another_process_is_writing_is_not_cut_off(tmp_path: Path) -> None:
    path, whole = tmp_path / "log.jsonl", tmp_path / "other.jsonl"
    append_log(whole, lines("slow"))
    content, begun = whole.read_bytes(), threading.Event()

    def write() -> None:
        with held(path.with_name("logs")), path.open("ab", buffering=0) as handle:
            handle.write(content[:9])
            begun.set()
            time.sleep(0.3)
            handle.write(content[9:])

    slow = threading.Thread(target=write)
    slow.start()
    assert begun.wait(5)
    append_log(path, lines("fast"))
    slow.join()
    assert [line.text for line in read_log(path, Line)] == ["slow", "fast"]


WRITER = """
import sys
from pathlib import Path
from test_store import run_lines
version = 0
while True:
    version += 1
    run_lines(Path(sys.argv[1]), *[f"{version}"] * 2000, assistant=f"{version}")
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
        texts = (tmp_path / "lines.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(texts) == 2000
        assert len(set(texts)) == 1
    assert run_lines(tmp_path, "a").ran
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "lines.jsonl", "lines.manifest.json", "lines.rejected.jsonl",
    ]  # fmt: skip


KILLED = """
import os, signal, sys
from pathlib import Path
from pairwright.core.store import whole_folder
with whole_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_folder_is_never_seen_and_what_is_left_of_it_goes_with_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    assert subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False).returncode == -signal.SIGKILL
    assert [path.name[0] for path in tmp_path.iterdir()] == ["."]
    with whole_folder(tmp_path / "another"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["another"]
    (tmp_path / "another").rmdir()
    with whole_folder(target) as folder:
        (folder / "file").write_text("whole")
        assert not target.exists()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["folder", "folder/file"]


def test_remnants_of_ended_processes_go_and_those_that_may_be_alive_stay(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], check=False).returncode != 0
    ended = int(next(tmp_path.iterdir()).name.split(".")[2].split("-")[0])
    hosts = {"own": f"{os.getpid()}-1@{platform.node()}", "others": f"{ended}-1@elsewhere"}
    for name in hosts.values():
        (tmp_path / f".young.{name}.tmp").mkdir()
        (tmp_path / f".old.{name}.tmp").mkdir()
        os.utime(tmp_path / f".old.{name}.tmp", (0, 0))
    own = tmp_path / ".mine.tmp"
    own.write_text("a file of the user")
    os.utime(own, (0, 0))
    write_text(tmp_path / "file", "")
    assert {path.name for path in tmp_path.iterdir()} == {
        "file", ".mine.tmp", *(f".young.{name}.tmp" for name in hosts.values())
    }  # fmt: skip


def test_a_file_or_folder_that_fails_leaves_nothing_and_one_that_is_there_stays(tmp_path: Path) -> None:
    def fill(text: str) -> None:
        with whole_folder(tmp_path / "folder") as folder:
            (folder / "file").write_text(text)
            if not text:
                raise RuntimeError("boom")

    def write_half() -> None:
        with atomic(tmp_path / "file.txt") as handle:
            handle.write("half")
            raise RuntimeError("boom")

    for failing in (partial(fill, ""), write_half):
        with pytest.raises(RuntimeError, match="boom"):
            failing()
        assert list(tmp_path.iterdir()) == []
    fill("first")
    with pytest.raises(OSError, match="not empty"):
        fill("second")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "file").read_text() == "first"


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    program = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "print(flush=True); sys.stdin.read()")
    target = tmp_path / "folder"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        with whole_folder(target) as folder:
            (folder / "file").write_text("faster")
        assert len(list(tmp_path.iterdir())) == 2
    assert process.returncode == 1
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["folder", "folder/file"]


@pytest.mark.parametrize(
    ("length", "sign"), [*((length, b"b") for length in (1, 4094, 4095, 4096, 4097, 20_000)), (200_000, b"[")]
)
def test_a_half_line_of_any_length_is_cut_off_and_the_lines_before_it_stay(
    length: int, sign: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    append_log(path, lines("a" * length))
    with path.open("ab") as handle:
        handle.write((b'{"text":"' if sign == b"b" else b"") + sign * length)
    append_log(path, lines("c"))
    assert [line.text for line in read_log(path, Line)] == ["a" * length, "c"]


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    modes: list[int] = []

    def lines() -> Iterator[Line]:
        yield Line(text="mine")
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())

    write_log(tmp_path / "mine.jsonl", lines(), permissions=0o600)
    assert [*modes, stat.S_IMODE((tmp_path / "mine.jsonl").stat().st_mode)] == [0o600, 0o600]


@pytest.mark.skipif(os.name != "posix", reason="a pipe of POSIX")
def test_a_pipe_in_the_place_of_a_stage_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "blocks.jsonl")
    with pytest.raises(StoreError, match=r"blocks\.jsonl: "):
        file_input(tmp_path / "blocks.jsonl")
