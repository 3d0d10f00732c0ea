"""Ratings of people who use a scale differently become comparable, and correlations say how sure they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, zscore

from pairwright.stats.human import correlation, z_scores

ratings = st.lists(st.lists(st.integers(1, 7), min_size=5, max_size=5), min_size=1, max_size=8)


@given(ratings)
def test_a_raters_z_scores_are_those_of_scipy(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=float)
    ours = z_scores(table)
    for row, scored in zip(table, ours, strict=True):
        if np.ptp(row) == 0:
            assert np.isnan(scored).all()
        else:
            assert scored == pytest.approx(zscore(row))


@given(ratings, st.integers(1, 5), st.floats(0.1, 4))
def test_how_a_rater_uses_the_scale_does_not_matter(rows: list[list[int]], shift: int, stretch: float) -> None:
    table = np.array(rows, dtype=float)
    assert z_scores(table * stretch + shift) == pytest.approx(z_scores(table), nan_ok=True, abs=1e-6)


def test_what_was_not_rated_stays_empty() -> None:
    scored = z_scores(np.array([[1.0, np.nan, 7.0, 4.0]]))
    assert np.isnan(scored[0, 1])
    assert scored[0, [0, 2, 3]] == pytest.approx([-np.sqrt(1.5), np.sqrt(1.5), 0.0])


def test_the_interval_of_pearsons_r_is_that_of_scipy() -> None:
    generator = np.random.default_rng(4)
    x = generator.normal(size=40)
    y = 0.6 * x + generator.normal(size=40)
    ours, theirs = correlation(list(x), list(y), "pearson"), pearsonr(x, y)
    assert ours is not None
    assert ours.interval is not None
    assert (ours.value, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    expected = theirs.confidence_interval()
    assert (ours.interval.low, ours.interval.high) == pytest.approx((expected.low, expected.high))


@given(st.floats(-0.9, 0.9))
def test_spearmans_interval_holds_its_estimate(slope: float) -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=30)
    ours = correlation(list(x), list(slope * x + generator.normal(size=30)), "spearman")
    assert ours is not None
    assert ours.interval is not None
    assert ours.interval.low <= ours.value <= ours.interval.high


def test_spearmans_interval_covers() -> None:
    """Normal data with Pearson's r of 0.5 have a rank correlation of 6/pi * asin(0.25)."""
    generator = np.random.default_rng(9)
    truth, held = 6 / np.pi * np.arcsin(0.25), 0
    for _ in range(600):
        x = generator.normal(size=25)
        result = correlation(list(x), list(0.5 * x + np.sqrt(0.75) * generator.normal(size=25)), "spearman")
        assert result is not None
        assert result.interval is not None
        held += result.interval.low <= truth <= result.interval.high
    assert 0.92 <= held / 600 <= 0.98


def test_too_few_points_or_a_constant_give_no_correlation() -> None:
    assert correlation([1, 2], [1, 2], "pearson") is None
    assert correlation([1, 1, 1], [1, 2, 3], "pearson") is None
    three = correlation([1, 2, 3], [1, 2, 4], "pearson")
    assert three is not None
    assert three.interval is None
    with pytest.raises(ValueError, match="finite"):
        correlation([1, 2, float("nan")], [1, 2, 3], "pearson")


def test_points_on_a_line_have_no_interval() -> None:
    for method in ("pearson", "spearman"):
        found = correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10.5], method)
        assert found is not None
        assert (found.interval is None) == (method == "spearman")
