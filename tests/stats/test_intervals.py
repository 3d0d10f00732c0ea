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
    assert 0 <= ours.low <= count[0] / count[1] <= ours.high <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (3, 2), (-1, 2)])
def test_an_impossible_count_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no interval"):
        wilson(successes, n)


def test_a_tie_is_counted_apart_and_is_no_success() -> None:
    result = accuracy([0.5, 2.0, 0.0, -1.0])
    assert result is not None
    assert (result.n, result.correct, result.ties, result.value) == (4, 2, 1, 0.5)
    assert result.interval == wilson(2, 4)
    assert accuracy([]) is None
    with pytest.raises(ValueError, match="not a number"):  # it is never averaged away
        accuracy([1.0, math.nan])
