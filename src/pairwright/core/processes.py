"""Processes that read for this one, which can end them: an unknown file may hang its reader, or swell.

A module that reads so has a function `serve`: it gets a request, and a function that replies with a line. Nothing else
goes to standard output; what libraries print is lost.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import NamedTuple

from pairwright.core.errors import ConfigError, PairwrightError, one_line
from pairwright.core.files import MAX_BYTES

Reply = Callable[[str], None]

# By how much and how many times the lines may be longer than their file.
_MORE, _SWELLS = 50_000_000, 20
# The shares of time and memory that the smallest file gets; less memory, in MiB, is enough for no reader.
_LEAST_TIME, _LEAST_SHARE, _LEAST_MEMORY = 0.4, 0.1, 256
# What the first sign of a line says: a line of the reply, its end, a fault in the file, a fault in the reader.
_LINE, _END, _FAULT, _BUG = "-.!?"


class Ended(PairwrightError):
    """A process ended before its reply did."""


class Limits(NamedTuple):
    """The most that may be taken to read a file: seconds, memory in MiB of data, and characters of all lines."""

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


def replies(module: str, request: bytes, limits: Limits, *, each: bool = False) -> Iterator[str]:
    """The lines with which `serve` of a module replies to a request, in a process of its own.

    each  whether the limit of time is that of each line, not of all

    Raises Ended where a limit is reached or the process breaks, and PairwrightError or ConfigError for what it raises.
    """
    code = f"from pairwright.core.processes import main; main({module!r}, {limits.memory_mb})"
    process = Popen([sys.executable, "-c", code], stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    late, left = False, limits.reply_size

    def end_late() -> None:
        nonlocal late
        late = True
        _kill(process)

    def watch() -> threading.Timer:
        timer = threading.Timer(limits.seconds, end_late)
        timer.daemon = True
        timer.start()
        return timer

    timer = watch()
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError), process:
        try:
            with suppress(OSError):
                process.stdin.write(request)
                process.stdin.close()
            while (line := process.stdout.readline().decode())[:1] == _LINE and line[-1] == "\n":
                if (left := left - len(line)) < 0:
                    raise Ended(f"it swells to more than {limits.reply_size:,} characters")
                if each:
                    timer.cancel()  # What the caller does with a line takes none of the next one's time.
                yield line[1:-1]
                if each:
                    timer = watch()
        finally:
            timer.cancel()
            _kill(process)
    if line[:1] == _FAULT:
        is_config, text = json.loads(line[1:])
        raise (ConfigError if is_config else PairwrightError)(text)
    if late:
        raise Ended(f"took more than {limits.seconds:g} seconds")
    if line[:1] != _END:
        broke = f"broke the reader, or needs more than {limits.memory_mb} MB"
        raise Ended(json.loads(line[1:]) if line[:1] == _BUG else broke)


def _kill(process: "Popen[bytes]") -> None:
    """Ends a process with those that it has started, such as Pandoc."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def read_apart(
    module: str, request: bytes, path: Path, limits: Limits, error: type[PairwrightError], remedy: str
) -> Iterator[str]:
    """The lines with which `serve` of a module replies to a request about a file, in a process of its own.

    Raises `error` in one line for a fault in the file and, with the remedy, where a limit is reached.
    """
    try:
        yield from replies(module, request, limits)
    except Ended as fault:
        raise error(f"{path}: can't be read: {fault}; {remedy}") from None
    except PairwrightError as fault:
        raise error(str(fault)) from None


def main(module: str, memory_mb: int) -> None:
    """Serves a request on standard input by a module, within a limit of memory in MiB."""
    _limit_memory(memory_mb)
    if sys.platform != "win32":
        os.setpgrp()  # What it starts ends with it.
    with os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n") as out:
        os.dup2(2, 1)

        def reply(line: str) -> None:
            out.write(f"{_LINE}{line}\n")
            out.flush()

        try:
            import_module(module).serve(sys.stdin.buffer.read(), reply)
            out.write(f"{_END}\n")
        except PairwrightError as fault:
            out.write(f"{_FAULT}{json.dumps([isinstance(fault, ConfigError), str(fault)])}\n")
        except MemoryError:
            pass  # An end without a word says it.
        except Exception as fault:
            reason = one_line(f"{type(fault).__name__}: {fault}", 300)
            out.write(f"{_BUG}{json.dumps(f'a fault in the reader, please report it: {reason}')}\n")


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
