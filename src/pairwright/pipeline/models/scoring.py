"""Pairs scored by one model here, or by many on the workers of a cluster."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, PairwrightError, counted
from pairwright.core.files import user_path
from pairwright.core.ids import content_id
from pairwright.core.locks import held
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import FrozenRelease
from pairwright.evaluate.scoring.inputs.outcomes import Scorer
from pairwright.evaluate.scoring.runs.evaluation import answered_run
from pairwright.evaluate.scoring.runs.evaluation import evaluate as score_release
from pairwright.evaluate.scoring.runs.workers import (
    ALL,
    EvaluationOutcome,
    EvaluationTask,
    devices_of,
    evaluate_on,
    evaluate_on_workers,
)
from pairwright.evaluate.scoring.scorers.registry import (
    TemporaryDownload,
    open_scorer,
    request_key,
    settings_for,
    tokenizer_of,
)
from pairwright.models.load.embedded import watched
from pairwright.models.load.models import EMBEDDED
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context, pace
from pairwright.release.verify import PAIRS, read_pairs

# The settings under which other programs' numbers come out.
LIKE: dict[str, dict[str, Any]] = {
    # The task blimp: a space before each sentence counts, and EOS stands where there is no BOS.
    "lm-eval": {"bos": "or-eos", "prefix": " ", "prefix_scored": True},
}


def scored_like(model: ModelSettings, program: str) -> ModelSettings:
    """A model under a name that says by whose settings it is scored."""
    name = model.label or (model.model if model.is_served else None) or user_path(model.name).name or model.name
    return model.model_copy(update={"label": f"{name} ({program})"})


@dataclass(frozen=True)
class ScoringJob:
    """A model that scores a release, frozen or not, in a folder of its own among the evaluations of the release.

    settings  those of the workspace, unless the user gave others
    files     of extras, by the name of the extra, which may keep something beside the scores
    opened    the scorer of a model that is in memory already
    """

    context: Context
    release: FrozenRelease
    model: ModelSettings
    settings: ScoreSettings
    files: Mapping[str, Path] = field(default_factory=dict)
    opened: Scorer | None = None

    @property
    def name(self) -> str:
        return self.model.label or self.model.name

    @cached_property
    def task(self) -> EvaluationTask:
        """The same for other processes, whose working folder may be another one."""
        settings, release = settings_for(self.model, self.settings), self.release
        return EvaluationTask(
            self.model if self.model.name == EMBEDDED else self.model.model_copy(update=_absolute(self.model, "name")),
            settings.model_copy(update=_absolute(settings, "unigrams")),
            (release.path / PAIRS).resolve(),
            self.context.workspace.evaluations(release.path.name).resolve(),
            release.path.name,
            release.sha256,
            "" if self.opened else request_key(self.model, settings, release.sha256) or "",
        )


def _absolute(settings: ModelSettings | ScoreSettings, name: str) -> dict[str, str]:
    """A setting as an absolute path, where it names a file or folder that is there."""
    value = getattr(settings, name)
    path = user_path(value or "")
    return {name: str(path.resolve())} if value and path.exists() else {}


def score_model(job: ScoringJob, by_workers: EvaluationOutcome | None = None) -> EvaluationRun:
    """The scores of one model; where they are there already, nothing is loaded. Raises ModelError, StoreError.

    by_workers  what became of it on the workers of a cluster
    """
    scored, is_new = by_workers or (None, False)
    if isinstance(scored, PairwrightError):
        raise scored
    context, model, warn = job.context, job.model, partial(job.context.say, "warning")
    evaluations = context.workspace.evaluations(job.release.path.name)
    # The folder of the scores is named by the loaded model, and a run that has to wait should not load it.
    with held(evaluations / content_id("model", job.name), job.name, warn) as began:
        task, download = job.task, TemporaryDownload(model)
        run = scored or answered_run(task.evaluations, task.request, model.label)
        if run is None:
            context.say("loading", job.name)
            run = _score(job, warn)
            is_new = run.started_at >= began
    counts = f"{run.n_scored:,} of {counted(run.n_pairs, 'pair')} by {run.model.name}"
    if not is_new:
        context.say("finished", f"{counts} before, on {run.finished_at[:10]} ({run.model.dtype} on {run.model.device})")
    else:
        speed = f"{run.seconds:.0f} s, {run.sentences_per_second:.1f} sentences/s"
        context.say("scored", f"{counts} in {speed} ({run.model.dtype} on {run.model.device}, {run.route})")
    for extra in context.extras:
        if extra.name in job.files:
            folder = task.evaluations / run.model.slug
            extra.beside_scores(job.files[extra.name], folder, partial(tokenizer_of, model))
    download.delete(run.model.revision)
    return run


def _score(job: ScoringJob, warn: Callable[[str], None]) -> EvaluationRun:
    task = job.task
    with watched(f"loading {job.name}"):
        devices = devices_of(task.settings.device)
        settings = task.settings.model_copy(update={"device": devices[0]})
        requests = job.context.workspace.config().llm.concurrency
        scorer = job.opened or (open_scorer(job.model, settings, requests) if len(devices) == 1 else None)
    with pace(job.context.reporter, f"scoring {job.name}", job.release.info.n_pairs) as progress:
        if scorer is None:
            return evaluate_on(devices, task, progress, warn)
        return score_release(
            read_pairs(job.release.path),
            scorer,
            settings,
            task.evaluations / scorer.info.slug,
            release=task.release,
            release_sha256=task.release_sha256,
            request=task.request,
            progress=progress,
            notice=warn,
        )


def score_by_workers(jobs: Sequence[ScoringJob]) -> dict[int, EvaluationOutcome]:
    """Scores by the models that are not finished on the workers of a cluster, but not by those of servers.

    Returns what became of them, by the places of the models in `jobs`. A model whose `device` is a CUDA
    GPU goes to workers with the resource GPU. Raises ConfigError where the cluster can't be used.
    """
    outcomes: dict[int, EvaluationOutcome] = {}
    waiting: defaultdict[bool, list[int]] = defaultdict(list)
    for place, job in enumerate(jobs):
        device = job.task.settings.device
        if device == ALL or "," in device:
            fault = f"{job.name}: score.device = '{device}': a worker of a cluster has one device; set auto or cuda"
            outcomes[place] = EvaluationOutcome(ModelError(fault))
        elif not job.model.is_served and answered_run(job.task.evaluations, job.task.request, job.model.label) is None:
            waiting[device.startswith("cuda")].append(place)
    if jobs and not waiting:
        jobs[0].context.say("workers", "none was asked: no model is left for them")
    for on_gpu, places in waiting.items():
        context, total = jobs[0].context, len(places) * jobs[0].release.info.n_pairs
        context.say("loading", f"{', '.join(jobs[place].name for place in places)} on the workers of the cluster")
        spread = partial(context.executor.map, resources={"GPU": 1} if on_gpu else None)
        tasks = [jobs[place].task for place in places]
        with pace(context.reporter, f"scoring {counted(len(places), 'model')}", total) as progress:
            results = evaluate_on_workers(tasks, spread, progress, partial(context.say, "warning"))
        outcomes |= {places[number]: result for number, result in results.items()}
    return outcomes
