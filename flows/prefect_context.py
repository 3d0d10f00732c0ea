"""The context of a step inside a flow: its parts run as tasks, and a terminal shows how they go."""

from pathlib import Path

from prefect_tasks import Tasks

# isort: split
from pairwright.cli.terminal import Terminal
from pairwright.pipeline.context import Context
from pairwright.workspace import Workspace


def flow_context(workspace: Path) -> Context:
    """A context for a workspace's folder. Import this module before Prefect."""
    return Context.of_step(Workspace(workspace), Terminal(), Tasks())
