"""Where the files of a workspace lie."""

from pathlib import Path

import pytest

from pairwright.core.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_a_workspace_needs_no_folder_to_list_what_is_in_it(workspace: Workspace) -> None:
    assert workspace.stage_files("checked") == []
    assert workspace.release_folders() == []
    assert workspace.finished_evaluations("cases-1.0.0") == []


def test_the_files_of_a_stage_are_listed_by_source(workspace: Workspace) -> None:
    built = [touch(workspace.stage_file(source, "checked")) for source in ("b", "a")]
    touch(workspace.stage_file("c", "blocks"))
    assert workspace.stage_files("checked") == built[::-1]
    assert [path.parent.name for path in workspace.stage_files("blocks")] == ["c"]


def test_a_release_that_is_still_being_written_is_not_listed(workspace: Workspace) -> None:
    for name in ("cases-1.0.0", ".cases-1.1.0.123.tmp", "another-0.1.0"):
        touch(workspace.releases / name / "release.json")
    assert [path.name for path in workspace.release_folders()] == ["another-0.1.0", "cases-1.0.0"]


def test_an_evaluation_is_finished_when_its_run_is_written(workspace: Workspace) -> None:
    touch(workspace.evaluation("cases-1.0.0", "embedded") / "run.json")
    touch(workspace.evaluation("cases-1.0.0", "running") / "shards" / "plan.json")
    assert workspace.finished_evaluations("cases-1.0.0") == [workspace.evaluation("cases-1.0.0", "embedded")]
