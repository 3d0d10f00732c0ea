"""Take decisions over and top up sheets as a Prefect flow: python flows/review.py SOURCE [--recheck TABLE] ..."""

from pathlib import Path

from pairwright.cli import steps
from pairwright.review.sheets.writing import QueueExport
from prefect_run import flow, flow_context, run_flow


@flow(name="review")
def review(workspace: Path, source: Path, recheck: Path | None = None) -> QueueExport:
    """Sheets to decisions, corrections to pairs, pairs to sheets. Raises ReviewError where a sheet can't be written."""
    from pairwright.pipeline import review as step

    return step.sync(flow_context(workspace), source, recheck)


if __name__ == "__main__":
    run_flow(steps.sync, review)
