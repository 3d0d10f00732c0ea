"""The Prefect server of a run: for this run alone, and gone with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import httpx
import psutil
import pytest

Run = Callable[..., tuple[int, str, str]]
FLOWS = Path(__file__).parents[3] / "flows"
ABROAD = "http://evil.example"


@pytest.fixture
def guest(prefect_server: dict[str, str]) -> httpx.Client:
    """A program on this machine without the server's password."""
    return httpx.Client(base_url=f"{prefect_server['api.url']}/")


@pytest.fixture
def owner(prefect_server: dict[str, str]) -> httpx.Client:
    name, _, password = prefect_server["api.auth_string"].partition(":")
    return httpx.Client(base_url=f"{prefect_server['api.url']}/", auth=(name, password))


@pytest.mark.parametrize(("method", "path"), [("GET", "hello"), ("POST", "flows/filter"), ("GET", "admin/settings")])
def test_nobody_gets_in_without_the_password(method: str, path: str, guest: httpx.Client, owner: httpx.Client) -> None:
    # Without a token against forged requests, a change is refused before the password is looked at.
    assert guest.request(method, path, json={}).status_code in ((401,) if method == "GET" else (401, 403))
    wrong = guest.request(method, path, json={}, auth=("pairwright", "wrong"))
    assert wrong.status_code in (401, 403)
    assert owner.get("hello").status_code == 200


def test_a_page_of_a_browser_gets_no_permission(owner: httpx.Client) -> None:
    answer = owner.get("hello", headers={"Origin": ABROAD})
    assert "access-control-allow-origin" not in answer.headers
    question = {"Origin": ABROAD, "Access-Control-Request-Method": "POST"}
    asked = owner.options("flows/filter", headers=question)
    assert asked.status_code == 400
    assert "access-control-allow-origin" not in asked.headers


def test_a_name_that_is_made_to_point_here_is_refused(owner: httpx.Client) -> None:
    assert owner.get("hello", headers={"Host": "evil.example"}).status_code == 400


def test_the_password_is_in_no_list_of_processes(prefect_server: dict[str, str]) -> None:
    password = prefect_server["api.auth_string"].partition(":")[2]
    servers = [child for child in psutil.Process().children() if "prefect_server.py" in " ".join(child.cmdline())]
    assert servers
    for server in servers:
        assert password not in " ".join([*server.cmdline(), *server.environ().values()])


def test_a_server_that_does_not_answer_is_named(run_flow: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from prefect.settings import temporary_settings

    def never(**_: object) -> None:
        raise AssertionError("the step runs without its server")

    away = "http://127.0.0.1:9/api"
    settings: dict[Any, Any] = {"api.url": away, "client.max_retries": 0}
    with temporary_settings(settings):
        code, out, err = run_flow(click.Command("step", callback=never))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {away}: Prefect's server does not answer (")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_nothing_remains_of_a_killed_run(workspace: Path, document: Path, tmp_path: Path) -> None:
    """It is killed when it says its first line, while the server works for it."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    command = [
        sys.executable,
        str(FLOWS / "build.py"),
        str(document),
        "--language",
        "lt",
        "--workspace",
        str(workspace),
    ]
    with subprocess.Popen(command, env={**inherited, "PREFECT_HOME": str(tmp_path)}, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdout.readline().startswith(b"source")
        family = psutil.Process(run.pid).children(recursive=True)
        assert any("prefect_server.py" in " ".join(child.cmdline()) for child in family)
        os.kill(run.pid, signal.SIGKILL)
        end = time.monotonic() + 10
        while any(child.is_running() for child in family) and time.monotonic() < end:
            time.sleep(0.1)
        assert not [child for child in family if child.is_running()]
