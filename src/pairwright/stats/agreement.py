"""How far people agree: Krippendorff's alpha and Gwet's AC1 of votes, z-scores and preferences of ratings."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from pairwright.core.records import Record

MeasurementLevel = Literal["nominal", "ordinal", "interval"]
Ratings = Sequence[Mapping[str, float]]
"""For each unit, the value that each rater gave it; nominal values are numbers that only name categories."""

# The fewest units with two ratings for which a coefficient of a group is worth stating.
FEWEST_UNITS = 10

Item = TypeVar("Item", bound=Hashable)
_Statistic = Callable[[NDArray[np.int64]], float | None]


class Agreement(Record):
    """A coefficient of agreement: 1 is perfect, 0 is what chance gives.

    value      None where it is not defined: no unit has two ratings, or all ratings are the same
    low, high  the ends of its 95% bootstrap interval; None where too few of the resamples define it
    n_units    the units with at least two ratings; `n_ratings` counts their ratings
    """

    value: float | None
    low: float | None
    high: float | None
    n_units: int
    n_ratings: int


class NominalAgreement(Record):
    """How far raters agree on units with two ratings or more: on `n_agreed` of them all ratings are the same."""

    n_agreed: int
    alpha: Agreement
    ac1: Agreement

    @property
    def raw(self) -> float | None:
        """The share of units on which all ratings are the same; None without a unit."""
        return self.n_agreed / self.alpha.n_units if self.alpha.n_units else None


def nominal_agreement(ratings: Ratings, n_categories: int, n_boot: int = 1000) -> NominalAgreement:
    """Raw agreement, Krippendorff's alpha and Gwet's AC1 of nominal ratings, see there."""
    return NominalAgreement(
        n_agreed=sum(len(unit) > 1 and len(set(unit.values())) == 1 for unit in ratings),
        alpha=krippendorff_alpha(ratings, "nominal", n_boot),
        ac1=gwet_ac1(ratings, n_categories, n_boot),
    )


def krippendorff_alpha(ratings: Ratings, level: MeasurementLevel, n_boot: int = 1000) -> Agreement:
    """Krippendorff's alpha; missing ratings are allowed.

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; computed by the package krippendorff.
    """
    pairable = [unit for unit in ratings if len(unit) > 1]
    counts, domain = _value_counts(pairable)

    def alpha(rows: NDArray[np.int64]) -> float | None:
        import krippendorff

        table = counts[rows]
        used = table.sum(axis=0) > 0
        if used.sum() < 2:
            return None
        values = [value for value, occurs in zip(domain, used, strict=True) if occurs]
        return float(krippendorff.alpha(value_counts=table[:, used], value_domain=values, level_of_measurement=level))

    return _agreement(alpha, len(pairable), sum(map(len, pairable)), n_boot)


def gwet_ac1(ratings: Ratings, n_categories: int, n_boot: int = 1000) -> Agreement:
    """Gwet's AC1 of nominal ratings; missing ratings are allowed. It stays defined where all ratings are the same.

    n_categories  how many values a rater can choose among, two at least, used or not

    Source: Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement, British
    Journal of Mathematical and Statistical Psychology 61, 29-48; the chances of the values are those in the units with
    two ratings or more.
    """
    pairable = [unit for unit in ratings if len(unit) > 1]
    counts, _ = _value_counts(pairable)

    def ac1(rows: NDArray[np.int64]) -> float | None:
        if not len(rows):
            return None
        table = counts[rows]
        sizes = table.sum(axis=1)
        agreeing = float(np.mean((table * (table - 1)).sum(axis=1) / (sizes * (sizes - 1))))
        shares = (table / sizes[:, None]).mean(axis=0)
        by_chance = float((shares * (1 - shares)).sum()) / (n_categories - 1)
        return (agreeing - by_chance) / (1 - by_chance)

    return _agreement(ac1, len(pairable), sum(map(len, pairable)), n_boot)


def _agreement(statistic: _Statistic, n_units: int, n_ratings: int, n_boot: int) -> Agreement:
    """A statistic of units, which gets the numbers of the units that were drawn, with its percentile interval.

    There is no interval for fewer than two units, or where fewer than half of the resamples define the statistic.

    Source: Efron (1979), Bootstrap Methods, The Annals of Statistics 7, 1-26.
    """
    value = statistic(np.arange(n_units))
    low = high = None
    if value is not None and n_units > 1 and n_boot > 0:
        generator = np.random.default_rng(0)
        drawn = [statistic(generator.integers(0, n_units, n_units)) for _ in range(n_boot)]
        defined = [estimate for estimate in drawn if estimate is not None]
        if len(defined) * 2 >= n_boot:
            low, high = map(float, np.quantile(defined, [0.025, 0.975]))
    return Agreement(value=value, low=low, high=high, n_units=n_units, n_ratings=n_ratings)


def _value_counts(units: Ratings) -> tuple[NDArray[np.int64], list[float]]:
    """How often each value was given to each unit, units by values, and the values in order."""
    domain = sorted({value for unit in units for value in unit.values()})
    place = {value: index for index, value in enumerate(domain)}
    counts = np.zeros((len(units), len(domain)), dtype=np.int64)
    for row, unit in enumerate(units):
        for value in unit.values():
            counts[row, place[value]] += 1
    return counts, domain


class Preference(Record):
    """How many raters prefer the better items of a group: their mean rating of these is higher than of the others.

    n_raters         raters who rated both kinds of items; `n_tied` those with equal means, who prefer neither
    mean_difference  the mean over raters of the z-score of better minus that of other items, with its standard error
                     over raters; None where no rater of the group has z-scores
    """

    group: str
    n_raters: int
    n_prefer: int
    n_tied: int
    n_ratings: int
    mean_difference: float | None
    standard_error: float | None


def z_scores(ratings: Mapping[str, Mapping[Item, float]]) -> dict[str, dict[Item, float]]:
    """Each rater's ratings as distances from the rater's own mean, in the rater's own standard deviations.

    People use a scale differently: one never goes below 3, another only gives 1 and 7. The deviation is that of a
    sample (n - 1). A rater who gave a single value throughout has no z-scores and is left out.

    Source: Schütze and Sprouse (2013), Judgment data, in Research Methods in Linguistics, 27-50.
    """
    scores = {}
    for rater, given in ratings.items():
        values = list(given.values())
        if len(set(values)) > 1:
            mean, deviation = fmean(values), stdev(values)
            scores[rater] = {item: (value - mean) / deviation for item, value in given.items()}
    return scores


def preferences(
    ratings: Mapping[str, Mapping[Item, float]], group_of: Mapping[Item, str], better: Collection[Item]
) -> list[Preference]:
    """For each group of items, how many raters prefer the better ones; groups in the order of `group_of`.

    ratings   as they were given. Their z-scores are taken over all items of a rater, in a group or not
    group_of  the group of each item; items that it lacks are not compared
    better    the items that are expected to be rated higher than the others of their group
    """
    groups: dict[str, tuple[list[Item], list[Item]]] = {}
    for item, group in group_of.items():
        groups.setdefault(group, ([], []))[item not in better].append(item)
    scores = z_scores(ratings)
    preferred = []
    for group, (high, low) in groups.items():
        gaps = list(_gaps(ratings.values(), high, low))
        differences = list(_gaps(scores.values(), high, low))
        preferred.append(
            Preference(
                group=group,
                n_raters=len(gaps),
                n_prefer=sum(gap > 0 for gap in gaps),
                n_tied=sum(gap == 0 for gap in gaps),
                n_ratings=sum(item in given for given in ratings.values() for item in (*high, *low)),
                mean_difference=fmean(differences) if differences else None,
                standard_error=stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else None,
            )
        )
    return preferred


def _gaps(ratings: Iterable[Mapping[Item, float]], high: list[Item], low: list[Item]) -> Iterable[float]:
    """For each rater with values of both kinds, the mean of the first minus that of the second."""
    for given in ratings:
        above, below = ([given[item] for item in items if item in given] for items in (high, low))
        if above and below:
            yield fmean(above) - fmean(below)
