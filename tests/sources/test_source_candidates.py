"""Candidates from the source's own examples."""

from made_records import make_evidence, make_rule
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Example
from pairwright.sources.given import source_candidates


def example(good: str, bad: str | None, quote: str, *, default: bool = True, exception: bool = False) -> Example:
    return Example(good=good, bad=bad, evidence=make_evidence(quote), default=default, exception=exception)


def candidates(*examples: Example) -> list[Candidate]:
    return list(source_candidates([make_rule(id="rule-1", examples=examples)]))


def test_the_other_readings_of_a_sentence_name_the_first_as_parent() -> None:
    found = candidates(
        example("Laukiu jo.", "Laukiu jam.", "q1"),
        example("Laukiu čia jo.", "Laukiu jam.", "q1", default=False),
        example("Bijau jo.", "Bijau jam.", "q2"),
    )
    first = pair_id("rule-1", "Laukiu jo.", "Laukiu jam.")
    assert [(pair.id, pair.parent_id) for pair in found] == [
        (first, None),
        (pair_id("rule-1", "Laukiu čia jo.", "Laukiu jam."), first),
        (pair_id("rule-1", "Bijau jo.", "Bijau jam."), None),
    ]


def test_exceptions_give_no_pair_and_repeated_pairs_give_one() -> None:
    found = candidates(
        example("Einu namo.", None, "q1", exception=True),
        example("Laukiu jo.", "Laukiu jam.", "q2"),
        example("Laukiu jo.", "Laukiu jam.", "q3"),
    )
    assert [pair.good for pair in found] == ["Laukiu jo."]
