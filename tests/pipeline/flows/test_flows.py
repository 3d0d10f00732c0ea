"""Each flow does what its command does, and its server lets in nobody else."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from workspace_parts import approve_all

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
def ran(run_fork: Run, tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What each flow of a new workspace came to."""
    workspace = tmp_path_factory.mktemp("flows") / "own"
    list(make_workspace(workspace, "lt", sample=True))
    came: dict[Any, Any] = {"workspace": workspace}
    for flow, *arguments in (
        ("build", SOURCE),
        ("review", SOURCE),
        ("release", "--name", SOURCE, "--version", "1.0.0", "--source", SOURCE),
        ("evaluate", f"{SOURCE}-1.0.0", "--model", tiny_model),
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
    output = ran["workspace"] / "output"
    assert run("release", "verify", output / "releases" / f"{SOURCE}-1.0.0")[0] == 0
    assert (output / "reports" / f"{SOURCE}-1.0.0" / "index.html").is_file()
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


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a Dask scheduler with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield str(local.scheduler_address)


@pytest.mark.slow
def test_a_dask_cluster_reads_the_same(workspace: Path, book: Path, run: Run, run_flow: Run, cluster: str) -> None:
    run("build", book, "--until", "blocks", "--language", "lt", "--workspace", workspace)
    stage = workspace / "output" / "work" / "kalba" / "blocks.jsonl"
    here = stage.read_bytes()
    shutil.rmtree(workspace / "output")
    at = ("--workspace", workspace, "--dask", cluster)
    code, out, err = run_flow("build", "kalba", "--until", "blocks", *at)
    assert (code, err) == (0, "")
    assert "5 read from" in out
    assert stage.read_bytes() == here


@pytest.mark.slow
def test_a_dask_cluster_scores_the_same(
    workspace: Path, document: Path, tiny_model: Path, run: Run, run_flow: Run, cluster: str
) -> None:
    def run_command(*arguments: object) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "pairwright", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    at = ("--workspace", workspace)
    run("build", document, "--language", "lt", *at)
    approve_all(workspace)
    run("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)
    arguments = ("evaluate", "lt-test-1.0.0", "--model", tiny_model, "--model", workspace / "none")
    scores = []
    for by_flow in (False, True):
        code, out, err = run_flow(*arguments, "--dask", cluster, *at) if by_flow else run_command(*arguments, *at)
        assert code == 2
        assert err == f"error: 1 of 2 models could not be scored: {workspace / 'none'}\n"
        assert "scored     4 of 4 pairs by tiny-gpt2" in out
        evaluations = workspace / "output" / "evaluations"
        scores += [path.read_bytes() for path in evaluations.glob("*/*/scores.parquet")]
        shutil.rmtree(evaluations)
    assert len(scores) == 2
    assert scores[0] == scores[1]
