"""The folders of a workspace and of its user."""

from pathlib import Path

import pytest

from pairwright.core.workspace import Workspace, user_cache
from pairwright.documents.pages.ocr import DETECTION, model_directory
from pairwright.models.load.embedded import models_cache


def test_a_tilde_in_the_cache_variable_is_the_home_folder_for_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PAIRWRIGHT_CACHE", "~/shared")
    assert user_cache() == tmp_path / "shared"
    assert models_cache() == tmp_path / "shared" / "models"
    directory = model_directory(DETECTION)
    assert directory.parent == tmp_path / "shared" / "ocr"


def test_without_the_variable_the_cache_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAIRWRIGHT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache().name == "pairwright"


def test_what_is_still_being_written_is_not_listed(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert workspace.release_folders() == workspace.finished_evaluations("cases-1.0.0") == []
    for name in ("cases-1.0.0", ".cases-1.1.0.123.tmp", "another-0.1.0"):
        (workspace.releases / name).mkdir(parents=True)
    assert [path.name for path in workspace.release_folders()] == ["another-0.1.0", "cases-1.0.0"]
    for path in ("embedded/run.json", "running/shards/plan.json"):
        (file := workspace.evaluations("cases-1.0.0") / path).parent.mkdir(parents=True)
        file.touch()
    assert workspace.finished_evaluations("cases-1.0.0") == [workspace.evaluation("cases-1.0.0", "embedded")]
