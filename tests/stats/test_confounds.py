"""A score difference that only follows from the length of sentences is recognised."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from pairwright.stats.paired import standardised_regression

GENERATOR = np.random.default_rng(11)
LENGTH = GENERATOR.normal(size=400)
TOKENS = 0.5 * LENGTH + GENERATOR.normal(size=400)
RULES = [f"rule-{number % 25}" for number in range(400)]


def test_the_coefficients_are_those_of_least_squares_on_standardised_columns() -> None:
    difference = -2.0 * LENGTH + 0.5 * TOKENS + GENERATOR.normal(size=400)
    found = standardised_regression(difference, {"length": LENGTH, "tokens": TOKENS}, RULES)
    assert found is not None
    table = np.stack([(x - x.mean()) / x.std(ddof=1) for x in (LENGTH, TOKENS)], axis=1)
    plain = OLS((difference - difference.mean()) / difference.std(ddof=1), table).fit()
    assert [item.value for item in found.coefficients] == pytest.approx(list(plain.params))
    assert found.r2 == pytest.approx(np.corrcoef(difference, plain.fittedvalues)[0, 1] ** 2)
    assert found.coefficients[0].p < 1e-6
    assert (found.n, found.n_clusters) == (400, 25)


def test_a_property_that_never_varies_or_repeats_another_is_left_out_and_named() -> None:
    found = standardised_regression(
        -LENGTH + GENERATOR.normal(size=400),
        {"length": LENGTH, "bytes": 2 * LENGTH + 1, "words": np.zeros(400), "tokens": TOKENS},
        RULES,
    )
    assert found is not None
    assert [item.name for item in found.coefficients] == ["length", "tokens"]
    assert found.left_out == ("bytes", "words")


def test_pairs_of_one_rule_count_as_dependent() -> None:
    """Property and difference of a rule go together: as independent pairs they would seem to prove far too much."""
    found_anything = 0
    for seed in range(200):
        generator = np.random.default_rng(seed)
        rule = np.repeat(np.arange(20), 15)
        difference = generator.normal(size=20)[rule] + 0.3 * generator.normal(size=300)
        length = generator.normal(size=20)[rule] + 0.3 * generator.normal(size=300)
        found = standardised_regression(difference, {"length": length}, [str(item) for item in rule])
        assert found is not None
        found_anything += found.coefficients[0].p < 0.05
    assert found_anything / 200 < 0.13


def test_too_little_gives_no_regression() -> None:
    few = LENGTH[:9]
    assert standardised_regression(few, {"length": TOKENS[:9]}, RULES[:9]) is None
    assert standardised_regression(LENGTH, {"length": np.zeros(400)}, RULES) is None
    assert standardised_regression(LENGTH, {"tokens": TOKENS}, ["one"] * 400) is None
    with pytest.raises(ValueError, match="finite"):
        standardised_regression(np.full(400, np.nan), {"length": LENGTH}, RULES)
