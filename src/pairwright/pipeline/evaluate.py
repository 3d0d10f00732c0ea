"""A release x models: its pairs scored, its tasks asked, one model after the other, and the report written."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from pairwright.errors import BudgetError, LLMError, ModelError, PlannedEnd, StoreError
from pairwright.lm.memory import release_memory
from pairwright.lm.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import TaskOptions
from pairwright.pipeline.release import find_release
from pairwright.pipeline.report import write
from pairwright.pipeline.tasks import ask_tasks, read_tasks
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import FrozenRelease
from pairwright.release.verify import PAIRS, read_pairs, verified
from pairwright.reporting.analysis.inputs import ReportFiles
from pairwright.reporting.external.segmentation import read_segmentation
from pairwright.scoring.runs.evaluation import evaluate as score_release
from pairwright.scoring.runs.parallel import EvaluationTask, devices_of, evaluate_on
from pairwright.scoring.runs.segments import write_segments
from pairwright.scoring.scorers.registry import TemporaryDownload, open_scorer, settings_for, tokenizer_of

# Where no one looks on, a line of progress comes so often.
LINE_SECONDS = 60


def evaluate(
    context: Context,
    release: str,
    models: Sequence[ModelSettings],
    inputs: ReportFiles,
    tasks: TaskOptions | None = None,
) -> Path:
    """Scores a release, named by its folder or its name and version, and returns the path of the report.

    With `tasks`, models are also asked those; a server that gives no log-probabilities is asked alone. A model that
    can't be evaluated is named, and the next one is; ModelError is raised after the report. Without a model only the
    report is written again. Raises ReleaseError where the release fails its verification, and PlannedEnd where the
    tasks' costs are to be estimated alone.
    """
    frozen = verified(find_release(context.workspace, release))
    tasks = tasks or TaskOptions()
    items = read_tasks(frozen, tasks) if tasks.names else {}
    failed = []
    for model in models:
        # The memory of the model before this one is needed now, and perhaps by other processes.
        release_memory()
        try:
            if not tasks.estimate:
                _score(context, frozen, model, inputs, is_asked=bool(items))
            if items:
                release_memory()
                context.call("ask model", ask_tasks, context, frozen, model, items, tasks)
        except (ModelError, StoreError, LLMError, BudgetError) as fault:
            context.say("failed", str(fault))
            failed.append(model.label or model.name)
    if tasks.estimate:
        raise PlannedEnd("nothing was asked; run without --estimate to go on")
    if models and len(failed) == len(models):
        raise ModelError(f"none of {len(models)} models could be scored: {', '.join(failed)}")
    path = write(context, frozen, inputs, tasks.items)
    if failed:
        raise ModelError(f"{len(failed)} of {len(models)} models could not be scored: {', '.join(failed)}")
    return path


def _score(
    context: Context, release: FrozenRelease, model: ModelSettings, inputs: ReportFiles, *, is_asked: bool
) -> None:
    """Scores the pairs by one model and says how fast. A server that `is_asked` as well need not be able to."""
    try:
        run = context.call("score model", score_model, context, release, model, inputs.segmentation)
    except ModelError as fault:
        if not (is_asked and model.is_served):
            raise
        context.say("not scored", f"pairs: {fault}")
        return
    context.say(
        "scored",
        f"{run.n_scored:,} of {run.n_pairs:,} pairs by {run.model.name} in {run.seconds:.0f} s, "
        f"{run.sentences_per_second:.1f} sentences/s ({run.model.dtype} on {run.model.device}, {run.route})",
    )


def score_model(
    context: Context, release: FrozenRelease, model: ModelSettings, segmentation: Path | None
) -> EvaluationRun:
    """The scores of one model, under output/evaluations/<release>/<model>/.

    With a `segmentation` of words into morphemes, how the model's tokenizer cuts those words is kept beside them.
    Raises ModelError, StoreError.
    """
    workspace = context.workspace
    settings = settings_for(model, workspace.config().score)
    evaluations = workspace.evaluations(release.path.name)
    download = TemporaryDownload(model)
    devices, warn = devices_of(settings.device), partial(context.say, "warning")
    with _pace(context, model.label or model.name, release.info.n_pairs) as progress:
        if len(devices) > 1:
            pairs = release.path / PAIRS
            task = EvaluationTask(model, settings, pairs, evaluations, release.path.name, release.sha256)
            run = evaluate_on(devices, task, progress, warn)
        else:
            scorer = open_scorer(model, settings.model_copy(update={"device": devices[0]}))
            run = score_release(
                read_pairs(release.path),
                scorer,
                settings,
                evaluations / scorer.info.slug,
                release=release.path.name,
                release_sha256=release.sha256,
                progress=progress,
                notice=warn,
            )
    if segmentation is not None and (tokenizer := tokenizer_of(model)) is not None:
        words = chain.from_iterable(read_segmentation(segmentation).values())
        write_segments(evaluations / run.model.slug, tokenizer, words)
    download.delete(run.model.revision)
    return run


@contextmanager
def _pace(context: Context, model: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields the function to call with the number of pairs done. Shows a bar, or a line a minute where no one looks."""
    with context.reporter.progress(f"scoring {model}", total) as advance:
        start = last_line = time.monotonic()
        first: int | None = None
        before = 0

        def progress(done: int) -> None:
            nonlocal last_line, first, before
            # What an earlier run finished says nothing of the pace.
            first = done if first is None else first
            advance(done - before)
            before = done
            now = time.monotonic()
            if now - last_line >= LINE_SECONDS and not sys.stderr.isatty():
                last_line = now
                pace = (done - first) / (now - start)
                left = f"{(total - done) / pace / 60:.0f} min left" if pace else "time left unknown"
                context.say("scoring", f"{done:,} of {total:,} pairs, {pace:.1f} pairs/s, {left}")

        yield progress
