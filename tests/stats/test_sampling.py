"""Sample sizes and bounds against sums over all samples, and against the binomial ones in large lots."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from pairwright.stats.acceptance import chance_of_acceptance, error_bound, sample_size

lots = st.integers(1, 80)
errors = st.integers(0, 4)
limits = st.sampled_from([0.01, 0.05, 0.07, 0.1, 0.25, 0.29])
confidences = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def at_most(n_errors: int, lot: int, wrong: int, n: int) -> Fraction:
    """How probable so few wrong items are in a sample, by counting samples."""
    samples = sum(comb(wrong, k) * comb(lot - wrong, n - k) for k in range(min(n_errors, wrong, n) + 1) if n - k >= 0)
    return Fraction(samples, comb(lot, n))


@given(lot=lots, max_error=limits, confidence=confidences, n_errors=errors)
def test_the_sample_is_the_smallest_that_refutes_a_worse_lot(
    lot: int, max_error: float, confidence: float, n_errors: int
) -> None:
    share, doubt = Fraction(str(max_error)), 1 - Fraction(str(confidence))
    worse = next(wrong for wrong in range(lot + 1) if Fraction(wrong, lot) > share)
    brute = next((n for n in range(lot) if at_most(n_errors, lot, worse, n) <= doubt), lot)
    assert sample_size(lot, max_error, confidence, n_errors) == brute


@given(lot=lots, data=st.data(), confidence=confidences)
def test_the_bound_is_the_largest_share_that_the_sample_does_not_refute(
    lot: int, data: st.DataObject, confidence: float
) -> None:
    n = data.draw(st.integers(1, lot))
    n_errors = data.draw(st.integers(0, n))
    doubt = 1 - Fraction(str(confidence))
    possible = range(n_errors, lot - n + n_errors + 1)
    largest = max(wrong for wrong in possible if at_most(n_errors, lot, wrong, n) > doubt)
    assert error_bound(lot, n, n_errors, confidence) == pytest.approx(largest / lot)


@pytest.mark.parametrize("n_errors", range(5))
@pytest.mark.parametrize(("max_error", "confidence"), [(0.05, 0.95), (0.03, 0.95), (0.1, 0.9), (0.01, 0.99)])
def test_in_a_large_lot_they_are_those_of_clopper_and_pearson(
    max_error: float, confidence: float, n_errors: int
) -> None:
    n = sample_size(10**8, max_error, confidence, n_errors)
    assert n == next(n for n in range(1, 3000) if binom.cdf(n_errors, n, max_error) <= 1 - confidence)
    bound = beta.ppf(confidence, n_errors + 1, n - n_errors)
    assert error_bound(10**8, n, n_errors, confidence) == pytest.approx(bound, abs=1e-6)


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_the_chance_of_acceptance_counts_every_order_of_drawing(allowed: int) -> None:
    lot, max_error, confidence = 12, 0.4, 0.7
    for wrong in range(lot + 1):
        accepted = total = 0
        for bad in combinations(range(lot), wrong):
            total += 1
            seen, n_errors = sample_size(lot, max_error, confidence), 0
            while (found := sum(place < seen for place in bad)) > n_errors and found <= allowed:
                n_errors, seen = found, sample_size(lot, max_error, confidence, found)
            accepted += found <= n_errors
        chance = chance_of_acceptance(lot, wrong, max_error, confidence, allowed)
        assert chance == pytest.approx(accepted / total), wrong


@pytest.mark.parametrize(
    "wrong_call",
    [
        lambda: sample_size(0, 0.05, 0.95),
        lambda: sample_size(10, 0, 0.95),
        lambda: sample_size(10, 0.05, 1),
        lambda: error_bound(10, 11, 0, 0.95),
        lambda: error_bound(10, 5, 6, 0.95),
    ],
)
def test_numbers_out_of_range_are_refused(wrong_call: object) -> None:
    with pytest.raises(ValueError, match="no sample of a lot"):
        wrong_call()  # type: ignore[operator]
