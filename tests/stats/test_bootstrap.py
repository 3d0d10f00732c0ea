"""Resamples of whole clusters: the same for the same seed, and paired over columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.stats.bootstrap import cluster_sums, percentile_interval, resampled_sums


def test_the_same_seed_gives_the_same_samples_and_another_seed_others() -> None:
    sums = cluster_sums(np.tile([1.0, 0.0, 1.0], 40)[:, None], np.repeat(np.arange(12), 10))
    first, again, other = (resampled_sums(sums, n_resamples=50, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert percentile_interval(first[:, 0] / 120, 12) == percentile_interval(again[:, 0] / 120, 12)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 2**32))
def test_a_resample_is_made_of_whole_clusters(sizes: list[int], seed: int) -> None:
    """With one cluster a column, each resample draws as many clusters as there are."""
    drawn = resampled_sums(np.eye(len(sizes)), n_resamples=20, seed=seed)
    assert (drawn.sum(axis=1) == len(sizes)).all()
    weighted = resampled_sums(np.array(sizes, dtype=float)[:, None], n_resamples=20, seed=seed)
    assert np.allclose(weighted[:, 0], drawn @ np.array(sizes))


def test_sums_that_float32_can_not_hold_are_drawn_in_float64() -> None:
    drawn = resampled_sums(np.array([[2.0**30 + 1], [2.0**30 + 1]]), n_resamples=10, seed=1)
    assert (drawn == 2 * (2.0**30 + 1)).all()


def test_one_cluster_gives_no_interval() -> None:
    assert percentile_interval(np.array([0.5, 0.6]), 1) is None
    with pytest.raises(ValueError, match="no cluster"):
        resampled_sums(np.empty((0, 2)), n_resamples=10, seed=1)
