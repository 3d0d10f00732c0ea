"""People and models: who prefers the good sentences, and how well score differences agree with ratings."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
from pandas import DataFrame

from pairwright.core.records import Side
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.groups import Row, ends
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.external import HumanChoice, HumanJudgement, HumanRating
from pairwright.stats.correlation import both_correlations
from pairwright.stats.intervals import wilson
from pairwright.stats.ratings import preferences, z_scores

ALL = "all phenomena"


def rater_preferences(ratings: Sequence[HumanRating]) -> DataFrame:
    """Who prefers the good sentences of each phenomenon, in the order in which phenomena first come.

    The columns are the fields of `stats.ratings.Preference`, its group as `phenomenon`, and the `share` that prefers.
    """
    group_of = {(item.pair_id, item.side): item.phenomenon for item in ratings}
    good = {key for key in group_of if key[1] == "good"}
    rows = [
        {"phenomenon": it.group, "share": it.n_prefer / it.n_raters if it.n_raters else None}
        | it.model_dump(exclude={"group"})
        for it in preferences(_by_rater(ratings), group_of, good)
    ]
    return DataFrame(rows)


def _by_rater(ratings: Sequence[HumanRating]) -> dict[str, dict[tuple[str, Side], float]]:
    by_rater: dict[str, dict[tuple[str, Side], float]] = defaultdict(dict)
    for item in ratings:
        by_rater[item.rater][item.pair_id, item.side] = item.rating
    return by_rater


def rating_differences(ratings: Sequence[HumanRating]) -> dict[str, float]:
    """Per pair the mean z-score of its good sentence minus that of the bad one; only pairs with both rated."""
    scores: dict[tuple[str, Side], list[float]] = defaultdict(list)
    for own in z_scores(_by_rater(ratings)).values():
        for key, score in own.items():
            scores[key].append(score)
    return {
        pair_id: fmean(scores[pair_id, "good"]) - fmean(scores[pair_id, "bad"])
        for pair_id in dict.fromkeys(item.pair_id for item in ratings)
        if (pair_id, "good") in scores and (pair_id, "bad") in scores
    }


def compare_people(
    pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], judgements: Sequence[HumanJudgement]
) -> dict[str, DataFrame]:
    """Frames that compare people with models, from ratings and choices of the pairs of a release.

    people       one row: the number of raters, and the judged pairs that the release lacks, which are not compared
    preferences  see `rater_preferences`
    choices      by phenomenon how often people choose the good sentence (`share`, with Wilson's interval), and of how
                 many of `n_pairs` more than half of the choices are good (`majority`)
    choices_by_model  the accuracy of each model by sum_logprob on those very pairs, missing where it scored none
    alignment    by model, measure and phenomenon: score differences correlated with differences of mean z-scores
    """
    if not judgements:
        return {}
    rows, phenomena = {pair.id: row for row, pair in enumerate(pairs)}, {pair.id: pair.phenomenon for pair in pairs}
    completed = [
        item if item.phenomenon else item.model_copy(update={"phenomenon": phenomena.get(item.pair_id, "unknown")})
        for item in judgements
    ]
    ratings = [item for item in completed if isinstance(item, HumanRating)]
    rated = {pair_id: value for pair_id, value in rating_differences(ratings).items() if pair_id in rows}
    groups = {ALL: list(rated)} if rated else {}
    for pair_id in rated:
        groups.setdefault(phenomena[pair_id], []).append(pair_id)
    alignment: list[Row] = []
    for model, (phenomenon, pair_ids) in product(models, groups.items()):
        for measure, differences in model.differences.items():
            own = [pair_id for pair_id in pair_ids if np.isfinite(differences[rows[pair_id]])]
            row: Row = {"model": model.label, "measure": measure, "phenomenon": phenomenon, "n": len(own)}
            both = both_correlations([rated[it] for it in own], [float(differences[rows[it]]) for it in own])
            for name, found in zip(("pearson", "spearman"), both, strict=True):
                row |= {name: found.value if found else None, **ends(name, found.interval if found else None)}
                row[f"{name}_p"] = found.p if found else None
            alignment.append(row)
    unknown = list(dict.fromkeys(item.pair_id for item in completed if item.pair_id not in rows))
    return {
        "people": DataFrame([{"n_raters": len({item.rater for item in completed}), "unknown": unknown}]),
        "preferences": rater_preferences(ratings),
        "alignment": DataFrame(alignment),
        **_choices([item for item in completed if isinstance(item, HumanChoice)], rows, models),
    }


def _choices(
    choices: Sequence[HumanChoice], rows: dict[str, int], models: Sequence[ScoredModel]
) -> dict[str, DataFrame]:
    groups: dict[str, list[HumanChoice]] = defaultdict(list)
    for item in choices:
        groups[item.phenomenon].append(item)
    if len(groups) > 1:
        groups = {ALL: list(choices), **groups}
    people: list[Row] = []
    by_model: list[Row] = []
    for phenomenon, own in groups.items():
        by_pair: dict[str, list[bool]] = defaultdict(list)
        for item in own:
            by_pair[item.pair_id].append(item.choice == "good")
        right, judged = sum(item.choice == "good" for item in own), [rows[it] for it in by_pair if it in rows]
        named: dict[str, Any] = {"phenomenon": phenomenon, "n_choices": len(own), "n_pairs": len(by_pair)}
        shares = {"share": right / len(own), **ends("share", wilson(right, len(own)))}
        people.append({**named, **shares, "majority": sum(sum(votes) * 2 > len(votes) for votes in by_pair.values())})
        for model in models:
            verdicts = model.right("sum_logprob")[judged][model.scored("sum_logprob")[judged]]
            share = float(verdicts.mean()) if len(verdicts) else None
            by_model.append({"phenomenon": phenomenon, "model": model.label, "accuracy": share})
    return {"choices": DataFrame(people), "choices_by_model": DataFrame(by_model)}
