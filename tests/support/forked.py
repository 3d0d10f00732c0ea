"""Programs run as processes that have imported what they need: each is a new fork of one process that did."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

_FORK = """
import importlib, json, os, runpy, sys

for name in sys.argv[1:]:
    importlib.import_module(name)
for line in sys.stdin:
    program, arguments, out, err = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, name in enumerate((os.devnull, out, err)):
        os.dup2(os.open(name, os.O_RDWR), number)
    sys.argv, sys.path[0] = [program, *arguments], os.path.dirname(program)
    runpy.run_path(program, run_name="__main__")
    break
"""


class Forked:
    """The process that is forked. It imports modules first, in an environment that all programs then share."""

    def __init__(self, modules: Iterable[str], environment: Mapping[str, str]) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", _FORK, *modules]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=dict(environment))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, program: Path, *arguments: object) -> tuple[int, str, str]:
        """Runs a Python program to its end. Returns its exit code, stdout and stderr."""
        assert self._process.stdin
        assert self._process.stdout
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder, "out"), Path(folder, "err")
            for file in (out, err):
                file.touch()
            job = [str(program), [str(argument) for argument in arguments], str(out), str(err)]
            print(json.dumps(job), file=self._process.stdin, flush=True)
            code = int(self._process.stdout.readline())
            return code, out.read_text("utf-8"), err.read_text("utf-8")
