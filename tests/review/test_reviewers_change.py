"""Reviewers join and leave after a queue was made: names that are written down count from the next export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairwright.review.log.votes import latest_decisions
from pairwright.review.results.status import queue_status

if TYPE_CHECKING:
    from tests.review.conftest import QueueFixture

DECISION = "Sprendimas"


def rename(queue: QueueFixture, *names: str) -> None:
    queue.settings = queue.settings.model_copy(update={"reviewers": names})


def left(queue: QueueFixture) -> dict[str, tuple[int, int]]:
    return {one.reviewer: (one.n_done, one.n_left) for one in queue_status(queue.context()).reviewers}


def test_placeholders_give_way_to_people(queue: QueueFixture) -> None:
    rename(queue, "reviewer-1", "reviewer-2")
    queue.export()
    rename(queue, "ana", "jonas")
    assert queue.export().n_withdrawn == 10
    assert sorted(path.name for path in queue.path().parent.glob("*.csv")) == ["ana.csv", "jonas.csv"]
    assert left(queue) == {"ana": (0, 5), "jonas": (0, 5)}


def test_what_somebody_who_leaves_has_decided_stays_and_the_rest_goes_to_others(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(0): {DECISION: "gerai"}, queue.good(1): {DECISION: "gerei"}})
    queue.import_sheets()
    rename(queue, "jonas", "ona")
    queue.export()
    assert left(queue) == {"ana": (1, 0), "jonas": (0, 5), "ona": (0, 4)}
    assert {row["Poros ID"] for row in queue.rows("ana")} == {queue.id(0), queue.id(1)}
    assert set(latest_decisions(queue.log)) == {(queue.id(0), "ana")}
    rename(queue, "ana", "jonas")
    queue.export()
    assert {row["Poros ID"] for row in queue.rows("ana")} == {queue.id(number) for number in range(5)}


def test_a_sheet_of_somebody_who_left_that_is_saved_again_is_taken_over(queue: QueueFixture) -> None:
    queue.export()
    queue.fill({queue.good(2): {DECISION: "atmesti"}})
    saved = queue.path().read_bytes()
    queue.fill({queue.good(2): {DECISION: ""}})
    rename(queue, "jonas", "ona")
    queue.export()
    assert not queue.path().exists()
    queue.path().write_bytes(saved)
    assert queue.import_sheets().doubts == ()
    assert set(latest_decisions(queue.log)) == {(queue.id(2), "ana")}
