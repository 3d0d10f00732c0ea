"""The command line of a flow, and its records of stages."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from prefect.artifacts import create_table_artifact
from prefect.client.orchestration import get_client
from prefect.exceptions import TerminationSignal
from prefect.settings import get_current_settings, temporary_settings

from pairwright.cli.faults import is_user_fault, run_command
from pairwright.errors import ConfigError
from pairwright.store import StageRun
from prefect_server import start_server


def run_flow(command: click.Command) -> None:
    """Runs the command line of a flow; a fault is one line, as with `pairwright`.

    The flow reports to the server of PREFECT_API_URL, else to one that is started for this run.
    """
    flow, step = copy.copy(command), command.callback
    assert step

    def run(**options: Any) -> None:
        with _server():
            step(**options)

    flow.callback = run
    run_command(flow)


@contextmanager
def _server() -> Iterator[None]:
    """Prefect's server. Raises ConfigError where it doesn't answer, KeyboardInterrupt where it was stopped."""
    # Heartbeats are for flows that a worker runs out of sight; here each flow would wait a second for the last.
    settings: dict[Any, Any] = {"flows.heartbeat_frequency": None}
    url = get_current_settings().api.url
    if url is None:
        settings |= start_server()
    with temporary_settings(settings):
        if url is not None:
            _ask_server(url)
        try:
            yield
        except BaseException as fault:
            if _was_stopped(fault):
                raise KeyboardInterrupt from None
            if url is not None and not is_user_fault(fault):
                _ask_server(url)
            raise


def _ask_server(url: str) -> None:
    """Raises ConfigError where a server can't be reached, or lets nobody in without its password."""
    try:
        with get_client(sync_client=True) as client:
            client.hello()
    except Exception as fault:
        remedy = "check PREFECT_API_URL and PREFECT_API_AUTH_STRING, or unset them to use a server of the run's own"
        raise ConfigError(
            f"{url}: Prefect's server does not answer ({' '.join(str(fault).split())}); {remedy}"
        ) from None


def _was_stopped(fault: BaseException | None) -> bool:
    """Whether the user stopped the run: a complaint that follows from it may come out first."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt | TerminationSignal | click.Abort):
        fault = fault.__cause__ or fault.__context__
    return fault is not None


def record_stages(key: str, runs: list[StageRun]) -> None:
    """The counts of stages as an artifact of the flow run."""
    counts = [(run.path.stem, run.n_in, run.n_out, run.n_rejected, run.ran) for run in runs]
    names = ("stage", "in", "out", "rejected", "ran")
    create_table_artifact(key=key, table=[dict(zip(names, row, strict=True)) for row in counts])
