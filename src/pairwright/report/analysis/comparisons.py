"""Model against model on the same pairs, family against family, and what difference a release could show at all."""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.records import Record
from pairwright.report.analysis.groups import Clusters
from pairwright.report.data.evaluations import Scored
from pairwright.report.data.score_differences import Floats, Measure
from pairwright.stats.bootstrap import SEED, cluster_sums, distinct_columns, percentile_interval, resampled_sums
from pairwright.stats.intervals import Interval
from pairwright.stats.multiple import adjusted
from pairwright.stats.paired import McNemar, design_effect, exact_mcnemar, smallest_difference

Relation = Literal["base-instruct", "size", "family", "other"]
COMPARED: tuple[Measure, ...] = ("sum", "mean")
# What two models of similar accuracy commonly differ in, where the runs themselves don't say it.
ASSUMED_DISCORDANCE = 0.2
Z = 1.959964


class Comparison(Record):
    """Two models by one measure. `a` and `b` are labels; `test.difference` is the accuracy of a minus that of b.

    relation  how the two belong together: base and tuned model of one size, two sizes of a family, two families of
              the same variant, or none of these
    interval  the 95% cluster-bootstrap interval of the difference; None with fewer than two clusters
    p_holm    the p-value of McNemar's test adjusted by Holm, `p_bh` by Benjamini and Hochberg, each over all
              comparisons of this measure
    """

    a: str
    b: str
    measure: Measure
    relation: Relation
    test: McNemar
    interval: Interval | None
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
    """The smallest difference of two models' accuracies that McNemar's test on this release finds four times in five.

    discordance    the share of pairs that one model alone gets right: the median of the comparisons, or assumed
    design_effect  how many times more pairs the likeness of pairs within rules costs
    smallest       taking pairs as independent; `smallest_clustered` with the design effect. None where no difference
                   that this discordance allows could be found
    """

    n: int
    discordance: float
    assumed: bool
    design_effect: float
    smallest: float | None
    smallest_clustered: float | None


class _Paired(NamedTuple):
    a: Scored
    b: Scored
    test: McNemar
    interval: Interval | None


def compare_models(models: Sequence[Scored], clusters: Clusters) -> tuple[Comparison, ...]:
    """All models against all others that were scored under the same policy, by the sum and by the mean."""
    found: list[Comparison] = []
    for measure in COMPARED:
        pairs = [
            (a, b)
            for a, b in combinations(models, 2)
            if a.run.policy == b.run.policy and (a.known(measure) & b.known(measure)).any()
        ]
        paired = _paired(pairs, measure, clusters)
        holm = adjusted([item.test.p for item in paired], "holm")
        discovery = adjusted([item.test.p for item in paired], "fdr_bh")
        found += [
            Comparison(
                a=item.a.label,
                b=item.b.label,
                measure=measure,
                relation=relation(item.a, item.b),
                test=item.test,
                interval=item.interval,
                p_holm=p_holm,
                p_bh=p_bh,
            )
            for item, p_holm, p_bh in zip(paired, holm, discovery, strict=True)
        ]
    return tuple(found)


def relation(a: Scored, b: Scored) -> Relation:
    """How two models belong together by their lineages."""
    first, second = a.lineage, b.lineage
    if first.family == second.family:
        if first.variant == second.variant:
            return "size" if first.size != second.size else "other"
        return "base-instruct" if first.size == second.size else "other"
    return "family" if first.variant == second.variant else "other"


def _paired(pairs: Sequence[tuple[Scored, Scored]], measure: Measure, clusters: Clusters) -> list[_Paired]:
    if not pairs:
        return []
    both = [a.known(measure) & b.known(measure) for a, b in pairs]
    gains = [
        np.where(common, a.right(measure).astype(np.int8) - b.right(measure), 0).astype(np.int8)
        for (a, b), common in zip(pairs, both, strict=True)
    ]
    intervals = _differences(np.stack(gains, axis=1), np.stack(both, axis=1), clusters.drawn)
    return [
        _Paired(a, b, exact_mcnemar(a.right(measure)[common], b.right(measure)[common]), interval)
        for (a, b), common, interval in zip(pairs, both, intervals, strict=True)
    ]


def _differences(gains: NDArray[Any], known: np.ndarray, names: NDArray[np.intp]) -> list[Interval | None]:
    """The cluster-bootstrap interval of the mean of each column over its known rows."""
    counts, place = distinct_columns(known)
    sums = cluster_sums(np.concatenate([gains, counts], axis=1), names)
    drawn = resampled_sums(sums, seed=SEED)
    n_columns = gains.shape[1]
    intervals = []
    for column, at in enumerate(n_columns + number for number in place):
        n_clusters = int(np.count_nonzero(sums[:, at]))
        with np.errstate(invalid="ignore", divide="ignore"):
            intervals.append(percentile_interval(drawn[:, column] / drawn[:, at], n_clusters))
    return intervals


def compare_families(models: Sequence[Scored], clusters: Clusters) -> tuple[FamilyComparison, ...]:
    """Each family's mean accuracy against each other's, of models that share the policy of the first model."""
    members: dict[str, list[Scored]] = defaultdict(list)
    for model in models:
        if model.run.policy == models[0].run.policy:
            members[model.lineage.family].append(model)
    found = []
    for measure in COMPARED:
        for a, b in combinations(members, 2):
            together = [*members[a], *members[b]]
            known = np.all([model.known(measure) for model in together], axis=0)
            if not known.any():
                continue
            gain = _mean_right(members[a], measure) - _mean_right(members[b], measure)
            gains = np.where(known, gain, 0.0)
            found.append(
                FamilyComparison(
                    a=a,
                    b=b,
                    measure=measure,
                    n_models=(len(members[a]), len(members[b])),
                    n=int(known.sum()),
                    difference=float(gains.sum() / known.sum()),
                    interval=_differences(gains[:, None], known[:, None], clusters.drawn)[0],
                )
            )
    return tuple(found)


def _mean_right(models: Sequence[Scored], measure: Measure) -> Floats:
    mean: Floats = np.mean([model.right(measure) for model in models], axis=0)
    return mean


def power(comparisons: Sequence[Comparison], n_pairs: int) -> Power | None:
    """What difference this release can show, from the comparisons by the sum; None without a pair."""
    own = [item for item in comparisons if item.measure == "sum" and item.test.discordance > 0]
    n = min((item.test.n for item in own), default=n_pairs)
    if not n:
        return None
    discordance = median(item.test.discordance for item in own) if own else ASSUMED_DISCORDANCE
    effects = [_design_effect(item) for item in own if item.interval is not None]
    effect = median(effects) if effects else 1.0
    return Power(
        n=n,
        discordance=discordance,
        assumed=not own,
        design_effect=effect,
        smallest=smallest_difference(n, discordance),
        smallest_clustered=smallest_difference(n / effect, discordance),
    )


def _design_effect(item: Comparison) -> float:
    assert item.interval is not None
    spread = math.sqrt(max(item.test.discordance - item.test.difference**2, 0.0) / item.test.n)
    return design_effect(item.interval.high - item.interval.low, 2 * Z * spread)
