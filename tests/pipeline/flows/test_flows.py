"""Each flow does what its command does, and its server lets in nobody else."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from llm_server import Say, ScriptedServer, fault
from pairwright.cli.init import make_workspace

Run = Callable[..., tuple[int, str, str]]
FLOWS = Path(__file__).parents[3] / "flows"
SOURCE = "lt-sample"
KEY = "sk-flow-0123456789abcdef"
PAGE = "# Verbs\n\nThe verb *laukti* ‘wait’ must take the genitive. The accusative is ruled out after it.\n"
# Asks Prefect whether the deployment listens to the event of a release, and gives the other flow what that takes.
DEPLOYED = """
import sys, yaml
import evaluate, release
deployment = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))["deployments"][0]
trigger = deployment["triggers"][0]
assert trigger["expect"] == [release.EVENT]
taken = evaluate.evaluate.validate_parameters(deployment["parameters"] | trigger["parameters"])
assert taken["given"].models == ("embedded",)
assert deployment["work_pool"]["job_variables"]["env"]["DO_NOT_TRACK"] == "1"
"""


@pytest.fixture(scope="module")
def ran(run_fork: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What each flow of a new workspace came to; the one that loads models runs in the tests with Dask."""
    workspace = tmp_path_factory.mktemp("flows") / "own"
    list(make_workspace(workspace, "lt", sample=True))
    came: dict[Any, Any] = {"workspace": workspace}
    for flow, *arguments in (
        ("build", SOURCE),
        ("review", SOURCE),
        ("release", "--name", SOURCE, "--version", "1.0.0", "--source", SOURCE),
    ):
        came[flow] = run_fork(workspace / "flows" / f"{flow}.py", *arguments, "--workspace", workspace)
    return came


def test_flows_write_what_the_commands_write_and_prefect_shows_their_runs(
    ran: dict[Any, Any], run: Run, tmp_path: Path, owner: httpx.Client
) -> None:
    flows = [name for name in ran if name != "workspace"]
    for flow in flows:
        code, out, err = ran[flow]
        assert (code, err) == (0, ""), out
        assert out
    list(make_workspace(tmp_path / "twin", "lt", sample=True))
    assert run("build", SOURCE, "--workspace", tmp_path / "twin")[0] == 0
    stages = [
        {path.name: path.read_bytes() for path in (root / "output" / "work" / SOURCE).glob("*.jsonl")}
        for root in (ran["workspace"], tmp_path / "twin")
    ]
    assert stages[0]["checked.jsonl"]
    assert stages[0] == stages[1]
    assert run("release", "verify", ran["workspace"] / "output" / "releases" / f"{SOURCE}-1.0.0")[0] == 0
    completed = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}, "limit": 200, "sort": "ID_DESC"}
    ids = [run["flow_id"] for run in owner.post("flow_runs/filter", json=completed).json()]
    names = {flow["id"]: flow["name"] for flow in owner.post("flows/filter", json={"limit": 200}).json()}
    assert sorted(names[own] for own in ids) == sorted(flows)


def test_the_deployment_fits_the_flows(run_fork: Run) -> None:
    assert run_fork(FLOWS / "build.py", FLOWS.with_name("prefect.yaml"), code=DEPLOYED) == (0, "", "")


def test_a_users_fault_is_one_line_and_is_not_tried_again(run_fork: Run, workspace: Path, tmp_path: Path) -> None:
    empty = tmp_path / "tuscias.md"
    empty.write_bytes(b"")
    code, _, err = run_fork(FLOWS / "build.py", empty, "--language", "lt", "--workspace", workspace)
    assert code == 2
    assert re.fullmatch(r"error: .*tuscias\.md: .*\n", err)


def test_a_server_that_does_not_answer_is_named(run_flow: Run, workspace: Path, document: Path) -> None:
    away = {"PREFECT_API_URL": "http://127.0.0.1:9/api", "PREFECT_CLIENT_MAX_RETRIES": "0"}
    code, out, err = run_flow("build", document, "--language", "lt", "--workspace", workspace, **away)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: http://127\.0\.0\.1:9/api: .*PREFECT_API_URL.*\n", err)
    assert not (workspace / "output").exists()


@pytest.fixture
def owner(prefect: dict[str, str]) -> httpx.Client:
    name, _, password = prefect["PREFECT_API_AUTH_STRING"].partition(":")
    return httpx.Client(base_url=f"{prefect['PREFECT_API_URL']}/", auth=(name, password))


def test_nobody_gets_in_without_the_password(owner: httpx.Client) -> None:
    for login in (None, ("pairwright", "wrong")):
        for method, path in (("GET", "hello"), ("POST", "flows/filter"), ("GET", "admin/settings")):
            assert httpx.request(method, owner.base_url.join(path), json={}, auth=login).status_code == 401
    assert owner.get("hello").status_code == 200


def test_the_password_is_in_no_list_of_processes(prefect: dict[str, str]) -> None:
    password = prefect["PREFECT_API_AUTH_STRING"].partition(":")[2]
    servers = [child for child in psutil.Process().children() if "create_app" in " ".join(child.cmdline())]
    assert servers
    assert all(password not in " ".join(server.cmdline()) for server in servers)


@pytest.mark.slow
def test_nothing_remains_of_a_killed_run(workspace: Path, document: Path, tmp_path: Path) -> None:
    """It is killed when it says its first line, while a server of its own works for it."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    arguments = [FLOWS / "build.py", document, "--language", "lt", "--workspace", workspace]
    command = [sys.executable, *map(str, arguments)]
    with subprocess.Popen(command, env={**own, "PREFECT_HOME": str(tmp_path)}, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdout.readline().startswith(b"source")
        family = psutil.Process(run.pid).children(recursive=True)
        assert any("create_app" in " ".join(child.cmdline()) for child in family)
        os.kill(run.pid, signal.SIGKILL)
        end = time.monotonic() + 10
        while any(child.is_running() for child in family) and time.monotonic() < end:
            time.sleep(0.1)
        assert not [child for child in family if child.is_running()]


@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 401])
def test_a_key_is_in_no_file_of_a_run(
    run_flow: Run, workspace: Path, prefect: dict[str, str], tmp_path: Path, status: int
) -> None:
    def repeats(body: dict[str, Any], nth: int) -> Say:
        return Say(f'{{"rules": "{KEY}"}}') if status == 200 else fault(status, f"bad key '{KEY}'")

    with ScriptedServer(repeats) as server:
        settings = workspace / "pairwright.toml"
        llm = f'[llm]\nbase_url = "{server.base_url}"\nmodel = "m"\nkey_env = "FLOW_KEY"\nretries = 0\n'
        settings.write_text(settings.read_text(encoding="utf-8") + llm, encoding="utf-8")
        page = tmp_path / "page.md"
        page.write_text(PAGE, encoding="utf-8")
        arguments = ("--kind", "grammar-book", "--language", "lt", "--workspace", workspace, "--llm", "server")
        code, out, err = run_flow("build", page, *arguments, FLOW_KEY=KEY)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert code == (0 if status == 200 else 2), err
    assert KEY not in out + err
    home = Path(prefect["PREFECT_HOME"])
    files = [path for folder in (workspace, home) for path in folder.rglob("*") if path.is_file()]
    assert any(path.name.startswith("prefect.db") for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
