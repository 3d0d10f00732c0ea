"""Flows as their user runs them: the same steps and options as the commands, on a Prefect server of the run's own."""

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

import click
import httpx
import psutil
import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.sorting import FlowRunSort
from workspace_parts import approve_all

import build
import evaluate
import generate
import ingest
import release
import review
from pairwright.cli.steps import (
    build_command,
    evaluate_command,
    generate_command,
    ingest_command,
    release_command,
    review_command,
)
from prefect_cluster import on_cluster

Run = Callable[..., tuple[int, str, str]]
BUILD, INGEST = build_command(on_cluster(build.build)), ingest_command(on_cluster(ingest.ingest))
EVALUATE = evaluate_command(on_cluster(evaluate.evaluate))
FLOWS = Path(__file__).parents[3] / "flows"
ABROAD = "http://evil.example"


def flow_runs(name: str) -> int:
    with get_client(sync_client=True) as client:
        flow = client.read_flow_by_name(name)
        # Without a limit and an order, this server refuses its own client's request.
        runs = client.read_flow_runs(limit=200, sort=FlowRunSort.ID_DESC)
        return sum(run.flow_id == flow.id and run.state_name == "Completed" for run in runs)


def test_flows_lead_from_a_document_to_a_report(
    run_flow: Run, workspace: Path, document: Path, tiny_model: Path
) -> None:
    at = ["--workspace", workspace]
    code, out, err = run_flow(BUILD, document, "--language", "lt", *at)
    assert (code, err) == (0, "")
    assert "rules      1 rules" in out
    approve_all(workspace)
    assert run_flow(generate_command(generate.generate), "sarasas", *at)[0] == 0
    code, out, _ = run_flow(review_command(review.review), "sarasas", *at)
    assert code == 0
    assert "0 to decide" in out
    freeze = release_command(release.release, evaluate.evaluate)
    code, out, err = run_flow(freeze, "--name", "lt-test", "--version", "1.0.0", *at)
    assert (code, err) == (0, "")
    assert "3 pairs" in out
    code, out, err = run_flow(EVALUATE, "lt-test-1.0.0", "--model", tiny_model, *at)
    assert (code, err) == (0, "")
    assert (workspace / "output" / "reports" / "lt-test-1.0.0" / "index.html").is_file()
    assert [flow_runs(name) for name in ("build", "generate", "review", "release", "evaluate")] == [1] * 5


def test_a_users_fault_is_one_line_and_is_not_tried_again(run_flow: Run, workspace: Path, tmp_path: Path) -> None:
    empty = tmp_path / "tuscias.md"
    empty.write_bytes(b"")
    code, _, err = run_flow(BUILD, empty, "--language", "lt", "--workspace", workspace)
    assert code == 2
    assert re.fullmatch(r"error: .*the file is empty.*\n", err)


def test_a_fault_of_the_disk_is_one_line_in_a_flow_too(run_flow: Run, workspace: Path, document: Path) -> None:
    (workspace / "output").write_text("")
    code, _, err = run_flow(BUILD, document, "--language", "lt", "--workspace", workspace)
    assert code == 2
    assert re.fullmatch(r"error: .*output: a file stands where a folder is expected.*\n", err)


@pytest.fixture
def cluster() -> Iterator[str]:
    """The address of a Dask scheduler with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield str(local.scheduler_address)


@pytest.mark.slow
@pytest.mark.parametrize("by_flow", [False, True])
def test_a_dask_cluster_reads_the_same(
    by_flow: bool, workspace: Path, book: Path, run: Run, run_flow: Run, cluster: str
) -> None:
    run("ingest", book, "--language", "lt", "--workspace", workspace)
    stage = workspace / "output" / "work" / "kalba" / "blocks.jsonl"
    here = stage.read_bytes()
    shutil.rmtree(workspace / "output")
    arguments = ("kalba", "--workspace", workspace, "--dask", cluster)
    code, out, err = run_flow(INGEST, *arguments) if by_flow else run("ingest", *arguments)
    assert (code, err) == (0, "")
    assert "5 read from" in out
    assert stage.read_bytes() == here


@pytest.mark.slow
def test_a_dask_cluster_scores_the_same(
    workspace: Path, document: Path, tiny_model: Path, run: Run, run_flow: Run, cluster: str
) -> None:
    at = ("--workspace", workspace)
    run("build", document, "--language", "lt", *at)
    approve_all(workspace)
    run("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)
    arguments = ("lt-test-1.0.0", "--model", tiny_model, "--model", workspace / "none", "--dask", cluster, *at)
    scores = []
    for by_flow in (False, True):
        code, out, err = run_flow(EVALUATE, *arguments) if by_flow else run("evaluate", *arguments)
        assert code == 2
        assert err == f"error: 1 of 2 models could not be scored: {workspace / 'none'}\n"
        assert "scored     3 of 3 pairs by tiny-gpt2" in out
        evaluations = workspace / "output" / "evaluations"
        scores += [path.read_bytes() for path in evaluations.glob("*/*/scores.parquet")]
        shutil.rmtree(evaluations)
    assert len(scores) == 2
    assert scores[0] == scores[1]


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
