"""Claims that one model is better than another stand on the pairs on which they differ."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, false_discovery_control

from pairwright.stats.paired import adjusted, design_effect, paired_test, smallest_difference

tables = st.tuples(*[st.integers(0, 400)] * 4).filter(lambda table: sum(table) > 0)


def verdicts(both: int, only_a: int, only_b: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = [both, only_a, only_b, neither]
    return np.repeat([True, True, False, False], counts), np.repeat([True, False, True, False], counts)


@given(tables)
def test_mcnemar_is_the_binomial_test_of_scipy(table: tuple[int, int, int, int]) -> None:
    """Where each pair is a cluster of its own, McNemar's p-value bounds the other from below."""
    a, b = verdicts(*table)
    result = paired_test(a, b, np.arange(len(a)))
    discordant = table[1] + table[2]
    theirs = binomtest(table[1], discordant).pvalue if discordant else 1.0
    assert result.p_mcnemar == pytest.approx(theirs, abs=1e-12)
    assert result.p >= result.p_mcnemar
    assert (result.n, result.only_a, result.only_b) == (sum(table), table[1], table[2])
    assert result.difference == pytest.approx((table[1] - table[2]) / sum(table))


@settings(max_examples=25)
@given(tables, st.integers(1, 40), st.integers(0, 2**32))
def test_the_order_of_the_models_turns_the_difference_only_and_that_of_pairs_nothing(
    table: tuple[int, int, int, int], n_clusters: int, seed: int
) -> None:
    a, b = verdicts(*table)
    generator = np.random.default_rng(seed)
    clusters, shuffled = generator.integers(0, n_clusters, len(a)), generator.permutation(len(a))
    there, back = paired_test(a, b, clusters), paired_test(b, a, clusters)
    assert there.p == pytest.approx(back.p)
    assert there.difference == -back.difference
    if there.interval and back.interval:
        assert (there.interval.low, there.interval.high) == pytest.approx((-back.interval.high, -back.interval.low))
        assert there.interval.low <= there.difference <= there.interval.high
    named = np.array([f"rule {n}" for n in clusters])
    again = paired_test(a[shuffled], b[shuffled], named[shuffled])
    assert again.p == pytest.approx(there.p)
    assert (again.difference, again.n_clusters) == (there.difference, there.n_clusters)


def test_an_advantage_in_one_rule_is_no_advantage_in_all() -> None:
    """Twelve or twenty more right pairs: McNemar is sure; if they are of one rule out of ten, others show nothing."""
    rules = np.repeat(np.arange(10), 20)
    b = np.tile(np.arange(20) < 8, 10)
    of_one, of_all = (paired_test(b | more, b, rules) for more in (rules == 3, np.tile(np.arange(20) < 10, 10)))
    assert of_one.p_mcnemar < 0.001
    assert of_one.p > 0.3
    assert of_all.p == of_all.p_mcnemar < 0.001


def test_a_single_rule_leaves_mcnemars_test() -> None:
    a, b = verdicts(5, 9, 1, 5)
    single = paired_test(a, b, np.zeros(20))
    assert (single.n_clusters, single.interval, single.p) == (1, None, single.p_mcnemar)


def test_verdicts_on_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="no paired test of 2 and 3"):
        paired_test(np.ones(2, dtype=bool), np.ones(3, dtype=bool), np.zeros(2))


def test_holms_and_benjamini_hochbergs_own_examples() -> None:
    """Benjamini and Hochberg (1995), section 4: 15 comparisons; Bonferroni finds 3, their procedure 4."""
    given_p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240]
    given_p += [0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    holm, discovery = adjusted(given_p, "holm"), adjusted(given_p, "fdr_bh")
    assert sum(value <= 0.05 for value in holm) == 3
    assert sum(value <= 0.05 for value in discovery) == 4
    assert discovery == pytest.approx(false_discovery_control(given_p))
    assert adjusted([], "holm") == ()
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjusted([0.5, float("nan")], "holm")


@pytest.mark.parametrize(("n", "discordance"), [(300, 0.2), (1_000, 0.1), (1_000, 0.4)])
def test_the_smallest_difference_is_found_four_times_in_five(n: int, discordance: float) -> None:
    """Simulated with the uncorrected McNemar test, to which the formula belongs."""
    difference = smallest_difference(n, discordance)
    assert difference is not None
    generator = np.random.default_rng(2)
    first, second = (discordance + difference) / 2, (discordance - difference) / 2
    drawn = generator.multinomial(n, [first, second, 1 - discordance], size=4_000)
    with np.errstate(invalid="ignore"):
        found = (drawn[:, 0] - drawn[:, 1]) ** 2 / (drawn[:, 0] + drawn[:, 1]) > 3.841
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_a_handful_of_pairs_can_show_no_difference() -> None:
    assert smallest_difference(5, 0.2) is None
    with pytest.raises(ValueError, match="no power"):
        smallest_difference(0, 0.2)


def test_the_design_effect_is_never_a_gain() -> None:
    assert design_effect(0.2, 0.1) == pytest.approx(4.0)
    assert design_effect(0.05, 0.1) == 1.0
