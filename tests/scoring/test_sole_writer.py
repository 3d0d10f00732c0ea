"""Two runs of one model take turns, and a killed one stands in nobody's way."""

import multiprocessing
import os
import platform
import signal
import threading
import time
from pathlib import Path
from typing import Any

from tiny_models import PAIRS, tiny_folder

from made_records import make_release_info
from pairwright.core.config import ScoreSettings
from pairwright.core.files import held
from pairwright.core.records.release import FrozenRelease
from pairwright.core.store import write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.evaluate.scoring.runs.evaluation import evaluate
from pairwright.evaluate.scoring.runs.workers import EvaluationOutcome
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context, Silent
from pairwright.pipeline.models import ScoringJob, score_model


def hold(folder: Path, ready: Any) -> None:
    with held(folder, notice=print):
        ready.set()
        time.sleep(60)


def test_a_run_waits_for_another_and_takes_over_what_it_finished(model: LoadedModel, tmp_path: Path) -> None:
    settings, notices = ScoreSettings(shard_pairs=1), list[str]()
    runs, begun, noticed = [], threading.Event(), threading.Event()

    def run(progress: Any, notice: Any) -> None:
        scorer, folder = CausalScorer(model, settings), tmp_path / "scored"
        told: dict[str, Any] = {"release": "own-1.0", "release_sha256": "a" * 64, "progress": progress}
        runs.append(evaluate(PAIRS, scorer, settings, folder, notice=notice, **told))

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


def test_a_run_that_waited_finds_the_model_finished_and_does_not_load_it(tmp_path: Path) -> None:
    release = FrozenRelease(path=tmp_path / "own-1.0", sha256="a" * 64, info=make_release_info(PAIRS))
    write_jsonl(release.path / "pairs.jsonl", PAIRS)
    model = ModelSettings(name=str(tiny_folder("GPT2")), device="cpu")
    lines, waits = [list[tuple[str, str]](), list[tuple[str, str]]()], threading.Event()

    class First(Silent):
        def say(self, label: str, text: str) -> None:
            lines[0].append((label, text))
            if label == "loading":
                second.start()
                assert waits.wait(20)

    class Second(Silent):
        def say(self, label: str, text: str) -> None:
            lines[1].append((label, text))
            waits.set()

    first, other = (
        ScoringJob(Context(Workspace(tmp_path), one()), release, model, ScoreSettings()) for one in (First, Second)
    )
    second = threading.Thread(target=score_model, args=(other,))
    run = score_model(first)
    second.join()
    assert [label for label, _ in lines[0]] == ["loading", "scored"]
    assert [label for label, _ in lines[1]] == ["warning", "finished"]
    assert lines[1][0][1].startswith(f"{model.name}: process {os.getpid()} on {platform.node()}, since 20")
    for is_new in (False, True):
        score_model(first, EvaluationOutcome(run, is_new))
    assert [label for label, _ in lines[0]] == ["loading", "scored", "finished", "scored"]


def test_a_killed_run_holds_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready, notices = context.Event(), list[str]()
    holder = context.Process(target=hold, args=(tmp_path / "scored", ready))
    holder.start()
    assert ready.wait(20)
    assert holder.pid is not None
    os.kill(holder.pid, signal.SIGKILL)
    holder.join()
    with held(tmp_path / "scored", notice=notices.append):
        assert notices == []
