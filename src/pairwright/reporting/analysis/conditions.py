"""Paradigms: each model's accuracy by condition, and how far it is from the baseline of the same paradigms."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Literal

import numpy as np
from pandas import DataFrame

from pairwright.core.records import BASELINE
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.comparisons import COMPARED
from pairwright.reporting.analysis.frames import Row, ends, rows_of, tested
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.people import rater_preferences
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.external.judgements import HumanJudgement, HumanRating
from pairwright.stats.intervals import accuracy
from pairwright.stats.paired import paired_test

ConditionKind = Literal["word order", "subordination"]
KINDS: tuple[ConditionKind, ...] = ("word order", "subordination")
# The canonical order of Turkish first, as in the tables of TurBLiMP.
_ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")


def kind_of(condition: str) -> ConditionKind:
    """Word order where the condition is an order of S, O and V; else subordination."""
    return "word order" if condition in _ORDERS else "subordination"


def in_order(conditions: Iterable[str]) -> list[str]:
    """Conditions as tables have them: the baseline, then orders in the order of papers, then others by name."""
    return sorted(
        set(conditions),
        key=lambda it: (it != BASELINE, _ORDERS.index(it) if it in _ORDERS else len(_ORDERS), it),
    )


def compare_conditions(
    pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], judgements: Sequence[HumanJudgement] = ()
) -> dict[str, DataFrame]:
    """The frames `conditions` and `rated_conditions`; both empty where neither a pair nor a rating has a condition.

    conditions  by kind, model, measure, phenomenon and condition: the accuracy with Wilson's interval and, on the
                paradigms that have both, the test of the condition against the baseline (`difference`, `n_both`,
                `only_condition`, `only_baseline`, p). Paradigms of one rule are dependent where there are enough rules
    rated_conditions  who prefers the good sentences, by kind, phenomenon and condition. Ratings of orders are z-scored
                by themselves, others with the baseline

    A paradigm's baseline is the pair whose id it has; of pairs that nobody released, the one with that condition.

    Source: Başar, Padovani, Jumelet and Bisazza (2025), TurBLiMP: A Turkish Benchmark of Linguistic Minimal Pairs.
    """
    places: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    baselines: dict[str, int] = {}
    for row, pair in enumerate(pairs):
        if pair.condition and pair.paradigm_id:
            places[pair.phenomenon, pair.condition][pair.paradigm_id] = row
            if pair.condition == BASELINE or pair.id == pair.paradigm_id:
                baselines[pair.paradigm_id] = row
    for paradigm, row in baselines.items():
        places[pairs[row].phenomenon, BASELINE][paradigm] = row
    condition_of = {pair.id: pair.condition or "" for pair in pairs}
    ratings = [
        item.model_copy(update={"condition": item.condition or condition_of.get(item.pair_id, "")})
        for item in judgements
        if isinstance(item, HumanRating)
    ]
    results: list[Row] = []
    rated: list[Row] = []
    for kind in KINDS:
        own = [item for item in ratings if item.condition and kind_of(item.condition) == kind]
        names = in_order(it for it in (*(name for _, name in places), *(item.condition for item in own)) if it)
        names = [it for it in names if it == BASELINE or kind_of(it) == kind]
        if not set(names) - {BASELINE}:
            continue
        phenomena = dict.fromkeys(phenomenon for phenomenon, name in places if name != BASELINE and name in names)
        for model, measure, phenomenon, name in product(models, COMPARED, phenomena, names):
            if cell := places.get((phenomenon, name)):
                named = {"kind": kind, "model": model.label, "measure": measure, "phenomenon": phenomenon}
                compared = cell.items() if name != BASELINE else ()
                both = [(row, baselines[paradigm]) for paradigm, row in compared if paradigm in baselines]
                numbers = _result(model.differences[measure], list(cell.values()), both, pairs)
                results += [{**named, "condition": name, **numbers}] if numbers else []
        # Grouped by both, which a tab keeps apart.
        cells = {f"{it.phenomenon}\t{it.condition}": (it.phenomenon, it.condition) for it in own}
        labelled = [it.model_copy(update={"phenomenon": f"{it.phenomenon}\t{it.condition}"}) for it in own]
        for shares in rows_of(rater_preferences(labelled)):
            phenomenon, condition = cells[shares["phenomenon"]]
            rated.append({"kind": kind, **shares, "phenomenon": phenomenon, "condition": condition})
    return {"conditions": DataFrame(results), "rated_conditions": DataFrame(rated)}


def _result(
    differences: np.ndarray, rows: list[int], both: list[tuple[int, int]], pairs: Sequence[ReleasePair]
) -> Row | None:
    """A model in one condition; `both` are the pairs of each paradigm in this condition and in the baseline."""
    estimate = accuracy(differences[rows][np.isfinite(differences[rows])])
    if estimate is None:
        return None
    numbers = estimate.model_dump(exclude={"interval"})
    numbers |= {"accuracy": estimate.value, **ends("accuracy", estimate.interval)}
    shared = np.array(both, dtype=np.intp).reshape(-1, 2)
    shared = shared[np.isfinite(differences[shared]).all(axis=1)]
    if not len(shared):
        return numbers
    rules = np.array([pairs[row].rule_id for row, _ in shared])
    clusters = np.arange(len(shared)) if len(np.unique(rules)) < FEWEST_CLUSTERS else rules
    here, baseline = (differences[shared] > 0).T
    test = tested(paired_test(here, baseline, clusters))
    names = {"n": "n_both", "only_a": "only_condition", "only_b": "only_baseline"}
    return numbers | {names.get(name, name): value for name, value in test.items()}
