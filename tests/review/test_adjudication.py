"""Conflicts are put before an adjudicator with both voices, and what they say settles the pair."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from pairwright.config import ReleaseSettings, ReviewSettings
from pairwright.errors import ReviewError
from pairwright.release.contents.request import ReleaseRequest
from pairwright.release.contents.selection import Selection, select
from pairwright.review.log.folder import PairText
from pairwright.review.log.votes import source_votes
from pairwright.review.queue.adjudication import export_conflicts, open_conflicts

if TYPE_CHECKING:
    from tests.review.conftest import Desk

QUEUE, DECISION, COMMENT, GOOD = "linksniai", "Sprendimas", "Pastaba", "Pataisytas taisyklingas"


def texts(desk: Desk) -> dict[str, PairText]:
    return {pair.id: PairText(pair.id, pair.rule_id, pair.good, pair.bad) for pair in desk.known.values()}


def conflict(desk: Desk) -> None:
    """Two reviewers who agree on all pairs but the first."""
    desk.export()
    all_good = {desk.good(number): {DECISION: "gerai"} for number in range(5)}
    desk.fill(all_good)
    desk.fill({**all_good, desk.good(0): {DECISION: "atmesti", COMMENT: "abu\ntinka"}}, "jonas")
    desk.take_over()


def adjudicate(desk: Desk, *names: str) -> list[dict[str, str]]:
    """Makes the queue that settles the conflicts; its rows, as the first adjudicator sees them."""
    settings = ReviewSettings(reviewers=("ana", "jonas"))
    export_conflicts(desk.annotations, QUEUE, names, desk.pairs, desk.rules, desk.source, desk.language, settings)
    text = (desk.annotations / f"{QUEUE}-conflicts" / f"{names[0]}.csv").read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))


def settle(desk: Desk, word: str, fixed: str = "", reviewer: str = "ona") -> None:
    path = desk.annotations / f"{QUEUE}-conflicts" / f"{reviewer}.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys(), delimiter=";")
    writer.writeheader()
    writer.writerows({**row, DECISION: word, GOOD: fixed} for row in rows)
    path.write_bytes(out.getvalue().encode("utf-8-sig"))
    assert desk.take_over(queue=f"{QUEUE}-conflicts").doubts == ()


def release(desk: Desk, **settings: object) -> Selection:
    found = source_votes(desk.annotations, "mini", texts(desk))
    asked = ReleaseSettings.model_validate(settings)
    sources = {"mini": desk.source}
    request = ReleaseRequest(
        name="mini",
        version="1.0.0",
        pairs=desk.pairs,
        rules=desk.rules,
        sources=sources,
        votes=found.cast,
        adjudicated=found.adjudicated,
        settings=asked,
        key=b"key",
    )
    return select(request)


def released(desk: Desk, **settings: object) -> set[str]:
    return {pair.id for pair in release(desk, **settings).released}


def test_the_adjudicator_sees_both_voices_and_no_names(desk: Desk) -> None:
    conflict(desk)
    (row,) = adjudicate(desk, "ona")
    assert row["Poros ID"] == desk.id(0)
    voices = row["Vertintojų nuomonės"]
    assert sorted(voice.split(": ")[1] for voice in voices.split("; ")) == ["atmesti – abu tinka", "gerai"]
    assert {voice.split(":")[0] for voice in voices.split("; ")} == {"R1", "R2"}
    assert "ana" not in voices
    assert "jonas" not in voices


@pytest.mark.parametrize(("word", "is_released"), [("gerai", True), ("atmesti", False), ("neaišku", False)])
def test_what_the_adjudicator_says_settles_the_pair(word: str, is_released: bool, desk: Desk) -> None:
    conflict(desk)
    assert desk.id(0) not in released(desk)
    adjudicate(desk, "ona")
    settle(desk, word)
    assert (desk.id(0) in released(desk)) == is_released
    assert released(desk) >= {desk.id(number) for number in range(1, 5)}
    still_open = open_conflicts(desk.annotations, QUEUE, texts(desk), desk.rules)
    assert [conflict.pair_id for conflict in still_open] == ([desk.id(0)] if word == "neaišku" else [])
    found = release(desk)
    votes = {pair.id: pair.votes for pair in found.released} | {pair.id: pair.votes for pair in found.excluded}
    assert len(votes[desk.id(0)]) == 3


def test_adjudicators_who_contradict_each_other_settle_nothing(desk: Desk) -> None:
    conflict(desk)
    adjudicate(desk, "ona", "petras")
    settle(desk, "gerai")
    settle(desk, "atmesti", reviewer="petras")
    excluded = {pair.id: pair.cause for pair in release(desk).excluded}
    assert excluded[desk.id(0)] == "conflict"


def test_a_correction_of_the_adjudicator_is_a_new_pair_that_needs_its_votes(desk: Desk) -> None:
    conflict(desk)
    adjudicate(desk, "ona")
    settle(desk, "taisyti", "Laukiu mūsų autobuso.")
    parent = desk.pairs[0].candidate
    child = desk.make_pair("Laukiu mūsų autobuso.", parent.bad, parent_id=parent.id, method="manual")
    desk.pairs.append(desk.checked(child))
    found = source_votes(desk.annotations, "mini", texts(desk))
    assert found.cast[child.id] == {"ona": "approve"}
    assert not {parent.id, child.id} & released(desk)


def test_nobody_is_asked_about_the_pair_that_they_made_as_adjudicator(desk: Desk) -> None:
    conflict(desk)
    adjudicate(desk, "jonas")
    settle(desk, "taisyti", "Laukiu mūsų autobuso.", reviewer="jonas")
    parent = desk.pairs[0].candidate
    child = desk.make_pair("Laukiu mūsų autobuso.", parent.bad, parent_id=parent.id, method="manual")
    desk.pairs.append(desk.checked(child))
    desk.export()
    assert child.id in {row["Poros ID"] for row in desk.rows("ana")}
    assert child.id not in {row["Poros ID"] for row in desk.rows("jonas")}


def test_a_second_export_adds_only_new_conflicts(desk: Desk) -> None:
    conflict(desk)
    adjudicate(desk, "ona")
    desk.fill({desk.good(1): {DECISION: "atmesti"}}, "jonas")
    desk.take_over()
    assert [row["Poros ID"] for row in adjudicate(desk, "ona")] == [desk.id(0), desk.id(1)]


def test_a_queue_that_settles_conflicts_has_none_of_its_own(desk: Desk) -> None:
    conflict(desk)
    adjudicate(desk, "ona")
    for queue in (f"{QUEUE}-conflicts", "nope"):
        with pytest.raises(ReviewError):
            open_conflicts(desk.annotations, queue, texts(desk), desk.rules)
    with pytest.raises(ReviewError, match="nobody is named"):
        adjudicate(desk)


def test_who_may_decide_alone_needs_nobody_else(desk: Desk) -> None:
    conflict(desk)
    assert desk.id(0) in released(desk, decide_alone=["ana"])
    assert desk.id(0) not in released(desk, decide_alone=["jonas"])
    assert released(desk, votes=3) == set()
    assert len(released(desk, votes=3, decide_alone=["ana"])) == 5


def test_what_unsure_means_is_configuration(desk: Desk) -> None:
    desk.settings = desk.settings.model_copy(update={"reviewers": ("ana", "jonas", "ona"), "per_pair": 3})
    desk.export()
    for reviewer, word in (("ana", "gerai"), ("jonas", "gerai"), ("ona", "neaišku")):
        desk.fill({desk.good(number): {DECISION: word} for number in range(5)}, reviewer)
    desk.take_over()
    assert len(released(desk, unsure="abstain")) == 5
    assert released(desk, unsure="block") == set()
    assert {pair.cause for pair in release(desk, unsure="block").excluded} == {"undecided"}
    assert {pair.cause for pair in release(desk, unsure="reject").excluded} == {"conflict"}


def test_votes_of_all_queues_of_a_source_count(desk: Desk) -> None:
    every = list(desk.pairs)
    desk.export()
    desk.export("kita")
    desk.fill({desk.good(number): {DECISION: "gerai"} for number in range(5)})
    desk.take_over()
    path = desk.annotations / "kita" / "jonas.csv"
    path.write_bytes(path.read_bytes().replace(b";;;;\r\n", b";gerai;;;\r\n"))
    desk.take_over(queue="kita")
    assert released(desk) == {pair.candidate.id for pair in every}
