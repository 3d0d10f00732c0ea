"""The command line of a flow, and its records of stages."""

import sys

import click
from prefect.artifacts import create_table_artifact
from prefect.exceptions import TerminationSignal
from prefect.settings import temporary_settings

from pairwright.cli.faults import STOPPED, run_command
from pairwright.store import StageRun


def run_flow(command: click.Command) -> None:
    """Runs the command line of a flow; a user's fault is one line, as with `pairwright`."""
    try:
        # Heartbeats are for flows that a worker runs out of sight; here each flow would wait a second for the last.
        with temporary_settings({"flows.heartbeat_frequency": None}):
            run_command(command)
    except BaseException as fault:
        if not _was_stopped(fault):
            raise
        click.echo(STOPPED, err=True)
        sys.exit(130)


def _was_stopped(fault: BaseException | None) -> bool:
    """Whether the user stopped the run: Prefect's server stops with it, and its complaint may come out first."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt | TerminationSignal | click.Abort):
        fault = fault.__cause__ or fault.__context__
    return fault is not None


def record_stages(key: str, runs: list[StageRun]) -> None:
    """The counts of stages as an artifact of the flow run."""
    counts = [(run.path.stem, run.n_in, run.n_out, run.n_rejected, run.ran) for run in runs]
    names = ("stage", "in", "out", "rejected", "ran")
    create_table_artifact(key=key, table=[dict(zip(names, row, strict=True)) for row in counts])
