"""Accuracy of models on groups of pairs: overall, by source, phenomenon, rule and method of construction."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.bootstrap import (
    RESAMPLES,
    SEED,
    Floats,
    cluster_sums,
    clustered_shares,
    percentile_interval,
    resampled_sums,
)
from pairwright.stats.intervals import Accuracy, Interval, accuracy

GroupKind = Literal["overall", "source", "phenomenon", "rule", "construction"]
# With fewer clusters the bootstrap can't tell how they vary.
FEWEST_CLUSTERS = 5
FEW = 10
# The groups of a large release are many and small; the overall figure gets the full number.
GROUP_RESAMPLES = 2_000


class AccuracyEstimate(Record):
    """Accuracy with its intervals. `accuracy.interval` is Wilson's, which takes pairs as independent.

    over_rules     the cluster-bootstrap interval, had other rules been drawn; None with fewer than 2 rules
    over_families  the same for families of sentences: pairs that share a sentence
    """

    accuracy: Accuracy
    over_rules: Interval | None
    n_rules: int
    over_families: Interval | None
    n_families: int

    @property
    def value(self) -> float:
        return self.accuracy.value

    @property
    def interval(self) -> Interval:
        """The interval that a report shows: over rules, else over families that hold several pairs, else Wilson's."""
        if self.over_rules is not None and self.n_rules >= FEWEST_CLUSTERS:
            return self.over_rules
        if self.over_families is not None and FEWEST_CLUSTERS <= self.n_families < self.accuracy.n:
            return self.over_families
        return self.accuracy.interval


class MacroAccuracy(Record):
    """The mean of the accuracies of the rules, each rule counted once; `interval` is the bootstrap over rules.

    n_single  rules with a single pair; `without_single` is the mean of the others, None where there is none
    """

    value: float
    interval: Interval | None
    n_rules: int
    n_single: int
    without_single: float | None


class Group(Record):
    """A group of `n_pairs` released pairs and the results of each model on it, in the order of the models.

    results  by measure; a measure is missing where no pair of the group has both scores
    """

    kind: GroupKind
    label: str
    n_pairs: int
    results: tuple[dict[Measure, AccuracyEstimate], ...]

    @property
    def few(self) -> bool:
        return self.n_pairs < FEW


class Clusters(NamedTuple):
    """The rule and the family of sentences of each pair, as numbers in the order of their names."""

    rules: NDArray[np.intp]
    families: NDArray[np.intp]

    @property
    def drawn(self) -> NDArray[np.intp]:
        """What the bootstrap draws to compare models: rules, or families of sentences where rules are too few."""
        return self.rules if len(np.unique(self.rules)) >= FEWEST_CLUSTERS else self.families


def clusters_of(pairs: Sequence[ReleasePair]) -> Clusters:
    """Which pairs belong together: those of one rule, and those that share a sentence, directly or through others."""
    parent: dict[str, str] = {}

    def root(text: str) -> str:
        parent.setdefault(text, text)
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    for pair in pairs:
        parent[root(pair.sentence_good)] = root(pair.sentence_bad)
    return Clusters(
        _numbered([pair.rule_id for pair in pairs]), _numbered([root(pair.sentence_good) for pair in pairs])
    )


def _numbered(names: Sequence[str]) -> NDArray[np.intp]:
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([places[name] for name in names], dtype=np.intp)


def rule_labels(pairs: Sequence[ReleasePair]) -> list[str]:
    """Code and title of each pair's rule, with its source where two rules would otherwise get the same label."""
    rules: dict[str, set[str]] = defaultdict(set)
    plain = [f"{pair.rule_code} {pair.rule}".strip() for pair in pairs]
    for pair, label in zip(pairs, plain, strict=True):
        rules[label].add(pair.rule_id)
    return [
        label if len(rules[label]) == 1 else f"{label} ({pair.source_id})"
        for pair, label in zip(pairs, plain, strict=True)
    ]


def make_groups(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], clusters: Clusters) -> tuple[Group, ...]:
    """All groups of a report, of each kind in the order in which their pairs first come.

    Overall are all pairs and, where there are exceptions to rules, the pairs without them and the exceptions alone.
    """
    # All verdicts, a row a pair and a column for each model and measure.
    keys = [(index, measure) for index, model in enumerate(models) for measure in model.differences]
    right = np.stack([models[index].right(measure) for index, measure in keys], axis=1)
    scored = np.stack([models[index].scored(measure) for index, measure in keys], axis=1)

    def group(kind: GroupKind, label: str, rows: NDArray[np.intp]) -> Group:
        n_resamples = RESAMPLES if kind == "overall" else GROUP_RESAMPLES
        intervals = (clustered_shares(right[rows], scored[rows], names[rows], n_resamples) for names in clusters)
        results: list[dict[Measure, AccuracyEstimate]] = [{} for _ in models]
        for (index, measure), is_scored, by_rule, by_family in zip(keys, scored[rows].T, *intervals, strict=True):
            estimate = accuracy(models[index].differences[measure][rows[is_scored]])
            if estimate is not None:
                (over_rules, n_rules), (over_families, n) = by_rule, by_family
                results[index][measure] = AccuracyEstimate(
                    accuracy=estimate, over_rules=over_rules, n_rules=n_rules, over_families=over_families, n_families=n
                )
        return Group(kind=kind, label=label, n_pairs=len(rows), results=tuple(results))

    return tuple(group(kind, label, np.array(rows)) for (kind, label), rows in _members(pairs).items())


def _members(pairs: Sequence[ReleasePair]) -> dict[tuple[GroupKind, str], list[int]]:
    """The places of the pairs of each group."""
    members: dict[tuple[GroupKind, str], list[int]] = {("overall", "all pairs"): list(range(len(pairs)))}
    if any(pair.exception for pair in pairs):
        for row in sorted(range(len(pairs)), key=lambda row: pairs[row].exception):
            label = "exceptions alone" if pairs[row].exception else "without exceptions"
            members.setdefault(("overall", label), []).append(row)
    labels: dict[GroupKind, Sequence[str]] = {
        "source": [pair.source_id for pair in pairs],
        "phenomenon": [pair.phenomenon for pair in pairs],
        "rule": rule_labels(pairs),
        "construction": [pair.method for pair in pairs],
    }
    for kind, names in labels.items():
        for row, name in enumerate(names):
            members.setdefault((kind, name), []).append(row)
    return members


def macro(model: ScoredModel, measure: Measure, rules: NDArray[np.intp]) -> MacroAccuracy | None:
    """The macro-average over rules; None where the model scored no pair by this measure."""
    scored = model.scored(measure)
    if not scored.any():
        return None
    sums = cluster_sums(np.stack([model.right(measure), scored], axis=1), rules)
    sums = sums[sums[:, 1] > 0]
    shares: Floats = sums[:, 0] / sums[:, 1]
    several = shares[sums[:, 1] > 1]
    drawn = resampled_sums(shares[:, None], seed=SEED)[:, 0] / len(shares)
    return MacroAccuracy(
        value=float(shares.mean()),
        interval=percentile_interval(drawn, len(shares)),
        n_rules=len(shares),
        n_single=int((sums[:, 1] == 1).sum()),
        without_single=float(several.mean()) if len(several) else None,
    )
