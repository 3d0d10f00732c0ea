"""`pairwright review`: from an export to a release's votes, as people type it, with one line for each fault."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pymupdf
import pytest
from command_lines import Run
from source_folders import write_source
from workspace_parts import save_sheet, sheet_rows

from made_records import make_candidate, make_checked, make_evidence, make_rule
from pairwright.core.records import Block, Example
from pairwright.core.store import write_jsonl

SENTENCES = [
    ("Laukiu autobuso.", "Laukiu autobusą."),
    ("Noriu ledų.", "Noriu ledus."),
    ("Ieškau namų.", "Ieškau namus."),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A built source whose pairs come from a page of a PDF file."""
    folder = tmp_path / "sources" / "knyga"
    folder.mkdir(parents=True)
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "Laukiu autobuso.")
        document.save(folder / "knyga.pdf")
    write_source(folder, "knyga.pdf", kind="grammar-book")
    known = {"id": "block-0123456789abcdef", "source_id": "knyga", "kind": "paragraph", "file": "knyga.pdf", "page": 1}
    place = {"text": "Laukiu autobuso.", "bbox": (72, 88, 170, 104), "reader": "pdf-text/1"}
    block = Block.model_validate({**known, **place})
    evidence = make_evidence("Laukiu autobuso.", block_id=block.id, file="knyga.pdf")
    example = Example(good="Laukiu draugo.", bad="Laukiu draugą.", evidence=evidence)
    rule = make_rule(source_id="knyga", block_ids=[block.id], quote=evidence.quote, examples=[example])
    pairs = [
        make_checked(make_candidate(good, bad, rule_id=rule.id, source_id="knyga", evidence=evidence))
        for good, bad in SENTENCES
    ]
    work = tmp_path / "output" / "work" / "knyga"
    write_jsonl(work / "blocks.jsonl", [block])
    write_jsonl(work / "rules.jsonl", [rule])
    write_jsonl(work / "checked.jsonl", pairs)
    return tmp_path


@pytest.fixture
def review(run: Run, workspace: Path) -> Run:
    """Runs a command of `pairwright review` in the workspace."""
    return Run(lambda *arguments: run("review", *arguments, "--workspace", workspace))


def decide(workspace: Path, reviewer: str, *words: str, queue: str = "knyga") -> Path:
    path = workspace / "annotations" / queue / f"{reviewer}.csv"
    save_sheet(path, [row | {"Sprendimas": word} for row, word in zip(sheet_rows(path), words, strict=True)])
    return path


def test_the_way_from_sheets_to_an_adjudicated_pair(workspace: Path, review: Run, run: Run) -> None:
    out = review.done("export", "--queue", "knyga", "--reviewers", "ana,jonas", "--per-pair", 2)
    assert out.count("3 new rows") == 2
    decide(workspace, "ana", "gerai", "gerai", "atmesti")
    path = decide(workspace, "jonas", "atmesti", "gerai", "gal")
    code, out, _ = review("import", "--queue", "knyga")
    assert code == 1
    assert f"{path}:4:" in out
    assert "not imported: 1 row" in out
    assert "next: pairwright review sync knyga" in out
    assert "queue knyga: pairs, 2 reviewers, 1 conflict" in run.done("status", "knyga", "--workspace", workspace)
    assert "Krippendorff's alpha, nominal:" in review.done("agreement", "--queue", "knyga")
    assert "1 conflict" in review.done("settle", "--queue", "knyga")
    out = review.done("settle", "--queue", "knyga", "--adjudicators", "ona")
    assert "knyga-conflicts/ona.csv: 1 new row," in out
    assert "third person" not in out
    out = review.done("settle", "--queue", "knyga", "--adjudicators", "jonas,ona")
    assert "jonas voted on 1 of these pairs; a third person settles them better" in out
    decide(workspace, "ona", "gerai", queue="knyga-conflicts")
    review.done("import", "--queue", "knyga-conflicts")
    assert "0 conflicts" in review("settle", "--queue", "knyga")[1]


def test_a_queue_keeps_the_reviewers_that_it_was_made_for(workspace: Path, review: Run) -> None:
    """The configured ones, who were never asked, get no pair of it by a later export; named ones do."""
    review.done("export", "--queue", "knyga", "--reviewers", "ana,jonas", "--per-pair", 2)
    sheets = set((workspace / "annotations" / "knyga").glob("*.csv"))
    assert {path.stem for path in sheets} == {"ana", "jonas"}
    assert review.done("export", "--queue", "knyga", "--per-pair", 2).count("0 new rows, 3 unchanged") == 2
    assert set((workspace / "annotations" / "knyga").glob("*.csv")) == sheets
    assert "ona.csv: 3 new rows" in review("export", "--queue", "knyga", "--reviewers", "ona", "--per-pair", 1)[1]


def test_reviewers_are_named_and_leave_after_the_first_build(workspace: Path, review: Run, run: Run) -> None:
    settings = workspace / "pairwright.toml"
    settings.write_text("# ours\n[review]\nper_pair = 2  # each\n", encoding="utf-8")
    assert "reviewer-1.csv: 3 new rows" in review("export", "--queue", "knyga")[1]
    for name in ("ana", "jonas"):
        review.done("reviewer", "add", name)
    assert settings.read_text(encoding="utf-8").startswith("# ours\n[review]\nper_pair = 2  # each\n")
    assert "6 rows taken out" in review.done("export", "--queue", "knyga")
    folder = workspace / "annotations" / "knyga"
    assert {path.stem for path in folder.glob("*.csv")} == {"ana", "jonas"}
    decide(workspace, "jonas", "gerai", "", "")
    assert review("reviewer", "add", "ona", "--queue", "knyga")[1].startswith("reviewers: ana, jonas, ona;")
    review.done("reviewer", "remove", "jonas", "--queue", "knyga")
    review.done("export", "--queue", "knyga")
    assert {path.stem for path in folder.glob("*.csv")} == {"ana", "jonas", "ona"}
    review.done("import", "--queue", "knyga")
    assert "  jonas                1       1       0       0" in run("status", "knyga", "--workspace", workspace)[1]
    for arguments, words in (
        (("add", "ana"), "already"),
        (("remove", "petras"), "known: ana"),
        (("add", "Ana"), "plain"),
    ):
        assert words in review.refused("reviewer", *arguments)


def test_a_sheet_has_the_language_that_was_asked_for_and_the_separator_of_the_settings(
    workspace: Path, review: Run
) -> None:
    (workspace / "pairwright.toml").write_text('[review]\nseparator = ","\nshow_findings = true\n', encoding="utf-8")
    options = ("--language", "en", "--reviewers", "ana", "--per-pair", 1)
    review.done("export", "--queue", "eile", "--source", "knyga", *options)
    header = (workspace / "annotations" / "eile" / "ana.csv").read_bytes().decode("utf-8-sig").splitlines()[0]
    assert header.startswith("Pair ID,Reviewer,Rule,Acceptable sentence,")
    assert (workspace / "annotations" / "eile" / "INSTRUCTIONS.en.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export", "--queue", "nope"), "nope: no source of this id"),
        (("export", "--queue", "../x", "--source", "knyga"), "not a plain name"),
        (("export", "--queue", "knyga", "--per-pair", "0"), "--per-pair:"),
        (("export", "--queue", "knyga", "--reviewers", "Ana"), "not a plain name"),
        (("import", "--queue", "nope"), "there is no such queue"),
        (("serve", "--queue", "nope", "--reviewer", "ana"), "there is no such queue"),
    ],
)
def test_a_fault_of_the_user_is_one_line(arguments: tuple[str, ...], words: str, workspace: Path, review: Run) -> None:
    assert words in review.refused(*arguments)


def test_an_experiment_is_topped_up_without_saying_again_what_it_is(workspace: Path, review: Run) -> None:
    experiment = ("export", "--queue", "tyrimas", "--reviewers", "ana,jonas", "--versions", 2)
    review.done(*experiment, "--source", "knyga", "--kind", "likert")
    out = review.done(*experiment, "--label-studio")
    assert "tyrimas-ana.label-studio.json: " in out
    assert "tyrimas.label-studio-form.xml: " in out
    sheet = workspace / "annotations" / "tyrimas" / "ana.csv"
    err = review.refused("import", "--queue", "tyrimas", "--reviewer", "petras", sheet)
    assert "--reviewer 'petras': nobody of this queue; known: ana, jonas" in err


def test_a_reviewer_without_a_queue_is_named(workspace: Path, review: Run) -> None:
    review("export", "--queue", "knyga", "--reviewers", "ana,jonas")
    review("export", "--queue", "kita", "--source", "knyga", "--reviewers", "ana,jonas")
    for queues, named in (("--queue", "knyga"), "knyga"), ((), "kita, knyga"):
        err = review.refused("serve", *queues, "--reviewer", "ana", "--reviewer", "petras")
        assert f"'petras' has nothing in {named}; known: ana, jonas" in err


@pytest.fixture
def address(workspace: Path, review: Run) -> Iterator[str]:
    """The address that `pairwright review serve` prints."""
    review("export", "--queue", "knyga", "--reviewers", "ana,jonas")
    arguments = ["review", "serve", "--queue", "knyga", "--reviewer", "ana", "--workspace", str(workspace)]
    process = subprocess.Popen(
        [sys.executable, "-c", "from pairwright.cli import main; main()", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert process.stdout is not None
    yield process.stdout.readline().rpartition(": ")[2].strip()
    process.terminate()
    process.communicate(timeout=20)


def test_the_page_shows_the_place_on_the_page_of_the_document(address: str) -> None:
    root = address.partition("/?")[0]
    with httpx.Client(base_url=root, follow_redirects=True, timeout=30) as client:
        page = client.get(address)
        assert "Vieta puslapyje" in page.text
        item = page.text.partition('src="crop/')[2].partition('"')[0]
        picture = client.get(f"/crop/{item}")
        assert picture.headers["content-type"] == "image/png"
        assert picture.content.startswith(b"\x89PNG")
        assert pymupdf.Pixmap(picture.content).width > 100
        answer = client.post("/answer", data={"item": item, "decision": "approve"}, headers={"Origin": root})
        assert "Atlikta 1 iš 3" in answer.text
