"""Build a source as a Prefect flow: python flows/build.py SOURCE [--language lt] [--llm local] [--workspace DIR] ..."""

from as_flow import as_flow, run_flow
from pairwright.core.store import StageRun
from pairwright.pipeline.context import Context
from pairwright.pipeline.review import build as step


def _keep(_: Context, runs: list[StageRun]) -> None:
    from prefect.artifacts import create_table_artifact

    create_table_artifact([{"stage": run.path.stem} | run.model_dump(exclude={"path"}) for run in runs], key="build")


build = as_flow("build", step, _keep)

if __name__ == "__main__":
    run_flow(build, step)
