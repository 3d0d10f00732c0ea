"""What votes come to, and the samples of lots: how they are drawn, when they grow, how often bad lots pass."""

import random
from collections.abc import Collection

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_records import make_rule
from pairwright.core.config import ReleaseSettings, SamplingSettings
from pairwright.core.records import DecisionWord, Lot
from pairwright.stats.acceptance import (
    DerivedPair,
    ReviewOutcome,
    chance_of_acceptance,
    draw_lots,
    is_approved,
    sample_size,
    verdict,
)

USUAL = SamplingSettings()


def derived(pair_id: str, seed_id: str | None = None, rule_id: str = "rule-1") -> DerivedPair:
    return DerivedPair(pair_id, rule_id, "lexicon", seed_id, True)


def lot_of(ids: Collection[str], wrong: Collection[str] = (), settings: SamplingSettings = USUAL) -> Lot:
    """The lot of these pairs, whose sample people have decided."""
    outcomes: dict[str, ReviewOutcome] = {pair_id: "rejected" if pair_id in wrong else "approved" for pair_id in ids}
    [lot] = draw_lots(map(derived, ids), outcomes, settings, {"rule-1": make_rule(id="rule-1", code="1.1")})
    return lot


@pytest.mark.parametrize(
    ("votes", "settings", "outcome"),
    [
        ({"a": "approve", "b": "approve"}, {}, "approved"),
        ({"a": "approve"}, {}, "undecided"),
        ({"a": "approve", "b": "unsure"}, {"votes": 1}, "approved"),
        ({"a": "approve", "b": "unsure"}, {"votes": 1, "unsure": "block"}, "undecided"),
        ({"a": "approve", "b": "unsure"}, {"votes": 1, "unsure": "reject"}, "conflict"),
        ({"a": "approve", "b": "reject"}, {}, "conflict"),
        ({"a": "approve", "b": "reject"}, {"decide_alone": ("b",)}, "rejected"),
        ({"a": "approve", "b": "fix"}, {}, "fixed"),
        ({}, {}, "undecided"),
    ],
)
def test_what_the_votes_on_a_pair_come_to(
    votes: dict[str, DecisionWord], settings: dict[str, object], outcome: ReviewOutcome
) -> None:
    wanted = ReleaseSettings.model_validate(settings)
    assert verdict(votes, {}, wanted, wanted.votes).outcome == outcome


def test_the_word_that_settles_a_conflict_decides_and_approved_is_what_nobody_called_wrong() -> None:
    votes: dict[str, DecisionWord] = {"a": "approve", "b": "reject", "c": "approve"}
    assert verdict(votes, {"c": "approve"}, ReleaseSettings(), 2).outcome == "approved"
    assert (
        verdict(votes, {"c": "reject"}, ReleaseSettings(), 2).reason == "rejected: 1 of 1 votes that settle a conflict"
    )
    assert is_approved(["approve"])
    assert is_approved(["approve", "unsure"])
    refused: list[list[DecisionWord]] = [[], ["unsure"], ["approve", "reject"], ["approve", "fix"]]
    assert not any(map(is_approved, refused))


@settings(max_examples=25)
@given(n=st.integers(60, 300), more=st.integers(1, 5), seed=st.integers(0, 3))
def test_further_pairs_push_out_no_more_pairs_than_they_replace(n: int, more: int, seed: int) -> None:
    sampling = SamplingSettings(seed=seed)
    ids = [f"pair-{number}" for number in range(n)]
    before = lot_of(ids, settings=sampling).sample
    assert set(before) != set(lot_of(ids, settings=SamplingSettings(seed=9)).sample)
    after = lot_of([f"pair-{number}" for number in reversed(range(n + more))], settings=sampling).sample
    pushed_out, come_in = set(before) - set(after), set(after) - set(before)
    assert len(pushed_out) <= max(more, more + len(before) - len(after))
    assert len(come_in) <= max(more, more + len(after) - len(before))
    kept = [pair_id for pair_id in before if pair_id in set(after)]
    assert [pair_id for pair_id in after if pair_id in set(before)] == kept


def test_a_sample_waits_for_every_answer_and_then_says_what_it_bounds() -> None:
    ids = [f"pair-{number}" for number in range(1000)]
    [waiting] = draw_lots(map(derived, ids), {}, USUAL, {})
    assert (waiting.outcome, waiting.bound, waiting.n_open) == ("open", None, sample_size(1000, 0.05, 0.95))
    assert waiting.rule_code == "rule-1"
    done = lot_of(ids)
    assert done.outcome == "passes"
    assert done.bound is not None
    assert done.bound <= 0.05


def test_small_lots_of_a_phenomenon_are_one_lot_and_large_ones_stay_apart() -> None:
    sizes = {"object": 12, "subject": 20, "large": 400, "other": 15}
    rules = {
        name: make_rule(
            id=name, code=f"{name}.1", source_id="list", phenomenon="dative" if name == "other" else "genitive"
        )
        for name in sizes
    }
    pairs = [derived(f"{name}-{number}", rule_id=name) for name, size in sizes.items() for number in range(size)]
    lots = draw_lots(pairs, {}, USUAL, rules)
    assert [(lot.rule_code, lot.size) for lot in lots] == [
        ("object.1 +1", 32),
        ("large.1", 400),
        ("other.1", 15),
    ]
    assert lots[0].keys == (("object", "lexicon"), ("subject", "lexicon"))
    assert len(lots[0].sample) == sample_size(32, 0.05, 0.95) < 32
    assert len(draw_lots(pairs, {}, SamplingSettings(sample="all"), rules)) == 4


def test_an_error_fails_the_lot_unless_the_sample_may_grow_for_it() -> None:
    ids = [f"pair-{number}" for number in range(1000)]
    first = lot_of(ids).sample
    failed = lot_of(ids, {first[3]})
    assert (failed.outcome, failed.sample, failed.n_errors) == ("fails", first, 1)
    assert failed.state.startswith("1 error in the sample: ")
    assert "(allowed_errors = 1)" in failed.state
    grown = lot_of(ids, {first[3]}, SamplingSettings(allowed_errors=1))
    assert grown.outcome == "passes"
    assert grown.sample[: len(first)] == first
    assert len(grown.sample) == len(first) + failed.extension
    second_error = {first[3], grown.sample[-1]}
    assert lot_of(ids, second_error, SamplingSettings(allowed_errors=1)).outcome == "fails"


def test_small_lots_and_all_pairs_on_request_are_reviewed_pair_by_pair() -> None:
    few = [f"pair-{number}" for number in range(12)]
    assert lot_of(few, few[:5]).outcome == "complete"
    many = [f"pair-{number}" for number in range(500)]
    assert len(lot_of(many, many[:50], SamplingSettings(sample="all")).sample) == 500


@pytest.mark.parametrize(("allowed_errors", "n_wrong"), [(0, 20), (3, 20), (2, 2)])
def test_lots_pass_as_often_as_the_formula_says_and_bad_ones_one_time_in_twenty(
    allowed_errors: int, n_wrong: int
) -> None:
    """300 lots of 200 pairs at the usual settings."""
    chance, sampling = random.Random(5), SamplingSettings(allowed_errors=allowed_errors)
    passed, n_lots, size = 0, 300, 200
    for number in range(n_lots):
        ids = [f"pair-{number}-{place}" for place in range(size)]
        passed += lot_of(ids, set(chance.sample(ids, n_wrong)), sampling).outcome == "passes"
    assert n_wrong < 20 or passed / n_lots <= 0.05
    expected = chance_of_acceptance(size, n_wrong, 0.05, 0.95, allowed_errors)
    assert passed / n_lots == pytest.approx(expected, abs=4 * (expected / n_lots) ** 0.5)
