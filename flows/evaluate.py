"""Score a release and write the report as a Prefect flow: python flows/evaluate.py RELEASE --model PATH_OR_ID ..."""

from pathlib import Path

from pairwright.cli import steps
from pairwright.pipeline.options import EvaluationOptions, TaskOptions
from prefect_run import create_markdown_artifact, flow, flow_context, run_flow


@flow(name="evaluate")
def evaluate(
    workspace: Path, release: str, given: EvaluationOptions | None = None, tasks: TaskOptions | None = None
) -> Path:
    """A release and models to scores, responses and a report. Raises ReleaseError, and ModelError after the report."""
    from pairwright.pipeline import evaluate as step
    from pairwright.reporting.render.page import MARKDOWN

    path = step.evaluate(flow_context(workspace), release, given, tasks)
    create_markdown_artifact(key="report", markdown=path.with_name(MARKDOWN).read_text(encoding="utf-8"))
    return path


if __name__ == "__main__":
    run_flow(steps.evaluate, evaluate)
