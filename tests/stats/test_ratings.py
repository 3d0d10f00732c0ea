"""Ratings of people who use a scale differently become comparable, and preferences are those that were published."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import zscore

from pairwright.stats.agreement import preferences, z_scores

ratings = st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(1, 7), min_size=5, max_size=5))


def by_item(rows: dict[str, list[int]]) -> dict[str, dict[int, float]]:
    return {rater: dict(enumerate(row)) for rater, row in rows.items()}


@given(ratings)
def test_a_raters_z_scores_are_those_of_scipy(rows: dict[str, list[int]]) -> None:
    scores = z_scores(by_item(rows))
    assert set(scores) == {rater for rater, row in rows.items() if len(set(row)) > 1}
    for rater, own in scores.items():
        assert list(own.values()) == pytest.approx(zscore(rows[rater], ddof=1))


def test_a_tie_is_no_preference_and_who_saw_one_side_only_does_not_count() -> None:
    ratings = {"a": {"x": 1.0, "y": 0.0}, "b": {"x": 1.0, "y": 1.0}, "c": {"x": 1.0}, "d": {"y": 1.0, "x": 0.0}}
    (group,) = preferences(ratings, {"x": "g", "y": "g"}, ["x"])
    assert (group.n_raters, group.n_prefer, group.n_tied, group.n_ratings) == (3, 1, 1, 7)
    # Rater b has no z-scores; those of a and d are opposite.
    assert (group.mean_difference, group.standard_error) == pytest.approx((0.0, math.sqrt(2)))


def test_a_group_that_no_rater_compares_has_no_difference() -> None:
    (group,) = preferences({"a": {"x": 1.0, "z": 3.0}}, {"x": "g", "y": "g"}, ["x"])
    assert (group.n_raters, group.mean_difference, group.standard_error) == (0, None, None)
