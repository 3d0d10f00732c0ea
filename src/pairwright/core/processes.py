"""Processes that read for this one, which can end them: an unknown file may hang its reader, or swell.

A module that reads so has a function `serve`: it gets what comes on standard input, and a function that replies with a
line. Nothing but replies goes to standard output; what libraries print is lost.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import NamedTuple, Self

from pairwright.core.errors import PairwrightError, one_line
from pairwright.core.files import MAX_BYTES

Reply = Callable[[str], None]

# By how much and how many times the replies may be longer than their file.
_MORE, _SWELLS = 50_000_000, 20
# The shares of time and memory that the smallest file gets; less memory, in MiB, is enough for no reader.
_LEAST_TIME, _LEAST_SHARE, _LEAST_MEMORY = 0.4, 0.1, 256
_END, _FAULT = ".", "!"


class Limits(NamedTuple):
    """The most that may be taken to read a file: seconds, memory in MiB of data, and characters of all replies."""

    seconds: float = 120
    memory_mb: int = 4096
    reply_size: int = MAX_BYTES * _SWELLS

    def share(self, n_bytes: int) -> "Limits":
        """What a file of so many bytes gets of the limits for one of `MAX_BYTES`: a small one can't take all."""
        size = n_bytes / MAX_BYTES
        return Limits(
            seconds=self.seconds * min(1.0, _LEAST_TIME + size),
            memory_mb=max(min(_LEAST_MEMORY, self.memory_mb), round(self.memory_mb * min(1.0, _LEAST_SHARE + size))),
            reply_size=_MORE + _SWELLS * n_bytes,
        )


class Worker:
    """A process that serves by a module, within limits of time and memory."""

    def __init__(self, module: str, limits: Limits) -> None:
        self.limits = limits
        self.late = False
        code = f"from pairwright.core.processes import main; main({module!r}, {limits.memory_mb})"
        self.process = Popen([sys.executable, "-c", code], stdin=PIPE, stdout=PIPE, stderr=DEVNULL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError), self.process:
            self._kill()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Ends the process where what happens meanwhile takes longer than the limit."""
        watch = threading.Timer(self.limits.seconds, self._end_late)
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def _end_late(self) -> None:
        self.late = True
        self._kill()

    def _kill(self) -> None:
        """Ends the process with those that it has started, such as Pandoc."""
        if sys.platform != "win32":
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def send(self, request: bytes) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(request)
            self.process.stdin.flush()

    def receive(self) -> str:
        """The next line; empty where the process has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode()

    def end(self) -> str:
        """Why the process has ended, where it did not say so."""
        if self.late:
            return f"took more than {self.limits.seconds:g} seconds"
        return f"broke the reader, or needs more than {self.limits.memory_mb} MB"


def read_apart(
    module: str, request: bytes, path: Path, limits: Limits, error: type[PairwrightError], remedy: str
) -> Iterator[str]:
    """The lines with which `serve` of a module replies to a request about a file, in a process of its own.

    Raises `error` in one line for a fault in the file and, with the remedy, where a limit is reached.
    """
    left = limits.reply_size
    with Worker(module, limits) as worker, worker.watched():
        worker.send(request)
        assert worker.process.stdin is not None
        with suppress(OSError):
            worker.process.stdin.close()
        while (line := worker.receive())[:1] not in (_END, _FAULT, ""):
            if (left := left - len(line)) < 0:
                raise error(f"{path}: it swells to more than {limits.reply_size:,} characters; {remedy}")
            yield line
    if line.startswith(_FAULT):
        raise error(json.loads(line[1:]))
    if not line:
        raise error(f"{path}: can't be read: {worker.end()}; {remedy}")


def serve_apart(read: Iterator[str], path: Path, reply: Reply) -> None:
    """Replies with what is read from a file, then with the end, or the fault in one line."""
    try:
        for line in read:
            reply(line)
        reply(_END)
    except PairwrightError as fault:
        reply(_FAULT + json.dumps(str(fault)))
    except MemoryError:
        pass  # The end without a word says it.
    except Exception as fault:
        reason = one_line(f"{type(fault).__name__}: {fault}", 300)
        reply(_FAULT + json.dumps(f"{path}: a fault in the reader, please report it: {reason}"))


def main(module: str, memory_mb: int) -> None:
    """Serves standard input by a module, within a limit of memory in MiB."""
    _limit_memory(memory_mb)
    if sys.platform != "win32":
        os.setpgrp()  # What it starts ends with it.
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as out:
        os.dup2(2, 1)

        def reply(line: str) -> None:
            out.write(line + "\n")
            out.flush()

        import_module(module).serve(sys.stdin.buffer, reply)


def _limit_memory(megabytes: int) -> None:
    """Sets the most memory that this process may take for its data. It leaves no core where it takes more."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit; the limit of time still holds.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
