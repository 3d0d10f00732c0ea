"""Status: what is done, what is left when people join and leave, and where two reviewers contradict each other."""

from review_queue import COMMENT, DECISION, GOOD, QueueFixture

from pairwright.review.results import QueueStatus, queue_status


def status(queue: QueueFixture) -> QueueStatus:
    return queue_status(queue.context())


def test_each_reviewer_sees_what_is_done_waits_and_is_left(exported: QueueFixture) -> None:
    exported.answer({0: "gerai", 1: "neaišku"})
    exported.fill({2: "gerai", 3: {COMMENT: "dar ne"}})
    ana, jonas = status(exported).reviewers
    assert (ana.reviewer, ana.n_items, ana.n_done, ana.n_filled, ana.n_left) == ("ana", 5, 2, 1, 2)
    assert (jonas.reviewer, jonas.n_items, jonas.n_done, jonas.n_filled, jonas.n_left) == ("jonas", 5, 0, 0, 5)


def test_rules_stand_in_their_order_with_their_votes(exported: QueueFixture) -> None:
    exported.fill({0: "gerai", 3: {DECISION: "taisyti", GOOD: "Džiaugiuosi tavimi."}})
    exported.answer({0: "atmesti", 1: "neaišku"}, "jonas")
    first, second = status(exported).rules
    assert (first.code, first.n_pairs, first.n_voted, first.n_conflicts) == ("1.1", 3, 2, 1)
    assert first.votes == {"approve": 1, "reject": 1, "unsure": 1}
    assert (second.code, second.n_pairs, second.n_voted, second.votes) == ("1.2", 2, 1, {"fix": 1})
    exported.pairs.clear()  # no longer proposed
    exported.rules.clear()
    found = status(exported)
    assert found.reviewers[0].n_done == 2
    assert sum(rule.n_pairs for rule in found.rules) == 5


def left(queue: QueueFixture) -> dict[str, tuple[int, int]]:
    return {one.reviewer: (one.n_done, one.n_left) for one in status(queue).reviewers}


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
    rows = [row | {DECISION: "gerei"} for row in exported.rows() if row["Poros ID"] == exported.id(2)]
    exported.save([*rows, {**rows[0], "Poros ID": exported.id(0), COMMENT: "?"}])
    exported.export()
    assert len(exported.rows()) == 2
