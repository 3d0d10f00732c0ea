"""A process that reads for another one, which can kill it: an unknown document may hang its reader or take all memory.

It takes requests on standard input, one a line, and replies with lines of JSON.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from subprocess import DEVNULL, PIPE, Popen
from typing import Literal, Self

from pairwright.records import Record


class WorkerReply(Record):
    """The reply to a request about a page, or 0 where it is about the whole document.

    learning  the reply is still to come; the process is looking at `page` to learn the book
    fault     what the user has to mend before anything can be read, and the kind of error that it is
    """

    page: int
    learning: bool = False
    rejected: str | None = None
    fault: str | None = None
    kind: Literal["SourceError", "ConfigError"] = "SourceError"


class Worker:
    """A process that runs `main` of a module, and is killed where a reply takes longer than `seconds`."""

    def __init__(self, module: str, seconds: float) -> None:
        self.seconds = seconds
        self.late = False
        command = [sys.executable, "-c", f"from {module} import main; main()"]
        self.process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            self.process.kill()

    def ask(self, line: str) -> str:
        """The first line of the reply to a request; empty as `receive` says."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            return ""
        return self.receive()

    def receive(self) -> str:
        """The next line of a reply; empty where the process has ended, or was killed because it took too long."""
        assert self.process.stdout is not None
        watch = threading.Timer(self.seconds, self._kill)
        watch.daemon = True
        watch.start()
        try:
            return self.process.stdout.readline()
        finally:
            watch.cancel()

    def _kill(self) -> None:
        self.late = True
        self.process.kill()

    def end(self, memory_mb: int, setting: str) -> str:
        """Why the process has ended, where it did not say so; `setting` names the limit of time."""
        if self.late:
            return f"took more than {self.seconds:g} seconds; raise ingest.{setting}"
        return f"broke the reader, or needs more than {memory_mb} MB (ingest.page_memory_mb)"


def limit_memory(megabytes: int) -> None:
    """Sets the most memory that this process may take for its data."""
    try:
        import resource
    except ImportError:
        # Windows has no such limit; the limit of time still holds.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def serve_standard_input(serve: Callable[[Iterable[str], Callable[[Record], None]], None]) -> None:
    """Serves standard input. Only replies go to standard output; what libraries print goes to standard error."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)

        def reply(message: Record) -> None:
            out.write(message.model_dump_json() + "\n")
            out.flush()

        serve(sys.stdin, reply)
