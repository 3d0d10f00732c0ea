"""A judge against people: figures against numbers worked out by hand and by the formulas of the papers."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.checks.calibration import calibrate, calibration_text, human_verdict, judged_by_both
from pairwright.records import DecisionWord, LLMCall, LLMJudgment, Verdict

ASKED = LLMCall(prompt="judge_pair/v1", prompt_sha256="0" * 64, server="http://127.0.0.1/v1", model="m", reply="0" * 64)


def judgment(verdict: Verdict, *, score: int = 7, exchanged: bool = False, place: str = "A") -> LLMJudgment:
    return LLMJudgment.model_validate(
        {
            "pair_id": "pair-1",
            "good_shown_as": place,
            "exchanged": exchanged,
            "instance": True,
            "good_grammatical": True,
            "bad_breaks_rule": verdict == "pass",
            "score": score,
            "verdict": verdict,
            "reason": "So.",
            "asked": ASKED,
        }
    )


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


def test_the_figures_of_a_table_worked_out_by_hand() -> None:
    found = calibrate(table(40, 10, 5, 45))
    assert found.n == 100
    assert (found.agreement.count, found.agreement.of) == (85, 100)
    # Observed 0.85, by chance 0.50 * 0.45 + 0.50 * 0.55 = 0.50.
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(0.7)
    assert (found.false_accepts.count, found.false_accepts.of) == (5, 50)
    assert (found.false_rejects.count, found.false_rejects.of) == (10, 50)
    assert found.false_accepts.interval is not None
    # Wilson by hand: z = 1.959964, p = 0.1, n = 50.
    z, p, n = 1.959964, 0.1, 50
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert found.false_accepts.interval.low == pytest.approx((middle - half) / (1 + z * z / n), abs=1e-6)
    assert found.false_accepts.interval.high == pytest.approx((middle + half) / (1 + z * z / n), abs=1e-6)


def kappa_and_error(a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """Kappa and its standard error after Fleiss, Cohen and Everitt (1969), formula 13."""
    n = a + b + c + d
    p = [[a / n, b / n], [c / n, d / n]]
    row, column = [sum(line) for line in p], [p[0][k] + p[1][k] for k in (0, 1)]
    observed, chance = p[0][0] + p[1][1], sum(row[k] * column[k] for k in (0, 1))
    kappa = (observed - chance) / (1 - chance)
    first = sum(p[k][k] * (1 - (row[k] + column[k]) * (1 - kappa)) ** 2 for k in (0, 1))
    second = (1 - kappa) ** 2 * sum(p[i][j] * (column[i] + row[j]) ** 2 for i in (0, 1) for j in (0, 1) if i != j)
    third = (kappa - chance * (1 - kappa)) ** 2
    return kappa, math.sqrt((first + second - third) / (n * (1 - chance) ** 2))


@settings(max_examples=40)
@given(st.tuples(*(st.integers(1, 60),) * 4))
def test_kappa_and_its_interval_follow_the_formula(counts: tuple[int, int, int, int]) -> None:
    found = calibrate(table(*counts)).kappa
    assert found is not None
    kappa, error = kappa_and_error(*counts)
    assert found.value == pytest.approx(kappa, abs=1e-9)
    assert found.interval.low == pytest.approx(max(-1, kappa - 1.959964 * error), abs=1e-5)
    assert found.interval.high == pytest.approx(min(1, kappa + 1.959964 * error), abs=1e-5)


def test_a_side_that_says_the_same_of_all_pairs_gives_no_kappa() -> None:
    assert calibrate(table(5, 0, 3, 0)).kappa is None
    found = calibrate(table(5, 2, 0, 0))
    assert found.kappa is None
    assert found.false_accepts.interval is None
    assert "none" in calibration_text(found)


def test_no_pairs_are_said_and_not_an_exception() -> None:
    found = calibrate([])
    assert (found.n, found.agreement.interval, found.thresholds) == (0, None, ())
    assert "no pair has both" in calibration_text(found)


def test_a_higher_limit_of_the_score_trades_false_accepts_for_false_rejects() -> None:
    judged: list[tuple[LLMJudgment, Verdict]] = [
        (judgment("pass", score=9), "pass"),
        (judgment("pass", score=6), "pass"),
        (judgment("pass", score=6), "reject"),
        (judgment("reject", score=2), "reject"),
    ]
    lines = {line.score: line for line in calibrate(judged).thresholds}
    assert sorted(lines) == [2, 6, 9]
    assert (lines[6].accepted, lines[6].false_accepts.count, lines[6].false_rejects.count) == (3, 1, 0)
    assert (lines[9].accepted, lines[9].false_accepts.count, lines[9].false_rejects.count) == (1, 0, 1)


def test_a_judge_that_goes_by_the_place_is_seen() -> None:
    always_a: list[tuple[LLMJudgment, Verdict]] = [(judgment("pass", place="A"), "pass")] * 3
    always_a += [(judgment("reject", place="B", exchanged=True), "pass")] * 2
    found = calibrate(always_a)
    assert (found.chose_a.count, found.chose_a.of) == (5, 5)
    assert (found.exchanged.count, found.exchanged.of) == (2, 5)


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


def test_the_text_shows_every_figure_with_its_interval() -> None:
    text = calibration_text(calibrate(table(40, 10, 5, 45)))
    assert "pairs judged by both        100" in text
    assert "85/100 0.850  [0.767, 0.907]" in text
    assert "0.700  [0.561, 0.839]" in text
    assert "5/50 0.100  [0.043, 0.214] of the pairs that people reject" in text
