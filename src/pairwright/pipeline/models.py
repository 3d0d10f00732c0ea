"""Pair x model -> Score, by one model here or by many on the workers of a cluster; Item x model -> Response.

Tasks are put to a model by chat, or by log-probabilities of options.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pairwright.core.config import AskSettings, LLMSettings, ScoreSettings
from pairwright.core.errors import ConfigError, ModelError, PairwrightError, ReleaseError, counted, nearest
from pairwright.core.files import held, user_path
from pairwright.core.ids import content_id, digest
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.items import Item, OptionScore, Response, TaskName, TaskPart, TaskRun
from pairwright.core.records.release import FrozenRelease
from pairwright.core.workspace import Workspace
from pairwright.evaluate.asking.questions import Question, Wording, load_wording
from pairwright.evaluate.asking.runs import (
    CONTENT_FREE,
    FOLDER,
    STAGE,
    TaskFolder,
    TaskPlan,
    ask_chat,
    chat_requests,
    compared,
    comparison,
    failed_response,
    plan_task,
    written,
)
from pairwright.evaluate.scoring.choices import ROOM, ChoiceOutcome, ChoiceRequest, ChoiceScorer, Writer
from pairwright.evaluate.scoring.inputs import Scorer, Unscorable
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
    load_for_scoring,
    open_scorer,
    request_key,
    settings_for,
    tokenizer_of,
)
from pairwright.models.chat import open_llm
from pairwright.models.load.embedded import watched
from pairwright.models.load.models import EMBEDDED
from pairwright.models.load.settings import KEY, ModelSettings
from pairwright.pipeline.context import Context, pace
from pairwright.pipeline.llm import LLMSession, open_session
from pairwright.pipeline.options import TaskOptions
from pairwright.release.verify import PAIRS, read_pairs
from pairwright.tasks.make import TASKS, read_items

# The settings under which other programs' numbers come out.
LIKE: dict[str, dict[str, Any]] = {
    # The task blimp: a space before each sentence counts, and EOS stands where there is no BOS.
    "lm-eval": {"bos": "or-eos", "prefix": " ", "prefix_scored": True},
}
ALL_TASKS = "all"
READ: tuple[TaskName, ...] = (*TASKS, "matrix")
Items = Mapping[TaskName, Sequence[Item]]
Answering = Callable[[TaskName, TaskPlan], Iterator[Response]]

# Scores


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


# Tasks


class ItemSource(Protocol):
    """Where items come from: a release or a set of problems. Responses stand under the name of its path."""

    @property
    def path(self) -> Path: ...

    @property
    def sha256(self) -> str: ...


class _Respondent(NamedTuple):
    """A model that can be asked. `identity` is what decides its responses beside the questions."""

    plan: TaskRun
    slug: str
    identity: list[Any]
    respond: Answering
    session: LLMSession | None = None


def read_tasks(release: FrozenRelease, options: TaskOptions) -> dict[TaskName, tuple[Item, ...]]:
    """The items of all tasks. Raises ConfigError where an unknown task is to be asked, ReleaseError without items."""
    if unknown := [name for name in options.names if name not in (ALL_TASKS, *READ)]:
        raise ConfigError(f"--tasks {unknown[0]}: no such task; those there are: {', '.join(READ)}, or {ALL_TASKS}")
    folder = options.items or release.path / FOLDER
    if options.items and not folder.is_dir():
        near = nearest(folder.name, [it.name for it in folder.absolute().parent.glob("*/")])
        raise ConfigError(f"--items {folder}: no such folder; make it: pairwright tasks RELEASE --out {folder}{near}")
    if not folder.is_dir():
        remedy = f"make them: pairwright tasks {release.path.name} --out FOLDER, and give --items FOLDER"
        raise ReleaseError(f"{folder}: the release has no tasks; {remedy}")
    items = {task: tuple(read_items(folder, task)) for task in READ}
    # Matrices are made for themselves: a release without them lacks nothing.
    return {task: own for task, own in items.items() if own or task in TASKS or task in options.names}


def ask_tasks(
    context: Context, release: ItemSource, model: ModelSettings, items: Items, options: TaskOptions
) -> TaskRun | None:
    """Puts the tasks that are named to a model; responses stand under output/evaluations/<release>/<model>/tasks/.

    items  of all tasks, as the responses to those that are not named stay

    None with `options.estimate`, when nothing is asked. Raises ModelError, LLMError, BudgetError and StoreError;
    the tasks before the one that fails are kept.
    """
    opened = _served(context, release, model, options) if model.is_served else _local(context, release, model)
    with opened as respondent:
        settings = context.workspace.config().ask
        task_of = {item.id: task for task, of_task in items.items() for item in of_task}
        folder = context.workspace.evaluation(release.path.name, respondent.slug) / FOLDER
        kept = TaskFolder(folder, respondent.plan, task_of)
        if kept.replaces:
            context.say("replaced", f"{folder}: the responses to another release or other items, or by another policy")
        wordings = _wordings(context.workspace, model, items, settings)
        for task, of_task in items.items():
            if task not in options.names and ALL_TASKS not in options.names:
                continue
            if not of_task:
                context.say("not asked", f"{task}: the release has no item of it")
                continue
            _ask_task(context, respondent, kept, task, of_task, wordings, settings, estimate=options.estimate)
        if respondent.session is not None:
            respondent.session.verify_answered()
        return None if options.estimate else kept.run


def _ask_task(
    context: Context,
    respondent: _Respondent,
    kept: TaskFolder,
    task: TaskName,
    items: Sequence[Item],
    wordings: Mapping[str, Wording],
    settings: AskSettings,
    *,
    estimate: bool,
) -> None:
    """Puts one task to a model, and says what came of it."""
    plan, name = respondent.plan, respondent.plan.model
    is_local = plan.policy == "logprob"
    questions = plan_task(items, wordings, settings, is_open=is_local and not plan.template)
    if not questions.questions:
        context.say("not asked", f"{task}: no item of the release is for testing")
        return
    _say_limits(context, task, questions, settings)
    if respondent.session is not None:
        respondent.session.announce_cost(task, lambda: chat_requests(questions.questions, plan.release))
        if estimate:
            return
    key = digest([respondent.identity, [item.id for item in items], questions.prompts, settings.model_dump()])
    # What a server answered is in the cache, and an item that failed may fare better now.
    if is_local and (part := kept.finished(task, key)) is not None:
        context.say("asked", f"{task}: {_outcomes(part)} by {name} (up to date)")
        return
    started = time.monotonic()
    responses = [failed_response(item, name, reason) for item, reason in questions.unaskable]
    with pace(context.reporter, f"asking {name}: {task}", len(questions.questions), "questions") as progress:
        for number, response in enumerate(respondent.respond(task, questions), start=1):
            responses.append(response)
            progress(number)
    part = TaskPart(
        key=key,
        prompts=questions.prompts,
        words=settings.words,
        n_items=len({response.item_id for response in responses}),
        n_responses=len(responses),
        outcomes=dict(sorted(Counter(response.outcome for response in responses).items())),
        shots=questions.shots,
        draws=questions.draws,
        seed=settings.seed,
        seconds=round(time.monotonic() - started, 3),
    )
    kept.keep(task, part, responses)
    failed = next((f"; the first failed: {it.reason}" for it in responses if it.outcome == "failed"), "")
    context.say("asked", f"{task}: {_outcomes(part)} by {name} in {part.seconds:.0f} s{failed}")


def _say_limits(context: Context, task: TaskName, plan: TaskPlan, settings: AskSettings) -> None:
    if task == "acceptability" and plan.shots < settings.shots:
        context.say(
            "warning", f"{task}: {counted(plan.shots, 'example')} in place of {settings.shots}; the release has no more"
        )
    for reason, count in Counter(reason for _, reason in plan.unaskable).items():
        context.say("warning", f"{task}: {counted(count, 'item')} can't be asked: {reason}")


def _outcomes(part: TaskPart) -> str:
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in part.outcomes.items())
    draws = f" in {counted(part.draws, 'draw')} of {counted(part.shots, 'example')}" if part.shots else ""
    return f"{counted(part.n_items, 'item')}{draws}, {counts}"


def _wordings(workspace: Workspace, model: ModelSettings, items: Items, settings: AskSettings) -> dict[str, Wording]:
    codes = sorted({item.language for of_task in items.values() for item in of_task})
    tokens = settings.thinking_tokens if model.thinking_tokens is None else model.thinking_tokens
    tokens = tokens if model.is_served else 0
    return {
        code: load_wording(code, settings.words, workspace=workspace.root, thinking_tokens=tokens) for code in codes
    }


@contextmanager
def _served(context: Context, release: ItemSource, model: ModelSettings, options: TaskOptions) -> Iterator[_Respondent]:
    """A chat model at an address, with the cache, the limits and the prices of [llm]."""
    settings = _llm_settings(context.workspace, model)
    served = settings.model
    if served is None:
        with open_llm(context.workspace, settings=settings) as server:
            served = server.only_model()
    settings = settings.model_copy(update={"model": served})
    with open_session(context, release.path.name, replace(options.llm, estimate=False), settings) as session:
        assert session is not None
        name, price = model.label or served, settings.prices.get(served)
        plan = _plan(release, name, f"{model.name.rstrip('/')} {served}", "chat")

        def respond(task: TaskName, questions: TaskPlan) -> Iterator[Response]:
            return ask_chat(session, questions.questions, plan.release, name, price)

        identity = [plan.requested, session.described(STAGE), model.thinking_tokens]
        yield _Respondent(plan, model.served_slug(served), identity, respond, session)


def _llm_settings(workspace: Workspace, model: ModelSettings) -> LLMSettings:
    """The settings of [llm] for another server. An answer that can't be read is an outcome, so none is asked for again.

    The key of [llm] goes to its own server alone.
    """
    settings = workspace.config().llm
    address = model.name.rstrip("/")
    is_own = address == settings.base_url.rstrip("/")
    changes: dict[str, Any] = {
        "base_url": address,
        "model": model.model or (settings.model if is_own else None),
        "models": {},
        "key_env": model.key_env or (settings.key_env if is_own else KEY),
        "repairs": 0,
    }
    return settings.model_copy(update=changes)


@contextmanager
def _local(context: Context, release: ItemSource, model: ModelSettings) -> Iterator[_Respondent]:
    """A model that is loaded here, compares options and writes translations. Raises ModelError where it can't."""
    settings = settings_for(model, context.workspace.config().score)
    download = TemporaryDownload(model)
    loaded = load_for_scoring(model, settings)
    template = model.variant != "base" and getattr(loaded.tokenizer, "chat_template", None) is not None
    scorer, writer = ChoiceScorer(loaded, settings), Writer(loaded, settings)
    info = loaded.info
    plan = _plan(release, info.name, info.requested, "logprob", template=template)

    def respond(task: TaskName, questions: TaskPlan) -> Iterator[Response]:
        if task == "translation":
            return _written(writer, questions.questions, info.name, template)
        return _compared(scorer, questions.questions, info.name, template)

    identity = [
        info.weights_sha256,
        info.revision,
        info.tokenizer_sha256,
        info.dtype,
        settings.bos,
        settings.normalisation,
    ]
    yield _Respondent(plan, info.slug, [*identity, template, CONTENT_FREE, ROOM], respond)
    download.delete(info.revision)


def _written(writer: Writer, questions: Sequence[Question], model: str, template: bool) -> Iterator[Response]:
    """What a loaded model writes to questions without options."""
    requests = [ChoiceRequest(question.text, (), template) for question in questions]
    for question, outcome in zip(questions, writer.write(requests), strict=True):
        if isinstance(outcome, Unscorable):
            yield failed_response(question.item, model, outcome.reason, question)
        else:
            yield written(question, outcome.text, outcome.is_cut, model, (outcome.n_read, outcome.n_written))


def _compared(scorer: ChoiceScorer, questions: Sequence[Question], model: str, template: bool) -> Iterator[Response]:
    """How a loaded model compares the options of questions; what is asked for several of them is computed once."""
    comparisons = [comparison(question) for question in questions]
    request_of = {
        id(asked): ChoiceRequest(asked.text, asked.continuations, template, asked.turns)
        for one in comparisons
        for asked in one.asked
    }
    outcomes: dict[ChoiceRequest, ChoiceOutcome] = {}
    requests = list(dict.fromkeys(request_of.values()))
    coming = zip(requests, scorer.score(requests), strict=True)

    def scores(question: Question) -> Sequence[OptionScore] | str:
        request = request_of[id(question)]
        while request not in outcomes:
            outcomes.update([next(coming)])
        outcome = outcomes[request]
        return outcome.reason if isinstance(outcome, Unscorable) else outcome

    for one in comparisons:
        yield compared(one, scores, model)


def _plan(release: ItemSource, model: str, requested: str, policy: Any, **others: Any) -> TaskRun:
    return TaskRun(
        release=release.path.name,
        release_sha256=release.sha256,
        model=model,
        requested=requested,
        policy=policy,
        **others,
    )
