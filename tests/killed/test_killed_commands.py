"""Whatever moment a command is killed at, nothing that it had finished is lost, and the next run ends the same."""

import json
from collections import Counter
from pathlib import Path

import pytest
from killed_parts import STEMS, VERBS, rows, run
from kills import Writer, kill_at_random
from workspace_parts import sheet

from pairwright.core.ids import file_sha256
from pairwright.core.records import Decision
from pairwright.core.store import read_log
from pairwright.release.consistency import verify_contents

pytestmark = pytest.mark.slow


def test_reading_a_book(book: Path, tmp_path: Path) -> None:
    stage = "output/work/kalba/blocks"
    writer = Writer(
        ("build", "kalba", "--until", "blocks"),
        book,
        (f"{stage}.jsonl", f"{stage}.rejected.jsonl"),
        "output/cache/**/*",
    )
    read: dict[Path, bytes] = {}

    def pages_stay(workspace: Path) -> None:
        pages = {path: path.read_bytes() for path in workspace.glob("output/cache/**/*.json")}
        assert {path: pages.get(path) for path in read if workspace in path.parents} == {
            path: page for path, page in read.items() if workspace in path.parents
        }
        read.update(pages)

    def whole_or_absent(workspace: Path) -> None:
        for path in workspace.glob("output/work/kalba/*.jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                json.loads(line)

    kill_at_random(writer, tmp_path, (pages_stay, whole_or_absent))


def test_building_a_list(listed: Path, tmp_path: Path) -> None:
    results = ("output/work/sarasas/*.jsonl", "annotations/sarasas/*.csv", "annotations/sarasas/*.jsonl")
    kill_at_random(Writer(("build", "sarasas"), listed, results), tmp_path)


def test_importing_sheets(decided: Path, tmp_path: Path) -> None:
    log = "annotations/sarasas/decisions.jsonl"
    writer = Writer(("review", "import", "--queue", "sarasas"), decided, (log, "annotations/sarasas/*.csv"))
    sheets = {name: sheet(decided, name).read_bytes() for name in ("ana", "jonas")}

    def answers_once(workspace: Path) -> None:
        answers = Counter((entry.pair_id, entry.reviewer) for entry in read_log(workspace / log, Decision))
        assert set(answers.values()) <= {1}
        assert {name: sheet(workspace, name).read_bytes() for name in sheets} == sheets

    kill_at_random(writer, tmp_path, (answers_once,))


def test_topping_sheets_up(decided: Path, tmp_path: Path) -> None:
    document = decided / "sources" / "sarasas" / "sarasas.md"
    longer = document.read_text(encoding="utf-8") + "- Nemėgstu lietą (= lietaus) vasarą.\n"
    document.write_text(longer, encoding="utf-8")
    settings = document.with_name("source.toml")
    lines = settings.read_text(encoding="utf-8").splitlines()
    lines[-1] = f'sha256 = "{file_sha256(document)}"'
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    writer = Writer(
        ("build", "sarasas"),
        decided,
        ("output/work/sarasas/checked.jsonl", "annotations/sarasas/*.csv"),
    )

    def cells_stay(workspace: Path) -> None:
        for reviewer in ("ana", "jonas"):
            words = [row["Sprendimas"] for row in rows(sheet(workspace, reviewer))]
            assert words.count("gerai") >= len(VERBS) * len(STEMS)

    kill_at_random(writer, tmp_path, (cells_stay,))


@pytest.fixture
def released(decided: Path) -> Path:
    run("review", "sync", "sarasas", "--workspace", decided)
    run("release", "create", "--name", "cases", "--version", "1.0.0", "--workspace", decided)
    return decided


def test_freezing_a_release(decided: Path, tmp_path: Path) -> None:
    create = ("release", "create", "--name", "cases", "--version", "1.0.0")
    # The key of the pseudonyms is drawn at the first release, so an earlier one has to be there.
    (decided / "annotations" / "pseudonyms.key").write_text("00" * 32 + "\n", encoding="ascii")
    run("review", "sync", "sarasas", "--workspace", decided)

    def whole_or_absent(workspace: Path) -> None:
        for path in workspace.glob("output/releases/cases-*"):
            verify_contents(path)

    writer = Writer(create, decided, ("output/releases/cases-1.0.0/**/*",))
    kill_at_random(writer, tmp_path, (whole_or_absent,))


def test_scoring_a_release(released: Path, tiny_model: Path, tmp_path: Path) -> None:
    settings = released / "pairwright.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + "[score]\nshard_pairs = 1\n", encoding="utf-8")
    arguments = ("evaluate", "cases-1.0.0", "--model", str(tiny_model))
    results = ("output/evaluations/**/scores.parquet", "output/reports/**/tables/*.csv")
    writer = Writer(arguments, released, results, "output/evaluations/**/shards/*.parquet")
    written: dict[Path, int] = {}

    def shards_stay(workspace: Path) -> None:
        for path in workspace.glob("output/evaluations/**/shards/*.parquet"):
            changed = path.stat().st_mtime_ns
            assert written.setdefault(path, changed) == changed, "a shard was scored twice"

    kill_at_random(writer, tmp_path, (shards_stay,))
    assert written
