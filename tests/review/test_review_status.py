"""Status: what is done, what is left, and where two reviewers contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pairwright.core.errors import ReviewError
from pairwright.core.records.release import Vote
from pairwright.review.results.status import QueueStatus, queue_status

if TYPE_CHECKING:
    from tests.review.conftest import QueueFixture

DECISION, GOOD = "Sprendimas", "Pataisytas taisyklingas"


def status(queue: QueueFixture) -> QueueStatus:
    return queue_status(queue.context())


def test_each_reviewer_sees_what_is_done_waits_and_is_left(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(0): {DECISION: "gerai"}, queue.good(1): {DECISION: "neaišku"}})
    queue.import_sheets()
    queue.fill({queue.good(2): {DECISION: "gerai"}, queue.good(3): {"Pastaba": "dar ne"}})
    ana, jonas = status(queue).reviewers
    assert (ana.reviewer, ana.n_items, ana.n_done, ana.n_filled, ana.n_left) == ("ana", 5, 2, 1, 2)
    assert (jonas.reviewer, jonas.n_items, jonas.n_done, jonas.n_filled, jonas.n_left) == ("jonas", 5, 0, 0, 5)


def test_conflicts_are_pairs_that_one_approves_and_another_rejects(queue: QueueFixture) -> None:
    queue.export()
    queue.fill(
        {queue.good(0): {DECISION: "gerai"}, queue.good(1): {DECISION: "gerai"}, queue.good(3): {DECISION: "gerai"}}
    )
    queue.fill({queue.good(0): {DECISION: "atmesti"}, queue.good(1): {DECISION: "neaišku"}}, "jonas")
    queue.import_sheets()
    (conflict,) = status(queue).conflicts
    assert (conflict.pair_id, conflict.rule_code) == (queue.id(0), "1.1")
    assert (conflict.good, conflict.bad) == ("Laukiu autobuso.", "Laukiu autobusą.")
    assert conflict.votes == (Vote(reviewer="ana", decision="approve"), Vote(reviewer="jonas", decision="reject"))
    queue.fill({queue.good(0): {DECISION: "gerai"}}, "jonas")
    queue.import_sheets()
    assert status(queue).conflicts == ()


def test_a_corrected_pair_that_another_rejects_is_a_conflict(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(0): {DECISION: "taisyti", GOOD: "Laukiu tavo autobuso."}})
    queue.import_sheets()
    parent = queue.pairs[0].candidate
    child = queue.make_pair("Laukiu tavo autobuso.", parent.bad, parent_id=parent.id, method="manual")
    queue.pairs.append(queue.checked(child))
    queue.export()
    queue.fill({child.good: {DECISION: "atmesti"}}, "jonas")
    queue.import_sheets()
    assert [conflict.pair_id for conflict in status(queue).conflicts] == [child.id]


def test_rules_stand_in_their_order_with_their_votes(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(0): {DECISION: "gerai"}, queue.good(3): {DECISION: "taisyti", GOOD: "Džiaugiuosi tavimi."}})
    queue.fill({queue.good(0): {DECISION: "atmesti"}, queue.good(1): {DECISION: "neaišku"}}, "jonas")
    queue.import_sheets()
    first, second = status(queue).rules
    assert (first.code, first.title, first.n_pairs, first.n_voted, first.n_conflicts) == (
        "1.1",
        "Taisyklė 1.1",
        3,
        2,
        1,
    )
    assert (first.n_approve, first.n_fix, first.n_reject, first.n_unsure) == (1, 0, 1, 1)
    assert (second.code, second.n_pairs, second.n_voted, second.n_fix) == ("1.2", 2, 1, 1)


def test_pairs_that_are_no_longer_proposed_still_count(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(0): {DECISION: "gerai"}})
    queue.import_sheets()
    queue.pairs.clear()
    queue.rules.clear()
    found = status(queue)
    assert found.reviewers[0].n_done == 1
    assert sum(rule.n_pairs for rule in found.rules) == 5


def test_a_queue_that_is_not_there_is_one_line(queue: QueueFixture) -> None:
    with pytest.raises(ReviewError, match="export the queue first"):
        status(queue)
