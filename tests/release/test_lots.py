"""Lots of derived pairs: released whole where their samples were good enough, told in the card, verified again."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from release_parts import PAIRS, RULES, Build, make_pair

from made_records import make_grown
from pairwright.core.config import SamplingSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.records import Augmentation, CheckedPair, Lot
from pairwright.core.records.release import ExcludedPair, PairOrigin, ReleaseResult
from pairwright.release.consistency import verify_contents
from pairwright.release.verify import read_pairs, read_records
from pairwright.release.write import write_manifest
from pairwright.stats.acceptance import sample_size

Voted = tuple[object, ...]
N = 60
SAMPLE = sample_size(N, 0.05, 0.95)


def grown(seed: CheckedPair, n: int) -> list[CheckedPair]:
    return [make_grown(seed.candidate, number, model="/home/ana/models/tiny") for number in range(n)]


@pytest.fixture
def children() -> list[CheckedPair]:
    return grown(PAIRS["lack"], N)


def sample_of(result: ReleaseResult) -> tuple[str, ...]:
    [lot] = read_records(result.path / "lots.jsonl", Lot)
    return lot.sample


def unvoted(children: Iterable[CheckedPair]) -> list[Voted]:
    return [(child,) for child in children]


@pytest.fixture
def decided(build: Build, children: list[CheckedPair], tmp_path: Path) -> Callable[..., ReleaseResult]:
    """A release with a lot whose sample people decided: approved but for `wrong` pairs of it."""

    def run(*, wrong: int = 0, open_: int = 0, version: str = "1.0.0", **options: object) -> ReleaseResult:
        # A release of the same pairs elsewhere tells the sample.
        trial = build(*unvoted(children), into=tmp_path / "trial" / version / str(wrong), **options)
        sample = sample_of(trial)
        words = dict.fromkeys(sample[open_:], "approve") | dict.fromkeys(sample[open_ : open_ + wrong], "reject")
        voted: list[Voted] = [
            (child, *[words[child.candidate.id]] * 2) if child.candidate.id in words else (child,) for child in children
        ]
        return build(*voted, version=version, **options)

    return run


def excluded(result: ReleaseResult) -> dict[str, ExcludedPair]:
    return {pair.id: pair for pair in read_records(result.path / "excluded.jsonl", ExcludedPair)}


@pytest.mark.parametrize(
    ("wrong", "open_", "causes", "said"),
    [
        (0, 0, {}, f"| lexicon | {N} | {SAMPLE} | 0 | 100.0% | 95.0% | passes |"),
        (1, 0, {"rejected": 1, "lot": N - SAMPLE}, "1 error in the sample"),
        (0, 2, {"undecided": 2, "lot": N - SAMPLE}, "review 2 more pairs; then"),
    ],
)
def test_a_lot_is_released_whole_if_its_sample_is_decided_and_right(
    wrong: int, open_: int, causes: dict[str, int], said: str, decided: Callable[..., ReleaseResult]
) -> None:
    result = decided(wrong=wrong, open_=open_)
    left_out = excluded(result).values()
    assert Counter(pair.cause for pair in left_out) == causes
    assert all(said in pair.reason for pair in left_out if pair.cause == "lot" and wrong)
    released = list(read_pairs(result.path))
    assert len(released) == N + len(PAIRS) - sum(causes.values())
    unseen = [pair for pair in released if pair.review == "sampled"]
    assert len(unseen) == result.info.n_sampled == (0 if causes else N - SAMPLE)
    assert all(pair.votes == () and pair.agreement is None for pair in unseen)
    assert all(pair.agreement == 1 for pair in released if pair.review == "reviewed")
    assert parquet.read_table(result.path / "pairs.parquet")["agreement"].null_count == len(unseen)
    assert said in (result.path / "README.md").read_text(encoding="utf-8")
    assert verify_contents(result.path).notes == ()


def test_provenance_says_how_a_pair_was_derived_and_other_limits_make_a_major_version(
    decided: Callable[..., ReleaseResult], children: list[CheckedPair]
) -> None:
    result = decided()
    origins = {origin.pair_id: origin for origin in read_records(result.path / "provenance.jsonl", PairOrigin)}
    derivation = origins[children[5].candidate.id].derivation
    assert isinstance(derivation, Augmentation)
    assert (derivation.seed_id, derivation.model) == (PAIRS["lack"].candidate.id, "tiny")
    assert origins[PAIRS["lack"].candidate.id].derivation is None
    assert "/home/ana" not in (result.path / "provenance.jsonl").read_text(encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"how lots are sampled: .*this is mini-cases 2\.0\.0"):
        decided(version="1.1.0", sampling=SamplingSettings(max_error=0.04))


def test_a_lot_of_a_rule_without_released_pairs_stands_in_the_card(build: Build, children: list[CheckedPair]) -> None:
    result = build(*unvoted(children), (PAIRS["lack"],))
    assert PAIRS["lack"].candidate.rule_id not in {pair.rule_id for pair in read_pairs(result.path)}
    assert "; then" in (result.path / "README.md").read_text(encoding="utf-8")
    assert verify_contents(result.path).notes == ()


def test_a_pair_outside_of_the_sample_that_somebody_doubts_stays_out(
    build: Build, children: list[CheckedPair], tmp_path: Path
) -> None:
    sample = sample_of(build(*unvoted(children), into=tmp_path / "trial"))
    other, rejected = [child.candidate.id for child in children if child.candidate.id not in sample][:2]
    votes = dict.fromkeys(sample, ("approve", "approve")) | {other: ("unsure",), rejected: ("reject",)}
    result = build(*((child, *votes.get(child.candidate.id, ())) for child in children))
    assert {key: pair.cause for key, pair in excluded(result).items()} == {other: "undecided", rejected: "rejected"}
    assert verify_contents(result.path).notes == ()


def test_children_stand_in_the_split_of_their_seed(build: Build) -> None:
    seeds = [make_pair(RULES["3.9"], f"Trūksta {n} litrų.", f"Trūksta {n} litrai.") for n in range(20)]
    families = [[seed, *grown(seed, 6)] for seed in seeds]
    voted: list[Voted] = [(member, "approve", "approve") for family in families for member in family]
    # A seed that is not released itself still holds its children together.
    voted.append((seeds[0],))
    result = build(*voted, settings={"few_shot": 0.3, "validation": 0.3})
    split_of = {one.id: one.split for one in read_pairs(result.path)}
    held = [{split_of.get(member.candidate.id) for member in family} - {None} for family in families]
    assert all(len(splits) == 1 for splits in held)
    assert len(set.union(*held)) == 3
    assert verify_contents(result.path).notes == ()


Edit = Callable[[dict[str, Any]], object]
LOT_FAULTS: list[tuple[str, Edit]] = [
    ("lots.jsonl", lambda lot: lot.update(size=N + 5)),
    ("lots.jsonl", lambda lot: lot.update(n_errors=1)),
    ("lots.jsonl", lambda lot: lot.update(sample=lot["sample"][::-1])),
    ("release.json", lambda info: info["sampling"].update(confidence=0.8)),
]


def test_a_lot_that_the_rest_belies_is_refused(decided: Callable[..., ReleaseResult]) -> None:
    release = decided().path
    for name, edit in LOT_FAULTS:
        whole = (release / name).read_text(encoding="utf-8")
        edit(held := json.loads(whole))
        layout: dict[str, Any] = {"separators": (",", ":")} if name == "lots.jsonl" else {"indent": 2}
        (release / name).write_text(json.dumps(held, ensure_ascii=False, **layout) + "\n", encoding="utf-8")
        write_manifest(release)
        with pytest.raises(ReleaseError, match="not what the records of the release give"):
            verify_contents(release)
        (release / name).write_text(whole, encoding="utf-8")
