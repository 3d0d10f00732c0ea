"""Commands of `pairwright` that are ended without warning at random moments, again and again."""

import itertools
import os
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forked import Forks, content, exit_code

KILLS = 12
LONGEST = 300  # seconds
# What a killed command started has this long to end by itself, in seconds.
LINGERING = 10
# What commands import, which takes longer than most of them work.
PRELOADED = [
    "matplotlib.pyplot",
    "pyarrow.parquet",
    "torch",
    "transformers.models.gpt2.modeling_gpt2",
    "pairwright.cli.review.lines",
    "pairwright.models.chat.http",
    "pairwright.pipeline.review",
    "pairwright.pipeline.evaluate",
    "pairwright.sources.grammar.rules.extract",
]
# Points in time, and the checksums of lines of logs, which hold them.
_TIME = re.compile(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)?|"checksum":"[0-9a-f]{16}"')

Holds = Callable[[Path], None]
"""A check of a workspace in which a command was killed."""


def start(*arguments: str | Path) -> "subprocess.Popen[str]":
    """A command of `pairwright` in a process group of its own, so that all that it starts can be told."""
    program = "from pairwright.cli import main; main()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


@cache
def _preloaded() -> Forks:
    return Forks(PRELOADED, os.environ)


class Preloaded:
    """The same in a fork of a process that has imported all it needs, with the face of a Popen: it works at once."""

    def __init__(self, *arguments: str | Path) -> None:
        self.returncode: int | None = None
        self._complaint = tempfile.TemporaryFile("w+")  # noqa: SIM115
        with open(os.devnull, "r+b") as nothing:
            files = [nothing.fileno(), nothing.fileno(), self._complaint.fileno()]
            code, given = "import os; os.setsid(); from pairwright.cli import main; main()", map(str, arguments)
            self.pid, self._ended = _preloaded().start(code, ["pairwright", *given], files, os.environ)

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.communicate(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(self.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("pairwright", timeout)
            self.returncode = exit_code(self._ended)
        return "", content(self._complaint)


def kill(process: "subprocess.Popen[str] | Preloaded") -> None:
    """Ends a process without warning, and waits until all that it started has ended by itself."""
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=LINGERING)
    until = time.monotonic() + LINGERING
    while _is_alive(process.pid):
        assert time.monotonic() < until, f"what process {process.pid} started outlives it"
        time.sleep(0.05)


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@dataclass(frozen=True)
class Writer:
    """A command that writes into a workspace.

    arguments  of `pairwright`, without the workspace
    before     the workspace as it is before the command; it is copied
    results    the files that the command makes, as patterns inside the workspace
    sign       a pattern of files of which one changes before the command is killed; by default it is killed at any time
    """

    arguments: tuple[str, ...]
    before: Path
    results: tuple[str, ...]
    sign: str = ""

    def results_in(self, workspace: Path) -> dict[str, bytes]:
        """The files of a finished run by their names; points in time, which differ from run to run, are left out."""
        files = sorted(path for pattern in self.results for path in workspace.glob(pattern) if path.is_file())
        return {path.relative_to(workspace).as_posix(): _TIME.sub(b"", path.read_bytes()) for path in files}

    def start(self, workspace: Path) -> Preloaded:
        """Starts the command and waits until its sign shows that it works, or until it has ended."""
        before = self._signs(workspace)
        process = Preloaded(*self.arguments, "--workspace", workspace)
        while self.sign and self._signs(workspace) == before and process.poll() is None:
            time.sleep(0.01)
        return process

    def _signs(self, workspace: Path) -> dict[Path, float]:
        signs = {}
        for path in workspace.glob(self.sign) if self.sign else ():
            with suppress(FileNotFoundError):  # the command is at work, and may take a file away while it is looked at
                signs[path] = path.stat().st_mtime
        return signs

    def finish(self, workspace: Path) -> float:
        """Runs the command to its end. Returns how many seconds it worked."""
        process, begun = self.start(workspace), time.monotonic()
        _, complaint = process.communicate(timeout=LONGEST)
        assert process.returncode == 0, complaint
        return time.monotonic() - begun


def kill_at_random(writer: Writer, folder: Path, holds: Iterable[Holds] = (), *, kills: int = KILLS) -> None:
    """Kills a command at random moments of its run, each time going on with what the last one left.

    After each kill `holds` are asked. Whenever a run comes to its end, its results must be those of an undisturbed run,
    and the next one begins in a new workspace.
    """
    whole = folder / "whole"
    shutil.copytree(writer.before, whole, symlinks=True)
    seconds = writer.finish(whole)
    expected = writer.results_in(whole)
    assert expected, "the command wrote none of its results"
    chance, moment = random.Random(7), 0.0  # the first one as soon as it works
    workspaces = (folder / f"killed-{number}" for number in itertools.count())
    workspace = next(workspaces)
    while kills:
        if not workspace.exists():
            shutil.copytree(writer.before, workspace, symlinks=True)
        process = writer.start(workspace)
        try:
            _, complaint = process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            kill(process)
            kills -= 1
            for check in holds:
                check(workspace)
        else:
            # A command that was killed after its last write may have nothing left to do, and say so.
            assert process.returncode == 0 or writer.results_in(workspace) == expected, complaint
            assert writer.results_in(workspace) == expected
            workspace = next(workspaces)
        # Also after a run that ended before it: all later ones may be faster than the first.
        moment = chance.uniform(0, seconds)
    if workspace.exists() and writer.results_in(workspace) != expected:
        writer.finish(workspace)
        assert writer.results_in(workspace) == expected
        assert not remnants(workspace), "hidden remnants of killed runs are left"


def remnants(workspace: Path) -> list[Path]:
    """Hidden files and folders that were being written."""
    return [path for path in workspace.rglob(".*.tmp") if path.exists()]
