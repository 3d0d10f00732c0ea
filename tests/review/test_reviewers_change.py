"""Reviewers join and leave after a queue was made: names that are written down count from the next export."""

from review_queue import QueueFixture

from pairwright.review.results.status import queue_status


def left(queue: QueueFixture) -> dict[str, tuple[int, int]]:
    return {one.reviewer: (one.n_done, one.n_left) for one in queue_status(queue.context()).reviewers}


def test_placeholders_give_way_to_people(queue: QueueFixture) -> None:
    queue.set(reviewers=("reviewer-1", "reviewer-2"))
    queue.export()
    queue.set(reviewers=("ana", "jonas"))
    assert queue.export().n_withdrawn == 10
    assert sorted(path.name for path in queue.path().parent.glob("*.csv")) == ["ana.csv", "jonas.csv"]
    assert left(queue) == {"ana": (0, 5), "jonas": (0, 5)}


def test_what_somebody_who_leaves_has_decided_stays_and_the_rest_goes_to_others(exported: QueueFixture) -> None:
    exported.answer({0: "gerai", 1: "gerei"})
    exported.set(reviewers=("jonas", "ona"))
    exported.export()
    assert left(exported) == {"ana": (1, 0), "jonas": (0, 5), "ona": (0, 4)}
    assert {row["Poros ID"] for row in exported.rows("ana")} == {exported.id(0), exported.id(1)}
    assert set(exported.latest) == {(exported.id(0), "ana")}
    exported.set(reviewers=("ana", "jonas"))
    exported.export()
    assert {row["Poros ID"] for row in exported.rows("ana")} == {exported.id(number) for number in range(5)}


def test_a_sheet_of_somebody_who_left_that_is_saved_again_is_taken_over(exported: QueueFixture) -> None:
    exported.fill({2: "atmesti"})
    saved = exported.path().read_bytes()
    exported.fill({2: ""})
    exported.set(reviewers=("jonas", "ona"))
    exported.export()
    assert not exported.path().exists()
    exported.path().write_bytes(saved)
    assert exported.import_sheets().doubts == ()
    assert set(exported.latest) == {(exported.id(2), "ana")}
