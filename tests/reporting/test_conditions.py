"""Paradigms in a report: each condition against the baseline of the same paradigms, and people beside models."""

from typing import Any

import pytest
from report_parts import make_evaluation, make_pair, make_release

from pairwright.reporting.analysis.comparisons import in_order
from pairwright.reporting.analysis.summary import Summary, summarise

RIGHT, WRONG = ((-20.0, 4), (-24.0, 4)), ((-24.0, 4), (-20.0, 4))
# By paradigm: whether the model is right in the baseline and in the order OVS.
VERDICTS = ((True, True), (True, False), (True, False), (False, True), (False, False), (True, True))


def summarised(own_condition: str = "baseline") -> Summary:
    pairs, given = [], {}
    for number, verdicts in enumerate(VERDICTS):
        baseline = make_pair(10 * number, f"Vaikas {number} skaito knygą.", f"Vaikas {number} skaito knyga.")
        for place, right in enumerate(verdicts):
            sides = (f"{noun} skaito vaikas {number}." for noun in ("Knygą", "Knyga"))
            variant = make_pair(10 * number + place, *sides) if place else baseline
            condition = "OVS" if place else own_condition
            pairs.append(variant.model_copy(update={"paradigm_id": baseline.id, "condition": condition}))
            given[pairs[-1].id] = RIGHT if right else WRONG
    release = make_release(pairs)
    return summarise(release, [make_evaluation(release, given)])


def result(summary: Summary, condition: str) -> dict[str, Any]:
    (one,) = summary.rows("conditions", condition=condition, measure="sum_logprob")
    return one


def test_a_condition_is_compared_with_the_baseline_of_the_same_paradigms() -> None:
    summary = summarised()
    assert set(summary["conditions"]["condition"]) == {"baseline", "OVS"}
    assert result(summary, "baseline")["correct"] == 4
    assert result(summary, "baseline")["difference"] is None
    ovs = result(summary, "OVS")
    assert [ovs[it] for it in ("correct", "n", "only_condition", "only_baseline", "n_both")] == [3, 6, 1, 2, 6]
    assert ovs["difference"] == pytest.approx(-1 / 6)
    assert ovs["difference_low"] < ovs["difference"] < ovs["difference_high"]


def test_a_seed_that_stands_in_an_order_itself_is_in_both_columns() -> None:
    summary = summarised("SVO")
    assert in_order(summary["conditions"]["condition"]) == ["baseline", "SVO", "OVS"]
    assert result(summary, "SVO")["accuracy"] == result(summary, "baseline")["accuracy"]
    assert result(summary, "SVO")["difference"] == 0
