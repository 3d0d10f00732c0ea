"""Accuracy of models on groups of pairs: overall, by source, phenomenon, rule and method of construction."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.bootstrap import Floats, cluster_sums
from pairwright.stats.clustered import clustered_shares, share_intervals
from pairwright.stats.intervals import Accuracy, Interval, accuracy

GroupKind = Literal["overall", "source", "phenomenon", "rule", "construction"]
IntervalBasis = Literal["rules", "families", "pairs"]
# With fewer clusters nothing tells how they vary.
FEWEST_CLUSTERS = 5
FEW = 10


class AccuracyEstimate(Record):
    """Accuracy with its intervals. `accuracy.interval` is Wilson's, which takes pairs as independent.

    over_rules     the interval of `stats.clustered`, had other rules been chosen; None with fewer than 2 rules
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
        return self._shown[0]

    @property
    def basis(self) -> IntervalBasis:
        """What the interval takes as independent."""
        return self._shown[1]

    @property
    def _shown(self) -> tuple[Interval, IntervalBasis]:
        if self.over_rules is not None and self.n_rules >= FEWEST_CLUSTERS:
            return self.over_rules, "rules"
        if self.over_families is not None and FEWEST_CLUSTERS <= self.n_families < self.accuracy.n:
            return self.over_families, "families"
        return self.accuracy.interval, "pairs"


class MacroAccuracy(Record):
    """The mean of the accuracies of the rules, each rule counted once; `interval` has it had other rules been chosen.

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
    def compared(self) -> NDArray[np.intp]:
        """What counts as independent where models are compared: rules, or families of sentences where rules are few."""
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
    places = {name: index for index, name in enumerate(sorted(set(names)))}
    return np.array([places[name] for name in names], dtype=np.intp)


def rule_labels(pairs: Sequence[ReleasePair]) -> list[str]:
    """Code and title of each pair's rule; where several rules have the same, also its source, then a number."""
    plain = {pair.rule_id: (f"{pair.rule_code} {pair.rule}".strip(), pair.source_id) for pair in pairs}
    sources: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for rule_id, (label, source_id) in plain.items():
        sources[label][source_id].append(rule_id)
    labels = {}
    for rule_id, (label, source_id) in plain.items():
        alike = sources[label][source_id]
        notes = [source_id] * (len(sources[label]) > 1) + [str(alike.index(rule_id) + 1)] * (len(alike) > 1)
        labels[rule_id] = f"{label} ({', '.join(notes)})" if notes else label
    return [labels[pair.rule_id] for pair in pairs]


def make_groups(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], clusters: Clusters) -> tuple[Group, ...]:
    """All groups of a report, of each kind in the order in which their pairs first come.

    Overall are all pairs and, where there are exceptions to rules, the pairs without them and the exceptions alone.
    """
    # All verdicts, a row a pair and a column for each model and measure.
    keys = [(index, measure) for index, model in enumerate(models) for measure in model.differences]
    right = np.stack([models[index].right(measure) for index, measure in keys], axis=1)
    scored = np.stack([models[index].scored(measure) for index, measure in keys], axis=1)

    def group(kind: GroupKind, label: str, rows: NDArray[np.intp]) -> Group:
        intervals = (clustered_shares(right[rows], scored[rows], names[rows]) for names in clusters)
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
    # Each rule counts as if it had the mean number of pairs.
    counts = np.full((len(shares), 1), sums[:, 1].mean())
    (interval,) = share_intervals(shares[:, None] * counts, counts)
    return MacroAccuracy(
        value=float(shares.mean()),
        interval=interval,
        n_rules=len(shares),
        n_single=int((sums[:, 1] == 1).sum()),
        without_single=float(several.mean()) if len(several) else None,
    )
