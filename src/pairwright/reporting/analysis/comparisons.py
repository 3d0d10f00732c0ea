"""Model against model on the same pairs, family against family, and the smallest difference a release can show."""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, product
from statistics import median
from typing import Final, Literal

import numpy as np

from pairwright.core.records import Record
from pairwright.reporting.analysis.groups import Clusters
from pairwright.reporting.data.evaluations import ScoredModel, distinct_weights, largest_comparable
from pairwright.reporting.data.model_family import Lineage
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.clustered import Z, clustered_means
from pairwright.stats.intervals import Interval
from pairwright.stats.paired import PairedTest, adjusted, design_effect, paired_tests, smallest_difference

Relation = Literal["base-instruct", "size", "family", "other"]
COMPARED: tuple[Measure, ...] = ("sum", "mean")
ADJUSTMENTS: Final = ("holm", "fdr_bh")
# How often two models of similar accuracy commonly disagree, for when the runs themselves don't show it.
ASSUMED_DISCORDANCE = 0.2


class ModelComparison(Record):
    """Two models by one measure. `a` and `b` are labels; `test.difference` is the accuracy of a minus that of b.

    relation  how the two are related: base and tuned model of one size, two sizes of a family, two families of the
              same variant, or none of these
    p_holm    the p-value of `test` adjusted by Holm, `p_bh` by Benjamini and Hochberg, each over all comparisons of
              this measure
    """

    a: str
    b: str
    measure: Measure
    relation: Relation
    test: PairedTest
    p_holm: float
    p_bh: float


class FamilyComparison(Record):
    """The mean accuracy of the models of one family minus that of another, on the pairs that all of them scored."""

    a: str
    b: str
    measure: Measure
    n_models: tuple[int, int]
    n: int
    difference: float
    interval: Interval | None


class Power(Record):
    """The smallest difference of two models' accuracies that a test on this release finds four times in five.

    discordance    the share of pairs that one model alone gets right: the median of the comparisons, or assumed
    design_effect  how many times more pairs are needed because pairs of a rule resemble each other
    smallest       if pairs were independent; `smallest_clustered` with the design effect. None where no difference
                   that this discordance allows could be found
    """

    n: int
    discordance: float
    assumed: bool
    design_effect: float
    smallest: float | None
    smallest_clustered: float | None


def compare_models(models: Sequence[ScoredModel], clusters: Clusters) -> tuple[ModelComparison, ...]:
    """All models against all others of the same conditioning, by the sum and by the mean; none against itself."""
    return tuple(item for measure in COMPARED for item in _compared(models, measure, clusters))


def _compared(models: Sequence[ScoredModel], measure: Measure, clusters: Clusters) -> list[ModelComparison]:
    pairs, scored, gains = [], [], []
    for a, b in combinations(models, 2):
        both = a.scored(measure) & b.scored(measure)
        same = a.run.model.variant == b.run.model.variant
        if a.run.conditioning == b.run.conditioning and both.any() and not same:
            pairs.append((a, b))
            scored.append(both)
            gains.append(np.where(both, a.right(measure).astype(np.int8) - b.right(measure), 0).astype(np.int8))
    if not pairs:
        return []
    tests = paired_tests(np.stack(gains, axis=1), np.stack(scored, axis=1), clusters.compared)
    holm, discovery = (adjusted([test.p for test in tests], method) for method in ADJUSTMENTS)
    return [
        ModelComparison(
            a=a.label,
            b=b.label,
            measure=measure,
            relation=relation(a.lineage, b.lineage),
            test=test,
            p_holm=p_holm,
            p_bh=p_bh,
        )
        for (a, b), test, p_holm, p_bh in zip(pairs, tests, holm, discovery, strict=True)
    ]


def relation(a: Lineage, b: Lineage) -> Relation:
    """How two models are related by family, size and variant."""
    if a.family == b.family:
        if a.variant == b.variant:
            return "size" if a.size != b.size else "other"
        return "base-instruct" if a.size == b.size else "other"
    return "family" if a.variant == b.variant else "other"


def compare_families(models: Sequence[ScoredModel], clusters: Clusters) -> tuple[FamilyComparison, ...]:
    """Each family's mean accuracy against each other's, for the models of the commonest conditioning."""
    members: dict[str, list[ScoredModel]] = defaultdict(list)
    for model in distinct_weights(largest_comparable(models)):
        members[model.lineage.family].append(model)
    comparisons = []
    for measure, (a, b) in product(COMPARED, combinations(members, 2)):
        scored = np.all([model.scored(measure) for model in (*members[a], *members[b])], axis=0)
        if not scored.any():
            continue
        means = [np.mean([model.right(measure) for model in members[family]], axis=0) for family in (a, b)]
        gains = np.where(scored, means[0] - means[1], 0.0)
        comparisons.append(
            FamilyComparison(
                a=a,
                b=b,
                measure=measure,
                n_models=(len(members[a]), len(members[b])),
                n=int(scored.sum()),
                difference=float(gains.sum() / scored.sum()),
                interval=clustered_means(gains[:, None], scored[:, None], clusters.compared)[0][0],
            )
        )
    return tuple(comparisons)


def power(comparisons: Sequence[ModelComparison], n_pairs: int) -> Power | None:
    """What difference this release can show, from the comparisons by the sum; None without a pair."""
    by_sum = [item for item in comparisons if item.measure == "sum" and item.test.discordance > 0]
    n = min((item.test.n for item in by_sum), default=n_pairs)
    if not n:
        return None
    discordance = median(item.test.discordance for item in by_sum) if by_sum else ASSUMED_DISCORDANCE
    effects = [_design_effect(item.test, item.test.interval) for item in by_sum if item.test.interval]
    effect = median(effects or [1.0])
    return Power(
        n=n,
        discordance=discordance,
        assumed=not by_sum,
        design_effect=effect,
        smallest=smallest_difference(n, discordance),
        smallest_clustered=smallest_difference(n / effect, discordance),
    )


def _design_effect(test: PairedTest, interval: Interval) -> float:
    spread = math.sqrt(max(test.discordance - test.difference**2, 0.0) / test.n)
    return design_effect(interval.high - interval.low, 2 * Z * spread)
