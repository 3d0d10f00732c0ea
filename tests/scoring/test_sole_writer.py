"""Two runs of one model take turns, and a killed one stands in nobody's way."""

import multiprocessing
import os
import platform
import signal
import threading
import time
from pathlib import Path
from typing import Any

from pairwright.config import ScoreSettings
from pairwright.lm.models import LoadedModel
from pairwright.records.release import ReleasePair
from pairwright.scoring.runs.evaluation import evaluate
from pairwright.scoring.runs.lock import sole_writer
from pairwright.scoring.scorers.causal import CausalScorer


def hold(folder: Path, ready: Any) -> None:
    with sole_writer(folder, print):
        ready.set()
        time.sleep(60)


def test_a_run_waits_for_another_and_takes_over_what_it_finished(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    settings, notices = ScoreSettings(shard_pairs=1), list[str]()
    runs, begun, noticed = [], threading.Event(), threading.Event()

    def run(progress: Any, notice: Any) -> None:
        runs.append(
            evaluate(
                pairs,
                CausalScorer(model, settings),
                settings,
                tmp_path / "scored",
                release="own-1.0",
                release_sha256="a" * 64,
                progress=progress,
                notice=notice,
            )
        )

    def first(done: int) -> None:
        begun.set()
        assert noticed.wait(20)

    def notice(text: str) -> None:
        notices.append(text)
        noticed.set()

    working = threading.Thread(target=run, args=(first, notices.append))
    working.start()
    assert begun.wait(20)
    scored_again: list[int] = []
    run(scored_again.append, notice)
    working.join()
    assert runs[0] == runs[1]
    assert scored_again == []
    [line] = notices
    assert f"process {os.getpid()} on {platform.node()}, since 20" in line


def test_a_killed_run_holds_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready, notices = context.Event(), list[str]()
    holder = context.Process(target=hold, args=(tmp_path / "scored", ready))
    holder.start()
    assert ready.wait(20)
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    with sole_writer(tmp_path / "scored", notices.append):
        assert notices == []
