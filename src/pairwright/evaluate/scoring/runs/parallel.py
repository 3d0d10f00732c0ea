"""One model on several devices: a process for each, which takes every n-th shard of the release."""

import multiprocessing
import os
import queue
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, PairwrightError, StoreError, UnknownModel
from pairwright.core.files import open_file
from pairwright.core.locks import held
from pairwright.core.records.evaluation import EvaluationRun, RunPlan
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl
from pairwright.evaluate.scoring.inputs.outcomes import Scorer
from pairwright.evaluate.scoring.runs.evaluation import Progress, finished_run, join, make_plan, score_shards
from pairwright.evaluate.scoring.runs.shards import Notice, Shard, open_plan
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.models import hardware_name
from pairwright.models.load.settings import ModelSettings

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
    request: str = ""  # as in RunPlan

    @property
    def n_pairs(self) -> int:
        """The pairs of the release."""
        with open_file(self.pairs, StoreError) as handle:
            return sum(1 for _ in handle)

    @property
    def n_shards(self) -> int:
        """The shards of the release."""
        return -(-self.n_pairs // self.settings.shard_pairs)

    def shared_by(self, n_devices: int) -> "EvaluationTask":
        """The same with shards so small that each device gets as many as the others."""
        rounds = max(1, -(-self.n_pairs // (n_devices * self.settings.shard_pairs)))
        size = max(1, -(-self.n_pairs // (n_devices * rounds)))
        return replace(self, settings=self.settings.model_copy(update={"shard_pairs": size}))

    def plan(self, scorer: Scorer) -> RunPlan:
        """What the scorer of this model will do."""
        return make_plan(scorer, self.settings, self.release, self.release_sha256, self.request)

    def directory(self, plan: RunPlan) -> Path:
        """The folder of the scores."""
        return self.evaluations / plan.model.slug


def devices_of(device: str) -> list[str]:
    """The devices that `score.device` names.

    Raises UnknownModel where one of them is not there, and ModelError where several differ, as their numbers would.
    """
    import torch

    names = [name.strip() for name in device.split(",") if name.strip()]
    if device == ALL:
        if not torch.cuda.is_available():
            raise UnknownModel('score.device = "all": torch sees no GPU; use auto')
        names = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
    if len(names) > 1:
        try:
            hardware = sorted({f"{name.partition(':')[0]} {hardware_name(name)}" for name in names})
        except (RuntimeError, AssertionError):
            raise UnknownModel(f"score.device = '{device}': can't be used here; name GPUs that torch sees") from None
        if len(hardware) > 1:
            raise ModelError(f"score.device = '{device}': {', '.join(hardware)} differ; name devices of one kind")
    return names


def evaluate_on(devices: list[str], task: EvaluationTask, progress: Progress, notice: Notice) -> EvaluationRun:
    """Scores a release with one process a device, and joins what they wrote; else as `evaluation.evaluate`.

    Raises ModelError where a process fails. What the others finished is kept.
    """
    task = task.shared_by(len(devices))
    context: Any = multiprocessing.get_context("spawn")
    messages, may_start = context.Queue(), context.Event()
    workers = [
        context.Process(target=_work, args=(task, device, (number, len(devices)), messages, may_start), daemon=True)
        for number, device in enumerate(devices)
    ]
    for worker in workers:
        worker.start()
    try:
        plan = _follow(workers, messages, "plan", progress, notice)
        with held(task.directory(plan), notice=notice) as started:
            finished = finished_run(task.directory(plan), plan)
            if finished is not None:
                return finished
            folder = open_plan(task.directory(plan), plan, notice)
            may_start.set()
            _follow(workers, messages, "done", progress, notice)
            shards = [Shard(folder, number) for number in range(task.n_shards)]
            return join(task.directory(plan), plan, shards, started, processes=len(devices))
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def _work(task: EvaluationTask, device: str, part: tuple[int, int], messages: Any, may_start: Any) -> None:
    """One process: says its plan, waits, scores its part and says how far it is, at last that it is done or why not."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    number = part[0]
    try:
        settings = task.settings.model_copy(update={"device": device})
        scorer = open_scorer(task.model, settings)
        plan = task.plan(scorer)
        messages.put(("plan", number, plan))
        may_start.wait()
        score_shards(
            read_jsonl(task.pairs, ReleasePair),
            scorer,
            settings,
            task.directory(plan),
            plan,
            part=part,
            progress=lambda done: messages.put(("progress", number, done)),
            notice=lambda text: messages.put(("notice", number, text)),
        )
        messages.put(("done", number, plan))
    except PairwrightError as error:
        messages.put(("failed", number, error))


def _end_with_parent() -> None:
    """A run that was killed must not go on writing: its lock is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _follow(workers: list[Any], messages: Any, stage: str, progress: Progress, notice: Notice) -> RunPlan:
    """Passes on what the processes report until all have come to a stage, `plan` or `done`; returns their plan."""
    done = dict.fromkeys(range(len(workers)), 0)
    plans: dict[int, RunPlan] = {}
    while len(plans) < len(workers):
        try:
            kind, number, content = messages.get(timeout=1)
        except queue.Empty:
            for number, worker in enumerate(workers):
                if number not in plans and not worker.is_alive() and messages.empty():
                    raise ModelError(f"the process of device {number} ended with code {worker.exitcode}") from None
            continue
        if kind == "failed":
            raise content
        if kind == stage:
            plans[number] = content
        elif kind == "notice":
            notice(content)
        else:
            done[number] = content
            progress(sum(done.values()))
    return plans[0]
