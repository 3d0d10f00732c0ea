"""Two reports are compared pair by pair, and never across what does not compare."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from report_parts import Given, make_evaluation, make_pair, make_release, write_summaries
from scipy.stats import binomtest

from pairwright.cli.reports import compare
from pairwright.core.errors import ReleaseError
from pairwright.core.records.release import Release, ReleasePair
from pairwright.reporting.analysis.summary import Summary, summarise
from pairwright.reporting.render.page import SUMMARY, compare_reports, read_summary


def marks(release: Release, text: str) -> Mapping[str, Given]:
    """A model's scores: 1 right, 0 wrong, - without a score, a mark a pair."""
    values = {"1": ((-9.0, 4), (-10.0, 4)), "0": ((-11.0, 4), (-10.0, 4))}
    return {pair.id: values[mark] for pair, mark in zip(release.pairs, text, strict=True) if mark != "-"}


@pytest.fixture(scope="module")
def pairs() -> list[ReleasePair]:
    return [make_pair(n, f"Turiu {n} knygų.", f"Turiu {n} knygos.", code=f"3.{n % 2}") for n in range(8)]


@pytest.fixture
def reports(pairs: list[ReleasePair]) -> tuple[Summary, Summary]:
    """The second release lacks the first pair and has a new one; the model got better on two shared pairs."""
    old, new = make_release(pairs[:7]), make_release(pairs[1:]).model_copy(update={"sha256": "cd" * 32})
    gone = make_evaluation(old, marks(old, "1111111"), name="gone")
    first = summarise(old, [make_evaluation(old, marks(old, "1100010")), gone])
    return first, summarise(new, [make_evaluation(new, marks(new, "111001-"))])


def test_a_model_under_another_policy_is_not_tested_against_itself(tmp_path: Path, pairs: list[ReleasePair]) -> None:
    release = make_release(pairs)
    scores, run = make_evaluation(release, marks(release, "11000101"))
    unscored = run.model_copy(update={"first_token_scored": False})
    first, second = (summarise(release, [(scores, one)]) for one in (run, unscored))
    assert set(compare_reports(first, second).models["tested"]) == {False}
    write_summaries(tmp_path, a=first, b=second)
    (line,) = (line for line in compare(tmp_path / "a", tmp_path / "b") if line.startswith("sum_logprob"))
    assert "0.500 -> 0.500 on 8 pairs; scored under another policy or number format" in line


def test_what_is_read_back_is_what_was_written_and_what_is_no_report_is_named(
    tmp_path: Path, reports: tuple[Summary, Summary]
) -> None:
    with pytest.raises(ReleaseError, match="no report there"):
        read_summary(tmp_path)
    (tmp_path / SUMMARY).write_text("{}", encoding="utf-8")
    with pytest.raises(ReleaseError, match="not the numbers of a report"):
        read_summary(tmp_path)
    (tmp_path / SUMMARY).write_text(reports[0].model_dump_json(), encoding="utf-8")
    for path in (tmp_path, tmp_path / "index.html"):
        assert read_summary(path).model_dump_json() == reports[0].model_dump_json()


def test_a_model_is_compared_on_the_pairs_of_both_releases(
    tmp_path: Path, reports: tuple[Summary, Summary], pairs: list[ReleasePair]
) -> None:
    write_summaries(tmp_path, a=reports[0], report=reports[1])
    lines = list(compare(tmp_path / "a", tmp_path))
    assert lines[0] == "reports    mini-cases 1.0.0 and mini-cases 1.0.0, different releases"
    assert lines[1] == "pairs      6 in both, 1 in the first alone, 1 in the second alone"
    assert "models     in the first alone: gone" in lines
    # Shared pairs: 100010 before, 111001 after.
    p = f"{binomtest(3, 4).pvalue:.3f}"
    by_sum = f"sum_logprob tiny: 0.333 -> 0.667 on 6 pairs (3 better, 1 worse, p {p}, McNemar p {p})"
    assert lines[lines.index(by_sum) + 1].strip() == (
        f"judged otherwise: {', '.join(pairs[place].id for place in (2, 3, 5, 6))}"
    )


def test_reports_without_a_common_pair_are_not_compared(tmp_path: Path, reports: tuple[Summary, Summary]) -> None:
    pairs = reports[1]["pairs"].assign(pair_id=[f"x{n}" for n in range(7)])
    other = reports[1].model_copy(update={"frames": reports[1].frames | {"pairs": pairs}})
    write_summaries(tmp_path, a=reports[0], b=other)
    with pytest.raises(ReleaseError, match="no pair is in both"):
        list(compare(tmp_path / "a", tmp_path / "b"))
