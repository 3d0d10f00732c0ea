"""Propose and check pairs as a Prefect flow: python flows/generate.py SOURCE [--llm none|local|server] ..."""

from pathlib import Path

from pairwright.cli import steps
from pairwright.core.store import StageRun
from pairwright.pipeline.options import LLMOptions
from prefect_run import flow, flow_context, record_stages, run_flow


@flow(name="generate")
def generate(workspace: Path, source: Path, llm: LLMOptions | None = None) -> list[StageRun]:
    """Blocks to checked pairs. Raises SourceError where the source has no corrections in any known notation."""
    from pairwright.pipeline import pairs as step

    runs = step.generate(flow_context(workspace), source, llm)
    record_stages("generate", runs)
    return runs


if __name__ == "__main__":
    run_flow(steps.generate, generate)
