"""Accuracy of models on groups of pairs: overall, by source, phenomenon, rule and way of construction."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.report.data.evaluations import Scored
from pairwright.report.data.score_differences import Floats, Measure
from pairwright.stats.bootstrap import (
    RESAMPLES,
    SEED,
    cluster_sums,
    distinct_columns,
    percentile_interval,
    resampled_sums,
    share_interval,
)
from pairwright.stats.intervals import Accuracy, Interval, accuracy

GroupKind = Literal["overall", "source", "phenomenon", "rule", "construction"]
# With fewer clusters the bootstrap can't tell how they vary.
FEWEST_CLUSTERS = 5
FEW = 10
# The groups of a large release are many and small; the overall figure gets the full number.
GROUP_RESAMPLES = 2_000


class Estimate(Record):
    """Accuracy with its intervals. `accuracy.interval` is Wilson's, which takes pairs as independent.

    over_rules     the cluster-bootstrap interval when other rules had been drawn; None with fewer than 2 rules
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


class Macro(Record):
    """The mean of the accuracies of the rules, each rule counted once; `interval` is the bootstrap over rules.

    n_single  rules with a single pair; `without_single` is the mean of the others, None where there is none
    """

    value: float
    interval: Interval | None
    n_rules: int
    n_single: int
    without_single: float | None


class Group(Record):
    """A group of `n_pairs` released pairs and what each model makes of it, in the order of the models.

    results  by measure; a measure is missing where no pair of the group has both scores
    """

    kind: GroupKind
    label: str
    n_pairs: int
    results: tuple[dict[Measure, Estimate], ...]

    @property
    def few(self) -> bool:
        return self.n_pairs < FEW


class Clusters(NamedTuple):
    """The rule and the family of sentences of each pair, as numbers in the order of their names."""

    rules: NDArray[np.intp]
    families: NDArray[np.intp]

    @property
    def drawn(self) -> NDArray[np.intp]:
        """What is drawn to compare models: rules, or families of sentences where there are too few rules."""
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
    """Code and title of each pair's rule, with its source where two rules would else get the same label."""
    rules: dict[str, set[str]] = defaultdict(set)
    plain = [f"{pair.rule_code} {pair.rule}".strip() for pair in pairs]
    for pair, label in zip(pairs, plain, strict=True):
        rules[label].add(pair.rule_id)
    return [
        label if len(rules[label]) == 1 else f"{label} ({pair.source_id})"
        for pair, label in zip(pairs, plain, strict=True)
    ]


def make_groups(pairs: Sequence[ReleasePair], models: Sequence[Scored], clusters: Clusters) -> tuple[Group, ...]:
    """All groups of a report, of each kind in the order in which their pairs first come.

    Overall are all pairs and, where there are exceptions to rules, the pairs without them and the exceptions alone.
    """
    everything = np.arange(len(pairs))
    chosen: list[tuple[GroupKind, str, np.ndarray]] = [("overall", "all pairs", everything)]
    exceptions = np.array([pair.exception for pair in pairs], dtype=bool)
    if exceptions.any():
        parts = (("without exceptions", everything[~exceptions]), ("exceptions alone", everything[exceptions]))
        chosen += [("overall", label, rows) for label, rows in parts if len(rows)]
    labels: list[tuple[GroupKind, Iterable[str]]] = [
        ("source", [pair.source_id for pair in pairs]),
        ("phenomenon", [pair.phenomenon for pair in pairs]),
        ("rule", rule_labels(pairs)),
        ("construction", [pair.method for pair in pairs]),
    ]
    for kind, names in labels:
        members: dict[str, list[int]] = defaultdict(list)
        for row, name in enumerate(names):
            members[name].append(row)
        chosen += [(kind, name, np.array(rows)) for name, rows in members.items()]
    verdicts = Verdicts.of(models)
    return tuple(_group(kind, label, rows, verdicts, models, clusters) for kind, label, rows in chosen)


class Verdicts(NamedTuple):
    """All verdicts, a row a pair and a column for each of `keys`, the place of a model and a measure.

    right   whether the model prefers the good sentence; `known` whether the pair has usable scores
    """

    keys: tuple[tuple[int, Measure], ...]
    right: NDArray[np.bool_]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, models: Sequence[Scored]) -> "Verdicts":
        keys = tuple((index, measure) for index, model in enumerate(models) for measure in model.margins)
        right = np.stack([models[index].right(measure) for index, measure in keys], axis=1)
        return cls(keys, right, np.stack([models[index].known(measure) for index, measure in keys], axis=1))


def _group(
    kind: GroupKind,
    label: str,
    rows: np.ndarray,
    verdicts: Verdicts,
    models: Sequence[Scored],
    clusters: Clusters,
) -> Group:
    right, known = verdicts.right[rows], verdicts.known[rows]
    n_resamples = RESAMPLES if kind == "overall" else GROUP_RESAMPLES
    over_rules, over_families = (_intervals(right, known, names[rows], n_resamples) for names in clusters)
    results: list[dict[Measure, Estimate]] = [{} for _ in models]
    for column, (index, measure) in enumerate(verdicts.keys):
        found = accuracy(models[index].margins[measure][rows[known[:, column]]])
        if found is not None:
            results[index][measure] = Estimate(
                accuracy=found,
                over_rules=over_rules[column][0],
                n_rules=over_rules[column][1],
                over_families=over_families[column][0],
                n_families=over_families[column][1],
            )
    return Group(kind=kind, label=label, n_pairs=len(rows), results=tuple(results))


def _intervals(
    right: np.ndarray, known: np.ndarray, names: np.ndarray, n_resamples: int
) -> list[tuple[Interval | None, int]]:
    """The cluster-bootstrap interval of each column of verdicts, and how many clusters it rests on."""
    n_columns = right.shape[1]
    if (names == names[0]).all():
        return [(None, int(known[:, column].any())) for column in range(n_columns)]
    counts, place = distinct_columns(known)
    sums = cluster_sums(np.concatenate([right, counts], axis=1), names)
    drawn = resampled_sums(sums, n_resamples=n_resamples, seed=SEED)
    return [
        (
            share_interval(sums[:, column], sums[:, n_columns + at], drawn[:, column], drawn[:, n_columns + at]),
            int(np.count_nonzero(sums[:, n_columns + at])),
        )
        for column, at in enumerate(place)
    ]


def macro(model: Scored, measure: Measure, rules: NDArray[np.intp]) -> Macro | None:
    """The macro-average over rules; None where the model scored no pair by this measure."""
    known, right = model.known(measure), model.right(measure)
    if not known.any():
        return None
    sums = cluster_sums(np.stack([right & known, known], axis=1), rules)
    sums = sums[sums[:, 1] > 0]
    shares: Floats = sums[:, 0] / sums[:, 1]
    several = shares[sums[:, 1] > 1]
    drawn = resampled_sums(shares[:, None], seed=SEED)[:, 0] / len(shares)
    return Macro(
        value=float(shares.mean()),
        interval=percentile_interval(drawn, len(shares)),
        n_rules=len(shares),
        n_single=int((sums[:, 1] == 1).sum()),
        without_single=float(several.mean()) if len(several) else None,
    )


def of_kind(groups: Iterable[Group], kind: GroupKind) -> tuple[Group, ...]:
    """The groups of one kind, in their order."""
    return tuple(group for group in groups if group.kind == kind)


def one_pair_groups(groups: Iterable[Group], wanted: Callable[[Group], bool] = lambda _: True) -> list[str]:
    """The labels of the groups of a single pair."""
    return [group.label for group in groups if group.n_pairs == 1 and group.kind != "overall" and wanted(group)]
