"""What stands beside the accuracy of models: each other, single pairs, properties of words, conditions, people, tools.

Each function returns tidy frames; its docstring says what their columns are.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean, median
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from pairwright.core.records import BASELINE, Side
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc, words
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS, Clusters, Row, ends, rows_of
from pairwright.reporting.data import Lineage, Measure, ScoredModel, distinct_weights
from pairwright.reporting.external import HumanChoice, HumanJudgement, HumanRating, PairResults, TaskResult
from pairwright.stats.agreement import preferences, z_scores
from pairwright.stats.bootstrap import Floats, Z
from pairwright.stats.intervals import accuracy, wilson
from pairwright.stats.paired import (
    FEWEST_MODELS,
    PairedTest,
    adjusted,
    both_correlations,
    design_effect,
    discrimination,
    paired_test,
    paired_tests,
    smallest_difference,
    standardised_regression,
)

SHOWN = 10
COMPARED: tuple[Measure, ...] = ("sum_logprob", "mean_nll")
ADJUSTMENTS: Final = ("holm", "fdr_bh")
# How often two models of similar accuracy commonly disagree, for when the runs themselves don't show it.
ASSUMED_DISCORDANCE = 0.2
LENGTH, TOKENS, FREQUENCY, UNIGRAM = "length in characters", "number of tokens", "word frequency", "unigram probability"
# The canonical order of Turkish first, as in the tables of TurBLiMP.
ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")
ALL = "all phenomena"
Relation = Literal["base-instruct", "size", "family", "other"]


# Single pairs


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


# Model against model


def compare_models(models: Sequence[ScoredModel], clusters: Clusters) -> DataFrame:
    """All models against all others of the same conditioning, by both measures; none against itself.

    `a` and `b` are labels, `difference` is the accuracy of a minus that of b. `relation`: base and tuned model of one
    size, two sizes of a family, two families of the same variant, or none of these. `p_holm` and `p_bh` adjust `p` by
    Holm and by Benjamini and Hochberg, each over all comparisons of the measure.
    """
    rows: list[Row] = []
    for measure in COMPARED:
        pairs, scored, gains = [], [], []
        for a, b in combinations(models, 2):
            both = a.scored(measure) & b.scored(measure)
            same = a.run.model.variant == b.run.model.variant
            if a.run.conditioning == b.run.conditioning and both.any() and not same:
                pairs.append((a, b))
                scored.append(both)
                gains.append(np.where(both, a.right(measure).astype(np.int8) - b.right(measure), 0).astype(np.int8))
        if not pairs:
            continue
        tests = paired_tests(np.stack(gains, axis=1), np.stack(scored, axis=1), clusters.compared)
        holm, discovery = (adjusted([test.p for test in tests], method) for method in ADJUSTMENTS)
        for (a, b), test, p_holm, p_bh in zip(pairs, tests, holm, discovery, strict=True):
            named = {"a": a.label, "b": b.label, "measure": measure, "relation": relation(a.lineage, b.lineage)}
            rows.append({**named, **tested(test), "p_holm": p_holm, "p_bh": p_bh})
    return DataFrame(rows)


def tested(test: PairedTest) -> Row:
    """A paired test: the counts, the p-values and the difference with its interval, as a share."""
    counts = test.model_dump(exclude={"interval"})
    return {**counts, "difference": test.difference, **ends("difference", test.interval)}


def relation(a: Lineage, b: Lineage) -> Relation:
    """How two models are related by family, size and variant."""
    if a.family == b.family:
        if a.variant == b.variant:
            return "size" if a.size != b.size else "other"
        return "base-instruct" if a.size == b.size else "other"
    return "family" if a.variant == b.variant else "other"


def power(comparisons: DataFrame, n_pairs: int) -> DataFrame:
    """What difference of two accuracies a test on this release finds four times in five, in one row; none without a
    pair.

    discordance    the share of pairs that one model alone gets right: the median of the comparisons by sum_logprob, or
                   `assumed`
    design_effect  how many times more pairs are needed because pairs of a rule resemble each other
    smallest       if pairs were independent; `smallest_clustered` with the design effect. Missing where no difference
                   that this discordance allows could be found
    """
    by_sum = [it for it in rows_of(comparisons) if it["measure"] == "sum_logprob" and it["only_a"] + it["only_b"] > 0]
    n = min((row["n"] for row in by_sum), default=n_pairs)
    if not n:
        return DataFrame()
    shares = [(row["only_a"] + row["only_b"]) / row["n"] for row in by_sum]
    effects = [
        design_effect(
            row["difference_high"] - row["difference_low"],
            2 * Z * math.sqrt(max(share - row["difference"] ** 2, 0.0) / row["n"]),
        )
        for row, share in zip(by_sum, shares, strict=True)
        if row["difference_low"] is not None
    ]
    discordance, effect = median(shares or [ASSUMED_DISCORDANCE]), median(effects or [1.0])
    smallest, clustered = (smallest_difference(size, discordance) for size in (n, n / effect))
    measured = {"n": n, "discordance": discordance, "assumed": not by_sum, "design_effect": effect}
    return DataFrame([{**measured, "smallest": smallest, "smallest_clustered": clustered}])


# What else explains score differences


def confounds(
    pairs: Sequence[ReleasePair],
    models: Sequence[ScoredModel],
    clusters: Clusters,
    frequencies: Mapping[str, float] | None = None,
) -> DataFrame:
    """By model and measure the regression of score differences on properties of both sentences, good minus bad: a row
    for each standardised coefficient, with the regression's R² and number of pairs.

    No row where too few pairs were scored or no property varies.

    frequencies  log10 of the frequency of words; a word that is not in it counts as the least frequent one
    """
    length = np.array([float(len(pair.sentence_good) - len(pair.sentence_bad)) for pair in pairs])
    frequency = _frequency_differences(pairs, frequencies) if frequencies else None
    rows: list[Row] = []
    for model in models:
        n_tokens = model.n_tokens.astype(np.float64)
        properties: dict[str, Floats] = {LENGTH: length, TOKENS: n_tokens[:, 0] - n_tokens[:, 1]}
        if frequency is not None:
            properties[FREQUENCY] = frequency
        scored = model.scored("sum_logprob")
        if "slor" in model.differences:
            scored = scored & np.isfinite(model.unigram)
            properties[UNIGRAM] = model.unigram
        usable = {name: values[scored] for name, values in properties.items()}
        for measure in COMPARED:
            fit = standardised_regression(model.differences[measure][scored], usable, clusters.compared[scored])
            for it in fit.coefficients if fit else ():
                named = {"model": model.label, "measure": measure, "property": it.name, "coefficient": it.value}
                numbers = {"p": it.p, "r2": fit.r2, "n": fit.n, "n_clusters": fit.n_clusters} if fit else {}
                rows.append({**named, **ends("coefficient", it.interval), **numbers})
    return DataFrame(rows)


def _frequency_differences(pairs: Sequence[ReleasePair], frequencies: Mapping[str, float]) -> Floats:
    """Per pair the mean log-frequency of the differing words of the good sentence minus that of the bad one."""
    least = min(frequencies.values())

    def mean(texts: Sequence[str]) -> float:
        logs = [frequencies.get(word.lower(), least) for text in texts for word in words(nfc(text))]
        return float(np.mean(logs)) if logs else least

    return np.array(
        [mean([change.good for change in p.changes]) - mean([change.bad for change in p.changes]) for p in pairs]
    )


# Conditions of paradigms


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


# People


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


# Other tools


def compare_tools(
    models: Sequence[ScoredModel],
    pairs: Sequence[ReleasePair],
    results: Sequence[PairResults],
    tasks: Sequence[TaskResult],
) -> dict[str, DataFrame]:
    """Frames that compare other tools' results with the models of a report; all empty where there are none.

    tools        another tool's accuracy and ours on the `n` pairs that both scored, `n_differ` with other verdicts
    other_tasks  the models' scores on tasks of other benchmarks
    unmatched    the models of other tools that were not scored here
    """
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    ours = {
        model_key(name): model
        for model in reversed(models)
        for info in (model.run.model,)
        for name in (info.name, info.requested, info.slug, model.label)
    }
    tools: list[Row] = []
    unmatched: list[str] = []
    for result in results:
        model = ours.get(model_key(result.model))
        scored = model.scored(result.measure) if model else ()
        both = [pair_id for pair_id in result.verdicts if model and scored[rows[pair_id]]]
        if model is None or not both:
            unmatched.append(f"{result.model} ({result.tool})")
            continue
        verdicts = [(result.verdicts[it], bool(model.right(result.measure)[rows[it]])) for it in both]
        theirs, own = (sum(sides) / len(both) for sides in zip(*verdicts, strict=True))
        named = {"model": model.label, "tool": result.tool, "file": result.file, "their_name": result.model}
        counts = {"n": len(both), "n_differ": sum(a != b for a, b in verdicts)}
        tools.append({**named, "measure": result.measure, "theirs": theirs, "ours": own, **counts})
    matched = [item for item in tasks if model_key(item.model) in ours]
    unmatched += [f"{item.model} ({item.tool})" for item in tasks if item not in matched]
    return {
        "tools": DataFrame(tools),
        "other_tasks": DataFrame([{**dict(item), "languages": ", ".join(item.languages)} for item in matched]),
        "unmatched": DataFrame({"model": list(dict.fromkeys(unmatched))}),
    }


def model_key(name: str) -> str:
    """What two tools' names of one model have in common: `org/Model@main` and `Model` are the same."""
    return name.split("@")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1].lower()
