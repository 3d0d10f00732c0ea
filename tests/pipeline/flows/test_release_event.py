"""A frozen release is evaluated by itself, as docs/release.md says: a real server, its automation, and a worker."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from workspace_parts import approve_all

from pairwright.release.verify import read_release

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[3]
PREFECT = [sys.executable, "-m", "prefect"]
PATIENCE = 300


def wait_for(what: str, done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"{what}: not after {PATIENCE} s"
        time.sleep(1)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a Prefect server of its own, with a work pool, the deployment, and a worker."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "flows")])
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    environment = inherited | {
        "PREFECT_HOME": str(tmp_path / "prefect"),
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PYTHONPATH": paths,
    }
    log = (tmp_path / "server.log").open("w", encoding="utf-8")
    command = [*PREFECT, "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    options = {"cwd": ROOT, "env": environment, "stdout": log, "stderr": log, "start_new_session": True}
    started = [subprocess.Popen(command, **options)]  # type: ignore[call-overload]

    def healthy() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    try:
        wait_for("the server", healthy)
        for arguments in (
            ["work-pool", "create", "pairwright", "--type", "process"],
            ["--no-prompt", "deploy", "--all"],
        ):
            done = subprocess.run(
                [*PREFECT, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
            )
            # Prefect 3.8.8 ends `deploy` with an error of its own after all is made: it asks the server for workers
            # with a limit of null, which the server refuses.
            assert done.returncode == 0 or "successfully created" in done.stdout, done.stdout + done.stderr
        started.append(subprocess.Popen([*PREFECT, "worker", "start", "--pool", "pairwright"], **options))  # type: ignore[call-overload]
        yield environment
    finally:
        for process in reversed(started):
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
        log.close()


@pytest.mark.slow
def test_a_release_is_evaluated_by_the_automation(
    run: Run, workspace: Path, document: Path, tiny_model: Path, server: dict[str, str]
) -> None:
    assert run("build", document, "--language", "lt", "--workspace", workspace)[0] == 0
    approve_all(workspace)
    # The worker has no model of the hub: the embedded one would take minutes, so the deployment gets the tiny one.
    model = subprocess.run(
        [sys.executable, "-c", SET_MODEL, str(tiny_model)], env=server, capture_output=True, text=True, check=False
    )
    assert model.returncode == 0, model.stderr
    command = [sys.executable, str(ROOT / "flows" / "release.py"), "--name", "lt-test", "--version", "1.0.0"]
    done = subprocess.run(
        [*command, "--workspace", str(workspace)], env=server, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    evaluated = workspace / "output" / "evaluations" / "lt-test-1.0.0"
    wait_for("the evaluation", lambda: bool(list(evaluated.glob("*/run.json"))))
    assert read_release(workspace / "output" / "releases" / "lt-test-1.0.0").info.n_pairs == 4
    shutil.rmtree(evaluated)


SET_MODEL = """
import sys
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import DeploymentUpdate

with get_client(sync_client=True) as client:
    deployment = client.read_deployment_by_name("evaluate/evaluate")
    parameters = {"given": {"models": [sys.argv[1]]}}
    client.update_deployment(deployment.id, DeploymentUpdate(parameters=parameters))
"""
