"""Ingest a source as a Prefect flow: python flows/ingest.py SOURCE [--language lt] [--kind grammar-book] ..."""

from pathlib import Path

from pairwright.cli import steps
from pairwright.core.store import StageRun
from pairwright.pipeline.options import ReadingOptions, SourceOptions
from prefect_run import flow, flow_context, record_stages, run_flow


@flow(name="ingest")
def ingest(
    workspace: Path, source: Path, described: SourceOptions | None = None, reading: ReadingOptions | None = None
) -> StageRun:
    """A source's documents to blocks. Raises SourceError where the source can't be read."""
    from pairwright.pipeline import ingest as step

    run = step.ingest(flow_context(workspace), source, described, reading)
    record_stages("ingest", [run])
    return run


if __name__ == "__main__":
    run_flow(steps.ingest, ingest)
