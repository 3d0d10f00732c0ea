"""Pairs that a reader should see: the hardest, those that flip with the measure, those that tell models apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data.evaluations import ScoredModel, distinct_weights
from pairwright.reporting.data.score_differences import BAD, GOOD
from pairwright.stats.difficulty import FEWEST_MODELS, discrimination

SHOWN = 10


class ScoreDifference(Record):
    """How far a model prefers the good sentence of a pair to the bad one: above zero it is right.

    by_sum    the difference of sum_logprob, in nats
    by_mean   the difference of minus mean_nll, in nats per token
    n_tokens  the scored tokens of the good and of the bad sentence
    """

    by_sum: float
    by_mean: float
    n_tokens: tuple[int, int]


class ScoredPair(Record):
    """A pair with the score difference of each model, in the order of the models; None where it has no score.

    discrimination  how far being right on it goes with being right elsewhere, -1 to 1; None where that is unknown
    """

    pair: ReleasePair
    differences: tuple[ScoreDifference | None, ...]
    discrimination: float | None


class Returned(Record):
    """A pair that goes back to the reviewers, as each of `n_models` misses it."""

    pair_id: str
    n_models: int


class PairLists(NamedTuple):
    """Pairs to show, at most 10 a list; n_wrong and n_flips count all of them.

    hardest, flips  pairs that most models miss, or that flip for most; the widest score difference first
    discriminating  pairs that good models get right and weak ones don't
    """

    hardest: tuple[ScoredPair, ...]
    n_wrong: int
    flips: tuple[ScoredPair, ...]
    n_flips: int
    discriminating: tuple[ScoredPair, ...]
    returned: tuple[Returned, ...]


def pair_lists(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel]) -> PairLists:
    """The lists of a report, from the score differences of all models."""
    by_sum = np.stack([model.differences["sum"] for model in models])
    by_mean = np.stack([model.differences["mean"] for model in models])
    scored = np.isfinite(by_sum)
    right = np.nan_to_num(by_sum) > 0
    by_all = scored.all(axis=0)
    telling = np.full(len(pairs), np.nan)
    places = [models.index(model) for model in distinct_weights(models)]
    if len(places) >= FEWEST_MODELS and by_all.any():
        telling[by_all] = discrimination(right[places][:, by_all])

    def shown(rows: Sequence[int]) -> tuple[ScoredPair, ...]:
        return tuple(
            ScoredPair(
                pair=pairs[row],
                differences=tuple(_difference(model, row) for model in models),
                discrimination=float(telling[row]) if np.isfinite(telling[row]) else None,
            )
            for row in rows[:SHOWN]
        )

    missed = scored & ~right
    flipped = scored & ((by_sum > 0) != (by_mean > 0))
    hardest, flips = _ranked(missed, -by_sum, models), _ranked(flipped, np.abs(by_mean), models)
    return PairLists(
        hardest=shown(hardest),
        n_wrong=len(hardest),
        flips=shown(flips),
        n_flips=len(flips),
        discriminating=shown([int(row) for row in np.argsort(-telling, kind="stable") if telling[row] > 0]),
        returned=_returned(pairs, missed, scored, models),
    )


def _difference(model: ScoredModel, row: int) -> ScoreDifference | None:
    if not np.isfinite(model.differences["sum"][row]):
        return None
    return ScoreDifference(
        by_sum=float(model.differences["sum"][row]),
        by_mean=float(model.differences["mean"][row]),
        n_tokens=(int(model.n_tokens[row, GOOD]), int(model.n_tokens[row, BAD])),
    )


def _n_models(table: NDArray[np.bool_], models: Sequence[ScoredModel]) -> NDArray[np.intp]:
    """For how many models a pair counts, the rows of the same weights as one."""
    rows: dict[object, list[int]] = {}
    for index, model in enumerate(models):
        rows.setdefault(model.run.model.weights, []).append(index)
    n_models: NDArray[np.intp] = np.stack([table[own].any(axis=0) for own in rows.values()]).sum(axis=0)
    return n_models


def _ranked(counts: NDArray[np.bool_], width: NDArray[np.float64], models: Sequence[ScoredModel]) -> list[int]:
    """The pairs that count for any model: those that count for most models first, then by the widest difference."""
    total = _n_models(counts, models)
    widest = np.where(counts, width, -np.inf).max(axis=0)
    return sorted(map(int, np.flatnonzero(total)), key=lambda row: (-int(total[row]), -float(widest[row]), row))


def _returned(
    pairs: Sequence[ReleasePair],
    missed: NDArray[np.bool_],
    scored: NDArray[np.bool_],
    models: Sequence[ScoredModel],
) -> tuple[Returned, ...]:
    """The pairs that every model misses, where at least three scored them: most likely the pair itself is faulty."""
    n_models = _n_models(scored, models)
    rows = np.flatnonzero((n_models >= FEWEST_MODELS) & (missed == scored).all(axis=0))
    return tuple(Returned(pair_id=pairs[row].id, n_models=int(n_models[row])) for row in rows)
