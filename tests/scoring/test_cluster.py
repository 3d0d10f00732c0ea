"""Shards on the workers of a real scheduler give the bytes of one machine, also where a worker is killed."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny_folder

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.store import write_jsonl
from pairwright.evaluate.scoring.runs.evaluation import evaluate
from pairwright.evaluate.scoring.runs.workers import EvaluationTask, Spread, evaluate_on_workers
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.settings import ModelSettings

pytestmark = pytest.mark.slow
TOO_LONG = "Labai " + "ilgai " * 300 + "laukėme."
PAIRS = [
    make_released(f"Mums trūksta laiko {n}.", TOO_LONG if n % 7 == 3 else f"Mums trūksta laikas {n}.", id=f"pair-{n}")
    for n in range(90)
]
FILES = ("scores.parquet", "scores.rejected.jsonl")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield local


@pytest.fixture
def spread(cluster: Any) -> Iterator[Spread]:
    distributed: Any = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client:
        yield lambda _, part, items: (
            it.result() for it in distributed.as_completed([client.submit(part, *item, pure=False) for item in items])
        )


@pytest.fixture
def tasks(tmp_path: Path) -> list[EvaluationTask]:
    """Two models and a folder that is none, in this order: the first, none, the second."""
    write_jsonl(tmp_path / "pairs.jsonl", PAIRS)
    names = (tiny_folder("GPT2"), tmp_path / "nowhere", tiny_folder("Llama"))
    settings = ScoreSettings(shard_pairs=2, device="cpu")
    place = (tmp_path / "pairs.jsonl", tmp_path / "spread", "own-1.0", "a" * 64)
    return [EvaluationTask(ModelSettings(name=str(name)), settings, *place) for name in names]


def by_one_machine(task: EvaluationTask, folder: Path) -> EvaluationRun:
    scorer = open_scorer(task.model, task.settings)
    return evaluate(PAIRS, scorer, task.settings, folder, release=task.release, release_sha256=task.release_sha256)


def test_a_killed_worker_loses_no_shard_and_none_is_written_twice(
    cluster: Any, spread: Spread, tasks: list[EvaluationTask], tmp_path: Path
) -> None:
    victim = cluster.workers[0].pid
    written: dict[Path, int] = {}
    twice: list[Path] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.002):
            for path in (tmp_path / "spread").glob("*/shards/*.parquet"):
                try:
                    changed = path.stat().st_mtime_ns
                except FileNotFoundError:  # joined meanwhile
                    continue
                if written.setdefault(path, changed) != changed:
                    twice.append(path)

    killed: list[int] = []

    def kill(done: int) -> None:
        if done > 20 and not killed:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    watcher = threading.Thread(target=watch)
    watcher.start()
    outcomes = evaluate_on_workers(tasks, spread, kill, lambda text: None)
    ended.set()
    watcher.join()
    assert killed
    assert twice == []
    assert len(written) > 45
    assert str(tasks[1].model.name) in str(outcomes[1].result)
    for number in (0, 2):
        outcome, is_new = outcomes[number]
        assert is_new
        assert isinstance(outcome, EvaluationRun)
        alone = by_one_machine(tasks[number], tmp_path / "alone" / str(number))
        assert (outcome.n_pairs, outcome.n_scored) == (alone.n_pairs, alone.n_scored) == (90, 77)
        for name in FILES:
            here = tmp_path / "spread" / outcome.model.slug / name
            assert here.read_bytes() == (tmp_path / "alone" / str(number) / name).read_bytes()
        assert not (tmp_path / "spread" / outcome.model.slug / "shards").exists()
    clock = time.monotonic()
    assert evaluate_on_workers(tasks[:1], spread, kill, lambda text: None) == {0: (outcomes[0].result, False)}
    assert time.monotonic() - clock < 60
