"""Intervals that hold what they promise on pairs that resemble each other, and never twice a different one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.stats.bootstrap import (
    SEED,
    cluster_sums,
    clustered_share,
    distinct_columns,
    percentile_interval,
    resampled_sums,
    share_interval,
)
from pairwright.stats.intervals import Interval, wilson

RUNS = 1_000


def interval_of(right: np.ndarray, clusters: np.ndarray, n_resamples: int = 1_000, seed: int = 1) -> Interval | None:
    sums = cluster_sums(np.stack([right, np.ones(len(right))], axis=1), clusters)
    drawn = resampled_sums(sums, n_resamples=n_resamples, seed=seed)
    return share_interval(sums[:, 0], sums[:, 1], drawn[:, 0], drawn[:, 1])


@pytest.mark.parametrize(("n_clusters", "share", "likeness"), [(20, 0.6, 0.2), (30, 0.75, 0.3), (60, 0.8, 0.1)])
def test_of_a_hundred_intervals_of_clustered_pairs_ninety_five_hold_the_truth(
    n_clusters: int, share: float, likeness: float
) -> None:
    """Pairs of one rule are alike: each rule has its own chance of being right, beta distributed around the truth."""
    generator = np.random.default_rng(7)
    a, b = share * (1 / likeness - 1), (1 - share) * (1 / likeness - 1)
    held = plain = 0
    for run in range(RUNS):
        sizes = generator.integers(8, 21, n_clusters)
        clusters = np.repeat(np.arange(n_clusters), sizes)
        right = (generator.random(len(clusters)) < generator.beta(a, b, n_clusters)[clusters]).astype(float)
        interval = interval_of(right, clusters, seed=run)
        assert interval is not None
        held += interval.low <= share <= interval.high
        independent = wilson(int(right.sum()), len(right))
        plain += independent.low <= share <= independent.high
    assert 0.93 * RUNS <= held <= 0.97 * RUNS
    assert plain < 0.90 * RUNS


def test_the_difference_of_two_models_on_the_same_pairs_is_covered() -> None:
    """Paired: both models meet the same hard pairs, so that the difference is surer than either accuracy."""
    generator = np.random.default_rng(3)
    n_clusters, held = 30, 0
    for run in range(RUNS):
        clusters = np.repeat(np.arange(n_clusters), generator.integers(5, 15, n_clusters))
        # Each rule has its own gap between the models, on average 0.1.
        ease = generator.uniform(0.2, 0.7, n_clusters)
        gap = generator.uniform(-0.1, 0.3, n_clusters)
        luck = generator.random(len(clusters))
        first = luck < (ease + gap)[clusters]
        second = luck < ease[clusters]
        sums = cluster_sums(np.stack([first.astype(float) - second, np.ones(len(clusters))], axis=1), clusters)
        drawn = resampled_sums(sums, n_resamples=1_000, seed=run)
        interval = percentile_interval(drawn[:, 0] / drawn[:, 1], n_clusters)
        assert interval is not None
        held += interval.low <= 0.1 <= interval.high
    assert 0.93 * RUNS <= held <= 0.97 * RUNS


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    right, clusters = np.tile([1.0, 0.0, 1.0], 40), np.repeat(np.arange(12), 10)
    assert interval_of(right, clusters, seed=5) == interval_of(right, clusters, seed=5)
    sums = cluster_sums(right[:, None], clusters)
    first, second = (resampled_sums(sums, n_resamples=50, seed=seed) for seed in (5, 6))
    assert not np.array_equal(first, second)


def test_columns_are_drawn_together() -> None:
    """Two models with the same verdicts never differ in any resample."""
    right = np.random.default_rng(0).random(200) < 0.7
    sums = cluster_sums(np.stack([right, right], axis=1), np.repeat(np.arange(40), 5))
    drawn = resampled_sums(sums, n_resamples=500, seed=1)
    assert np.array_equal(drawn[:, 0], drawn[:, 1])


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


def test_the_mean_of_the_resamples_is_the_estimate_and_their_spread_the_standard_error() -> None:
    generator = np.random.default_rng(1)
    values = generator.normal(size=(50, 1))
    drawn = resampled_sums(values, n_resamples=20_000, seed=2)[:, 0] / 50
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.005)
    assert drawn.std() == pytest.approx(values.std() / np.sqrt(50), rel=0.03)


def test_all_right_is_not_sure() -> None:
    """No resample of pairs that are all right can differ: the interval then takes each rule as one trial."""
    interval = interval_of(np.ones(60), np.repeat(np.arange(6), 10))
    assert interval == wilson(6, 6)


def test_one_cluster_gives_no_interval() -> None:
    assert interval_of(np.array([1.0, 0.0, 1.0]), np.zeros(3)) is None
    with pytest.raises(ValueError, match="no cluster"):
        resampled_sums(np.empty((0, 2)), n_resamples=10)


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=8))
def test_equal_columns_are_counted_once(rows: list[list[bool]]) -> None:
    table = np.array(rows, dtype=bool)
    distinct, which = distinct_columns(table)
    assert np.array_equal(distinct[:, which], table)
    assert distinct.shape[1] == len({tuple(column) for column in table.T})


def test_the_share_of_right_pairs_comes_with_its_clustered_interval() -> None:
    right, rules = [True] * 6 + [False, True] * 7, [f"rule {number // 4}" for number in range(20)]
    share, interval = clustered_share(right, rules)
    assert share == 13 / 20
    assert interval == interval_of(np.array(right), np.array(rules), n_resamples=10_000, seed=SEED)
    assert clustered_share([True, False], ["one", "one"]) == (0.5, None)
    with pytest.raises(ValueError, match="no share"):
        clustered_share([], [])
