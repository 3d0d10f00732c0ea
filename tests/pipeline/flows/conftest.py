"""Flows as their user runs them: each a process, here with one Prefect server for all."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forked import Forks

ROOT = Path(__file__).parents[3]
# What flows import, which takes longer than most of them work.
PRELOADED = (
    *("prefect.artifacts", "prefect.events", "prefect.flow_engine", "prefect.futures", "prefect.task_engine"),
    *("pairwright.cli.release", "pairwright.pipeline.review", "pairwright.pipeline.release"),
)
RunFlow = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="session")
def prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of programs that report to a Prefect server, which has a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("PREFECT_")]:
            patch.delenv(name)
        patch.setenv("PREFECT_HOME", str(tmp_path_factory.mktemp("prefect")))
        from prefect_env import start_server

        server = start_server()
        # A flow's process ends when its last words have been sent.
        soon = {"PREFECT_LOGGING_TO_API_BATCH_INTERVAL": "0.1"}
        login = {"PREFECT_API_URL": server["api.url"], "PREFECT_API_AUTH_STRING": server["api.auth_string"]}
        yield os.environ | soon | login


@pytest.fixture(scope="session")
def run_fork(prefect: dict[str, str]) -> RunFlow:
    """Runs a flow's file with arguments, in a process that has imported Prefect; gives exit code, stdout and stderr."""
    return Forks(PRELOADED, prefect).run


@pytest.fixture(scope="session")
def run_flow(prefect: dict[str, str]) -> RunFlow:
    """Runs a flow by its file's name with arguments; gives exit code, stdout and stderr."""

    def run(name: str, *arguments: object, **environment: str) -> tuple[int, str, str]:
        command = [sys.executable, str(ROOT / "flows" / f"{name}.py"), *map(str, arguments)]
        done = subprocess.run(command, env=prefect | environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run
