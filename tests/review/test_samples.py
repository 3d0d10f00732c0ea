"""Of the pairs that programs derived, reviewers get samples; a refused seed takes its children out of the sheets."""

from datetime import timedelta
from typing import Any

import pytest
from review_queue import BAD, DECISION, NOW, QueueFixture, make_pair

from made_records import make_checked, make_grown
from pairwright.core.config import ReviewSettings, SamplingSettings
from pairwright.core.records import Lot, TreebankChange
from pairwright.review.results import queue_status
from pairwright.stats.acceptance import sample_size

SEED, OTHER_SEED = 0, 2
SAMPLE = sample_size(200, 0.05, 0.95)


@pytest.fixture
def grown_queue(queue: QueueFixture) -> QueueFixture:
    """The queue with 200 pairs made of its first pair."""
    queue.pairs += [make_grown(queue.pairs[SEED].candidate, number) for number in range(200)]
    return queue


def asked(queue: QueueFixture, *reviewers: str) -> set[str]:
    """The ids of the derived pairs in the sheets of reviewers, or of both."""
    derived = {pair.candidate.id for pair in queue.pairs if pair.candidate.derivation is not None}
    rows = [row for reviewer in reviewers or ("ana", "jonas") for row in queue.rows(reviewer)]
    return {row["Poros ID"] for row in rows} & derived


def decide(queue: QueueFixture, word: str, only: set[str]) -> None:
    """Both reviewers give pairs the same decision."""
    for reviewer in ("ana", "jonas"):
        rows = queue.rows(reviewer)
        for row in rows:
            if row["Poros ID"] in only:
                row[DECISION] = word
        queue.save(rows, reviewer)
    queue.import_sheets()


def lots(queue: QueueFixture) -> tuple[Lot, ...]:
    return queue_status(queue.context()).lots


@pytest.mark.parametrize(
    ("sampling", "n", "each"),
    [({}, SAMPLE + 1, 1), ({"per_pair": 2}, SAMPLE + 1, 2), ({"sample": "all"}, 201, 2)],
)  # fmt: skip
def test_reviewers_get_all_other_pairs_a_sample_of_the_derived_ones_and_those_made_to_be_shown(
    grown_queue: QueueFixture, sampling: dict[str, Any], n: int, each: int
) -> None:
    proposal = make_grown(grown_queue.pairs[SEED].candidate, 999, proposed=True)
    grown_queue.pairs.append(proposal)
    grown_queue.settings = ReviewSettings(reviewers=("ana", "jonas"), sampling=SamplingSettings(**sampling))
    for _ in range(2):
        grown_queue.export()
        assert len(asked(grown_queue)) == n
        assert proposal.candidate.id in asked(grown_queue)
        shown = [len(asked(grown_queue, name)) for name in ("ana", "jonas")]
        assert sum(shown) >= each * (n - 1)
        assert [len(grown_queue.rows(name)) - own for name, own in zip(("ana", "jonas"), shown, strict=True)] == [5, 5]
    # What is said of a seed decides nothing about its children unless it is refused.
    decide(grown_queue, "gerai", {grown_queue.id(SEED)})
    before = asked(grown_queue)
    grown_queue.export()
    assert asked(grown_queue) == before
    [lot] = lots(grown_queue)
    assert (lot.size, lot.n_open) == (200, 200 if n == 201 else SAMPLE)


@pytest.mark.parametrize("word", ["atmesti", "taisyti"])
def test_a_refused_seed_takes_its_children_out_of_the_sheets(word: str, grown_queue: QueueFixture) -> None:
    others = [make_grown(grown_queue.pairs[OTHER_SEED].candidate, number) for number in range(10)]
    grown_queue.pairs += others
    grown_queue.export()
    answered = min(asked(grown_queue) - {pair.candidate.id for pair in others})
    decide(grown_queue, "gerai", {answered})
    answers = {DECISION: word} | ({BAD: "Laukiu autobusas."} if word == "taisyti" else {})
    for reviewer in ("ana", "jonas"):
        grown_queue.fill({grown_queue.good(SEED): answers}, reviewer)
    grown_queue.import_sheets(NOW + timedelta(minutes=1))
    export = grown_queue.export()
    assert export.n_withdrawn
    assert asked(grown_queue) == {answered, *(pair.candidate.id for pair in others)}
    [lot] = lots(grown_queue)
    assert (lot.size, len(lot.sample)) == (10, 10)


def test_rows_that_give_way_to_newly_drawn_pairs_are_taken_out_unless_answered(grown_queue: QueueFixture) -> None:
    grown_queue.export()
    first = asked(grown_queue)
    decide(grown_queue, "gerai", {min(first)})
    sampling = SamplingSettings(seed=4)
    grown_queue.settings = ReviewSettings(reviewers=("ana", "jonas"), sampling=sampling)
    grown_queue.export()
    [lot] = lots(grown_queue)
    assert asked(grown_queue) == {*lot.sample, min(first)}


def test_a_sheet_shows_what_a_pair_was_made_from(grown_queue: QueueFixture) -> None:
    change = {"good_features": "Case=Gen", "bad_features": "Case=Acc", "lexicon": "lt-LT.dic"}
    derivation = TreebankChange(sent_id="s1", contrast="object-case", word=3, lemma="sniegas", **change)
    sentence = make_pair("Vaikai laukia sniego.", "Vaikai laukia sniegą.", method="treebank", derivation=derivation)
    grown_queue.pairs.append(make_checked(sentence))
    grown_queue.export()
    basis = {row["Taisyklingas sakinys"]: row["Kuo pora pagrįsta"] for row in grown_queue.rows()}
    child, seed = next(basis[good] for good in basis if "kartą" in good), grown_queue.pairs[SEED].candidate
    assert (seed.good in child, seed.bad in child) == (True, False)
    assert "klaidos.md" in basis[sentence.good]
