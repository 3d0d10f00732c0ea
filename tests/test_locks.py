"""Locks: one at a time, whoever waits is told for whom, and a killed process stands in nobody's way."""

import os
import platform
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pairwright.core.errors import StoreError
from pairwright.core.files import held, locks_held

HOLD = """
import sys, time
from pathlib import Path
from pairwright.core.files import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holding(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_whoever_waits_is_told_for_whom_after_two_seconds_and_goes_on_when_that_one_is_killed(tmp_path: Path) -> None:
    path, told = tmp_path / "work", list[str]()
    with holding(path) as process:
        begun = time.monotonic()

        def notice(line: str) -> None:
            told.append(line)
            process.send_signal(signal.SIGKILL)

        with held(path, "the model", notice):
            assert 2 <= time.monotonic() - begun < 10
    assert len(told) == 1
    assert "the model" in told[0]
    assert f"process {process.pid} on {platform.node()}, since 2" in told[0]
    assert list(locks_held(tmp_path)) == []


def test_patience_ends_and_names_the_holder(tmp_path: Path) -> None:
    refused = pytest.raises(StoreError, match=rf"work: process {os.getpid()} on ")
    with held(tmp_path / "work"), refused, held(tmp_path / "work", notice=pytest.fail, patience=0.1):
        pass
    with held(tmp_path / "work", patience=0):
        pass


def test_locks_that_are_held_are_listed_with_their_holders(tmp_path: Path) -> None:
    for name in ("free", "one", "below/two"):
        with held(tmp_path / name):
            pass
    with held(tmp_path / "one"), held(tmp_path / "below" / "two"):
        listed = sorted(locks_held(tmp_path))
    paths = sorted([tmp_path / ".one.lock", tmp_path / "below" / ".two.lock"])
    for line, path in zip(listed, paths, strict=True):
        assert line.startswith(f"{path}: process {os.getpid()} on ")


def test_threads_take_turns(tmp_path: Path) -> None:
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(20):
            with held(tmp_path / "work"):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.001)
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
