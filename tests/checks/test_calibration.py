"""A judge against people: figures against numbers worked out by hand."""

from typing import Any

import pytest

from pairwright.checks.judging import calibrate, calibration_text, human_verdict, judged_by_both
from pairwright.core.records import DecisionWord, LLMCall, LLMJudgment, Verdict
from pairwright.core.records.pairs import JudgeVerdict

ASKED = LLMCall(prompt="judge_pair/v5", prompt_sha256="0" * 64, server="http://127.0.0.1/v1", model="m", reply="0" * 64)


def judgment(verdict: JudgeVerdict, **changed: Any) -> LLMJudgment:
    known = {
        "pair_id": "pair-1",
        "good_shown_as": "A",
        "instance": True,
        "good_grammatical": True,
        "bad_breaks_rule": verdict == "pass",
        "score": 7,
        "verdict": verdict,
        "reason": "So.",
        "asked": ASKED,
    }
    return LLMJudgment.model_validate(known | changed)


def table(a: int, b: int, c: int, d: int) -> list[tuple[LLMJudgment, Verdict]]:
    """Both accept a pair `a` times; people alone `b`, the judge alone `c`; neither `d` times."""
    yes, no = judgment("pass"), judgment("reject")
    cells: list[tuple[LLMJudgment, Verdict, int]] = [
        (yes, "pass", a),
        (no, "pass", b),
        (yes, "reject", c),
        (no, "reject", d),
    ]
    return [(judge, people) for judge, people, count in cells for _ in range(count)]


def test_shares_are_of_what_the_judge_says_however_few_rejections_people_see() -> None:
    found = calibrate(table(40, 10, 5, 45))
    assert found.n == 100
    assert (found.wrong_accepts.count, found.wrong_accepts.of) == (5, 45)
    assert (found.wrong_rejects.count, found.wrong_rejects.of) == (10, 55)
    # A pair that it holds back is one that it stops.
    held = [
        (judge.model_copy(update={"held": judge.verdict == "pass"}), people) for judge, people in table(40, 10, 5, 45)
    ]
    assert (calibrate(held).wrong_accepts.of, calibrate(held).wrong_rejects.count) == (0, 50)
    few = calibrate(table(40, 2, 5, 9))
    assert (few.wrong_accepts, few.wrong_rejects.count / few.wrong_rejects.of) == (found.wrong_accepts, 10 / 55)
    assert str(few.wrong_accepts) == "5/45 0.111  [0.048, 0.235]"


def test_no_pairs_are_said_and_not_an_exception() -> None:
    found = calibrate([])
    assert (found.n, found.wrong_accepts.interval) == (0, None)
    assert "no pair has both" in calibration_text(found)
    unknown = judgment("doubt", decided_by="nothing")
    assert calibrate([(unknown, "pass")]).n == 0


def test_the_doubted_ones_that_people_approve_are_counted() -> None:
    twice: list[tuple[LLMJudgment, Verdict]] = [(judgment("doubt"), "pass"), (judgment("reject"), "reject")]
    assert str(calibrate(twice).good_doubted).startswith("1/1 ")


@pytest.mark.parametrize(
    ("decisions", "verdict"),
    [
        (["approve", "approve"], "pass"),
        (["approve", "approve", "reject"], "pass"),
        (["approve", "reject"], None),
        (["fix", "fix", "approve"], "reject"),
        (["approve", "unsure"], "pass"),
        (["unsure"], None),
        ([], None),
    ],
)
def test_people_speak_by_majority(decisions: list[DecisionWord], verdict: Verdict | None) -> None:
    assert human_verdict(decisions) == verdict


def test_only_pairs_that_people_are_clear_about_count() -> None:
    yes = judgment("pass")
    votes: dict[str, dict[str, DecisionWord]] = {"pair-1": {"ana": "approve", "jon": "reject"}}
    assert judged_by_both([yes], votes) == judged_by_both([yes], {}) == []
    assert judged_by_both([yes], {"pair-1": {"ana": "fix"}}) == [(yes, "reject")]
