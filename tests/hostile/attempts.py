"""Attempts to harm a user: each is a small script that builds what is hostile, and says what the user must get.

An attempt is a generator. It builds its files in a folder, yields the arguments of a command of `pairwright`, gets the
outcome, and may look for harm that the outcome does not show.
"""

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forked import Forks

SECONDS = 60
MEMORY_MIB = 500
# Of commands that load a model: torch alone takes 700.
MODEL_MIB = 1_500
# What commands import, by names that need no path of the tests.
PRELOADED = [
    "pandas",
    "pyarrow.parquet",
    "pairwright.checks.registry",
    "pairwright.cli.review.lines",
    "pairwright.models.chat.http",
    "pairwright.pipeline.review",
    "pairwright.pipeline.release",
    "pairwright.sources.grammar.rules.extract",
]
# Takes a second to read, and most attempts check Lithuanian words.
_DICTIONARY = """
from pairwright.languages import load_language
from pairwright.languages.letters import dictionary_path, speller
speller(dictionary_path(load_language("lt")))
"""
_COMMAND = """
import resource
from pairwright.cli import main
resource.setrlimit(resource.RLIMIT_DATA, ({}, resource.RLIM_INFINITY))
main()
"""
REFUSED, FINE, DOUBTS = 2, 0, 1


@dataclass(frozen=True)
class Outcome:
    """What came of a command. `code` is None where it had to be ended: it hung, or its process died."""

    code: int | None
    out: str
    err: str
    peak_mib: float


Script = Callable[[Path], Generator[tuple[str | Path, ...], Outcome, None]]


def unfit(printed: str) -> list[str]:
    """What no command may print, whatever it was given."""
    faults = {
        "a traceback": "Traceback" in printed,
        "a fault of the program": "fault of pairwright" in printed or "please report" in printed,
        "a control character": re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", printed),
    }
    return [fault for fault, found in faults.items() if found]


@dataclass(frozen=True)
class Attempt:
    """What is tried, the exit code that the user must see, and words that must stand in what is printed."""

    name: str
    script: Script
    code: int
    words: tuple[str, ...]
    slow: bool = False
    memory_mib: int = MEMORY_MIB

    def make(self, folder: Path) -> tuple[Outcome, list[str]]:
        """Tries it. Returns what came of it, and what is wrong with that; an empty list where nothing is."""
        script = self.script(folder)
        outcome = run(*next(script), memory_mib=self.memory_mib)
        faults = self._faults(outcome)
        try:
            script.send(outcome)
        except StopIteration:
            pass
        except AssertionError as harm:
            faults.append(f"harm was done: {harm}")
        return outcome, faults

    def _faults(self, outcome: Outcome) -> list[str]:
        printed = outcome.out + outcome.err
        checks = {
            f"ended with {outcome.code}, not {self.code}": outcome.code == self.code,
            "not one line": self.code != REFUSED or len(outcome.err.splitlines()) == 1,
            f"{outcome.peak_mib:.0f} MiB": outcome.peak_mib < self.memory_mib,
            **{f"does not say {word!r}": word in printed for word in self.words},
        }
        return [*(fault for fault, holds in checks.items() if not holds), *unfit(printed)]


ATTEMPTS: list[Attempt] = []


def attempt(code: int, *words: str, slow: bool = False) -> Callable[[Script], Script]:
    """Registers a script; the name of its function says what it tries. A slow one takes over a second."""

    def register(script: Script) -> Script:
        ATTEMPTS.append(Attempt(script.__name__.replace("_", " "), script, code, words, slow))
        return script

    return register


@cache
def _forks() -> Forks:
    """Processes that have the program imported already, so that each attempt has one of its own at little cost."""
    return Forks(PRELOADED, os.environ, _DICTIONARY)


def run(*arguments: str | Path, memory_mib: int = MEMORY_MIB) -> Outcome:
    """A command of `pairwright` in a process of its own, which is ended where it takes too long."""
    given = ["pairwright", *map(str, arguments)]
    code, out, err, peak = _forks().ended(_COMMAND.format(2 * memory_mib * 2**20), given, os.environ, SECONDS)
    return Outcome(code, out, err, peak / 1024)


@cache
def built() -> Path:
    """A workspace that is built, reviewed and released, to be copied."""
    from parts import build_workspace

    return build_workspace(lasting_folder())


def lasting_folder() -> Path:
    """A new folder that stays until this process ends."""
    path = Path(tempfile.mkdtemp(prefix="pairwright-hostile-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path
