"""Freeze a release as a Prefect flow: python flows/release.py --name lt-cases --version 1.0.0 [--source ID] ..."""

from pathlib import Path
from typing import Any

from evaluate import evaluate
from pairwright.cli import steps
from pairwright.cli.terminal import echo
from pairwright.core.records.release import ReleaseResult
from prefect_run import emit_event, flow, flow_context, run_flow

# It starts the deployed flow of evaluations, see prefect.yaml.
EVENT = "pairwright.release.published"


@flow(name="release")
def release(
    workspace: Path,
    name: str,
    version: str,
    source_ids: tuple[str, ...] = (),
    because: str | None = None,
    date: str | None = None,
) -> ReleaseResult:
    """Decided pairs to a frozen release, and the event for who waits for it. Raises ReleaseError."""
    from pairwright.pipeline import release as step

    context = flow_context(workspace)
    result = step.create(context, name, version, source_ids, because=because, date=date)
    resource = {"prefect.resource.id": f"pairwright.release.{name}", "prefect.resource.name": result.info.title}
    emit_event(event=EVENT, resource=resource, payload=step.announcement(context.workspace, result))
    return result


def _run(workspace: Path, *, dry_run: bool, **options: Any) -> None:
    if dry_run:
        echo(steps.create(flow_context(workspace), dry_run=True, **options))
    else:
        steps.created(release, evaluate)(workspace, **options)


if __name__ == "__main__":
    run_flow(steps.create, _run)
