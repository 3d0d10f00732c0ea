"""Accuracy of models on groups of pairs: overall, by source, phenomenon, rule and method of construction."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame, factorize

from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.frames import Row, ends
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.stats.bootstrap import Floats, cluster_sums
from pairwright.stats.clustered import clustered_shares, share_intervals
from pairwright.stats.intervals import Accuracy, Interval, accuracy

GroupKind = Literal["overall", "source", "phenomenon", "rule", "construction"]
# With fewer clusters nothing tells how they vary.
FEWEST_CLUSTERS = 5
FEW = 10
_COLUMNS = ("kind", "group", "n_pairs", "model", "measure", "n", "correct", "ties", "accuracy")


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
    names = [pair.rule_id for pair in pairs], [root(pair.sentence_good) for pair in pairs]
    return Clusters(*(factorize(np.array(own, dtype=object), sort=True)[0] for own in names))


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


def group_accuracies(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], clusters: Clusters) -> DataFrame:
    """The accuracy of each model by each measure on each group, of a kind in the order in which their pairs first come.

    Overall are all pairs and, where there are exceptions to rules, the pairs without them and the exceptions alone. A
    group of `n_pairs` has no row for a model that scored none of them. The interval of `accuracy` is the one that a
    report shows: over rules, else over families of sentences that hold several pairs, else Wilson's, which takes pairs
    as independent; `basis` says which (rules, families, pairs), and the three are in columns of their own.
    """
    keys = [(model, measure) for model in models for measure in model.differences]
    right = np.stack([model.right(measure) for model, measure in keys], axis=1)
    scored = np.stack([model.scored(measure) for model, measure in keys], axis=1)
    rows: list[Row] = []
    for (kind, label), members in _members(pairs).items():
        own = np.array(members)
        by_rule, by_family = (clustered_shares(right[own], scored[own], names[own]) for names in clusters)
        for (model, measure), is_scored, *over in zip(keys, scored[own].T, by_rule, by_family, strict=True):
            estimate = accuracy(model.differences[measure][own[is_scored]])
            if estimate is not None:
                named = {"kind": kind, "group": label, "n_pairs": len(own), "model": model.label, "measure": measure}
                rows.append(named | _estimate(estimate, *over))
    return DataFrame(rows, columns=None if rows else list(_COLUMNS))


def _estimate(
    found: Accuracy, over_rules: tuple[Interval | None, int], over_families: tuple[Interval | None, int]
) -> Row:
    (rules, n_rules), (families, n_families) = over_rules, over_families
    interval, basis = found.interval, "pairs"
    if rules is not None and n_rules >= FEWEST_CLUSTERS:
        interval, basis = rules, "rules"
    elif families is not None and FEWEST_CLUSTERS <= n_families < found.n:
        interval, basis = families, "families"
    counts = {"n": found.n, "correct": found.correct, "ties": found.ties, "accuracy": found.value}
    others = {**ends("wilson", found.interval), **ends("rules", rules), **ends("families", families)}
    numbers = {"basis": basis, "n_rules": n_rules, "n_families": n_families}
    return {**counts, **ends("accuracy", interval), **numbers, **others}


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


def rule_means(models: Sequence[ScoredModel], rules: NDArray[np.intp]) -> DataFrame:
    """By model and measure the mean of the accuracies of the rules, each rule counted once.

    The interval has it had other rules been chosen. `n_single` rules have a single pair; `without_single` is the mean
    of the others, missing where there is none.
    """
    rows: list[Row] = []
    for model, measure in ((it, measure) for it in models for measure in it.differences):
        scored = model.scored(measure)
        sums = cluster_sums(np.stack([model.right(measure), scored], axis=1), rules)
        sums = sums[sums[:, 1] > 0]
        if not len(sums):
            continue
        shares: Floats = sums[:, 0] / sums[:, 1]
        several = shares[sums[:, 1] > 1]
        # Each rule counts as if it had the mean number of pairs.
        counts = np.full((len(shares), 1), sums[:, 1].mean())
        (interval,) = share_intervals(shares[:, None] * counts, counts)
        numbers = {"accuracy": float(shares.mean()), **ends("accuracy", interval), "n_rules": len(shares)}
        single = {"n_single": len(shares) - len(several), "without_single": several.mean() if len(several) else None}
        rows.append({"model": model.label, "measure": measure, **numbers, **single})
    return DataFrame(rows, columns=None if rows else ["model", "measure", "accuracy"])
