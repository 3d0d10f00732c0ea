"""How models do on each pair: who misses it, and whether it tells models apart."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data.evaluations import ScoredModel, distinct_weights
from pairwright.stats.correlation import FEWEST_MODELS, discrimination

SHOWN = 10


def pair_results(pairs: Sequence[ReleasePair], models: Sequence[ScoredModel], clusters: NDArray[np.intp]) -> DataFrame:
    """A row a pair of the release. Models with the same weights count once.

    cluster         its rule, or its family of sentences where rules are few: as models are compared
    n_models        that scored it; `n_wrong` are not right by sum_logprob
    wrong_by        the widest score difference of a model that is not right, in nats; -1 where there is none
    discrimination  how far being right on it goes with being right elsewhere, -1 to 1; missing where that is unknown
    faulty          every model misses it, and at least three scored it: most likely the pair itself is wrong
    """
    by_sum = np.stack([model.differences["sum_logprob"] for model in models])
    scored = np.isfinite(by_sum)
    missed = scored & ~(by_sum > 0)
    by_all, telling = scored.all(axis=0), np.full(len(pairs), np.nan)
    distinct = [models.index(model) for model in distinct_weights(models)]
    if len(distinct) >= FEWEST_MODELS and by_all.any():
        telling[by_all] = discrimination(by_sum[distinct][:, by_all] > 0)
    n_models = _n_models(scored, models)
    return DataFrame(
        {
            "pair_id": [pair.id for pair in pairs],
            "cluster": clusters,
            "n_models": n_models,
            "n_wrong": _n_models(missed, models),
            "wrong_by": np.where(missed, -by_sum, -1).max(axis=0),
            "discrimination": telling,
            "faulty": (n_models >= FEWEST_MODELS) & (missed == scored).all(axis=0),
        }
    )


def _n_models(table: NDArray[np.bool_], models: Sequence[ScoredModel]) -> NDArray[np.intp]:
    """For how many models a pair counts, the rows of the same weights as one."""
    rows: dict[object, list[int]] = {}
    for index, model in enumerate(models):
        rows.setdefault(model.run.model.weights, []).append(index)
    n_models: NDArray[np.intp] = np.stack([table[own].any(axis=0) for own in rows.values()]).sum(axis=0)
    return n_models


def listed(results: DataFrame) -> dict[str, list[int]]:
    """The places of the pairs that a reader should see, at most 10 a list.

    hardest  pairs that most models miss, the widest score difference first
    discriminating  pairs that good models get right and weak ones don't
    """
    if "n_wrong" not in results:
        return {"hardest": [], "discriminating": []}
    hardest = results[results["n_wrong"] > 0].sort_values(["n_wrong", "wrong_by"], ascending=False, kind="stable")
    telling = results[results["discrimination"] > 0].sort_values("discrimination", ascending=False, kind="stable")
    return {"hardest": list(hardest.index[:SHOWN]), "discriminating": list(telling.index[:SHOWN])}
