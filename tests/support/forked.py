"""Processes that have imported already what they need: each is a fork of one process that did."""

import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

_IMPORTED = "import sys; sys.path.insert(0, sys.argv[1]); import forked; forked.serve(*sys.argv[2:])"


class Forks:
    """Forks of a process that imports modules in an environment first, and runs more code.

    It ends with the one that started it.
    """

    def __init__(self, modules: Iterable[str], environment: Mapping[str, str], more: str = "") -> None:
        self._environment, self._asking = dict(environment), threading.Lock()
        self._socket, theirs = socket.socketpair()
        arguments = [str(Path(__file__).parent), str(theirs.fileno()), more, *modules]
        command = [sys.executable, "-c", _IMPORTED, *arguments]
        nothing = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=self._environment, stdin=nothing)
        theirs.close()

    def start(
        self, code: str, arguments: Sequence[str], files: Sequence[int], environment: Mapping[str, str]
    ) -> tuple[int, socket.socket]:
        """Runs Python's code with arguments, and with files as its standard ones.

        Returns the process's id, and where its exit code will come as a line.
        """
        ours, theirs = socket.socketpair()
        job = json.dumps([code, list(arguments), os.getcwd(), dict(environment)]).encode()
        with self._asking:
            socket.send_fds(self._socket, [len(job).to_bytes(4, "big") + job], [theirs.fileno(), *files])
        theirs.close()
        return int(_line(ours)), ours

    def run(self, program: Path, *arguments: object, code: str = "") -> tuple[int, str, str]:
        """Runs a Python program, or code in its place, to its end. Returns its exit code, stdout and stderr."""
        code = code or "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
        code = f"sys.path[0] = {str(program.parent)!r}\n{code}"
        result, out, err, _ = self.ended(code, [str(program), *map(str, arguments)], self._environment)
        assert result is not None
        return result, out, err

    def ended(
        self, code: str, arguments: Sequence[str], environment: Mapping[str, str], seconds: float | None = None
    ) -> tuple[int | None, str, str, int]:
        """Runs Python's code, which is killed where it takes longer.

        Returns its exit code, None where it was killed; stdout and stderr; and the most memory that it or a process of
        its own took, in KiB.
        """
        with open(os.devnull) as nothing, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            files = [file.fileno() for file in (nothing, out, err)]
            process, ended = self.start(code, arguments, files, environment)
            with ended:
                ended.settimeout(seconds)
                try:
                    result, peak = map(int, _line(ended).split())
                except TimeoutError:
                    os.kill(process, signal.SIGKILL)
                    result, peak = -signal.SIGKILL, 0
            return (None if result == -signal.SIGKILL else result), content(out), content(err), peak

    def popen(self, command: Sequence[str], **_: Any) -> "Fork":
        """`subprocess.Popen` of `python -c CODE` with pipes for its input and output; what it complains of is lost."""
        return Fork(self, command[2])


class Fork:
    """A fork with the face of a `subprocess.Popen`."""

    def __init__(self, forks: Forks, code: str) -> None:
        (read, stdin), (stdout, write) = os.pipe(), os.pipe()
        with open(os.devnull, "r+b") as nothing:
            self.pid, self._ended = forks.start(code, ["-c"], [read, write, nothing.fileno()], os.environ)
        os.close(read)
        os.close(write)
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self.returncode: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdout.close()
        try:
            self.stdin.close()
        finally:
            self.wait()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = exit_code(self._ended)
        return self.returncode


def exit_code(ended: socket.socket) -> int:
    """That of a process that has ended, of which `start` gave this."""
    with ended:
        return int(_line(ended).split()[0])


def _line(connection: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (more := connection.recv(1)):
        line += more
    return line


def content(file: IO[str]) -> str:
    """What a program wrote into a file from its beginning on."""
    file.seek(0)
    return file.read()


def serve(number: str, more: str, *modules: str) -> None:
    """Starts what is asked for, each in a process whose parent waits for it and tells how it ended."""
    for name in modules:
        __import__(name)
    exec(more, {})
    gc.freeze()
    jobs = socket.socket(fileno=int(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        head, files, _, _ = socket.recv_fds(jobs, 4, 4)
        if not head:
            os._exit(0)
        job = jobs.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
        if os.fork() == 0:
            _start(jobs, job, files)
        for file in files:
            os.close(file)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _start(jobs: socket.socket, job: bytes, files: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    jobs.close()
    ended, *standard = files
    if child := os.fork():
        for file in standard:
            os.close(file)
        os.write(ended, f"{child}\n".encode())
        _, status, usage = os.wait4(child, 0)
        os.write(ended, f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}\n".encode())
        os._exit(0)
    os.close(ended)
    for number, file in enumerate(standard):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, (0, 1, 2), "rww")
    code, sys.argv, folder, environment = json.loads(job)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    status = 0
    try:
        exec(compile(code, "<fork>", "exec"), {"__name__": "__main__", "sys": sys})
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    # Threads that a program leaves are waited for, and what it registered is done, as where an interpreter ends.
    import atexit

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)
