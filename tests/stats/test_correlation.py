"""Correlations say how sure they are."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from pairwright.stats.paired import correlation, discrimination


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
    on_a_line = correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10.5], "spearman")
    assert on_a_line is not None
    assert on_a_line.interval is None
    with pytest.raises(ValueError, match="finite"):
        correlation([1, 2, float("nan")], [1, 2, 3], "pearson")


def test_the_pair_that_good_models_alone_get_right_tells_them_apart() -> None:
    able = np.array([[1, 1, 1, 0, 1], [1, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1]], dtype=bool)
    found = discrimination(able)
    assert found[1] > 0.5
    assert found[3] < -0.5
    assert np.isnan(found[4])
    others = able.sum(axis=1) - able[:, 1]
    assert found[1] == pytest.approx(np.corrcoef(able[:, 1], others)[0, 1])
