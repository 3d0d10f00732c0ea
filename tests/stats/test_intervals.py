"""What a reader of a report relies on: the intervals are Wilson's, and ties are no successes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pairwright.stats.intervals import accuracy, wilson

counts = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
def test_the_interval_is_the_one_of_scipy(count: tuple[int, int]) -> None:
    ours = wilson(*count)
    theirs = binomtest(*count).proportion_ci(0.95, method="wilson")
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)


@given(counts)
def test_the_interval_holds_the_estimate_and_stays_between_0_and_1(count: tuple[int, int]) -> None:
    interval = wilson(*count)
    assert 0 <= interval.low <= count[0] / count[1] <= interval.high <= 1


def test_the_interval_of_newcombes_worked_example() -> None:
    """Newcombe (1998), Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, table I."""
    interval = wilson(81, 263)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.2553, 0.3662)
    none = wilson(0, 20)
    assert (none.low, round(none.high, 4)) == (0.0, 0.1611)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_an_impossible_count_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no interval"):
        wilson(successes, n)


def test_a_tie_is_counted_apart_and_is_no_success() -> None:
    result = accuracy([0.5, 2.0, 0.0, -1.0])
    assert result is not None
    assert (result.n, result.correct, result.ties, result.value) == (4, 2, 1, 0.5)
    assert result.interval == wilson(2, 4)


def test_no_pair_gives_no_accuracy() -> None:
    assert accuracy([]) is None


def test_a_difference_that_is_not_a_number_is_never_averaged_away() -> None:
    with pytest.raises(ValueError, match="not a number"):
        accuracy([1.0, math.nan])


@given(st.lists(st.floats(-50, 50), min_size=1))
def test_turning_the_differences_round_turns_successes_into_failures(differences: list[float]) -> None:
    ahead, behind = accuracy(differences), accuracy([-difference for difference in differences])
    assert ahead is not None
    assert behind is not None
    assert ahead.ties == behind.ties
    assert ahead.correct + behind.correct + ahead.ties == ahead.n
