"""A treebank goes the whole way: build, sheets, trace, rules, release."""

import shutil
from pathlib import Path

import pytest
from command_lines import Run
from workspace_parts import decide, records, sheet_rows

from pairwright.cli import EXTRAS
from pairwright.core.records import Decision
from pairwright.core.store import append_log, read_manifest
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.review import build

SAMPLES = Path(__file__).parents[2] / "sources"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which the sample treebank was built."""
    root = tmp_path_factory.mktemp("original")
    (root / "pairwright.toml").write_text('[review]\nreviewers = ["ana", "jonas"]\n', encoding="utf-8")
    shutil.copytree(SAMPLES / "lt-sample-treebank", root / "sources" / "lt-sample-treebank")
    build(Context(Workspace(root), extras=EXTRAS), Path("lt-sample-treebank"))
    return root


@pytest.fixture
def treebank(original: Path, tmp_path: Path) -> Path:
    """A copy of that workspace."""
    return shutil.copytree(original, tmp_path / "built")


def stage(workspace: Path, source: str, stage: str) -> list[dict[str, object]]:
    return records(workspace / "output" / "work" / source / f"{stage}.jsonl")


def test_a_treebank_gives_sheets_a_release_and_a_trace(run: Run, treebank: Path) -> None:
    assert "no file of word forms of Lithuanian: forms come from the treebank alone" in run.done(
        "build", "lt-sample-treebank", "--workspace", treebank
    )
    checked = stage(treebank, "lt-sample-treebank", "checked")
    assert checked
    assert {pair["verdict"] for pair in checked} == {"pass"}
    sheets = [treebank / "annotations" / "lt-sample-treebank" / f"{name}.csv" for name in ("ana", "jonas")]
    rows = [row for sheet in sheets for row in sheet_rows(sheet)]
    # Small lots of a phenomenon have one sample, and each of its pairs one reviewer.
    assert len(checked) / 2 < len({row["Poros ID"] for row in rows}) == len(rows) < len(checked)
    assert all(row["Kuo pora pagrįsta"].startswith("taisyklė aprašyta contrasts/lt.toml:") for row in rows)
    for sheet in sheets:
        decide(sheet, "gerai")
    run.done("review", "sync", "lt-sample-treebank", "--workspace", treebank)
    run.done("release", "create", "--name", "trees", "--version", "1.0.0", "--workspace", treebank)
    origins = records(treebank / "output" / "releases" / "trees-1.0.0" / "provenance.jsonl")
    assert all(origin["rule_declared"].startswith("contrasts/lt.toml:") for origin in origins)
    out = run.done("trace", rows[0]["Poros ID"], "--workspace", treebank)
    assert "declared   in contrasts/lt.toml:" in out
    assert "release    trees-1.0.0" in out
    code, out, _ = run("show", "lt-sample-treebank", "--html", "--workspace", treebank)
    assert code == 0
    page = treebank / "output" / "previews" / "lt-sample-treebank-rules.html"
    assert "declared in <code>contrasts/lt.toml:" in page.read_text(encoding="utf-8")


def test_an_approved_pair_that_another_reviewer_corrected_is_no_seed(run: Run, treebank: Path) -> None:
    first, second, *_ = (pair["id"] for pair in stage(treebank, "lt-sample-treebank", "treebank_pairs"))
    votes = [(first, "ana", "approve"), (first, "jonas", "fix"), (second, "ana", "approve")]
    decisions = [
        Decision.model_validate({"pair_id": key, "reviewer": reviewer, "decision": word, "at": "2026-05-01T10:00:00Z"})
        for key, reviewer, word in votes
    ]
    append_log(treebank / "annotations" / "lt-sample-treebank" / "decisions.jsonl", decisions)
    run.done("grow", "orders", "lt-sample-treebank", "--workspace", treebank)
    manifest = read_manifest(treebank / "output" / "work" / "lt-sample-treebank", "paradigms")
    assert manifest is not None
    assert {source.name: source.count for source in manifest.inputs}["seeds"] == 1


def test_rules_of_another_source_have_to_be_there(run: Run, treebank: Path) -> None:
    path = treebank / "sources" / "lt-sample-treebank" / "source.toml"
    path.write_text(f'rules_of = ["lt-sample"]\n{path.read_text(encoding="utf-8")}', encoding="utf-8")
    again = ("build", "lt-sample-treebank", "--workspace", treebank)
    assert "rules_of names 'lt-sample', which has no rules; run pairwright build lt-sample" in run.refused(*again)
    shutil.copytree(SAMPLES / "lt-sample", treebank / "sources" / "lt-sample")
    run.done("build", "lt-sample", "--workspace", treebank)
    run.done(*again)
    rules = stage(treebank, "lt-sample-treebank", "rules")
    assert {rule["taken_from"] for rule in rules} == {None, "lt-sample"}
    run.done("show", "lt-sample-treebank", "--html", "--workspace", treebank)


def test_a_folder_of_conllu_files_is_one_treebank(run: Run, workspace: Path, tmp_path: Path) -> None:
    folder = tmp_path / "UD_Lithuanian-Mine"
    folder.mkdir()
    text = (SAMPLES / "lt-sample-treebank" / "sample.conllu").read_text(encoding="utf-8")
    cut = text.index("# sent_id = sample-3")
    for name, part in (("dev", text[:cut]), ("train", text[cut:])):
        (folder / f"lt_mine-ud-{name}.conllu").write_text(part, encoding="utf-8")
    for _ in range(2):
        out = run.done("build", folder, "--until", "blocks", "--language", "lt", "--workspace", workspace)
        assert "32 blocks" in out
    files = {block["file"] for block in stage(workspace, "ud-lithuanian-mine", "blocks")}
    assert {Path(str(file)).name for file in files} == {"lt_mine-ud-dev.conllu", "lt_mine-ud-train.conllu"}
