"""Flows whose parts a Dask cluster works on come to the same."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from workspace_parts import approve_all

Run = Callable[..., tuple[int, str, str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a Dask scheduler with two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="Dask is an extra")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield str(local.scheduler_address)


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
        assert (workspace / "output" / "reports" / "lt-test-1.0.0" / "index.html").is_file()
        shutil.rmtree(evaluations)
    assert len(scores) == 2
    assert scores[0] == scores[1]
