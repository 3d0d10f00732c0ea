"""People and models: who prefers the good sentences, and how well score differences agree with ratings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean

import numpy as np

from pairwright.core.records import Record, Side
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.external.judgements import HumanChoice, HumanJudgement, HumanRating
from pairwright.stats.correlation import Correlation, both_correlations
from pairwright.stats.intervals import Interval, wilson
from pairwright.stats.ratings import Preference, preferences, z_scores

ALL = "all phenomena"


class ForcedChoice(Record):
    """How often people choose the good sentence, and how often models prefer it on the very same pairs.

    share     of all choices; `interval` is Wilson's
    majority  pairs of which more than half of the choices are good, of `n_pairs`
    models    the accuracy of each model by the sum, None where it scored none of these pairs
    """

    phenomenon: str
    n_choices: int
    n_pairs: int
    share: float
    interval: Interval
    majority: int
    models: tuple[float | None, ...]


class HumanAlignment(Record):
    """How a model's score differences correlate with differences of people's mean z-scores, over pairs."""

    model: str
    measure: Measure
    phenomenon: str
    pearson: Correlation | None
    spearman: Correlation | None


class HumanPoint(Record):
    """A pair as people and a model see it: the difference of the mean z-scores, and that of the sums in nats."""

    model: str
    pair_id: str
    phenomenon: str
    people: float
    score_difference: float


class HumanResults(Record):
    """All that people said. `unknown` are judged pairs that the release lacks; no model is compared on them."""

    preferences: tuple[Preference, ...]
    choices: tuple[ForcedChoice, ...]
    alignments: tuple[HumanAlignment, ...]
    points: tuple[HumanPoint, ...]
    n_raters: int
    unknown: tuple[str, ...]


def rater_preferences(ratings: Sequence[HumanRating]) -> tuple[Preference, ...]:
    """Who prefers the good sentences of each phenomenon, in the order in which phenomena first come."""
    group_of = {(item.pair_id, item.side): item.phenomenon for item in ratings}
    good = {key for key in group_of if key[1] == "good"}
    return tuple(preferences(_by_rater(ratings), group_of, good))


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
) -> HumanResults | None:
    """Compares people with models, from ratings and choices of the pairs of a release; None without a judgement."""
    if not judgements:
        return None
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    phenomena = {pair.id: pair.phenomenon for pair in pairs}
    completed = [
        item if item.phenomenon else item.model_copy(update={"phenomenon": phenomena.get(item.pair_id, "unknown")})
        for item in judgements
    ]
    ratings = [item for item in completed if isinstance(item, HumanRating)]
    choices = [item for item in completed if isinstance(item, HumanChoice)]
    people = {pair_id: value for pair_id, value in rating_differences(ratings).items() if pair_id in rows}
    points = [
        HumanPoint(
            model=model.label,
            pair_id=pair_id,
            phenomenon=phenomena[pair_id],
            people=value,
            score_difference=difference,
        )
        for model in models
        for pair_id, value in people.items()
        if np.isfinite(difference := float(model.differences["sum"][rows[pair_id]]))
    ]
    return HumanResults(
        preferences=rater_preferences(ratings),
        choices=_choices(choices, rows, models),
        alignments=tuple(_alignments(models, rows, people, phenomena)),
        points=tuple(points),
        n_raters=len({item.rater for item in completed}),
        unknown=tuple(dict.fromkeys(item.pair_id for item in completed if item.pair_id not in rows)),
    )


def _alignments(
    models: Sequence[ScoredModel], rows: Mapping[str, int], people: Mapping[str, float], phenomena: Mapping[str, str]
) -> Iterator[HumanAlignment]:
    groups = {ALL: list(people)} if people else {}
    for pair_id in people:
        groups.setdefault(phenomena[pair_id], []).append(pair_id)
    for model, (phenomenon, pair_ids) in product(models, groups.items()):
        for measure, differences in model.differences.items():
            scored = [pair_id for pair_id in pair_ids if np.isfinite(differences[rows[pair_id]])]
            x = [people[pair_id] for pair_id in scored]
            pearson, spearman = both_correlations(x, [float(differences[rows[pair_id]]) for pair_id in scored])
            yield HumanAlignment(
                model=model.label, measure=measure, phenomenon=phenomenon, pearson=pearson, spearman=spearman
            )


def _choices(
    choices: Sequence[HumanChoice], rows: Mapping[str, int], models: Sequence[ScoredModel]
) -> tuple[ForcedChoice, ...]:
    groups: dict[str, list[HumanChoice]] = defaultdict(list)
    for item in choices:
        groups[item.phenomenon].append(item)
    if len(groups) > 1:
        groups = {ALL: list(choices), **groups}
    return tuple(_forced_choice(name, own, rows, models) for name, own in groups.items())


def _forced_choice(
    phenomenon: str, choices: Sequence[HumanChoice], rows: Mapping[str, int], models: Sequence[ScoredModel]
) -> ForcedChoice:
    by_pair: dict[str, list[bool]] = defaultdict(list)
    for item in choices:
        by_pair[item.pair_id].append(item.choice == "good")
    right = sum(item.choice == "good" for item in choices)
    judged = np.array([rows[pair_id] for pair_id in by_pair if pair_id in rows], dtype=int)
    scored = [judged[model.scored("sum")[judged]] for model in models]
    return ForcedChoice(
        phenomenon=phenomenon,
        n_choices=len(choices),
        n_pairs=len(by_pair),
        share=right / len(choices),
        interval=wilson(right, len(choices)),
        majority=sum(sum(votes) * 2 > len(votes) for votes in by_pair.values()),
        models=tuple(
            float(model.right("sum")[own].mean()) if len(own) else None
            for model, own in zip(models, scored, strict=True)
        ),
    )
