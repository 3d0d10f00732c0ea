"""A Prefect server for the tests of flows, started once, and flows run by their command lines."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

RunFlow = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """One server of a run, with a database of its own, for all tests of flows; gives the settings to reach it."""
    import prefect_env  # noqa: F401

    # isort: split
    from prefect.settings import temporary_settings

    from prefect_server import start_server

    home = tmp_path_factory.mktemp("prefect")
    database: dict[Any, Any] = {"server.database.connection_url": f"sqlite+aiosqlite:///{home / 'prefect.db'}"}
    with temporary_settings(database):
        own: dict[Any, Any] = start_server()
        with temporary_settings(own):
            yield own


@pytest.fixture
def run_flow(run_main: RunFlow, prefect_server: dict[str, str]) -> RunFlow:
    """Runs the command line of a flow in this process; gives exit code, stdout and stderr."""
    import prefect_command

    return lambda flow, *arguments: run_main(lambda: prefect_command.run_flow(flow), *arguments)
