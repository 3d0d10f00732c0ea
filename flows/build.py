"""Build a source as a Prefect flow: python flows/build.py SOURCE [--language lt] [--llm local] [--workspace DIR] ..."""

from pathlib import Path
from typing import Literal

from pairwright.cli import steps
from pairwright.core.store import StageRun
from pairwright.pipeline.options import LLMOptions, ReadingOptions, SourceOptions
from prefect_run import flow, flow_context, record_stages, run_flow


@flow(name="build")
def build(
    workspace: Path,
    source: Path,
    described: SourceOptions | None = None,
    reading: ReadingOptions | None = None,
    llm: LLMOptions | None = None,
    until: Literal["blocks", "pairs"] | None = None,
) -> list[StageRun]:
    """A source to the reviewers' sheets. Raises PairwrightError where the user has to correct something."""
    from pairwright.pipeline import build as step

    runs = step.build(flow_context(workspace), source, described, reading, llm, until)
    record_stages("build", runs)
    return runs


if __name__ == "__main__":
    run_flow(steps.build, build)
