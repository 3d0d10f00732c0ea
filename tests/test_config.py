"""Workspaces, their configuration, languages and notations: data files with faults that are named."""

from pathlib import Path

import pytest

from pairwright.core.errors import ConfigError
from pairwright.core.ids import line_of
from pairwright.core.workspace import Workspace, user_cache
from pairwright.documents.pages.ocr import DETECTION, model_directory
from pairwright.models.load.embedded import models_cache
from pairwright.sources.error_list.notation import load_notation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[release]\nvote = 3\n", r"pairwright\.toml:2: unknown key 'release\.vote'; known keys: votes, decide_alone"),
        ("[morphology]\nlt = [{ kin = 1 }]\n", r"unknown key 'morphology\.lt\.0\.kin'; known keys: kind, path"),
        ("[checks.limits.a]\nmax = 1\n", r"unknown key 'checks\.limits\.a\.max'; known keys: max_"),
        ("[releases]\nvotes = 3\n", r"unknown key 'releases'; known keys: language, ingest, checks, review"),
        (
            '[review]\nlanguage = "lt"\n# x\n[report]\nlanguage = "english"\n',
            r"pairwright\.toml:5: 'report\.language'",
        ),
        ("[release]\nvotes = 0\n", r"pairwright\.toml:2: 'release\.votes': Input should be greater"),
        ("[release]\nvote = 0\nvotes = 0\n", r"pairwright\.toml:2: unknown key 'release\.vote'"),
        (
            'release = "votes"\n',
            r"pairwright\.toml:1: 'release' is no table; write \{ \.\.\. \}, or its keys under \[rel",
        ),
        ("[release]\ntitle = 3\n", r"pairwright\.toml:2: 'release\.title' is no text; write it in quotation marks"),
        ("[release]\nmatrices = 3\n", r"pairwright\.toml:2: 'release\.matrices' is no list; write \[\.\.\.\]"),
        ("[release\n", r"pairwright\.toml: not valid TOML"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pairwright.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        Workspace(tmp_path).config()


@pytest.mark.parametrize("name", ["../lt", ".hidden", "a/b"])
def test_a_name_that_is_a_path_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="not a plain name"):
        load_notation(name)


def test_the_documented_example_is_valid(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    (tmp_path / "pairwright.toml").write_text(text.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    assert Workspace(tmp_path).config().checks.limits["vlkk/3.6.3"].max_spans == 5


TABLES = """\
title = "title = x"
[[model]]
name = "a"
# [report]
[[model]]
name = "b"
[model.quotes."a.b"]
from.here = 1
[[model.part]]
[[model.part]]
name = [
  "c",
]
[ report ]
name = "d"
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (["title"], 1),
        (["model", 0, "name"], 3),
        (["model", 1, "name"], 6),
        (["model", 1, "quotes", "a.b", "from", "here"], 8),
        (["model", 1, "quotes"], 7),
        (["model", 1, "part", 1, "name", 0], 11),
        (["report", "name"], 15),
        # What is missing is at fault where its table begins.
        (["model", 1, "size"], 5),
        (["report", "language"], 14),
        (["missing"], None),
        ([], None),
    ],
)
def test_the_line_of_a_key_is_that_of_its_own_table(keys: list[str | int], line: int | None) -> None:
    assert line_of(TABLES, keys) == line


def test_a_tilde_in_the_cache_variable_is_the_home_folder_for_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PAIRWRIGHT_CACHE", "~/shared")
    assert user_cache() == tmp_path / "shared"
    assert models_cache() == tmp_path / "shared" / "models"
    directory = model_directory(DETECTION)
    assert directory.parent == tmp_path / "shared" / "ocr"


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
