"""Conflicts are put before an adjudicator with both votes, and what they say settles the pair."""

import pytest
from release_parts import make_request
from review_queue import COMMENT, DECISION, GOOD, QueueFixture

from pairwright.core.errors import ReviewError
from pairwright.release.contents.selection import Selection, select
from pairwright.review.assign.design import export_conflicts, open_conflicts
from pairwright.review.log import source_votes
from pairwright.review.results import queue_quality

CONFLICTS = "linksniai-conflicts"


def conflict(queue: QueueFixture) -> None:
    """Two reviewers who agree on all pairs but the first."""
    queue.export()
    all_good = dict.fromkeys(range(5), "gerai")
    queue.fill(all_good)
    queue.answer({**all_good, 0: {DECISION: "atmesti", COMMENT: "abu\ntinka"}}, "jonas")


def adjudicate(queue: QueueFixture, *names: str) -> list[dict[str, str]]:
    """Makes the queue that settles the conflicts; its rows, as the first adjudicator sees them."""
    export_conflicts(queue.context(), names)
    return queue.rows(names[0], queue=CONFLICTS)


def settle(queue: QueueFixture, word: str, fixed: str = "", reviewer: str = "ona") -> None:
    rows = queue.rows(reviewer, queue=CONFLICTS)
    queue.save([{**row, DECISION: word, GOOD: fixed} for row in rows], reviewer, CONFLICTS)
    assert queue.import_sheets(queue=CONFLICTS).doubts == ()


def release(queue: QueueFixture) -> Selection:
    found = source_votes(queue.annotations, "mini", queue.known)
    source = {"pairs": queue.pairs, "rules": queue.rules, "sources": {"mini": queue.source}}
    votes = {"votes": found.cast, "adjudicated": found.adjudicated, "written": found.written}
    return select(make_request(**source, **votes))


def released(queue: QueueFixture) -> set[str]:
    return {pair.id for pair in release(queue).released}


@pytest.mark.parametrize(
    ("words", "cause"),
    [({"ona": "gerai"}, None), ({"ona": "atmesti"}, "rejected"), ({"ona": "neaišku"}, "conflict"),
     ({"ona": "gerai", "petras": "atmesti"}, "conflict")],
)  # fmt: skip
def test_what_the_adjudicators_say_settles_the_pair_unless_they_contradict_each_other(
    words: dict[str, str], cause: str | None, queue: QueueFixture
) -> None:
    conflict(queue)
    assert queue.id(0) not in released(queue)
    (row,) = adjudicate(queue, *words)
    assert row["Poros ID"] == queue.id(0)
    votes = row["Vertintojų nuomonės"]
    assert sorted(vote.split(": ")[1] for vote in votes.split("; ")) == ["atmesti – abu tinka", "gerai"]
    assert {vote.split(":")[0] for vote in votes.split("; ")} == {"R1", "R2"}
    assert not {"ana", "jonas"} & set(votes.split())
    for name, word in words.items():
        settle(queue, word, reviewer=name)
    found = release(queue)
    assert {pair.id: pair.cause for pair in found.excluded} == ({queue.id(0): cause} if cause else {})
    still_open = [one.pair_id for one in open_conflicts(queue.context())]
    assert still_open == ([queue.id(0)] if words == {"ona": "neaišku"} else [])
    votes_by_pair = {pair.id: pair.votes for pair in found.released} | {pair.id: pair.votes for pair in found.excluded}
    assert len(votes_by_pair[queue.id(0)]) == 2 + len(words)


def test_new_conflicts_are_added_and_a_queue_that_settles_them_has_none_of_its_own(queue: QueueFixture) -> None:
    conflict(queue)
    adjudicate(queue, "ona")
    for name in (CONFLICTS, "nope"):
        with pytest.raises(ReviewError):
            open_conflicts(queue.context(name))
    with pytest.raises(ReviewError, match="nobody is named"):
        adjudicate(queue)
    queue.answer({1: "atmesti"}, "jonas")
    assert [row["Poros ID"] for row in adjudicate(queue, "ona")] == [queue.id(0), queue.id(1)]


def test_a_correction_of_the_adjudicator_settles_unless_somebody_refuses_it(queue: QueueFixture) -> None:
    conflict(queue)
    adjudicate(queue, "ona")
    settle(queue, "taisyti", "Laukiu mūsų autobuso.")
    child = queue.add_child("Laukiu mūsų autobuso.")
    found = source_votes(queue.annotations, "mini", queue.known)
    assert found.cast[child.id] == {"ona": "approve"}
    assert {queue.id(0), child.id} & released(queue) == {child.id}
    (votes,) = (pair.votes for pair in release(queue).released if pair.id == child.id)
    assert [(vote.decision, vote.basis) for vote in votes] == [("approve", "written")]
    queue.export()
    (reviewer,) = (name for name in ("ana", "jonas") if child.id in queue.ids(name))
    queue.answer({child.good: {DECISION: "atmesti"}}, reviewer)
    assert not {queue.id(0), child.id} & released(queue)
    assert [one.pair_id for one in open_conflicts(queue.context())] == [child.id]


def test_who_settles_a_conflict_is_no_independent_reviewer(queue: QueueFixture) -> None:
    """Two of three votes approve, but one of them was cast with the other two in sight: agreement is one half."""
    conflict(queue)
    adjudicate(queue, "rasa")
    settle(queue, "gerai", reviewer="rasa")
    (pair,) = (pair for pair in release(queue).released if len(pair.votes) == 3)
    assert sorted((vote.decision, vote.basis) for vote in pair.votes) == [
        ("approve", "settling"),
        ("approve", "shown"),
        ("reject", "shown"),
    ]
    assert pair.agreement == 0.5
    others = [other for other in release(queue).released if other.id != pair.id]
    assert {vote.basis for other in others for vote in other.votes} == {"shown"}
    quality = queue_quality(queue.context(CONFLICTS))
    assert (quality.settles, quality.groups) == (True, ())
    of_all = queue_quality(queue.context()).groups[0].nominal
    assert (of_all.alpha.n_ratings, of_all.n_agreed, of_all.alpha.n_units) == (10, 4, 5)
