"""Pairs that a reader should see: the hardest, those that turn with the measure, those that tell models apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.report.data.evaluations import Scored
from pairwright.stats.difficulty import FEWEST_MODELS, discrimination

SHOWN = 10


class Margin(Record):
    """How far a model prefers the good sentence of a pair to the bad one: above zero it is right.

    by_sum    the difference of sum_logprob, in nats
    by_mean   the difference of minus mean_nll, in nats per token
    n_tokens  the scored tokens of the good and of the bad sentence
    """

    by_sum: float
    by_mean: float
    n_tokens: tuple[int, int]


class JudgedPair(Record):
    """A pair with the margin of each model, in the order of the models; None where the model did not score it.

    discrimination  how far being right on it goes with being right elsewhere, -1 to 1; None where that is unknown
    """

    pair: ReleasePair
    margins: tuple[Margin | None, ...]
    discrimination: float | None


class Returned(Record):
    """A pair that goes back to the reviewers, and why."""

    pair_id: str
    reason: str


class PairLists(NamedTuple):
    """hardest and flips: pairs that most models miss, or that turn for most, the widest margin first. discriminating:
    pairs that good models get right and bad ones don't. Each at most 10; n_wrong and n_flips count all of them."""

    hardest: tuple[JudgedPair, ...]
    n_wrong: int
    flips: tuple[JudgedPair, ...]
    n_flips: int
    discriminating: tuple[JudgedPair, ...]
    returned: tuple[Returned, ...]


def pair_lists(pairs: Sequence[ReleasePair], models: Sequence[Scored]) -> PairLists:
    """The lists of a report, from the margins of all models."""
    by_sum = np.stack([model.margins["sum"] for model in models])
    by_mean = np.stack([model.margins["mean"] for model in models])
    known = np.isfinite(by_sum)
    right = np.nan_to_num(by_sum) > 0
    apart = discrimination(right[:, known.all(axis=0)]) if known.all(axis=0).any() else np.array([])
    telling = np.full(len(pairs), np.nan)
    telling[known.all(axis=0)] = apart if len(models) >= FEWEST_MODELS else np.nan

    def judged(row: int) -> JudgedPair:
        return JudgedPair(
            pair=pairs[row],
            margins=tuple(_margin(model, row) for model in models),
            discrimination=float(telling[row]) if np.isfinite(telling[row]) else None,
        )

    missed = known & ~right
    turned = known & ((by_sum > 0) != (by_mean > 0))
    hardest, flips = _ranked(missed, -by_sum), _ranked(turned, np.abs(by_mean))
    best = [row for row in np.argsort(-telling, kind="stable") if telling[row] > 0][:SHOWN]
    return PairLists(
        hardest=tuple(judged(row) for row in hardest[:SHOWN]),
        n_wrong=len(hardest),
        flips=tuple(judged(row) for row in flips[:SHOWN]),
        n_flips=len(flips),
        discriminating=tuple(judged(int(row)) for row in best),
        returned=_returned(pairs, missed, known),
    )


def _margin(model: Scored, row: int) -> Margin | None:
    if not np.isfinite(model.margins["sum"][row]):
        return None
    good, bad = model.n_tokens[row]
    return Margin(
        by_sum=float(model.margins["sum"][row]),
        by_mean=float(model.margins["mean"][row]),
        n_tokens=(int(good), int(bad)),
    )


def _ranked(counts: np.ndarray, width: np.ndarray) -> list[int]:
    """The pairs that count for any model: those that count for most models first, then by the widest margin."""
    total = counts.sum(axis=0)
    widest = np.where(counts, width, -np.inf).max(axis=0)

    def order(row: int) -> tuple[int, float, int]:
        return -int(total[row]), -float(widest[row]), row

    return sorted((int(row) for row in np.flatnonzero(total)), key=order)


def _returned(pairs: Sequence[ReleasePair], missed: np.ndarray, known: np.ndarray) -> tuple[Returned, ...]:
    """The pairs that every model misses, where at least three scored them: a faulty pair is the likeliest reason."""
    n_models = known.sum(axis=0)
    rows = np.flatnonzero((n_models >= FEWEST_MODELS) & (missed.sum(axis=0) == n_models))
    return tuple(
        Returned(
            pair_id=pairs[row].id,
            reason=f"all {int(n_models[row])} models prefer the bad sentence or find both equal: "
            "is the good sentence good, the bad one bad, and the change the one that the rule names?",
        )
        for row in rows
    )
