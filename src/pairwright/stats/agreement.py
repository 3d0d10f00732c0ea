"""How far people agree, by maintained libraries. Each method names its source.

Ratings are given unit by unit: what each rater said of it, with no entry for who said nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pairwright.records import Record

MeasurementLevel = Literal["nominal", "ordinal", "interval"]
Ratings = Sequence[Mapping[str, float]]
"""For each unit, the value that each rater gave it; nominal values are numbers that only name categories."""

Statistic = Callable[[NDArray[np.int64]], float | None]


class Agreement(Record):
    """A coefficient of agreement: 1 is perfect, 0 what chance gives.

    value      None where it is not defined: no unit has two ratings, or all ratings are the same
    low, high  the ends of its bootstrap interval; None where too few of the resamples define it
    n_units    the units with at least two ratings; `n_ratings` their ratings
    """

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_ratings: int


class ConditionMean(Record):
    """The mean of the raters' means in one condition, with its standard error; None for a single rater."""

    condition: str
    mean: float
    standard_error: float | None
    n_raters: int
    n_ratings: int


class Preference(Record):
    """How many of the raters prefer one condition to another: their mean is higher there."""

    group: str
    n_prefer: int
    n_raters: int
    mean_difference: float

    @property
    def share(self) -> float:
        return self.n_prefer / self.n_raters


def krippendorff_alpha(
    ratings: Ratings, level: MeasurementLevel, n_boot: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Agreement:
    """Krippendorff's alpha with an interval by resampling units; missing ratings are allowed.

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; computed by the package krippendorff. The
    interval is the percentile interval of Efron (1979), Bootstrap Methods, over units.
    """
    pairable = [unit for unit in ratings if len(unit) > 1]
    counts, domain = _value_counts(pairable)

    def alpha(rows: NDArray[np.int64]) -> float | None:
        return _alpha(counts[rows], domain, level)

    value = alpha(np.arange(len(counts)))
    low, high = bootstrap(alpha, len(counts), n_boot, seed, confidence) if value is not None else (None, None)
    return Agreement(
        value=value, low=low, high=high, n_units=len(pairable), n_ratings=sum(len(unit) for unit in pairable)
    )


def fleiss_kappa(ratings: Ratings, n_boot: int = 1000, seed: int = 0, confidence: float = 0.95) -> Agreement:
    """Fleiss' kappa over the units with the commonest number of ratings, since it asks for the same number for all.

    Source: Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin 76, 378-382;
    computed by statsmodels.
    """
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa

    sizes = Counter(len(unit) for unit in ratings if len(unit) > 1)
    size = max(sizes, key=lambda n: (sizes[n], n), default=0)
    chosen = [unit for unit in ratings if len(unit) == size] if size else []
    counts, _ = _value_counts(chosen)

    def value_of(rows: NDArray[np.int64]) -> float | None:
        table = counts[rows]
        return float(kappa(table)) if len(table) and np.count_nonzero(table.sum(axis=0)) > 1 else None

    value = value_of(np.arange(len(counts)))
    low, high = bootstrap(value_of, len(counts), n_boot, seed, confidence) if value is not None else (None, None)
    return Agreement(value=value, low=low, high=high, n_units=len(chosen), n_ratings=size * len(chosen))


def cohen_kappa(
    ratings: Ratings, one: str, other: str, n_boot: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Agreement:
    """Cohen's kappa of two raters over the units that both rated.

    Source: Cohen (1960), A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20,
    37-46; computed by statsmodels.
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    both = [(unit[one], unit[other]) for unit in ratings if one in unit and other in unit]
    domain = sorted({value for values in both for value in values})
    place = {value: index for index, value in enumerate(domain)}
    codes = np.array([[place[a], place[b]] for a, b in both], dtype=np.int64).reshape(-1, 2)

    def value_of(rows: NDArray[np.int64]) -> float | None:
        table = np.zeros((len(domain), len(domain)))
        np.add.at(table, (codes[rows, 0], codes[rows, 1]), 1)
        seen = (table.sum(axis=0) + table.sum(axis=1)) > 0
        if seen.sum() < 2:
            return None
        return float(cohens_kappa(table[np.ix_(seen, seen)], return_results=False))

    value = value_of(np.arange(len(codes)))
    low, high = bootstrap(value_of, len(codes), n_boot, seed, confidence) if value is not None else (None, None)
    return Agreement(value=value, low=low, high=high, n_units=len(both), n_ratings=2 * len(both))


def bootstrap(
    statistic: Statistic, n_units: int, n_boot: int, seed: int, confidence: float
) -> tuple[float | None, float | None]:
    """The percentile interval of a statistic of units, which gets the numbers of the units that were drawn.

    (None, None) where fewer than two units are there, or fewer than half of the resamples define the statistic.
    """
    if n_units < 2 or n_boot < 1:
        return None, None
    draw = np.random.default_rng(seed)
    values = [statistic(draw.integers(0, n_units, n_units)) for _ in range(n_boot)]
    defined = [value for value in values if value is not None]
    if len(defined) * 2 < n_boot:
        return None, None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def z_scores(ratings: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Each rater's ratings, by item, as distances from their own mean in their own standard deviations.

    It takes away that people use a scale differently (Schütze & Sprouse 2013, Judgment data, in Research Methods in
    Linguistics). The deviation is that of the sample (n - 1). A rater who gave but one value is left out.
    """
    found = {}
    for rater, given in ratings.items():
        values = np.array(list(given.values()), dtype=float)
        deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        if deviation > 0:
            mean = float(values.mean())
            found[rater] = {item: (value - mean) / deviation for item, value in given.items()}
    return found


def condition_means(scores: Mapping[str, Mapping[str, float]], condition_of: Mapping[str, str]) -> list[ConditionMean]:
    """The mean of each condition over raters' own means, with its standard error over raters; conditions sorted.

    `scores` gives each rater's scores by item; items without a condition are left out.
    """
    means: dict[str, list[float]] = {}
    n_ratings: Counter[str] = Counter()
    for given in scores.values():
        for condition, values in _by_condition(given, condition_of).items():
            means.setdefault(condition, []).append(float(np.mean(values)))
            n_ratings[condition] += len(values)
    return [
        ConditionMean(
            condition=condition,
            mean=float(np.mean(found)),
            standard_error=float(np.std(found, ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None,
            n_raters=len(found),
            n_ratings=n_ratings[condition],
        )
        for condition, found in sorted(means.items())
    ]


def preferences(
    scores: Mapping[str, Mapping[str, float]], group_of: Mapping[str, str], better: Iterable[str]
) -> list[Preference]:
    """For each group of items, how many raters score its better items higher in the mean than the others.

    `better` names those items. A rater without scores of both kinds in a group is not counted there.
    """
    chosen = set(better)
    differences: dict[str, list[float]] = {}
    for given in scores.values():
        sides = {item: f"{item in chosen:d}{group}" for item, group in group_of.items() if item in given}
        found = _by_condition(given, sides)
        for group in {group_of[item] for item in sides}:
            high, low = found.get(f"1{group}"), found.get(f"0{group}")
            if high and low:
                differences.setdefault(group, []).append(float(np.mean(high) - np.mean(low)))
    return [
        Preference(
            group=group,
            n_prefer=sum(difference > 0 for difference in found),
            n_raters=len(found),
            mean_difference=float(np.mean(found)),
        )
        for group, found in sorted(differences.items())
    ]


def _by_condition(given: Mapping[str, float], condition_of: Mapping[str, str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for item, score in given.items():
        condition = condition_of.get(item)
        if condition is not None:
            found.setdefault(condition, []).append(score)
    return found


def _value_counts(units: Ratings) -> tuple[NDArray[np.int64], list[float]]:
    """How often each value was given to each unit, units by values, and the values in order."""
    domain = sorted({value for unit in units for value in unit.values()})
    place = {value: index for index, value in enumerate(domain)}
    counts = np.zeros((len(units), len(domain)), dtype=np.int64)
    for row, unit in enumerate(units):
        for value in unit.values():
            counts[row, place[value]] += 1
    return counts, domain


def _alpha(counts: NDArray[np.int64], domain: Sequence[float], level: MeasurementLevel) -> float | None:
    import krippendorff

    used = counts.sum(axis=0) > 0
    if used.sum() < 2:
        return None
    values = [value for value, there in zip(domain, used, strict=True) if there]
    return float(krippendorff.alpha(value_counts=counts[:, used], value_domain=values, level_of_measurement=level))
