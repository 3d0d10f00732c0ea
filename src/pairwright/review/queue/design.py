"""Blind experiments: forced choices and ratings made of minimal pairs, with catch trials and fillers.

What an item shows never says which member of a pair it is: ids are hashes, sides and orders come from seeded draws that
are balanced for each reviewer. Ratings come in versions that show the other member of each pair, so that nobody sees
both, and each version has as many acceptable as unacceptable sentences of every rule, give or take one (a Latin square;
see Sprouse and Almeida 2017, Design sensitivity and statistical power in acceptability judgment experiments, Glossa 2).
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pairwright.ids import content_id, digest
from pairwright.records import Role, Side
from pairwright.review.log.folder import Assignment, PairText
from pairwright.text import TOKEN

OTHER: Mapping[Side, Side] = {"good": "bad", "bad": "good"}


class Filler(NamedTuple):
    """A sentence that hides what an experiment is about; `side` is good where it is acceptable, None if unknown."""

    sentence: str
    side: Side | None


class Extras(NamedTuple):
    """What is put between the items: pairs whose answer is certain, and fillers."""

    catch_pairs: Sequence[tuple[str, str]] = ()
    fillers: Sequence[Filler] = ()


def garbled(sentence: str) -> str:
    """The sentence with its longest word spelt backwards: no reader of the language can take it for acceptable."""
    words = [match for match in TOKEN.finditer(sentence) if match.group().casefold() != match.group().casefold()[::-1]]
    if not words:
        return sentence[::-1]
    longest = max(words, key=lambda match: len(match.group()))
    word = longest.group()
    back = word.casefold()[::-1]
    back = back.capitalize() if word[:1].isupper() else back
    return sentence[: longest.start()] + back + sentence[longest.end() :]


def choice_items(
    queue: str, reviewer: str, pairs: Sequence[PairText], extras: Extras, catch_share: float, seed: int, before: int
) -> list[Assignment]:
    """A reviewer's forced choices in random order, catch trials among them.

    The acceptable sentence stands first in half of them, give or take one. A catch trial that is made from a pair of
    the reviewer's comes after that pair, so that it does not prime the answer. `before` is how many items the
    reviewer has already, which makes each further draw another one.
    """
    draw = random.Random(digest([queue, reviewer, seed, before]))
    order = draw.sample(pairs, len(pairs))
    firsts = _balanced(len(order), draw)
    items = [_choice(queue, reviewer, pair, first, "item") for pair, first in zip(order, firsts, strict=True)]
    catches = _catch_pairs(order, extras, round(catch_share * len(order)), draw, before)
    catch_firsts = _balanced(len(catches), draw)
    for pair, first in zip(catches, catch_firsts, strict=True):
        _insert_after(items, _choice(queue, reviewer, pair, first, "catch"), draw)
    return items


def rating_items(
    queue: str,
    reviewer: str,
    pairs: Sequence[PairText],
    version: int,
    index: Mapping[str, int],
    extras: Extras,
    catch_share: float,
    seed: int,
    before: int,
) -> list[Assignment]:
    """A reviewer's sentences to rate in random order, with catch trials and, the first time, the fillers.

    `index` gives each pair its place in the design, so that a version shows every other member of a rule's pairs.
    """
    draw = random.Random(digest([queue, reviewer, seed, before]))
    order = draw.sample(pairs, len(pairs))
    items = [
        _rating(queue, reviewer, pair, "good" if (index[pair.id] + version) % 2 == 0 else "bad", "item")
        for pair in order
    ]
    for pair in _catch_pairs(order, extras, round(catch_share * len(order)), draw, before):
        _insert_after(items, _rating(queue, reviewer, pair, "bad", "catch"), draw)
    for filler in extras.fillers if before == 0 else ():
        item_id = content_id("item", queue, reviewer, filler.sentence, "filler")
        item = Assignment(
            item_id=item_id,
            reviewer=reviewer,
            pair_id=None,
            role="filler",
            side=filler.side,
            texts=(filler.sentence,),
        )
        _insert_after(items, item, draw)
    return items


def design_index(pairs: Sequence[PairText]) -> dict[str, int]:
    """The place of each pair in the design: pairs of a rule alternate, and every other rule begins the other way."""
    of_rule: dict[str, int] = {}
    counts: dict[str, int] = {}
    index = {}
    for pair in pairs:
        number = of_rule.setdefault(pair.rule_id, len(of_rule))
        counts[pair.rule_id] = counts.get(pair.rule_id, -1) + 1
        index[pair.id] = counts[pair.rule_id] + number
    return index


def versions_of(assignments: Sequence[Assignment], reviewers: Sequence[str], versions: int) -> dict[str, int]:
    """The version of each reviewer: by turns, in the order in which they joined, so that versions stay even."""
    joined = dict.fromkeys([assignment.reviewer for assignment in assignments] + list(reviewers))
    return {reviewer: number % versions for number, reviewer in enumerate(joined)}


def _balanced(n: int, draw: random.Random) -> list[Side]:
    """`n` sides, half of them good, in random order; of an odd number the last one is drawn."""
    both: tuple[Side, Side] = ("good", "bad")
    sides: list[Side] = [*both * (n // 2), *([draw.choice(both)] if n % 2 else [])]
    draw.shuffle(sides)
    return sides


def _catch_pairs(
    order: Sequence[PairText], extras: Extras, count: int, draw: random.Random, before: int
) -> list[PairText]:
    """Pairs whose answer is certain: those that were prepared, the first time, or the reviewer's own with a bad
    sentence that is garbled."""
    if extras.catch_pairs:
        drawn = draw.sample(extras.catch_pairs, len(extras.catch_pairs)) if before == 0 else []
        return [PairText("", "", good, bad) for good, bad in drawn[:count]]
    return [pair._replace(bad=garbled(pair.good)) for pair in draw.sample(order, min(count, len(order)))]


def _insert_after(items: list[Assignment], item: Assignment, draw: random.Random) -> None:
    """Puts an item at a random place: after the item of the pair that it was made from, where there is one."""
    own = (number for number, other in enumerate(items) if item.pair_id is not None and other.pair_id == item.pair_id)
    items.insert(draw.randint(next(own, -1) + 1, len(items)), item)


def _choice(queue: str, reviewer: str, pair: PairText, first: Side, role: Role) -> Assignment:
    texts = (pair.good, pair.bad) if first == "good" else (pair.bad, pair.good)
    item_id = content_id("item", queue, reviewer, sorted((pair.good, pair.bad)), pair.id, role)
    return Assignment(item_id=item_id, reviewer=reviewer, pair_id=pair.id or None, role=role, side=first, texts=texts)


def _rating(queue: str, reviewer: str, pair: PairText, side: Side, role: Role) -> Assignment:
    sentence = pair.good if side == "good" else pair.bad
    item_id = content_id("item", queue, reviewer, sentence, pair.id, role)
    return Assignment(
        item_id=item_id, reviewer=reviewer, pair_id=pair.id or None, role=role, side=side, texts=(sentence,)
    )
