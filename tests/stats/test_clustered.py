"""Intervals of pairs that resemble each other hold the truth as often as they promise, and keep their place.

`python -m pytest tests/stats/test_clustered.py -m slow -s -n 0` prints the tables of docs/statistics.md.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import ttest_1samp

from pairwright.stats.bootstrap import clustered_means, clustered_shares, share_intervals
from pairwright.stats.intervals import Interval, wilson
from pairwright.stats.paired import paired_tests

SIZES = ("equal", "unequal")
rules = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)).map(lambda two: (min(two), two[1])), min_size=2)


def pairs_of(rules: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The verdicts and the rules of the pairs, from how many are right of how many in each rule."""
    verdicts = [place < right for right, n in rules for place in range(n)]
    return np.array(verdicts), np.repeat(np.arange(len(rules)), [n for _, n in rules])


def clustered_share(right: np.ndarray, names: np.ndarray | list[str]) -> tuple[float, Interval | None]:
    ((interval, _),) = clustered_shares(right[:, None], np.ones((len(right), 1), dtype=bool), np.asarray(names))
    return float(right.mean()), interval


@settings(max_examples=80)
@given(rules, st.integers(0, 2**32))
@example([(14, 14)] * 21 + [(13, 14)], 0)
def test_an_interval_holds_the_share_and_wilsons_interval_and_depends_on_no_name_or_order(
    rules: list[tuple[int, int]], seed: int
) -> None:
    right, names = pairs_of(rules)
    share, interval = clustered_share(right, names)
    assert interval is not None
    independent = wilson(int(right.sum()), len(right))
    assert 0 <= interval.low <= independent.low <= share <= independent.high <= interval.high <= 1
    generator = np.random.default_rng(seed)
    order, new_names = generator.permutation(len(right)), generator.permutation(len(rules))
    _, again = clustered_share(right[order], [f"rule {new_names[name]}" for name in names[order]])
    assert again is not None
    assert (again.low, again.high) == pytest.approx((interval.low, interval.high))
    # Right and wrong mirror each other, and no lower end with errors is above that of all right.
    _, other = clustered_share(~right, names)
    assert other is not None
    assert (other.low, other.high) == pytest.approx((1 - interval.high, 1 - interval.low))
    _, all_right = clustered_share(np.ones_like(right), names)
    assert all_right is not None
    assert interval.low <= all_right.low <= wilson(len(right), len(right)).low


@settings(max_examples=25)
@given(st.integers(2, 30), st.integers(1, 20))
def test_one_more_right_pair_in_every_rule_raises_both_ends(n_rules: int, n: int) -> None:
    ends = [clustered_share(*pairs_of([(right, n)] * n_rules))[1] for right in range(n + 1)]
    lows, highs = ([getattr(end, name) for end in ends] for name in ("low", "high"))
    assert lows == sorted(lows)
    assert highs == sorted(highs)


def test_rules_without_a_scored_pair_do_not_count() -> None:
    hits, counts = np.array([[3.0], [1.0], [0.0]]), np.array([[4.0], [4.0], [0.0]])
    assert share_intervals(hits, counts) == share_intervals(hits[:2], counts[:2])
    assert share_intervals(hits[1:], counts[1:]) == [None]  # an interval needs two rules
    (all_right,) = share_intervals(np.full((6, 1), 10.0), np.full((6, 1), 10.0))
    assert all_right is not None
    assert all_right.high == 1
    assert wilson(6, 6).low <= all_right.low < wilson(60, 60).low  # rules that are all right can't differ


def test_the_interval_of_a_mean_is_the_t_interval_where_clusters_are_equal() -> None:
    values = np.array([0.5, 0.1, -0.2, 0.4, 0.3])
    interval, p, n = clustered_means(values[:, None], np.ones((5, 1), dtype=bool), np.arange(5))[0]
    assert n == 5
    assert interval is not None
    theirs = ttest_1samp(values, 0)
    assert p == pytest.approx(theirs.pvalue)
    assert (interval.low, interval.high) == pytest.approx(tuple(theirs.confidence_interval()))


def drawn_sizes(kind: str, n_rules: int, generator: np.random.Generator) -> np.ndarray:
    """Twelve pairs a rule, or 1 to 80 with a log-normal spread: the largest are ten times the smallest and more."""
    if kind == "equal":
        return np.full(n_rules, 12)
    sizes: np.ndarray = np.clip(np.rint(np.exp(generator.normal(2.2, 0.8, n_rules))), 1, 80).astype(int)
    return sizes


def easiness(share: float, spread: float) -> float:
    """The logit around which rules of this spread have this mean share."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float(brentq(lambda at: weights @ expit(at + spread * nodes) / weights.sum() - share, -15, 15))


def coverages(
    kind: str, n_rules: int, spread: float, runs: int, truths: tuple[float, ...] = (0.6, 0.75, 0.9, 0.95)
) -> Iterator[tuple[float, float, float]]:
    """Truth, the share of intervals that hold it, and that share if samples without an error took Wilson's of pairs."""
    generator = np.random.default_rng(n_rules)
    for truth in truths:
        counts = np.stack([drawn_sizes(kind, n_rules, generator) for _ in range(runs)], axis=1)
        chances = expit(easiness(truth, spread) + spread * generator.normal(size=counts.shape))
        hits = generator.binomial(counts, chances)
        intervals = share_intervals(hits.astype(float), counts.astype(float))
        holds = np.array([one is not None and one.low <= truth <= one.high for one in intervals])
        n = counts.sum(axis=0)
        excluded = np.array([wilson(size, size).low > truth for size in n.tolist()]) & (hits.sum(axis=0) == n)
        yield truth, float(holds.mean()), float((holds & ~excluded).mean())


@pytest.mark.slow
def test_of_a_hundred_intervals_ninety_five_hold_the_truth() -> None:
    """Rules that are nearly all right give few different samples, and no end of theirs is above that of all right: some
    of their intervals hold the truth more often."""
    print(f"\n{'rules':>5}  {'sizes':<8}" + "".join(f"{truth:>7}" for truth in (0.6, 0.75, 0.9, 0.95)))
    for kind in SIZES:
        for n_rules in (5, 8, 25, 50):
            held = {truth: share for truth, share, _ in coverages(kind, n_rules, 1.5, 12_000)}
            print(f"{n_rules:>5}  {kind:<8}" + "".join(f"{100 * share:>7.1f}" for share in held.values()))
            for truth, share in held.items():
                assert share >= 0.93
                assert share <= 0.97 or (n_rules <= 8 and truth >= 0.75) or truth >= 0.95


@pytest.mark.slow
def test_a_shorter_interval_of_samples_without_an_error_fails_where_rules_differ_more() -> None:
    spreads, worst = (0.5, 1.5, 2.5, 4.0), 1.0
    print(f"\n{'rules':>5}  {'sizes':<8}{'truth':>6}" + "".join(f"{f'SD {spread}':>16}" for spread in spreads))
    for kind in SIZES:
        for n_rules in (5, 8):
            rows = [list(coverages(kind, n_rules, spread, 12_000, (0.9, 0.95))) for spread in spreads]
            for cells in zip(*rows, strict=True):
                shown = "".join(f"{100 * ours:>9.1f}{100 * pairs:>7.1f}" for _, ours, pairs in cells)
                print(f"{n_rules:>5}  {kind:<8}{cells[0][0]:>6}{shown}")
                assert min(ours for _, ours, _ in cells) >= 0.93
                worst = min(worst, *(pairs for *_, pairs in cells))
    assert worst < 0.8


def false_alarms(kind: str, n_rules: int, spread: float, runs: int) -> tuple[float, float]:
    """How often two models that are equally good over all rules differ, by our test and by McNemar's."""
    generator, ours, theirs = np.random.default_rng(n_rules), 0, 0
    for _ in range(runs // 50):
        names = np.repeat(np.arange(n_rules), drawn_sizes(kind, n_rules, generator))
        ease, gap = (generator.normal(size=(n_rules, 50)) for _ in range(2))
        chances = (expit(1 + ease + sign * spread * gap / 2)[names] for sign in (1, -1))
        first, second = (generator.random(chance.shape) < chance for chance in chances)
        tests = paired_tests(first.astype(np.int8) - second, np.ones(first.shape, dtype=bool), names)
        ours += sum(test.p < 0.05 for test in tests)
        theirs += sum(test.p_mcnemar < 0.05 for test in tests)
    return ours / runs, theirs / runs


@pytest.mark.slow
def test_equal_models_differ_in_one_data_set_out_of_twenty() -> None:
    print(f"\n{'rules':>5}  {'sizes':<8}{'SD':>5}{'ours':>7}{'McNemar':>9}")
    for n_rules in (8, 25, 100):
        for kind in SIZES:
            for spread in (1.0, 1.5):
                ours, mcnemar = false_alarms(kind, n_rules, spread, 4_000)
                print(f"{n_rules:>5}  {kind:<8}{spread:>5}{100 * ours:>7.1f}{100 * mcnemar:>9.1f}")
                assert 0.035 <= ours <= 0.065
                assert mcnemar > 0.1
