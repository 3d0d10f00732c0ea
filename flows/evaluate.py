"""Score a release with language models and write the report.

    python flows/evaluate.py RELEASE --model PATH_OR_ID [--model ...] [--models models.toml] [--workspace DIR]

RELEASE is the folder of a release or its name under output/releases. A model is `embedded` (Gemma 3 270M, which needs
no network), a folder with safetensors, a GGUF file, a hub id, or the address of a server that tells the
log-probabilities of a prompt. A models.toml lists many, each with its own settings.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from pairwright.config import ModelSettings
from pairwright.errors import ModelError, ReleaseError, StoreError
from pairwright.release.verify import PAIRS, read_release
from pairwright.releases import Release
from pairwright.report.page import write_report
from pairwright.report.summary import Measured, Summary, summarise
from pairwright.runs import EvaluationRun, Score
from pairwright.score.evaluation import evaluate as score_release
from pairwright.score.evaluation import read_scores
from pairwright.score.opening import Borrowed, open_scorer, read_models, settings_for
from pairwright.score.parallel import Task, devices_of, evaluate_on
from pairwright.workspace import Workspace

# Where no one looks on, a line of progress comes so often.
LINE_SECONDS = 60


def find_release(workspace: Workspace, release: str) -> Path:
    """The folder of a release that is given as a folder or by its name and version. Raises ReleaseError."""
    for folder in (Path(release), workspace.releases / release):
        if folder.is_dir():
            return folder
    known = ", ".join(sorted(path.name for path in workspace.releases.glob("*") if path.is_dir())) or "none"
    raise ReleaseError(f"{release}: no such release; known: {known}")


@task(name="score model", retry_condition_fn=support.not_a_user_error, **support.TASK)
def score_model(workspace: Workspace, release: Release, model: ModelSettings) -> EvaluationRun:
    """The scores of one model, under output/evaluations/<release>/<model>/."""
    settings = settings_for(model, workspace.config().score)
    evaluations = workspace.evaluation(release.path.name, "")
    borrowed = Borrowed(model)
    devices = devices_of(settings.device)
    with _pace(model.label or model.name, len(release.pairs)) as progress:
        if len(devices) > 1:
            pairs = release.path / PAIRS
            task = Task(model, settings, pairs, evaluations, release.path.name, release.sha256)
            run = evaluate_on(devices, task, progress, _warn)
        else:
            scorer = open_scorer(model, settings.model_copy(update={"device": devices[0]}))
            run = score_release(
                release.pairs,
                scorer,
                settings,
                evaluations / scorer.info.slug,
                release=release.path.name,
                release_sha256=release.sha256,
                progress=progress,
                notice=_warn,
            )
    borrowed.give_back(run.model.revision)
    return run


def _warn(text: str) -> None:
    support.say("warning", text)


@contextmanager
def _pace(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Gives the function that is told how many pairs are done: a bar where someone looks on, else a line a minute."""
    with support.progress(f"scoring {what}", total) as advance:
        start = said = time.monotonic()
        first: int | None = None
        before = 0

        def progress(done: int) -> None:
            nonlocal said, first, before
            # What an earlier run finished tells nothing of the pace.
            first = done if first is None else first
            advance(done - before)
            before = done
            now = time.monotonic()
            if now - said >= LINE_SECONDS and not sys.stderr.isatty():
                said = now
                pace = (done - first) / (now - start)
                left = f"{(total - done) / pace / 60:.0f} min left" if pace else "time left unknown"
                support.say("scoring", f"{done:,} of {total:,} pairs, {pace:.1f} pairs/s, {left}")

        yield progress


@task(name="write report", retry_condition_fn=support.not_a_user_error, **support.TASK)
def report(workspace: Workspace, release: Release) -> tuple[Path, Summary]:
    """The report on a release, with all models that were scored on it so far."""
    evaluations: list[tuple[list[Score], EvaluationRun]] = []
    for path in sorted(workspace.evaluation(release.path.name, "").glob("*/run.json")):
        try:
            scores, run = read_scores(path.parent)
        except StoreError as fault:
            support.say("left out", str(fault))
            continue
        if run.release_sha256 == release.sha256:
            evaluations.append((scores, run))
    summary = summarise(release, evaluations)
    return write_report(workspace.report(release.path.name), release, summary), summary


@flow(name="evaluate")
def evaluate(workspace_dir: Path, release: str, models: list[ModelSettings]) -> Path:
    """A release and models to scores and a report. A model that can't be loaded is named, and the next one is scored.

    Raises ReleaseError where the release fails its verification, ModelError after the report where a model failed.
    """
    workspace = Workspace(workspace_dir)
    frozen = read_release(find_release(workspace, release))
    failed = []
    for model in models:
        try:
            run = score_model(workspace, frozen, model)
        except (ModelError, StoreError) as fault:
            support.say("failed", str(fault))
            failed.append(model.label or model.name)
            continue
        support.say(
            "scored",
            f"{run.n_scored:,} of {run.n_pairs:,} pairs by {run.model.name} in {run.seconds:.0f} s, "
            f"{run.sentences_per_second:.1f} sentences/s ({run.model.dtype} on {run.model.device}, {run.route})",
        )
    if len(failed) == len(models):
        raise ModelError(f"none of {len(models)} models could be scored: {', '.join(failed)}")
    path, summary = report(workspace, frozen)
    for model_summary, measured in zip(summary.models, summary.overall[0].results, strict=True):
        support.say("accuracy", f"{model_summary.label}: {_in_words(measured)}")
    support.say("report", str(path))
    support.record_text("report", (path.parent / "report.md").read_text(encoding="utf-8"))
    if failed:
        raise ModelError(f"{len(failed)} of {len(models)} models could not be scored: {', '.join(failed)}")
    return path


def _in_words(measured: Measured) -> str:
    if measured.by_sum is None or measured.by_mean is None:
        return "no pair has both scores"
    by_sum, by_mean = measured.by_sum, measured.by_mean
    return (
        f"{by_sum.value:.3f} by sum_logprob (95% interval {by_sum.interval.low:.3f}-{by_sum.interval.high:.3f}), "
        f"{by_mean.value:.3f} by mean_nll ({by_mean.interval.low:.3f}-{by_mean.interval.high:.3f})"
    )


@click.command(help=__doc__)
@click.argument("release")
@click.option("--model", "names", multiple=True, help="Model to score; embedded where none is given.")
@click.option("--models", "lists", multiple=True, type=click.Path(path_type=Path), help="A models.toml with many.")
@support.workspace_option
def main(release: str, names: tuple[str, ...], lists: tuple[Path, ...], workspace: Path) -> None:
    listed = [model for path in lists for model in read_models(path)]
    given = [ModelSettings(name=name) for name in names or (() if listed else ("embedded",))]
    evaluate(workspace, release, given + listed)


if __name__ == "__main__":
    support.run_command(main)
