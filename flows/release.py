"""Freeze a release as a Prefect flow: python flows/release.py --name lt-cases --version 1.0.0 [--source ID] ..."""

from as_flow import as_flow, run_flow
from pairwright.cli.release import create as step
from pairwright.core.records.release import ReleaseResult
from pairwright.pipeline.context import Context
from pairwright.pipeline.release import announcement

EVENT = "pairwright.release.published"  # starts the deployed flow of evaluations, see prefect.yaml


def _announce(context: Context, result: ReleaseResult | None) -> None:
    from prefect.events import emit_event

    if result:
        resource = {"prefect.resource.id": f"pairwright.release.{result.info.name}"}
        resource["prefect.resource.name"] = result.info.title
        emit_event(event=EVENT, resource=resource, payload=announcement(context.workspace, result))


release = as_flow("release", step, _announce)

if __name__ == "__main__":
    run_flow(release, step)
