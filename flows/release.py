"""Freeze a release as a Prefect flow: python flows/release.py --name lt-cases --version 1.0.0 [--source ID] ..."""

from pathlib import Path

from as_flow import Tasks, as_flow, run_flow
from evaluate import evaluate
from pairwright.cli import steps
from pairwright.cli.terminal import echo, terminal_context
from pairwright.core.records.release import ReleaseResult
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import EvaluationOptions, ReleaseOptions
from pairwright.pipeline.release import announcement, create

# It starts the deployed flow of evaluations, see prefect.yaml.
EVENT = "pairwright.release.published"


def _announce(context: Context, result: ReleaseResult) -> None:
    from prefect.events import emit_event

    name, title = result.info.name, result.info.title
    resource = {"prefect.resource.id": f"pairwright.release.{name}", "prefect.resource.name": title}
    emit_event(event=EVENT, resource=resource, payload=announcement(context.workspace, result))


release = as_flow("release", create, _announce)


def _run(workspace: Path, *, wanted: ReleaseOptions, dry_run: bool, score: bool, models: tuple[str, ...]) -> None:
    if dry_run:
        echo(steps.create(terminal_context(workspace, Tasks()), wanted, dry_run=True))
        return
    result = release(workspace, wanted)
    if score:
        evaluate(workspace, result.path.name, EvaluationOptions(models))


if __name__ == "__main__":
    run_flow(steps.create, release, evaluate, run=_run)
