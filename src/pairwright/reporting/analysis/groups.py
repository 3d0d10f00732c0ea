"""Accuracy of models on groups of pairs: overall, by source, phenomenon, rule and method of construction."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame, factorize

from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data import ScoredModel
from pairwright.stats.bootstrap import Floats, cluster_sums, clustered_shares, share_intervals
from pairwright.stats.intervals import Interval, accuracy

Row = dict[str, Any]
"""A row of a frame. Each analysis returns one frame; an interval of `x` is in its columns `x_low` and `x_high`."""

# With fewer clusters nothing tells how they vary.
FEWEST_CLUSTERS = 5
FEW = 10
RESULTS = ("measure", "n", "correct", "ties", "accuracy", "low", "high", "interval", "level")
_COLUMNS = ("kind", "group", "n_pairs", "model", "measure", "n", "correct", "ties", "accuracy")


def rows_of(frame: DataFrame) -> list[Row]:
    """The rows of a frame; what is missing is None."""
    rows: list[Row] = frame.astype(object).where(frame.notna(), None).to_dict("records")  # type: ignore[assignment]
    return rows


def ends(name: str, interval: Interval | None) -> Row:
    """The ends of the 95% interval of a column; None where there is no interval."""
    return {f"{name}_low": interval.low if interval else None, f"{name}_high": interval.high if interval else None}


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


def group_accuracies(
    pairs: Sequence[ReleasePair],
    models: Sequence[ScoredModel],
    clusters: Clusters,
    columns: Mapping[str, Sequence[str]] | None = None,
) -> DataFrame:
    """The accuracy of each model by each measure on each group, of a kind in the order in which their pairs first come.

    Overall are all pairs and, where there are exceptions to rules, the pairs without them and the exceptions alone. A
    group of `n_pairs` has no row for a model that scored none of them. Other columns are as `estimates` gives them.

    columns  by name, the values of other columns that group the pairs, in place of source, phenomenon, rule and method
    """
    keys = [(model, measure) for model in models for measure in model.differences]
    differences = np.stack([model.differences[measure] for model, measure in keys], axis=1)
    rows: list[Row] = []
    for (kind, label), members in _members(pairs, columns).items():
        found = estimates(differences[members], {name: own[members] for name, own in clusters._asdict().items()})
        for (model, measure), row in zip(keys, found, strict=True):
            if row is not None:
                named = {"kind": kind, "group": label, "n_pairs": len(members), "model": model.label}
                rows.append({**named, "measure": measure, **row})
    return DataFrame(rows, columns=None if rows else list(_COLUMNS))


def as_result(measure: object, found: Row | None) -> Row:
    """An estimate in a table for people: `interval` is `wilson` or `clustered`, `level` its confidence."""
    if found is None:
        return {"measure": measure, "n": 0, "correct": 0, "ties": 0, "level": 0.95}
    row = {"measure": measure} | {name: found[name] for name in ("n", "correct", "ties", "accuracy")}
    interval = "wilson" if found["basis"] == "pairs" else "clustered"
    return row | {"low": found["accuracy_low"], "high": found["accuracy_high"], "interval": interval, "level": 0.95}


def estimates(differences: Floats, clusters: Mapping[str, NDArray[Any]]) -> Iterator[Row | None]:
    """The accuracy of each column of score differences, one row a pair; None for a column without a finite one.

    The interval of `accuracy` is the one that a report shows: over the first of some kinds of clusters with enough of
    them, but over `families` of sentences only where some hold several pairs; else Wilson's, which takes pairs as
    independent. `basis` says which (pairs for Wilson's), and all are in columns of their own.
    """
    scored = np.isfinite(differences)
    over = {name: clustered_shares(differences > 0, scored, own) for name, own in clusters.items()}
    for number, (column, is_scored) in enumerate(zip(differences.T, scored.T, strict=True)):
        found = accuracy(column[is_scored])
        if found is None:
            yield None
            continue
        interval, basis = found.interval, "pairs"
        for name, (own, n_clusters) in reversed([(name, shares[number]) for name, shares in over.items()]):
            if own is not None and n_clusters >= FEWEST_CLUSTERS and (name != "families" or n_clusters < found.n):
                interval, basis = own, name
        row: Row = {"n": found.n, "correct": found.correct, "ties": found.ties, "accuracy": found.value}
        row |= {**ends("accuracy", interval), "basis": basis}
        row |= {f"n_{name}": shares[number][1] for name, shares in over.items()} | ends("wilson", found.interval)
        for name, shares in over.items():
            row |= ends(name, shares[number][0])
        yield row


def _members(
    pairs: Sequence[ReleasePair], columns: Mapping[str, Sequence[str]] | None
) -> dict[tuple[str, str], list[int]]:
    """The places of the pairs of each group."""
    members: dict[tuple[str, str], list[int]] = {("overall", "all pairs"): list(range(len(pairs)))}
    if any(pair.exception for pair in pairs):
        for row in sorted(range(len(pairs)), key=lambda row: pairs[row].exception):
            label = "exceptions alone" if pairs[row].exception else "without exceptions"
            members.setdefault(("overall", label), []).append(row)
    if columns is None:
        columns = {
            "source": [pair.source_id for pair in pairs],
            "phenomenon": [pair.phenomenon for pair in pairs],
            "rule": rule_labels(pairs),
            "construction": [pair.method for pair in pairs],
        }
    for kind, names in columns.items():
        for row, name in enumerate(names):
            # Pairs of files may have no rules.
            if name or kind != "rule":
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
