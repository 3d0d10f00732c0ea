"""One model on several devices: a process for each, which takes every n-th shard of the release."""

import multiprocessing
import queue
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError, PairwrightError
from pairwright.lm.settings import ModelSettings
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import ReleasePair
from pairwright.score.runs.evaluation import Notice, Progress, finished_run, join, make_plan, score_shards
from pairwright.score.runs.shards import FOLDER, PLAN, Plan, Shard
from pairwright.score.scorers.registry import open_scorer
from pairwright.store import read_jsonl

ALL = "all"


@dataclass(frozen=True)
class Task:
    """What is scored with what. `pairs` is the release's pairs.jsonl; `evaluations` the folder of its evaluations."""

    model: ModelSettings
    settings: ScoreSettings
    pairs: Path
    evaluations: Path
    release: str
    release_sha256: str


def devices_of(device: str) -> list[str]:
    """The devices that `score.device` names. Raises ModelError where `all` is asked for and there is no GPU."""
    if device != ALL:
        return [name.strip() for name in device.split(",") if name.strip()]
    import torch

    if not torch.cuda.is_available():
        raise ModelError('score.device = "all": torch sees no GPU; use auto')
    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def evaluate_on(devices: list[str], task: Task, progress: Progress, notice: Notice) -> EvaluationRun:
    """Scores a release with one process a device, and joins what they wrote; else as `evaluation.evaluate`.

    Raises ModelError where a process fails. What the others finished is kept.
    """
    started = datetime.now(UTC).isoformat(timespec="seconds")
    context: Any = multiprocessing.get_context("spawn")
    news = context.Queue()
    workers = [
        context.Process(target=_work, args=(task, device, (number, len(devices)), news), daemon=True)
        for number, device in enumerate(devices)
    ]
    for worker in workers:
        worker.start()
    try:
        slug = _follow(workers, news, progress, notice)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
    directory = task.evaluations / slug
    folder = directory / FOLDER
    if not folder.is_dir():
        return EvaluationRun.model_validate_json((directory / "run.json").read_bytes())
    plan = Plan.model_validate_json((folder / PLAN).read_bytes())
    shards = [Shard(folder, number) for number in range(_n_shards(task))]
    return join(
        directory,
        plan,
        shards,
        release=task.release,
        release_sha256=task.release_sha256,
        started=started,
        processes=len(devices),
    )


def _n_shards(task: Task) -> int:
    with task.pairs.open("rb") as handle:
        return -(-sum(1 for _ in handle) // task.settings.shard_pairs)


def _work(task: Task, device: str, part: tuple[int, int], news: Any) -> None:
    """One process: scores its part and says how far it is, at last that it is done or why it is not."""
    number = part[0]
    try:
        settings = task.settings.model_copy(update={"device": device})
        scorer = open_scorer(task.model, settings)
        directory = task.evaluations / scorer.info.slug
        plan = make_plan(scorer, settings, task.release_sha256)
        if finished_run(directory, plan, task.release, task.release_sha256) is None:
            pairs: Iterator[ReleasePair] = read_jsonl(task.pairs, ReleasePair)
            score_shards(
                pairs,
                scorer,
                settings,
                directory,
                plan,
                task.release,
                part=part,
                progress=lambda done: news.put(("progress", number, done)),
                notice=lambda text: news.put(("notice", number, text)),
            )
        news.put(("done", number, scorer.info.slug))
    except PairwrightError as fault:
        news.put(("failed", number, str(fault)))


def _follow(workers: list[Any], news: Any, progress: Progress, notice: Notice) -> str:
    """Passes on what the processes say until all are done; the folder that they wrote to."""
    done = dict.fromkeys(range(len(workers)), 0)
    slugs: dict[int, str] = {}
    while len(slugs) < len(workers):
        try:
            kind, number, what = news.get(timeout=1)
        except queue.Empty:
            for number, worker in enumerate(workers):
                if number not in slugs and not worker.is_alive() and news.empty():
                    raise ModelError(f"the process of device {number} ended with code {worker.exitcode}") from None
            continue
        if kind == "failed":
            raise ModelError(what)
        if kind == "done":
            slugs[number] = what
        elif kind == "notice":
            notice(what)
        else:
            done[number] = what
            progress(sum(done.values()))
    return slugs[0]
