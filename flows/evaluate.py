"""Score pairs and write the report as a Prefect flow: python flows/evaluate.py RELEASE --model PATH_OR_ID ..."""

from pathlib import Path

from as_flow import as_flow, run_flow
from pairwright.pipeline.context import Context
from pairwright.pipeline.evaluate import evaluate as step


def _keep(_: Context, page: Path) -> None:
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(key="report", markdown=page.with_name("report.md").read_text(encoding="utf-8"))


evaluate = as_flow("evaluate", step, _keep)

if __name__ == "__main__":
    run_flow(evaluate, step)
