"""`pairwright report board`: what is on the page was checked against its release, and only what compares is ranked."""

import json
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from made_evaluations import make_evaluation, make_release
from pairwright.cli.reports import board
from pairwright.core.errors import ReleaseError, StoreError
from pairwright.core.workspace import Workspace

N_PAIRS = 24


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release, and the evaluations of three models; the third was scored without BOS."""
    folder = tmp_path_factory.mktemp("made")
    sha256 = make_release(folder / "large-1.0.0", N_PAIRS)
    for number in range(3):
        make_evaluation(folder / f"model-{number}", number, N_PAIRS, sha256)
    path = folder / "model-2" / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    run["policy"]["bos"] = "never"
    path.write_text(json.dumps(run), encoding="utf-8")
    return folder


@pytest.fixture
def workspace(made: Path, tmp_path: Path) -> Workspace:
    shutil.copytree(made / "large-1.0.0", tmp_path / "output" / "releases" / "large-1.0.0")
    return Workspace(tmp_path)


def test_models_under_different_settings_stand_in_different_tables(made: Path, workspace: Workspace) -> None:
    lines = list(board(workspace, added=tuple(made / f"model-{number}" for number in range(3))))
    assert lines[-1] == f"page       {workspace.leaderboard / 'index.html'}"
    page = BeautifulSoup((workspace.leaderboard / "index.html").read_text(encoding="utf-8"), "html.parser")
    shown = {
        item.caption.get_text(): {row.th.get_text(strip=True) for row in item("tr")[1:]}
        for item in page("table")
        if item.caption
    }
    assert shown == {
        "large 1.0.0; scored with the model's own start token": {"Family0-1B", "Family1-1B-Instruct"},
        "large 1.0.0; scored without a start token": {"Family2-1B"},
    }
    assert next(board(workspace, added=(), page_language="tr")) == (
        "page       in English, as there is no locale/tr/report.ftl"
    )
    assert list(board(workspace, added=(made / "model-0",), page_language="lt"))[-1] == lines[-1]
    page = BeautifulSoup((workspace.leaderboard / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert page.find("html", lang="lt") is not None
    assert "large 1.0.0; vertinta be pradžios ženklo" in [item.get_text() for item in page("caption")]


def test_what_is_added_is_of_the_release_and_replaces_nothing(made: Path, workspace: Workspace, tmp_path: Path) -> None:
    changed = shutil.copytree(made / "model-0", tmp_path / "changed")
    with (changed / "scores.parquet").open("ab") as handle:
        handle.write(b"more")
    with pytest.raises(StoreError, match=r"changed since run\.json was written"):
        list(board(workspace, added=(changed,)))
    other = shutil.copytree(made / "model-0", tmp_path / "other")
    run = json.loads((other / "run.json").read_text(encoding="utf-8"))
    (other / "run.json").write_text(json.dumps(run | {"release_sha256": "e" * 64}), encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"not on large 1\.0\.0"):
        list(board(workspace, added=(other,)))
    (other / "run.json").write_text(json.dumps(run | {"release": "another-1.0.0"}), encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"scores another-1\.0\.0, which is not in"):
        list(board(workspace, added=(other,)))
    assert workspace.finished_evaluations("large-1.0.0") == []
    with pytest.raises(ReleaseError, match="no release with scores"):
        list(board(workspace, added=()))

    list(board(workspace, added=(made / "model-0",)))
    again = shutil.copytree(made / "model-0", tmp_path / "again")
    run = json.loads((again / "run.json").read_text(encoding="utf-8"))
    (again / "run.json").write_text(json.dumps(run | {"seconds": 2.0}), encoding="utf-8")
    with pytest.raises(StoreError, match="scores are not overwritten"):
        list(board(workspace, added=(again,)))
