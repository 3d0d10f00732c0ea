"""Score a release with language models and write the report.

    python flows/evaluate.py RELEASE --model PATH_OR_ID [--model ...] [--workspace DIR]

RELEASE is the folder of a release or its name under output/releases. A model is `embedded` (Gemma 3 270M, which needs
no network), a folder with safetensors, a GGUF file, or a hub id.
"""

from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError, ReleaseError, StoreError
from pairwright.release.verify import read_release
from pairwright.releases import Release
from pairwright.report.page import write_report
from pairwright.report.summary import Measured, Summary, summarise
from pairwright.runs import EvaluationRun, Score
from pairwright.score.evaluation import evaluate as score_release
from pairwright.score.evaluation import read_scores
from pairwright.score.models import load_model
from pairwright.workspace import Workspace


def find_release(workspace: Workspace, release: str) -> Path:
    """The folder of a release that is given as a folder or by its name and version. Raises ReleaseError."""
    for folder in (Path(release), workspace.releases / release):
        if folder.is_dir():
            return folder
    known = ", ".join(sorted(path.name for path in workspace.releases.glob("*") if path.is_dir())) or "none"
    raise ReleaseError(f"{release}: no such release; known: {known}")


@task(name="score model", retry_condition_fn=support.not_a_user_error, **support.TASK)
def score_model(workspace: Workspace, release: Release, model: str, settings: ScoreSettings) -> EvaluationRun:
    """The scores of one model, under output/evaluations/<release>/<model>/."""
    loaded = load_model(model, dtype=settings.dtype, device=settings.device)
    directory = workspace.evaluation(release.path.name, loaded.info.slug)
    label = f"{'scoring':<11}{loaded.info.name}"
    with click.progressbar(length=len(release.pairs), label=label, show_pos=True) as bar:

        def progress(done: int, _total: int) -> None:
            bar.update(done - bar.pos)

        return score_release(
            release.pairs,
            loaded,
            settings,
            directory,
            release=release.path.name,
            release_sha256=release.sha256,
            progress=progress,
        )


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
def evaluate(workspace_dir: Path, release: str, models: list[str]) -> Path:
    """A release and models to scores and a report. A model that can't be loaded is named, and the next one is scored.

    Raises ReleaseError where the release fails its verification, ModelError after the report where a model failed.
    """
    workspace = Workspace(workspace_dir)
    frozen = read_release(find_release(workspace, release))
    failed = []
    for model in models:
        try:
            run = score_model(workspace, frozen, model, workspace.config().score)
        except ModelError as fault:
            support.say("failed", str(fault))
            failed.append(model)
            continue
        support.say(
            "scored",
            f"{run.n_scored} of {run.n_pairs} pairs by {run.model.name} in {run.seconds:.0f} s "
            f"({run.model.dtype} on {run.model.device})",
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
@click.option("--model", "models", multiple=True, default=("embedded",), show_default=True, help="Model to score.")
@support.workspace_option
def main(release: str, models: tuple[str, ...], workspace: Path) -> None:
    evaluate(workspace, release, list(models))


if __name__ == "__main__":
    support.run_command(main)
