"""A seed that grew, in a real workspace: what is asked about, released, traced, and withdrawn with the seed."""

from pathlib import Path

import pytest
from command_lines import Run
from workspace_parts import approve_all, decide, license_source, save_sheet, sheet, sheet_rows

from pairwright.cli.inspect.show import trace
from pairwright.cli.inspect.status import status
from pairwright.core.ids import pair_id
from pairwright.core.records import Augmentation, Candidate, CheckedPair, Replacement
from pairwright.core.records.documents import AUGMENTED
from pairwright.core.records.release import ExcludedPair
from pairwright.core.store import read_jsonl, write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.languages.linguistics.sentences import changes
from pairwright.release.consistency import verify_contents
from pairwright.release.verify import read_pairs, read_records
from pairwright.stats.acceptance import sample_size

NUMBERS = ["du", "tris", "keturis", "penkis", "šešis", "septynis", "aštuonis", "devynis", "dešimt", "šimtą"]
PLACES = ["miške", "mieste", "name", "parke", "lauke", "kieme", "kaime", "sode"]
N = len(NUMBERS) * len(PLACES)
SAMPLE = sample_size(N, 0.05, 0.95)


def grow(seed: Candidate) -> list[Candidate]:
    """Pairs made of a seed, as another stage leaves them."""
    pairs = []
    for rank, (number, place) in enumerate(((number, place) for number in NUMBERS for place in PLACES), start=1):
        good, bad = (f"{text[:-1]} {number} kartus {place}." for text in (seed.good, seed.bad))
        new = Replacement(seed="", new=place, lemma=place, good_at=0, bad_at=0)
        derivation = Augmentation(method="lexicon", seed_id=seed.id, replacements=(new,), model="tiny", rank=rank)
        own = {"id": pair_id(seed.rule_id, good, bad), "good": good, "bad": bad, "changes": changes(good, bad)}
        derived = {"method": "lexicon", "parent_id": seed.id, "derivation": derivation}
        pairs.append(seed.model_copy(update=own | derived))
    return pairs


@pytest.fixture
def grown(run: Run, workspace: Path, document: Path) -> list[Candidate]:
    """The pairs that grew from the first pair of the list, which are in the sheets as far as they are asked about."""
    run("build", document, "--language", "lt", "--workspace", workspace)
    work = workspace / "output" / "work" / "sarasas"
    seed = next(iter(read_jsonl(work / "candidates.jsonl", Candidate)))
    pairs = grow(seed)
    write_jsonl(work / f"{AUGMENTED.name}.jsonl", pairs)
    assert "1 lot of derived pairs (open 1)" in run.done("review", "sync", "sarasas", "--workspace", workspace)
    return pairs


def release(run: Run, workspace: Path, version: str) -> Path:
    run.done("release", "create", "--name", "lt-test", "--version", version, "--workspace", workspace)
    path = workspace / "output" / "releases" / f"lt-test-{version}"
    assert verify_contents(path).notes == ()
    return path


def test_a_sample_is_reviewed_and_all_are_released(run: Run, workspace: Path, grown: list[Candidate]) -> None:
    checked = {pair.candidate.id for pair in read_jsonl(workspace / "output/work/sarasas/checked.jsonl", CheckedPair)}
    assert checked >= {pair.id for pair in grown}
    texts = [sheet(workspace, name).read_text("utf-8-sig") for name in ("ana", "jonas")]
    # One reviewer decides on each pair of the sample.
    assert sum(pair.id in text for pair in grown for text in texts) == SAMPLE
    assert f"{SAMPLE} of {N} lexicon pairs; review {SAMPLE} more" in "\n".join(status(Workspace(workspace)))
    approve_all(workspace)
    path = release(run, workspace, "1.0.0")
    reviews = [pair.review for pair in read_pairs(path)]
    assert reviews.count("sampled") == N - SAMPLE
    assert reviews.count("reviewed") == SAMPLE + 4
    said = f"{SAMPLE} of {N} lexicon pairs, {SAMPLE} decided, 0 of these wrong; passes"
    assert said in "\n".join(status(Workspace(workspace)))

    unseen = next(pair for pair in read_pairs(path) if pair.review == "sampled")
    lines = list(trace(Workspace(workspace), unseen.id))
    for line in (
        "derived     -> ",
        "proposed by tiny, rank ",
        f"not in the {SAMPLE} of {N} lexicon pairs; passes",
        "lt-test-1.0.0 (sampled, no votes; ",
        f"seed       {grown[0].parent_id}",
        "vote       ana: approve",
    ):
        assert any(line in traced for traced in lines), line
    seed_line = lines.index(f"seed       {grown[0].parent_id}")
    assert lines.index("vote       none yet") < seed_line


def test_a_rejected_seed_withdraws_what_grew_from_it(run: Run, workspace: Path, grown: list[Candidate]) -> None:
    approve_all(workspace)
    release(run, workspace, "1.0.0")
    seed_id = grown[0].parent_id or ""
    for reviewer in ("ana", "jonas"):
        path = sheet(workspace, reviewer)
        rejected = {"Sprendimas": "atmesti"}
        save_sheet(path, [row | (rejected if row["Poros ID"] == seed_id else {}) for row in sheet_rows(path)])
    path = release(run, workspace, "1.1.0")
    assert {pair.method for pair in read_pairs(path)} == {"source"}
    left_out = list(read_records(path / "excluded.jsonl", ExcludedPair))
    assert [pair.cause for pair in left_out].count("seed") == N
    assert any(f"its seed {seed_id} was rejected" in pair.reason for pair in left_out)
    traced = "\n".join(trace(Workspace(workspace), grown[0].id))
    assert f"none: its seed {seed_id} was rejected or corrected" in traced


def test_a_decided_pair_that_is_not_made_any_more_stays_but_counts_for_no_lot(
    run: Run, workspace: Path, grown: list[Candidate]
) -> None:
    license_source(workspace)
    for reviewer in ("ana", "jonas"):
        decide(sheet(workspace, reviewer), "gerai")
    run("review", "sync", "sarasas", "--workspace", workspace)
    work = workspace / "output" / "work" / "sarasas"
    write_jsonl(work / f"{AUGMENTED.name}.jsonl", grown[:40])
    run("review", "sync", "sarasas", "--workspace", workspace)
    kept = {pair.id for pair in read_jsonl(work / "candidates.jsonl", Candidate) if pair.kept}
    texts = [sheet(workspace, name).read_text("utf-8-sig") for name in ("ana", "jonas")]
    asked = {pair.id for pair in grown for text in texts if pair.id in text}
    assert kept == {pair.id for pair in grown[40:]} & asked
    said = "\n".join(status(Workspace(workspace)))
    assert f"{sample_size(40, 0.05, 0.95)} of 40 lexicon pairs" in said
