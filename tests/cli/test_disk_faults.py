"""Whatever goes wrong, a command says it in one line and ends with 2; a traceback comes with --debug alone."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from command_lines import Run

from pairwright.cli.command import Terminal, debug_option, echo, run_command
from pairwright.core.errors import SourceError

BIN = Path(sys.executable).parent / "pairwright"

LIST = """\
## 1.1. Galininkas nevartotinas su neigimu:
- Nematau kalnus (= kalnų).
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "list.md").write_text(LIST, encoding="utf-8")
    return tmp_path


def test_a_file_that_may_not_grow_is_named(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else the files of Python's own compiler are cut short as well, and stay so.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, before[1]))
    try:
        code, _, err = run("build", folder / "list.md", "--language", "lt", "--workspace", folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (code, err.count("\n")) == (2, 1)
    assert "output/work/list/blocks.jsonl: larger than a file may be here" in err
    assert not list(folder.rglob(".*.tmp"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20k", "none", disk], capture_output=True).returncode:
        pytest.skip("may not mount a disk here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_disk_that_is_full_or_may_not_be_written_is_named(folder: Path, small_disk: Path, run: Run) -> None:
    err = run.refused("build", folder / "list.md", "--language", "lt", "--workspace", small_disk)
    assert f"{small_disk}" in err
    assert "the disk is full: free some space and run again; what was finished is kept" in err
    assert not [path for path in small_disk.rglob("*") if path.name.endswith(".tmp")]
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    err = run.refused("build", folder / "list.md", "--language", "lt", "--workspace", small_disk)
    assert err.startswith(f"error: {small_disk}")
    assert "the disk is read-only" in err


@pytest.mark.parametrize(
    ("put", "name", "words"),
    [
        (Path.touch, "output", "a file stands where a folder is expected: move it away"),
        (Path.mkdir, "output/work/list/blocks.jsonl", "a folder, where a file is expected: move it away"),
        (Path.mkdir, "pairwright.toml", ""),
        (os.mkfifo, "pairwright.toml", ""),
    ],
)
def test_what_stands_in_the_place_of_a_file_or_folder_is_named_and_not_waited_for(
    put: Callable[[Path], None], name: str, words: str, folder: Path, run: Run
) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    put(folder / name)
    assert f"{name}: {words}" in run.refused("build", folder / "list.md", "--language", "lt", "--workspace", folder)


def test_words_that_a_terminal_can_not_show_are_shown_as_far_as_it_can(folder: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [str(BIN), "init", "ąžuolas", "--language", "lt"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr, "uolas: " in done.stdout) == (0, "", True)


@pytest.mark.parametrize(("target", "code"), [("/dev/full", 2), (None, 0)])
def test_output_that_nobody_takes_is_one_line_or_none(target: str | None, code: int, folder: Path) -> None:
    """A full disk behind `>` is a fault; a reader that has what it wants, such as `head`, is none."""
    if target is None:
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(target, os.O_WRONLY)
    done = subprocess.run(
        [BIN, "init", "--help"], cwd=folder, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert done.returncode == code
    assert done.stderr.startswith("error: standard output: the disk is full") if code else done.stderr == ""
    assert done.stderr.count("\n") == bool(code)


def end(fault: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: Any, *arguments: str) -> tuple[object, str]:
    """The exit code and the words of a command that raises a fault."""

    def fail() -> None:
        raise fault

    monkeypatch.setattr(sys, "argv", ["pairwright", *arguments])
    with pytest.raises(SystemExit) as stop:
        run_command(click.Command("fail", params=[debug_option()], callback=fail))
    return stop.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ValueError("a\nb\x1b[31m"), "ValueError: a"),
        (MemoryError(), "not enough memory"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), "BrokenPipeError"),
        (OSError(errno.EXDEV, "x", "a.txt", None, "b.txt"), "a.txt -> b.txt: on another disk"),
        (PermissionError(errno.EACCES, "x", "a\nb"), "a\\nb: no permission"),
    ],
)
def test_any_fault_is_one_line(
    fault: BaseException, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, err = end(fault, monkeypatch, capsys)
    assert code == 2
    assert err.startswith(f"error: {words}") or words in err
    assert err.count("\n") == 1
    assert "\x1b" not in err


def test_a_fault_of_our_own_says_where_it_is_and_with_debug_how_it_came(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MY_SERVER_KEY", "secret-0123456789")
    fault = ValueError("secret-0123456789 at https://me:word@example.org")
    for arguments in ((), ("--debug",)):
        code, err = end(fault, monkeypatch, capsys, *arguments)
        assert code == 2
        assert ("Traceback" in err) == bool(arguments)
        assert "run again with --debug and report it" in err.splitlines()[-1]
        assert "secret-" not in err
        assert "me:word" not in err


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        *((name, True) for name in ("OPENAI_API_KEY", "HF_TOKEN", "PGPASSWORD", "MY__AUTH")),
        *((name, False) for name in ("GIT_AUTHOR_NAME", "SSH_AUTH_SOCK")),
    ],
)
def test_only_values_of_secrets_are_masked(
    name: str, is_secret: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "sources-lt")
    _, err = end(SourceError("sources-lt/a.pdf: damaged"), monkeypatch, capsys)
    assert err == f"error: {'***' if is_secret else 'sources-lt'}/a.pdf: damaged\n"


def test_no_line_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    echo(["a quotation\x1b[2J\nerror: all is well\u202e", "b\tc", ""])
    Terminal().say("rules", "1 of \x1b]0;x\x07.md")
    assert capsys.readouterr().out.splitlines() == [
        r"a quotation\x1b[2J error: all is well\u202e",
        "b c",
        "",
        r"rules      1 of \x1b]0;x\x07.md",
    ]
