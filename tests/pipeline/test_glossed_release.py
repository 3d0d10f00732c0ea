"""The sample grammar with its reviewed sheets, as `pairwright init --sample` brings both: its glosses are released."""

from pathlib import Path

from workspace_parts import records

from pairwright.cli.init import make_workspace
from pairwright.cli.inspect.show import trace
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import ReleaseOptions
from pairwright.pipeline.release import create
from pairwright.pipeline.review import build
from pairwright.review.log import queues

SOURCE = "lt-sample-grammar"


def test_the_sheets_that_come_along_decide_all_pairs_which_are_released_with_their_glosses(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    list(make_workspace(workspace.root, "lt", sample=True))
    build(Context(workspace), Path(SOURCE))
    release = create(Context(workspace), ReleaseOptions("glossed", "1.0.0", (SOURCE,), date="2026-05-04"))
    asked = {pair["candidate"]["id"] for pair in records(workspace.stage_file(SOURCE, "checked"))}
    [folder] = queues(workspace.annotations, SOURCE)
    decided = {(item["pair_id"], item["reviewer"]) for item in records(folder.path / "decisions.jsonl")}
    assert decided == {(pair_id, reviewer) for pair_id in asked for reviewer in ("jonas", "ruta")}
    pairs = {pair["sentence_good"]: pair for pair in records(release.path / "pairs.jsonl")}
    assert pairs
    assert all(pair["translation"] for pair in pairs.values())
    items = records(release.path / "tasks" / "translation.jsonl")
    assert {item["pair_ids"][0] for item in items} == {pair["id"] for pair in pairs.values()}
    traced = list(trace(workspace, pairs["Jis anksti atsikelia."]["id"]))
    assert "morphemes  jis anksti at-si-kel-ia" in traced
    assert "gloss      3SG.M.NOM early PFV-REFL-rise-PRS.3" in traced
    assert "meaning    ‘He gets up early.’" in traced
