"""Paradigms: each model's accuracy by condition, and how far it is from the baseline of the same paradigms."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import BASELINE, Record
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.human import rater_preferences
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.external.judgements import HumanJudgement, HumanRating
from pairwright.stats.intervals import Accuracy, accuracy
from pairwright.stats.paired import PairedTest, paired_test
from pairwright.stats.ratings import Preference

ConditionKind = Literal["word order", "subordination"]
MEASURES: tuple[Measure, ...] = ("sum", "mean")
# The canonical order of Turkish first, as in the tables of TurBLiMP.
_ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")


class ConditionResult(Record):
    """A model on the pairs of one phenomenon in one condition.

    accuracy  on all of these pairs
    test      the condition against the baseline, on the paradigms that have both: `difference` is the accuracy in the
              condition minus that in the baseline. Paradigms of one rule are dependent where there are enough rules.
              None for the baseline itself, and without such a paradigm
    """

    model: str
    measure: Measure
    phenomenon: str
    condition: str
    accuracy: Accuracy
    test: PairedTest | None


class ConditionGroup(Record):
    """Conditions of one kind: what models and people make of them. The baseline comes first where there is one.

    people  raters by phenomenon and condition. Ratings of orders are z-scored by themselves, others with the baseline
    """

    kind: ConditionKind
    conditions: tuple[str, ...]
    phenomena: tuple[str, ...]
    results: tuple[ConditionResult, ...]
    people: dict[str, dict[str, Preference]]


def kind_of(condition: str) -> ConditionKind:
    """Word order where the condition is an order of S, O and V; else subordination."""
    return "word order" if condition in _ORDERS else "subordination"


def compare_conditions(
    pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], judgements: Sequence[HumanJudgement] = ()
) -> tuple[ConditionGroup, ...]:
    """The results of models and raters by condition; empty where neither a pair nor a rating has one.

    A paradigm's baseline is the pair whose id it has; of pairs that nobody released, the one with that condition.

    Source: Başar, Padovani, Jumelet and Bisazza (2025), TurBLiMP: A Turkish Benchmark of Linguistic Minimal Pairs.
    """
    rows: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    baselines: dict[str, int] = {}
    for row, pair in enumerate(pairs):
        if pair.condition and pair.paradigm_id:
            rows[pair.phenomenon, pair.condition][pair.paradigm_id] = row
            if pair.condition == BASELINE or pair.id == pair.paradigm_id:
                baselines[pair.paradigm_id] = row
    for paradigm, row in baselines.items():
        rows[pairs[row].phenomenon, BASELINE][paradigm] = row
    condition_of = {pair.id: pair.condition or "" for pair in pairs}
    ratings = [
        item.model_copy(update={"condition": item.condition or condition_of.get(item.pair_id, "")})
        for item in judgements
        if isinstance(item, HumanRating)
    ]
    rules = np.array([pair.rule_id for pair in pairs])
    kinds: tuple[ConditionKind, ...] = ("word order", "subordination")
    groups = (_group(kind, rows, baselines, rules, models, ratings) for kind in kinds)
    return tuple(group for group in groups if len(group.conditions) > 1)


def _group(
    kind: ConditionKind,
    rows: Mapping[tuple[str, str], Mapping[str, int]],
    baselines: Mapping[str, int],
    rules: NDArray[np.str_],
    models: Sequence[ScoredModel],
    ratings: Iterable[HumanRating],
) -> ConditionGroup:
    own = [item for item in ratings if item.condition and kind_of(item.condition) == kind]
    named = dict.fromkeys(condition for _, condition in rows) | dict.fromkeys(item.condition for item in own)
    conditions = (BASELINE, *sorted((name for name in named if name != BASELINE and kind_of(name) == kind), key=_place))
    phenomena = tuple(dict.fromkeys(phenomenon for phenomenon, condition in rows if condition in conditions[1:]))
    cells = [cell for cell in product(phenomena, conditions) if rows.get(cell)]
    return ConditionGroup(
        kind=kind,
        conditions=conditions,
        phenomena=phenomena,
        results=tuple(
            result
            for model, measure, cell in product(models, MEASURES, cells)
            if measure in model.differences and (result := _result(model, measure, cell, rows[cell], baselines, rules))
        ),
        people=_people(own),
    )


def _place(condition: str) -> tuple[int, str]:
    return (_ORDERS.index(condition) if condition in _ORDERS else len(_ORDERS)), condition


def _result(
    model: ScoredModel,
    measure: Measure,
    cell: tuple[str, str],
    row_of: Mapping[str, int],
    baselines: Mapping[str, int],
    rules: NDArray[np.str_],
) -> ConditionResult | None:
    differences, right = model.differences[measure], model.right(measure)
    here = np.array(list(row_of.values()), dtype=np.intp)
    estimate = accuracy(differences[here][np.isfinite(differences[here])])
    if estimate is None:
        return None
    both = [(row, baselines[paradigm]) for paradigm, row in row_of.items() if paradigm in baselines]
    shared = np.array(both if cell[1] != BASELINE else [], dtype=np.intp).reshape(-1, 2)
    shared = shared[np.isfinite(differences[shared]).all(axis=1)]
    few_rules = len(np.unique(rules[shared[:, 0]])) < FEWEST_CLUSTERS
    clusters = np.arange(len(shared)) if few_rules else rules[shared[:, 0]]
    phenomenon, condition = cell
    return ConditionResult(
        model=model.label,
        measure=measure,
        phenomenon=phenomenon,
        condition=condition,
        accuracy=estimate,
        test=paired_test(right[shared[:, 0]], right[shared[:, 1]], clusters) if len(shared) else None,
    )


def _people(ratings: Sequence[HumanRating]) -> dict[str, dict[str, Preference]]:
    names = {f"{item.phenomenon}\t{item.condition}": (item.phenomenon, item.condition) for item in ratings}
    labelled = [item.model_copy(update={"phenomenon": f"{item.phenomenon}\t{item.condition}"}) for item in ratings]
    people: dict[str, dict[str, Preference]] = {}
    for preference in rater_preferences(labelled):
        phenomenon, condition = names[preference.group]
        people.setdefault(phenomenon, {})[condition] = preference.model_copy(update={"group": condition})
    return people
