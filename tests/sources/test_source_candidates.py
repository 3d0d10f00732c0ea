"""Candidates from the source's own examples."""

from made_records import make_evidence, make_rule
from pairwright.core.ids import pair_id
from pairwright.core.records import Example
from pairwright.sources.given import source_candidates


def example(good: str, bad: str | None, quote: str, *, default: bool = True, exception: bool = False) -> Example:
    return Example(good=good, bad=bad, evidence=make_evidence(quote), default=default, exception=exception)


def test_readings_of_a_sentence_name_the_first_as_parent_and_exceptions_and_repetitions_give_no_pair() -> None:
    examples = (
        example("Laukiu jo.", "Laukiu jam.", "q1"),
        example("Laukiu čia jo.", "Laukiu jam.", "q1", default=False),
        example("Bijau jo.", "Bijau jam.", "q2"),
        example("Einu namo.", None, "q3", exception=True),
        example("Bijau jo.", "Bijau jam.", "q4"),
    )
    first = pair_id("rule-1", "Laukiu jo.", "Laukiu jam.")
    found = source_candidates([make_rule(id="rule-1", examples=examples)])
    assert [(pair.id, pair.parent_id) for pair in found] == [
        (first, None),
        (pair_id("rule-1", "Laukiu čia jo.", "Laukiu jam."), first),
        (pair_id("rule-1", "Bijau jo.", "Bijau jam."), None),
    ]
