"""A release x models: its pairs scored, its tasks asked, one model after the other, and the report written."""

from collections.abc import Sequence
from pathlib import Path

from pairwright.core.errors import (
    BudgetError,
    ConfigError,
    EstimateOnly,
    LLMError,
    ModelError,
    StoreError,
    UnknownModel,
    counted,
)
from pairwright.core.records import Rejection
from pairwright.core.records.release import FrozenRelease
from pairwright.core.store import read_if_there, write_jsonl
from pairwright.evaluate.scoring.runs.cluster import EvaluationOutcome
from pairwright.languages.locale import english_instead
from pairwright.models.load.memory import release_memory
from pairwright.models.load.settings import ModelSettings, read_models
from pairwright.pipeline.context import Context
from pairwright.pipeline.models.scoring import ScoringJob, score_by_workers, score_model
from pairwright.pipeline.models.tasks import ask_tasks, read_tasks
from pairwright.pipeline.options import EvaluationOptions, TaskOptions
from pairwright.pipeline.release import find_release
from pairwright.pipeline.report import FAILED, page_language, page_words, write
from pairwright.release.verify import verified
from pairwright.reporting.analysis.inputs import ReportFiles


def evaluate(
    context: Context,
    release: str,
    given: EvaluationOptions | None = None,
    tasks: TaskOptions | None = None,
) -> Path:
    """Scores a release, named by its folder or its name and version, and returns the path of the report.

    With `tasks`, models are also asked those; a server that gives no log-probabilities is asked alone. On a Dask
    cluster, its workers score the pairs. A model that can't be evaluated is named here, and in the report
    unless there is no such model, and the next one is evaluated; ModelError is raised after the report. Without a
    model only the report is written again. Raises ReleaseError where the release is not as it was frozen, ConfigError
    where the workers or the words of the page can't be used, and EstimateOnly where the tasks' costs are to be
    estimated alone.
    """
    frozen = verified(find_release(context.workspace, release))
    given = given or EvaluationOptions()
    models, inputs = _models_and_files(context, given)
    # What is wrong with a language's file is said before the work.
    for line in english_instead(page_language(context, inputs), page_words(context, inputs)):
        context.say("page", line)
    tasks = tasks or TaskOptions()
    items = read_tasks(frozen, tasks) if tasks.names else {}
    jobs = [ScoringJob(context, frozen, model, inputs.extras) for model in models]
    outcomes = score_by_workers(jobs) if context.executor.spreads and not tasks.estimate else {}
    failed, unknown = list[Rejection](), list[str]()
    for number, job in enumerate(jobs):
        # The memory of the model before this one is needed now, and perhaps by other processes.
        release_memory()
        try:
            if not tasks.estimate:
                _score(job, outcomes.get(number), is_asked=bool(items))
            if items:
                release_memory()
                context.call("ask model", ask_tasks, context, frozen, job.model, items, tasks)
        except (ModelError, StoreError, LLMError, BudgetError) as fault:
            reason = str(fault) if Path(job.name).name in str(fault) else f"{job.name}: {fault}"
            context.say("failed", reason)
            if isinstance(fault, UnknownModel):
                unknown.append(job.name)
                continue
            failed.append(Rejection(stage="score", source_id="", reason=reason, text=job.name, file=frozen.path.name))
    if tasks.estimate:
        raise EstimateOnly("nothing was asked; run without --estimate to go on")
    _keep_failures(context, frozen, [job.name for job in jobs if job.name not in unknown], failed)
    unscored, name = [*(item.text for item in failed), *unknown], frozen.path.name
    lost = f"{len(unscored)} of {counted(len(jobs), 'model')} could not be scored: {', '.join(unscored)}"
    if unscored and not context.workspace.finished_evaluations(name) and not context.workspace.finished_tasks(name):
        raise ModelError(lost)
    path = write(context, frozen, inputs, tasks.items)
    if unscored:
        raise ModelError(lost)
    return path


def _models_and_files(context: Context, given: EvaluationOptions) -> tuple[list[ModelSettings], ReportFiles]:
    """The models to score, and the files of the report. What models.toml of the workspace states holds without a list.

    Raises ConfigError for a list that can't be used.
    """
    listed = [model for path in given.lists for model in read_models(path)]
    names = given.models or (() if listed else ("embedded",))
    own = context.workspace.models_file
    stated = listed or (read_models(own) if own.exists() else ())
    files = {name: getattr(given, name) for name in ReportFiles.model_fields.keys() - {"models", "extras"}}
    inputs = ReportFiles(models=tuple(stated), extras=_extra_files(context, given), **files)
    return [] if given.report_only else [*(ModelSettings(name=name) for name in names), *listed], inputs


def _extra_files(context: Context, given: EvaluationOptions) -> dict[str, Path]:
    """The files of extras, by their names. Raises ConfigError where no such extra takes one, or it is missing."""
    takers, files = {it.name: it.file for it in context.extras if it.file}, dict[str, Path]()
    for text in given.extras:
        name, _, file = text.partition("=")
        if name not in takers or not Path(file).is_file():
            known = "; ".join(f"{taker}=FILE: {what}" for taker, what in takers.items())
            raise ConfigError(f"--extra {text}: no file for an extra; those that take one: {known}")
        files[name] = Path(file)
    return files


def _score(job: ScoringJob, outcome: EvaluationOutcome | None, *, is_asked: bool) -> None:
    """Scores the pairs by one model, unless workers did or failed to. A server that `is_asked` need not be able to."""
    try:
        job.context.call("score model", score_model, job, outcome)
    except ModelError as fault:
        if not (is_asked and job.model.is_served):
            raise
        job.context.say("not scored", f"pairs: {fault}")


def _keep_failures(context: Context, release: FrozenRelease, names: Sequence[str], failed: Sequence[Rejection]) -> None:
    """Keeps why models can't be scored, for later reports, until others are asked for; `names` are those tried now."""
    path = context.workspace.evaluations(release.path.name) / FAILED
    earlier = list(read_if_there(path, Rejection)) if names else []
    for item in earlier:
        if item.text not in names:
            context.say("dropped", f"{item.text}: failed before and is no longer asked for")
    if earlier or failed:
        write_jsonl(path, failed)
