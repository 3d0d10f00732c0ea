"""The order of pairs: rule by rule, then poor rules first; none starves, doubtful pairs are neither first nor last."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_queue import QueueFixture, make_pair

from made_records import make_checked
from pairwright.review.assign.design import PendingPair, active_order, random_order, rules_order
from pairwright.review.web.session import PageAnswer, ReviewSession, SharedQueue

open_pairs = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40
).map(lambda found: [PendingPair(f"p{n}", rule, doubt, approvals) for n, (rule, doubt, approvals) in enumerate(found)])
approved = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 20))


@given(open_pairs, approved)
def test_every_pair_is_placed_once(pairs: list[PendingPair], have: dict[str, int]) -> None:
    assert sorted(active_order(pairs, have, 10)) == sorted(pair.id for pair in pairs)
    assert sorted(random_order(pairs, 3)) == sorted(pair.id for pair in pairs)
    assert sorted(rules_order(pairs, have, 3)) == sorted(pair.id for pair in pairs)


@given(open_pairs, approved)
def test_rules_that_lack_pairs_come_before_those_that_have_enough(
    pairs: list[PendingPair], have: dict[str, int]
) -> None:
    rule_of = {pair.id: pair.rule_id for pair in pairs}
    order = [rule_of[pair_id] for pair_id in active_order(pairs, have, 1000)]
    placed = dict.fromkeys("abcde", 0.0) | {rule: float(count) for rule, count in have.items()}
    for number, rule in enumerate(order):
        waiting = set(order[number:])
        assert placed[rule] <= min(placed[other] for other in waiting) + 1e-9
        placed[rule] += 0.7


def pairs_of(*doubts: int, approvals: int = 0, rules: str = "a") -> list[PendingPair]:
    return [PendingPair(f"{rule}{n}", rule, doubt, approvals) for n, doubt in enumerate(doubts) for rule in rules]


@pytest.mark.parametrize(
    ("order", "pairs", "have", "target", "placed"),
    [
        # Half approved pairs come first, and every third is a doubtful one; in rules that have enough, all of them.
        (active_order, [*pairs_of(0, 0, 2, 0), PendingPair("begun", "a", 2, 1)], {}, 10, "begun a0 a1 a2 a3"),
        (active_order, pairs_of(0, 4, 2), {"a": 10}, 10, "a1 a2 a0"),
        # No rule waits for another to be done.
        (active_order, pairs_of(0, 0, rules="abc"), {}, 10, "a0 b0 c0 a1 b1 c1"),
        (active_order, pairs_of(0, 0, rules="abc"), {"a": 10, "b": 9}, 10, "c0 c1 b0"),
        # The first pass takes what a rule needs, of one rule after the other.
        (rules_order, pairs_of(*[0] * 9, rules="abc"), {"a": 50}, 2, "a0 a1 a2 b0 b1 b2 c0 c1 c2 b3 c3 b4 c4"),
    ],
)
def test_which_pairs_come_first(
    order: Callable[..., list[str]], pairs: list[PendingPair], have: dict[str, int], target: int, placed: str
) -> None:
    assert " ".join(order(pairs, have, target)).startswith(placed)


def test_a_random_order_keeps_its_pairs_in_place_when_others_come() -> None:
    some = [PendingPair(f"p{n}", "a", 0) for n in range(20)]
    before = random_order(some, 1)
    assert [pair_id for pair_id in random_order([*some, PendingPair("new", "a", 0)], 1) if pair_id != "new"] == before
    assert before != random_order(some, 2)


def test_page_and_sheet_go_rule_by_rule_whatever_others_decide_meanwhile(queue: QueueFixture) -> None:
    queue.set(target=2)
    queue.pairs = [
        make_checked(make_pair(f"Laukiu {n} draugo.", f"Laukiu {n} draugą.", f"1.{1 + n % 2}")) for n in range(16)
    ]
    queue.export()
    sheet = [row["Taisyklė"][:3] for row in queue.rows()]
    assert sheet[:6] == ["1.1"] * 3 + ["1.2"] * 3
    mine, other = (ReviewSession(SharedQueue(queue.context()), name) for name in ("ana", "jonas"))
    for item_id in list(other.items)[10:14]:
        other.answer(item_id, PageAnswer(decision="approve"))
    places: list[tuple[int, int, bool]] = []
    while (item := mine.next_item()) and len(places) < 6:
        places.append(mine.rule_place(item.item_id))
        mine.answer(item.item_id, PageAnswer(decision="reject"))
    assert places == [(1, 2, True), (1, 2, False), (1, 2, False), (2, 2, True), (2, 2, False), (2, 2, False)]


def test_what_is_put_off_comes_last_and_back_leads_to_the_answer_before(exported: QueueFixture) -> None:
    session = ReviewSession(SharedQueue(exported.context()), "ana")
    met = []
    while item := session.next_item():
        met.append(item.item_id)
        if met.count(item.item_id) == 1 and len(met) == 1:
            session.skip(item.item_id)
        else:
            session.answer(item.item_id, PageAnswer(decision="approve"))
    assert (len(met), met[0]) == (6, met[-1])
    last = session.before(None)
    assert (last, session.before(last)) == (met[-1], met[-2])
