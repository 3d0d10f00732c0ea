"""People beside models: who prefers the acceptable sentence, and how well scores go with ratings."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np

from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.report.data.evaluations import Scored
from pairwright.report.data.score_differences import Measure
from pairwright.report.external.judgements import Choice, Judgement, Rating
from pairwright.stats.human import Correlation, correlation, z_scores
from pairwright.stats.intervals import Interval, wilson

ALL = "all phenomena"


class Preference(Record):
    """What the raters of a phenomenon make of it.

    n_raters      raters who rated both an acceptable and an unacceptable sentence of it
    n_prefer      those whose mean rating of the acceptable ones is higher; `n_tied` those with equal means
    difference    the mean over raters of the z-score of acceptable minus that of unacceptable sentences, with its
                  standard error; None where no rater has one
    """

    phenomenon: str
    n_raters: int
    n_prefer: int
    n_tied: int
    n_ratings: int
    difference: float | None
    standard_error: float | None


class ForcedChoice(Record):
    """How often people take the acceptable sentence, and how often the models do on the very same pairs.

    share     of all choices; `interval` is Wilson's
    majority  pairs in which more than half of the people take it, of `n_pairs`
    models    the accuracy of each model by the sum, None where it scored none of these pairs
    """

    phenomenon: str
    n_choices: int
    n_pairs: int
    share: float
    interval: Interval
    majority: int
    models: tuple[float | None, ...]


class Alignment(Record):
    """How a model's margins go with the differences of people's mean z-scores, over the pairs of a phenomenon."""

    model: str
    measure: Measure
    phenomenon: str
    pearson: Correlation | None
    spearman: Correlation | None


class Point(Record):
    """A pair as people and a model see it: the difference of the mean z-scores, and the model's margin by the sum."""

    model: str
    pair_id: str
    phenomenon: str
    people: float
    margin: float


class Human(Record):
    """All that people said. `unknown` are judged pairs that the release lacks; they count among the people alone."""

    preferences: tuple[Preference, ...]
    choices: tuple[ForcedChoice, ...]
    alignments: tuple[Alignment, ...]
    points: tuple[Point, ...]
    n_raters: int
    unknown: tuple[str, ...]


def preferences(ratings: Sequence[Rating]) -> tuple[Preference, ...]:
    """Preference and mean z-difference per phenomenon, in the order in which phenomena first come."""
    raters = {name: row for row, name in enumerate(dict.fromkeys(item.rater for item in ratings))}
    items = {key: column for column, key in enumerate(dict.fromkeys((item.pair_id, item.side) for item in ratings))}
    raw = np.full((len(raters), len(items)), np.nan)
    for item in ratings:
        raw[raters[item.rater], items[item.pair_id, item.side]] = item.rating
    scored = z_scores(raw)
    columns: dict[str, dict[str, set[int]]] = defaultdict(lambda: {"good": set(), "bad": set()})
    for item in ratings:
        columns[item.phenomenon][item.side].add(items[item.pair_id, item.side])
    return tuple(_preference(name, raw, scored, sides) for name, sides in columns.items())


def _preference(name: str, raw: np.ndarray, scored: np.ndarray, sides: Mapping[str, set[int]]) -> Preference:
    good, bad = sorted(sides["good"]), sorted(sides["bad"])
    gaps = _row_means(raw[:, good]) - _row_means(raw[:, bad])
    differences = _row_means(scored[:, good]) - _row_means(scored[:, bad])
    known = differences[np.isfinite(differences)]
    return Preference(
        phenomenon=name,
        n_raters=int(np.isfinite(gaps).sum()),
        n_prefer=int((gaps[np.isfinite(gaps)] > 0).sum()),
        n_tied=int((gaps[np.isfinite(gaps)] == 0).sum()),
        n_ratings=int(np.isfinite(raw[:, good + bad]).sum()),
        difference=float(known.mean()) if len(known) else None,
        standard_error=float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else None,
    )


def _row_means(table: np.ndarray) -> np.ndarray:
    given = np.isfinite(table)
    with np.errstate(invalid="ignore"):
        result: np.ndarray = np.where(given, table, 0.0).sum(axis=1) / given.sum(axis=1)
    return result


def pair_differences(ratings: Sequence[Rating]) -> dict[str, float]:
    """Per pair the mean z-score of its acceptable sentence minus that of the other; only pairs with both rated."""
    raters = {name: row for row, name in enumerate(dict.fromkeys(item.rater for item in ratings))}
    held: dict[str, list[Rating]] = defaultdict(list)
    for item in ratings:
        held[item.rater].append(item)
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for rater in raters:
        own = z_scores(np.array([[item.rating for item in held[rater]]]))[0]
        for item, value in zip(held[rater], own, strict=True):
            if np.isfinite(value):
                scores[item.pair_id, item.side].append(float(value))
    return {
        pair_id: float(np.mean(scores[pair_id, "good"]) - np.mean(scores[pair_id, "bad"]))
        for pair_id in dict.fromkeys(item.pair_id for item in ratings)
        if scores.get((pair_id, "good")) and scores.get((pair_id, "bad"))
    }


def align(pairs: Sequence[ReleasePair], models: Sequence[Scored], judgements: Sequence[Judgement]) -> Human | None:
    """People beside models, from ratings and choices of the pairs of a release; None without a judgement."""
    if not judgements:
        return None
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    named = [
        item.model_copy(update={"phenomenon": item.phenomenon or _phenomenon(pairs, rows, item.pair_id)})
        for item in judgements
    ]
    ratings = [item for item in named if isinstance(item, Rating)]
    choices = [item for item in named if isinstance(item, Choice)]
    people = {pair_id: value for pair_id, value in pair_differences(ratings).items() if pair_id in rows}
    return Human(
        preferences=preferences(ratings) if ratings else (),
        choices=_choices(choices, rows, models),
        alignments=tuple(_alignments(pairs, rows, models, people)),
        points=tuple(_points(pairs, rows, models, people)),
        n_raters=len({item.rater for item in named}),
        unknown=tuple(dict.fromkeys(item.pair_id for item in named if item.pair_id not in rows)),
    )


def _phenomenon(pairs: Sequence[ReleasePair], rows: Mapping[str, int], pair_id: str) -> str:
    return pairs[rows[pair_id]].phenomenon if pair_id in rows else "unknown"


def _alignments(
    pairs: Sequence[ReleasePair], rows: Mapping[str, int], models: Sequence[Scored], people: Mapping[str, float]
) -> list[Alignment]:
    phenomena = [ALL, *dict.fromkeys(pairs[rows[pair_id]].phenomenon for pair_id in people)]
    found = []
    for model, phenomenon in product(models, phenomena if people else []):
        for measure in model.margins:
            chosen = [
                pair_id
                for pair_id in people
                if phenomenon in (ALL, pairs[rows[pair_id]].phenomenon)
                and np.isfinite(model.margins[measure][rows[pair_id]])
            ]
            x = [people[pair_id] for pair_id in chosen]
            y = [float(model.margins[measure][rows[pair_id]]) for pair_id in chosen]
            kinds: tuple[Literal["pearson", "spearman"], ...] = ("pearson", "spearman")
            pearson, spearman = (correlation(x, y, kind) for kind in kinds)
            found.append(
                Alignment(model=model.label, measure=measure, phenomenon=phenomenon, pearson=pearson, spearman=spearman)
            )
    return found


def _points(
    pairs: Sequence[ReleasePair], rows: Mapping[str, int], models: Sequence[Scored], people: Mapping[str, float]
) -> list[Point]:
    return [
        Point(
            model=model.label,
            pair_id=pair_id,
            phenomenon=pairs[rows[pair_id]].phenomenon,
            people=value,
            margin=float(model.margins["sum"][rows[pair_id]]),
        )
        for model in models
        for pair_id, value in people.items()
        if np.isfinite(model.margins["sum"][rows[pair_id]])
    ]


def _choices(choices: Sequence[Choice], rows: Mapping[str, int], models: Sequence[Scored]) -> tuple[ForcedChoice, ...]:
    groups: dict[str, list[Choice]] = defaultdict(list)
    for item in choices:
        groups[item.phenomenon].append(item)
    if len(groups) > 1:
        groups = {ALL: list(choices), **groups}
    return tuple(_forced(name, held, rows, models) for name, held in groups.items())


def _forced(name: str, held: Sequence[Choice], rows: Mapping[str, int], models: Sequence[Scored]) -> ForcedChoice:
    by_pair: dict[str, list[bool]] = defaultdict(list)
    for item in held:
        by_pair[item.pair_id].append(item.choice == "good")
    right = sum(item.choice == "good" for item in held)
    chosen = np.array([rows[pair_id] for pair_id in by_pair if pair_id in rows], dtype=int)
    accuracies = []
    for model in models:
        known = chosen[model.known("sum")[chosen]]
        accuracies.append(float(model.right("sum")[known].mean()) if len(known) else None)
    return ForcedChoice(
        phenomenon=name,
        n_choices=len(held),
        n_pairs=len(by_pair),
        share=right / len(held),
        interval=wilson(right, len(held)),
        majority=sum(sum(votes) * 2 > len(votes) for votes in by_pair.values()),
        models=tuple(accuracies),
    )
