"""One model on several devices: a process for each, which takes every n-th shard of the release."""

import multiprocessing
import queue
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError, PairwrightError
from pairwright.lm.models import hardware_name
from pairwright.lm.settings import ModelSettings
from pairwright.records.evaluation import EvaluationRun, RunPlan
from pairwright.records.release import ReleasePair
from pairwright.scoring.runs.evaluation import RUN, Progress, finished_run, join, make_plan, score_shards
from pairwright.scoring.runs.shards import FOLDER, PLAN, Notice, Shard
from pairwright.scoring.scorers.registry import open_scorer
from pairwright.store import read_jsonl

ALL = "all"


@dataclass(frozen=True)
class EvaluationTask:
    """A model and the release that it scores: `pairs` is its pairs.jsonl, `evaluations` the folder for its scores."""

    model: ModelSettings
    settings: ScoreSettings
    pairs: Path
    evaluations: Path
    release: str
    release_sha256: str


def devices_of(device: str) -> list[str]:
    """The devices that `score.device` names.

    Raises ModelError where `all` is asked for and there is no GPU, and where several differ, as their numbers would.
    """
    import torch

    names = [name.strip() for name in device.split(",") if name.strip()]
    if device == ALL:
        if not torch.cuda.is_available():
            raise ModelError('score.device = "all": torch sees no GPU; use auto')
        names = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if len(names) > 1:
        try:
            hardware = sorted({f"{name.partition(':')[0]} {hardware_name(name)}" for name in names})
        except (RuntimeError, AssertionError):
            raise ModelError(f"score.device = '{device}': can't be used here; name GPUs that torch sees") from None
        if len(hardware) > 1:
            raise ModelError(f"score.device = '{device}': {', '.join(hardware)} differ; name devices of one kind")
    return names


def evaluate_on(devices: list[str], task: EvaluationTask, progress: Progress, notice: Notice) -> EvaluationRun:
    """Scores a release with one process a device, and joins what they wrote; else as `evaluation.evaluate`.

    Raises ModelError where a process fails. What the others finished is kept.
    """
    started = datetime.now(UTC).isoformat(timespec="seconds")
    context: Any = multiprocessing.get_context("spawn")
    messages = context.Queue()
    workers = [
        context.Process(target=_work, args=(task, device, (number, len(devices)), messages), daemon=True)
        for number, device in enumerate(devices)
    ]
    for worker in workers:
        worker.start()
    try:
        slug = _follow(workers, messages, progress, notice)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
    directory = task.evaluations / slug
    if not (directory / FOLDER).is_dir():
        return EvaluationRun.model_validate_json((directory / RUN).read_bytes())
    plan = RunPlan.model_validate_json((directory / FOLDER / PLAN).read_bytes())
    shards = [Shard(directory / FOLDER, number) for number in range(_n_shards(task))]
    return join(directory, plan, shards, started, processes=len(devices))


def _n_shards(task: EvaluationTask) -> int:
    with task.pairs.open("rb") as handle:
        return -(-sum(1 for _ in handle) // task.settings.shard_pairs)


def _work(task: EvaluationTask, device: str, part: tuple[int, int], messages: Any) -> None:
    """One process: scores its part and reports how far it is, at last that it is done or why it is not."""
    number = part[0]
    try:
        settings = task.settings.model_copy(update={"device": device})
        scorer = open_scorer(task.model, settings)
        directory = task.evaluations / scorer.info.slug
        plan = make_plan(scorer, settings, task.release, task.release_sha256)
        if finished_run(directory, plan) is None:
            score_shards(
                read_jsonl(task.pairs, ReleasePair),
                scorer,
                settings,
                directory,
                plan,
                part=part,
                progress=lambda done: messages.put(("progress", number, done)),
                notice=lambda text: messages.put(("notice", number, text)),
            )
        messages.put(("done", number, scorer.info.slug))
    except PairwrightError as error:
        messages.put(("failed", number, str(error)))


def _follow(workers: list[Any], messages: Any, progress: Progress, notice: Notice) -> str:
    """Passes on what the processes report until all are done; returns the name of the folder that they wrote to."""
    done = dict.fromkeys(range(len(workers)), 0)
    slugs: dict[int, str] = {}
    while len(slugs) < len(workers):
        try:
            kind, number, content = messages.get(timeout=1)
        except queue.Empty:
            for number, worker in enumerate(workers):
                if number not in slugs and not worker.is_alive() and messages.empty():
                    raise ModelError(f"the process of device {number} ended with code {worker.exitcode}") from None
            continue
        if kind == "failed":
            raise ModelError(content)
        if kind == "done":
            slugs[number] = content
        elif kind == "notice":
            notice(content)
        else:
            done[number] = content
            progress(sum(done.values()))
    return slugs[0]
