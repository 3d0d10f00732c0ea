"""What raters say of sentences on a scale: z-scores, and who prefers which sentences.

Ratings come as a mapping from raters to their ratings by item; who did not rate an item has no entry for it.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from statistics import fmean, stdev
from typing import TypeVar

from pairwright.core.records import Record

Item = TypeVar("Item", bound=Hashable)


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
                standard_error=_standard_error(differences),
            )
        )
    return preferred


def _gaps(ratings: Iterable[Mapping[Item, float]], high: list[Item], low: list[Item]) -> Iterable[float]:
    """For each rater with values of both kinds, the mean of the first minus that of the second."""
    for given in ratings:
        above, below = ([given[item] for item in items if item in given] for items in (high, low))
        if above and below:
            yield fmean(above) - fmean(below)


def _standard_error(values: list[float]) -> float | None:
    return stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
