"""Paradigms: each model's accuracy by condition, and how far it is from the baseline of the same paradigms."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
from pandas import DataFrame

from pairwright.core.records import BASELINE
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.comparisons import COMPARED, tested
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS, Row, ends
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.stats.intervals import accuracy
from pairwright.stats.paired import paired_test

# The canonical order of Turkish first, as in the tables of TurBLiMP.
ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")


def in_order(conditions: Iterable[str]) -> list[str]:
    """Conditions as tables have them: the baseline, then orders in the order of papers, then others by name."""
    return sorted(
        set(conditions),
        key=lambda it: (it != BASELINE, ORDERS.index(it) if it in ORDERS else len(ORDERS), it),
    )


def compare_conditions(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel]) -> DataFrame:
    """Models in the conditions of paradigms; without a row where no pair has a condition.

    By model, measure, phenomenon and condition: the accuracy with Wilson's interval and, on the paradigms that have
    both, the test of the condition against the baseline (`difference`, `n_both`, `only_condition`, `only_baseline`,
    p). Paradigms of one rule are dependent where there are enough rules.

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
    phenomena, names = (dict.fromkeys(own) for own in (zip(*places, strict=True) if places else ((), ())))
    rows: list[Row] = []
    for model, measure, phenomenon, name in product(models, COMPARED, phenomena, in_order(names)):
        cell = places.get((phenomenon, name), {})
        compared = cell.items() if name != BASELINE else ()
        both = [(row, baselines[paradigm]) for paradigm, row in compared if paradigm in baselines]
        if numbers := _result(model.differences[measure], list(cell.values()), both, pairs):
            named = {"model": model.label, "measure": measure, "phenomenon": phenomenon, "condition": name}
            rows.append({**named, **numbers})
    return DataFrame(rows)


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
