"""Answers to items with options: which are right, and what answers that know nothing would come to."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from pairwright.core.records.items import Item
from pairwright.reporting.data.responses import AnsweredItem

Places = frozenset[int | str]
"""Options by the places in which a model saw them, or those in the item; by their words where these are labels."""


class OptionHits(NamedTuple):
    """Of how many options whose truth is known an answer is right: chosen where right, not chosen where wrong."""

    right: int
    n: int


def is_right(item: Item, chosen: Sequence[int]) -> bool:
    """Whether exactly the right options are chosen; those of which nothing is known count for nothing."""
    return set(chosen) - set(item.unknown) == set(item.answers)


def option_hits(item: Item, chosen: Sequence[int]) -> OptionHits:
    """The options of an item, one by one."""
    decided = set(range(len(item.options))) - set(item.unknown)
    return OptionHits(sum((index in chosen) == (index in item.answers) for index in decided), len(decided))


def chance(item: Item) -> float:
    """How probable it is to answer right without reading, had all answers that the question allows the same chance."""
    if item.takes_several:
        return float(0.5 ** (len(item.options) - len(item.unknown)))
    return 1 / len(item.options)


def dealt_accuracy(rows: Sequence[AnsweredItem]) -> float | None:
    """How often these answers would be right, had each been given to another of these items at random.

    It is what a model would come to that answers as often with each letter or number of letters as this one, and reads
    no item. Answers go to items of the same condition with as many options. The mean over all ways to deal them, not a
    sample; None where no item has another.
    """
    groups: dict[Hashable, list[AnsweredItem]] = defaultdict(list)
    for row in rows:
        groups[row.item.condition, len(row.item.options), row.item.takes_several].append(row)
    hits, n = 0.0, 0
    for group in groups.values():
        if len(group) > 1:
            hits += _dealt_hits(group)
            n += len(group)
    return hits / n if n else None


def _dealt_hits(group: Sequence[AnsweredItem]) -> float:
    """The expected number of right answers among those of a group that are dealt to its other items."""
    given = Counter(_places(row, row.response.chosen) for row in group)
    wanted = Counter((_places(row, row.item.answers), _places(row, row.item.unknown)) for row in group)
    pairs = sum(
        n_given * n_wanted
        for chosen, n_given in given.items()
        for (answers, unknown), n_wanted in wanted.items()
        if chosen - unknown == answers
    )
    own = sum(is_right(row.item, row.response.chosen) for row in group)
    return (pairs - own) / (len(group) - 1)


def _places(row: AnsweredItem, indices: Iterable[int]) -> Places:
    shown, options = row.response.shown, row.item.options
    if row.item.is_labelled:
        return frozenset(options[index].text for index in indices)
    return frozenset(shown.index(index) if shown else index for index in indices)
