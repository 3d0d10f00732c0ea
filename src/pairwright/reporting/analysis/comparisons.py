"""Model against model on the same pairs, and the smallest difference a release can show."""

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Final, Literal

import numpy as np
from pandas import DataFrame

from pairwright.reporting.analysis.groups import Clusters, Row, ends, rows_of
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.model_family import Lineage
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.clustered import Z
from pairwright.stats.paired import PairedTest, adjusted, design_effect, paired_tests, smallest_difference

Relation = Literal["base-instruct", "size", "family", "other"]
COMPARED: tuple[Measure, ...] = ("sum_logprob", "mean_nll")
ADJUSTMENTS: Final = ("holm", "fdr_bh")
# How often two models of similar accuracy commonly disagree, for when the runs themselves don't show it.
ASSUMED_DISCORDANCE = 0.2


def compare_models(models: Sequence[ScoredModel], clusters: Clusters) -> DataFrame:
    """All models against all others of the same conditioning, by both measures; none against itself.

    `a` and `b` are labels, `difference` is the accuracy of a minus that of b. `relation`: base and tuned model of one
    size, two sizes of a family, two families of the same variant, or none of these. `p_holm` and `p_bh` adjust `p` by
    Holm and by Benjamini and Hochberg, each over all comparisons of the measure.
    """
    rows: list[Row] = []
    for measure in COMPARED:
        pairs, scored, gains = [], [], []
        for a, b in combinations(models, 2):
            both = a.scored(measure) & b.scored(measure)
            same = a.run.model.variant == b.run.model.variant
            if a.run.conditioning == b.run.conditioning and both.any() and not same:
                pairs.append((a, b))
                scored.append(both)
                gains.append(np.where(both, a.right(measure).astype(np.int8) - b.right(measure), 0).astype(np.int8))
        if not pairs:
            continue
        tests = paired_tests(np.stack(gains, axis=1), np.stack(scored, axis=1), clusters.compared)
        holm, discovery = (adjusted([test.p for test in tests], method) for method in ADJUSTMENTS)
        for (a, b), test, p_holm, p_bh in zip(pairs, tests, holm, discovery, strict=True):
            named = {"a": a.label, "b": b.label, "measure": measure, "relation": relation(a.lineage, b.lineage)}
            rows.append({**named, **tested(test), "p_holm": p_holm, "p_bh": p_bh})
    return DataFrame(rows)


def tested(test: PairedTest) -> Row:
    """A paired test: the counts, the p-values and the difference with its interval, as a share."""
    counts = test.model_dump(exclude={"interval"})
    return {**counts, "difference": test.difference, **ends("difference", test.interval)}


def relation(a: Lineage, b: Lineage) -> Relation:
    """How two models are related by family, size and variant."""
    if a.family == b.family:
        if a.variant == b.variant:
            return "size" if a.size != b.size else "other"
        return "base-instruct" if a.size == b.size else "other"
    return "family" if a.variant == b.variant else "other"


def power(comparisons: DataFrame, n_pairs: int) -> DataFrame:
    """What difference of two accuracies a test on this release finds four times in five, in one row; none without a
    pair.

    discordance    the share of pairs that one model alone gets right: the median of the comparisons by sum_logprob, or
                   `assumed`
    design_effect  how many times more pairs are needed because pairs of a rule resemble each other
    smallest       if pairs were independent; `smallest_clustered` with the design effect. Missing where no difference
                   that this discordance allows could be found
    """
    by_sum = [it for it in rows_of(comparisons) if it["measure"] == "sum_logprob" and it["only_a"] + it["only_b"] > 0]
    n = min((row["n"] for row in by_sum), default=n_pairs)
    if not n:
        return DataFrame()
    shares = [(row["only_a"] + row["only_b"]) / row["n"] for row in by_sum]
    effects = [
        design_effect(
            row["difference_high"] - row["difference_low"],
            2 * Z * math.sqrt(max(share - row["difference"] ** 2, 0.0) / row["n"]),
        )
        for row, share in zip(by_sum, shares, strict=True)
        if row["difference_low"] is not None
    ]
    discordance, effect = median(shares or [ASSUMED_DISCORDANCE]), median(effects or [1.0])
    smallest, clustered = (smallest_difference(size, discordance) for size in (n, n / effect))
    measured = {"n": n, "discordance": discordance, "assumed": not by_sum, "design_effect": effect}
    return DataFrame([{**measured, "smallest": smallest, "smallest_clustered": clustered}])
