"""Whatever stands in a file that a user can name, each command ends with 0, 1 or 2, and a fault is one line."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from any_file import Reading, readings, spoil
from attempts import unfit
from parts import build_workspace

Run = Callable[..., tuple[int, str, str]]
# Draws so many seconds long, from this seed or a new one, in place of the same few files each time.
SECONDS, SEED = "PAIRWRIGHT_FUZZ_SECONDS", "PAIRWRIGHT_FUZZ_SEED"
N_TRIES = 20
LIMIT = 60


class Valid(NamedTuple):
    folder: Path
    readings: list[Reading]


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Valid:
    folder = tmp_path_factory.mktemp("valid")
    (folder / "workspace").mkdir()
    build_workspace(folder / "workspace")
    return Valid(folder, readings(folder))


class TooLong(BaseException):
    """No command of ours catches this."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLong

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)


def fault(code: int, out: str, err: str) -> str:
    """What is wrong with the end of a command; empty where nothing is."""
    faults = {
        f"ended with {code}": code not in (0, 1, 2),
        "not one line": err.count("\n") > 1 or (code == 2 and not err + out),
        "a command that the test should not give": "--help" in err,
    }
    return ", ".join([*(what for what, holds in faults.items() if holds), *unfit(out + err)])


def attempts() -> Iterator[int]:
    """The seeds of the tries: a failed one alone is drawn again by its own."""
    seconds = os.environ.get(SECONDS)
    seed = int(os.environ.get(SEED) or (random.randrange(10**9) if seconds else 1))
    end = time.monotonic() + float(seconds or LIMIT)
    for number in range(10**9 if seconds else N_TRIES):
        if time.monotonic() > end:
            break
        yield seed + number


@pytest.mark.fuzz
@pytest.mark.skipif(os.name != "posix", reason="pipes and alarms of POSIX")
def test_whatever_a_file_holds_its_command_ends_as_promised(valid: Valid, tmp_path: Path, run: Run) -> None:
    found = []
    files = sorted({reading.file for reading in valid.readings})
    for seed in attempts():
        draw, folder = random.Random(seed), tmp_path / str(seed)
        file = draw.choice(files)
        reading = draw.choice([one for one in valid.readings if one.file == file])
        shutil.copytree(valid.folder, folder)
        how = spoil(folder / file, draw)
        paths = [str(folder / word) if (folder / word).exists() or word == file else word for word in reading.command]
        given = [
            str(folder / word) if before == "--out" else word for before, word in zip(["", *paths], paths, strict=False)
        ]
        code, out, err = 0, "", ""
        try:
            with at_most(LIMIT):
                at = () if given[:2] == ["release", "verify"] else ("--workspace", folder / "workspace")
                code, out, err = run(*given, *at)
        except TooLong:
            err = "Traceback: it took too long"
        if what := fault(code, out, err):
            found.append(f"{SEED}={seed}: {what}: {' '.join(reading.command)}, {file} {how}\n{err}")
        shutil.rmtree(folder)
    assert not found, "\n".join(found)
