"""Models on workers, on machines of a cluster or a process for each device here, which all see the same files.

First a worker for each model says the plan. Then this process is the sole writer of the models' folders, and each
shard of the release is a task for a worker. A worker keeps its model until a shard of another one comes. What a killed
worker left unfinished another one scores; a shard that is there already is not scored again.
"""

import multiprocessing
import os
import platform
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, PairwrightError, StoreError, UnknownModel
from pairwright.core.files import held, open_file
from pairwright.core.records.evaluation import EvaluationRun, RunPlan
from pairwright.core.records.release import ReleasePair
from pairwright.evaluate.scoring.inputs import Scorer
from pairwright.evaluate.scoring.runs.evaluation import (
    FOLDER,
    Notice,
    Progress,
    Shard,
    computed_on,
    finished_run,
    join,
    make_plan,
    open_plan,
    score_into,
)
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.models import hardware_name
from pairwright.models.load.settings import ModelSettings, release_memory

ALL = "all"
Spread = Callable[[str, Callable[..., Any], Iterable[tuple[Any, ...]]], Iterable[Any]]
"""Runs a named function on workers, once for each tuple of arguments; gives what it returns, in any order."""


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


# What a worker keeps from task to task: the model of the last one. Its threads take turns.
_kept: dict[EvaluationTask, Scorer] = {}
_turn = threading.Lock()
# The device of a process that has one of its own.
_own_device: list[str] = []


class EvaluationOutcome(NamedTuple):
    """An evaluation, or why there is none; `is_new` where it was made now, and not by another run before."""

    result: EvaluationRun | PairwrightError
    is_new: bool = False


class _Answer(NamedTuple):
    """What a worker says of a task of the model at a place: the plan, or a fault."""

    model: int
    plan: RunPlan | None = None
    fault: PairwrightError | None = None
    n_pairs: int = 0
    worker: str = ""
    notices: tuple[str, ...] = ()


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


def evaluate_on(devices: Sequence[str], task: EvaluationTask, progress: Progress, notice: Notice) -> EvaluationRun:
    """Scores a release by one model with a process a device, as `evaluation.evaluate` does.

    Raises ModelError where a process fails. What the others finished is kept.
    """
    task, context = task.shared_by(len(devices)), multiprocessing.get_context("spawn")
    names = context.Queue()
    for device in devices:
        names.put(device)
    with ProcessPoolExecutor(len(devices), context, _take_device, (names,)) as pool:

        def spread(_: str, part: Callable[..., Any], items: Iterable[tuple[Any, ...]]) -> Iterable[Any]:
            return (done.result() for done in as_completed([pool.submit(part, *item) for item in items]))

        try:
            # All load the model at the same time; what they say comes again below.
            list(spread("load model", _say_plan, [(0, task)] * len(devices)))
            result = evaluate_on_workers([task], spread, progress, notice)[0].result
        except BrokenProcessPool:
            raise ModelError(f"{task.model.name}: the process of a device ended; look for its reason above") from None
        finally:
            pool.shutdown(cancel_futures=True)
    if isinstance(result, PairwrightError):
        raise result
    return result


def _take_device(names: Any) -> None:
    """A process takes its device, and ends with its parent: a run that was killed no longer holds its lock."""

    def end_with_parent() -> None:
        if parent := multiprocessing.parent_process():
            parent.join()
            os._exit(1)

    _own_device.append(names.get())
    threading.Thread(target=end_with_parent, daemon=True).start()


def evaluate_on_workers(
    tasks: Sequence[EvaluationTask], spread: Spread, progress: Progress, notice: Notice
) -> dict[int, EvaluationOutcome]:
    """Scores a release by models on workers; returns what became of them by their places in `tasks`.

    progress  gets the number of pairs done by all models together

    Evaluations and shards that are finished are kept, also where a model failed. Raises what `spread` raises.
    """
    planned: list[_Answer] = list(spread("load model", _say_plan, enumerate(tasks)))
    outcomes = {answer.model: EvaluationOutcome(answer.fault) for answer in planned if answer.fault}
    plans = {answer.model: answer.plan for answer in planned if answer.plan is not None}
    started, n_done = datetime.now(UTC).isoformat(timespec="seconds"), 0
    with ExitStack() as locks:
        left = _open_plans(tasks, plans, locks, outcomes, notice)
        calls = [(model, tasks[model], plans[model], number) for model in left for number in range(left[model])]
        workers: defaultdict[int, set[str]] = defaultdict(set)
        for answer in spread("score shard", _score_shard, calls):
            model = answer.model
            for text in answer.notices:
                notice(text)
            if answer.fault:
                outcomes.setdefault(model, EvaluationOutcome(answer.fault))
                continue
            n_done += answer.n_pairs
            progress(n_done)
            workers[model].add(answer.worker)
            left[model] -= 1
            if not left[model]:
                run = _join(tasks[model], plans[model], started, len(workers[model]))
                outcomes[model] = EvaluationOutcome(run, is_new=True)
    return outcomes


def _open_plans(
    tasks: Sequence[EvaluationTask],
    plans: dict[int, RunPlan],
    locks: ExitStack,
    outcomes: dict[int, EvaluationOutcome],
    notice: Notice,
) -> dict[int, int]:
    """Becomes the sole writer of the models' folders; the models to score, with the number of their shards."""
    folders = {tasks[model].directory(plan): model for model, plan in sorted(plans.items(), reverse=True)}
    unfinished = {}
    # Always in the order of the folders, so that two runs never wait for each other.
    for folder, model in sorted(folders.items()):
        locks.enter_context(held(folder, notice=notice))
        try:
            finished = finished_run(folder, plans[model])
        except PairwrightError as fault:
            outcomes[model] = EvaluationOutcome(fault)
            continue
        if finished is None:
            open_plan(folder, plans[model], notice)
            unfinished[model] = tasks[model].n_shards
        else:
            outcomes[model] = EvaluationOutcome(finished)
    return dict(sorted(unfinished.items()))


def _join(task: EvaluationTask, plan: RunPlan, started: str, processes: int) -> EvaluationRun | PairwrightError:
    directory = task.directory(plan)
    shards = [Shard(directory / FOLDER, number) for number in range(task.n_shards)]
    try:
        return join(directory, plan, shards, started, processes=processes)
    except PairwrightError as fault:
        return fault


def _say_plan(model: int, task: EvaluationTask) -> _Answer:
    """On a worker: what will be scored, and how."""
    try:
        with _turn:
            return _Answer(model, task.plan(_scorer(task)))
    except PairwrightError as fault:
        return _Answer(model, fault=fault)


def _score_shard(model: int, task: EvaluationTask, plan: RunPlan, number: int) -> _Answer:
    """On a worker: scores one shard, unless it is there."""
    worker, notices = f"{os.getpid()} on {platform.node()}", list[str]()
    first = number * task.settings.shard_pairs
    try:
        with task.pairs.open("rb") as lines:
            chosen = islice(lines, first, first + task.settings.shard_pairs)
            pairs = [ReleasePair.model_validate_json(line) for line in chosen]
        shard = Shard(task.directory(plan) / FOLDER, number)
        if not shard.is_finished(pairs, plan.config_key, notices.append):
            with _turn:
                scorer = _scorer(task)
                if task.plan(scorer).config_key != plan.config_key:
                    here, there = computed_on(scorer.info), computed_on(plan.model)
                    raise ModelError(f"worker {worker} computes in {here}, others in {there}; take workers of one kind")
                score_into([(shard, pairs)], scorer, plan)
        return _Answer(model, n_pairs=len(pairs), worker=worker, notices=tuple(notices))
    except PairwrightError as fault:
        return _Answer(model, fault=fault, worker=worker, notices=tuple(notices))


def _scorer(task: EvaluationTask) -> Scorer:
    if task not in _kept:
        _kept.clear()
        release_memory()
        device = {"device": _own_device[0]} if _own_device else {}
        _kept[task] = open_scorer(task.model, task.settings.model_copy(update=device))
    return _kept[task]
