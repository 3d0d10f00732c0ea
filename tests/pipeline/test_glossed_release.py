"""The sample grammar with its reviewed sheets, as `pairwright init --sample` brings both: its glosses are released."""

import json
from pathlib import Path
from typing import Any

import pytest

from pairwright.cli.init import make_workspace
from pairwright.cli.inspect.trace import trace
from pairwright.core.records.release import ReleaseResult
from pairwright.core.workspace import Workspace
from pairwright.pipeline.build import build
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import ReleaseOptions
from pairwright.pipeline.release import create
from pairwright.review.log.queue import queues

SOURCE = "lt-sample-grammar"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("sample") / "workspace"
    list(make_workspace(root, "lt", sample=True))
    with (root / "pairwright.toml").open("a", encoding="utf-8") as config:
        config.write("\n[ingest]\nworkers = 1\n")
    build(Context(Workspace(root)), Path(SOURCE))
    return Workspace(root)


@pytest.fixture(scope="module")
def release(workspace: Workspace) -> ReleaseResult:
    return create(Context(workspace), ReleaseOptions("glossed", "1.0.0", (SOURCE,), date="2026-05-04"))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_sheets_that_come_along_decide_all_pairs_of_the_grammar(workspace: Workspace) -> None:
    asked = {pair["candidate"]["id"] for pair in records(workspace.stage_file(SOURCE, "checked"))}
    [folder] = queues(workspace.annotations, SOURCE)
    decided = {(item["pair_id"], item["reviewer"]) for item in records(folder.path / "decisions.jsonl")}
    assert decided == {(pair_id, reviewer) for pair_id in asked for reviewer in ("jonas", "ruta")}


def test_released_pairs_have_translations_and_items_that_ask_for_them(release: ReleaseResult) -> None:
    pairs = records(release.path / "pairs.jsonl")
    assert pairs
    assert all(pair["translation"] for pair in pairs)
    items = records(release.path / "tasks" / "translation.jsonl")
    assert {item["pair_ids"][0] for item in items} == {pair["id"] for pair in pairs}


def test_the_trace_of_a_glossed_pair_shows_its_gloss(workspace: Workspace, release: ReleaseResult) -> None:
    pairs = {pair["sentence_good"]: pair["id"] for pair in records(release.path / "pairs.jsonl")}
    traced = list(trace(workspace, pairs["Jis anksti atsikelia."]))
    assert "morphemes  jis anksti at-si-kel-ia" in traced
    assert "gloss      3SG.M.NOM early PFV-REFL-rise-PRS.3" in traced
    assert "meaning    ‘He gets up early.’" in traced
