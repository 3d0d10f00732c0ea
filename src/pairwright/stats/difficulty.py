"""The difficulty of rules and the ability of models, told apart; and which pairs tell models apart."""

import warnings
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from pairwright.core.records import Record

# The fit takes longer than in proportion to the number of verdicts; this many take a few seconds.
MOST_VERDICTS = 6_000
FEWEST_MODELS = 3
_START_SD, _STEPS = 0.6, 2_000
_PRIOR_ABILITY, _PRIOR_SPREAD = 2.0, 0.5


class Effect(Record):
    """An ability or a difficulty in logits, with the standard deviation of its posterior."""

    label: str
    value: float
    sd: float


class Difficulty(Record):
    """A logistic mixed model of right and wrong over models and pairs.

    abilities     one a model: the log-odds that it is right on a pair of a middling rule
    difficulties  one a rule: how much it takes from these log-odds, 0 for a middling rule
    n_pairs       the pairs that were fitted; `n_scored` the pairs that all models scored, of which they are a sample
    """

    abilities: tuple[Effect, ...]
    difficulties: tuple[Effect, ...]
    n_pairs: int
    n_scored: int


def fit_difficulty(
    right: NDArray[np.bool_], models: Sequence[str], rules: Sequence[str], *, seed: int
) -> Difficulty | None:
    """Fits abilities of models and difficulties of rules to a table of verdicts, one row a model, one column a pair.

    rules  the rule of each pair. Of more than 6,000 verdicts a seeded sample of the pairs is fitted, spread evenly over
           the rules

    None with fewer than three models, two rules, or where every verdict is the same.

    Source: the Rasch model as a logistic mixed model (De Boeck and Wilson 2004, Explanatory Item Response Models),
    with a fixed effect a model and random effects of rules and pairs, fitted by variational Bayes as in statsmodels.
    Its posterior standard deviations tend to be too small.
    """
    n_scored = right.shape[1]
    most = MOST_VERDICTS // max(len(models), 1)
    kept = _sample(rules, most, seed) if n_scored > most else np.arange(n_scored)
    table = right[:, kept]
    names, rule_of = np.unique(np.asarray(rules)[kept], return_inverse=True) if n_scored else (np.array([]), kept)
    if len(models) < FEWEST_MODELS or len(names) < 2 or table.all() or not table.any():
        return None
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    n_models, n_pairs = table.shape
    ability = _indicator(np.repeat(np.arange(n_models), n_pairs), n_models)
    pair_of = np.tile(np.arange(n_pairs), n_models)
    random = hstack([_indicator(rule_of[pair_of], len(names)), _indicator(pair_of, n_pairs)]).tocsr()
    kinds = np.r_[np.zeros(len(names), dtype=int), np.ones(n_pairs, dtype=int)]
    model = BinomialBayesMixedGLM(
        table.ravel().astype(float), ability.toarray(), random, kinds, vcp_p=_PRIOR_SPREAD, fe_p=_PRIOR_ABILITY
    )
    with warnings.catch_warnings():
        # It warns when the last steps no longer improve the fit.
        warnings.simplefilter("ignore")
        # The default start is random, and the default method, BFGS, keeps a table of all effects by all effects.
        n_effects = model.k_fep + model.k_vcp + model.k_vc
        fit = model.fit_vb(sd=np.full(n_effects, _START_SD), fit_method="L-BFGS-B", minim_opts={"maxiter": _STEPS})
    middle = float(np.mean(fit.vc_mean[: len(names)]))
    return Difficulty(
        abilities=_effects(models, fit.fe_mean + middle, fit.fe_sd),
        difficulties=_effects(names.tolist(), middle - fit.vc_mean[: len(names)], fit.vc_sd[: len(names)]),
        n_pairs=n_pairs,
        n_scored=n_scored,
    )


def discrimination(right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Per pair, how far being right on it goes with being right on all others: the corrected item-total correlation.

    One row a model, one column a pair. NaN where all models agree on the pair or do equally well on the others.

    Source: Henrysson (1963), Correction of item-total correlations in item analysis, Psychometrika 28, 211-218.
    """
    table = right.astype(float)
    rest = table.sum(axis=1, keepdims=True) - table
    a, b = table - table.mean(axis=0), rest - rest.mean(axis=0)
    spread = np.sqrt((a**2).sum(axis=0) * (b**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        result: NDArray[np.float64] = np.where(spread > 1e-12, (a * b).sum(axis=0) / spread, np.nan)
    return result


def _indicator(column: NDArray[np.intp], n_columns: int) -> csr_matrix:
    rows = np.arange(len(column))
    return csr_matrix((np.ones(len(column)), (rows, column)), shape=(len(column), n_columns))


def _sample(rules: Sequence[str], most: int, seed: int) -> NDArray[np.intp]:
    """The places of at most so many pairs, drawn so that every rule contributes as evenly as it can."""
    taken: Counter[str] = Counter()
    turns = []
    for place in np.random.default_rng(seed).permutation(len(rules)):
        taken[rules[place]] += 1
        turns.append((taken[rules[place]], place))
    return np.sort(np.array([place for _, place in sorted(turns)[:most]]))


def _effects(labels: Sequence[str], values: NDArray[np.float64], sds: NDArray[np.float64]) -> tuple[Effect, ...]:
    effects = zip(labels, values.tolist(), sds.tolist(), strict=True)
    return tuple(Effect(label=label, value=value, sd=sd) for label, value, sd in effects)
