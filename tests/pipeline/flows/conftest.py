"""A Prefect server for the tests of flows, started once, and flows run by their command lines."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

RunFlow = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session", autouse=True)
def prefect_server() -> Iterator[None]:
    """One temporary server and database for all tests of flows."""
    import prefect_env  # noqa: F401

    # isort: split
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180):
        yield


@pytest.fixture
def run_flow(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunFlow:
    """Runs the command line of a flow in this process; gives exit code, stdout and stderr."""
    import prefect_command

    def command(flow: click.Command, *arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["flow.py", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            prefect_command.run_flow(flow)
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command
