"""A judge against people: figures against numbers worked out by hand."""

from typing import Any, cast

import pytest

from pairwright.checks.judging import calibration, human_verdict
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


def said(*cells: tuple[LLMJudgment, str, int]) -> str:
    """The calibration of judgments, each with what the people say of the pair, so many times."""
    judgments, votes = list[LLMJudgment](), dict[str, dict[str, DecisionWord]]()
    for judge, people, count in cells:
        for _ in range(count):
            judgments.append(judge.model_copy(update={"pair_id": f"pair-{len(judgments)}"}))
            names = people.split()
            votes[judgments[-1].pair_id] = {f"reader-{n}": cast(DecisionWord, name) for n, name in enumerate(names)}
    return "\n".join(calibration(judgments, votes))


def table(a: int, b: int, c: int, d: int) -> list[tuple[LLMJudgment, str, int]]:
    """Both accept a pair `a` times; people alone `b`, the judge alone `c`; neither `d` times."""
    yes, no = judgment("pass"), judgment("reject")
    return [(yes, "approve", a), (no, "approve", b), (yes, "reject", c), (no, "reject", d)]


def test_shares_are_of_what_the_judge_says_however_few_rejections_people_see() -> None:
    found = said(*table(40, 10, 5, 45))
    assert "pairs judged by both  100\n" in found
    accepted = "wrongly accepted      5/45 0.111  [0.048, 0.235] of the pairs that it accepts\n"
    assert accepted in found
    assert "wrongly rejected      10/55 0.182 " in found
    few = said(*table(40, 2, 5, 9))
    assert accepted in few
    assert "wrongly rejected      2/11 0.182 " in few
    # A pair that it holds back is one that it stops.
    yes_held, no = judgment("pass", held=True), judgment("reject")
    held = said((yes_held, "approve", 40), (no, "approve", 10), (yes_held, "reject", 5), (no, "reject", 45))
    assert "wrongly accepted      none" in held
    assert "wrongly rejected      50/100 " in held


def test_no_pairs_are_said_and_not_an_exception() -> None:
    assert "no pair has both" in said()
    assert "no pair has both" in said((judgment("doubt", decided_by="nothing"), "approve", 1))


def test_the_doubted_ones_that_people_approve_are_counted() -> None:
    found = said((judgment("doubt"), "approve", 1), (judgment("reject"), "reject", 1))
    assert "good, and doubted     1/1 " in found


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
    for people in ("approve reject", ""):
        assert "no pair has both" in said((yes, people, 1))
    assert "wrongly accepted      1/1 " in said((yes, "fix", 1))
