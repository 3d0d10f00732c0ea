"""Blind experiments: forced choices and ratings made from minimal pairs, with catch trials and fillers.

What an item shows never reveals which member of a pair it is: ids are hashes, and sides and orders come from seeded
draws that are balanced for each reviewer. Ratings come in versions that show the other member of each pair, so that
nobody sees both. Each version has as many acceptable as unacceptable sentences of every rule, give or take one (a Latin
square; see Sprouse and Almeida 2017, Design sensitivity and statistical power in acceptability judgment experiments,
Glossa 2).
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ReviewError
from pairwright.core.ids import content_id, digest
from pairwright.core.records import ItemRole, Side
from pairwright.core.text import TOKEN
from pairwright.review.log.queue import Assignment, Pair, PairText
from pairwright.review.sheets.spreadsheet import read_table

_YES, _NO = ("yes", "good", "1", "true"), ("no", "bad", "0", "false")
_SIDES: dict[str, Side | None] = {"": None, **{word: "good" for word in _YES}, **{word: "bad" for word in _NO}}


class Filler(NamedTuple):
    """A sentence that hides what an experiment is about. `side` is good if it is acceptable, None if unknown."""

    sentence: str
    side: Side | None


class TrialItems(NamedTuple):
    """What is mixed with the items: pairs whose answer is certain, and fillers."""

    catch_pairs: Sequence[tuple[str, str]] = ()
    fillers: Sequence[Filler] = ()


def read_trial_items(root: Path, settings: ReviewSettings, legacy_encoding: str) -> TrialItems:
    """The catch pairs and fillers that the settings name. Raises ReviewError if a table can't be read or is unclear.

    legacy_encoding  of tables that are not in Unicode, as the sheets of the queue's language have it
    """
    catch_pairs = []
    if settings.catch_pairs:
        for place, cells in read_table(root / settings.catch_pairs, ("good", "bad"), legacy_encoding):
            if not cells["good"] or not cells["bad"]:
                raise ReviewError(f"{place}: a catch pair needs both sentences; fill the empty cell")
            catch_pairs.append((cells["good"], cells["bad"]))
    fillers = []
    if settings.fillers:
        for place, cells in read_table(root / settings.fillers, ("sentence", "acceptable"), legacy_encoding):
            word = cells["acceptable"].casefold()
            if not cells["sentence"] or word not in _SIDES:
                raise ReviewError(f"{place}: write a sentence, and yes, no or nothing into the column 'acceptable'")
            fillers.append(Filler(cells["sentence"], _SIDES[word]))
    return TrialItems(catch_pairs=tuple(catch_pairs), fillers=tuple(fillers))


def garbled(sentence: str) -> str:
    """The sentence with its longest word spelt backwards, so that no reader of the language can accept it."""
    words = [match for match in TOKEN.finditer(sentence) if match[0].casefold() != match[0].casefold()[::-1]]
    if not words:
        return sentence[::-1]
    longest = max(words, key=lambda match: len(match[0]))
    back = longest[0].casefold()[::-1]
    back = back.capitalize() if longest[0][:1].isupper() else back
    return sentence[: longest.start()] + back + sentence[longest.end() :]


@dataclass(frozen=True)
class ItemDraw:
    """How the items of a reviewer are drawn.

    catch_share  catch trials for each item, 0-1
    n_before     how many items the reviewer already has, so that each further draw is another one
    """

    queue: str
    reviewer: str
    seed: int
    trial_items: TrialItems
    catch_share: float
    n_before: int

    def items(self, pairs: Sequence[Pair], sides: Mapping[str, Side] | None = None) -> list[Assignment]:
        """Items in random order, with catch trials and, the first time, the fillers of ratings.

        `sides` are those to rate, by pair; without them each item is a forced choice, and the acceptable sentence comes
        first in half of them, give or take one. A catch trial made from one of the reviewer's pairs comes after that
        pair, so that it does not prime the answer.
        """
        draw = random.Random(digest([self.queue, self.reviewer, self.seed, self.n_before]))
        order = draw.sample(pairs, len(pairs))
        shown = [sides[pair.id] for pair in order] if sides else _balanced(len(order), draw)
        items = [self._of_pair(pair, side, "item", both=not sides) for pair, side in zip(order, shown, strict=True)]
        catches = self._catch_pairs(order, draw)
        shown = ["bad"] * len(catches) if sides else _balanced(len(catches), draw)
        for pair, side in zip(catches, shown, strict=True):
            _insert_after(items, self._of_pair(pair, side, "catch", both=not sides), draw)
        for filler in self.trial_items.fillers if sides and self.n_before == 0 else ():
            filling = self._item((filler.sentence, "filler"), "", "filler", filler.side, filler.sentence)
            _insert_after(items, filling, draw)
        return items

    def _catch_pairs(self, order: Sequence[Pair], draw: random.Random) -> list[Pair]:
        """Pairs whose answer is certain: the prepared ones, the first time, or the reviewer's own, garbled."""
        count, prepared = round(self.catch_share * len(order)), self.trial_items.catch_pairs
        if prepared:
            drawn = draw.sample(prepared, len(prepared)) if self.n_before == 0 else []
            return [PairText(id="", rule_id="", good=good, bad=bad) for good, bad in drawn[:count]]
        own = draw.sample(order, min(count, len(order)))
        return [PairText(id=pair.id, rule_id=pair.rule_id, good=pair.good, bad=garbled(pair.good)) for pair in own]

    def _of_pair(self, pair: Pair, side: Side, role: ItemRole, *, both: bool) -> Assignment:
        """Both sentences, that of the side first, or the one of the side alone."""
        texts = (pair.good, pair.bad) if side == "good" else (pair.bad, pair.good)
        if both:
            return self._item((sorted(texts), pair.id, role), pair.id, role, side, *texts)
        return self._item((texts[0], pair.id, role), pair.id, role, side, texts[0])

    def _item(
        self, key: tuple[object, ...], pair_id: str, role: ItemRole, side: Side | None, *texts: str
    ) -> Assignment:
        """An item whose id is made from `key`."""
        item_id, me = content_id("item", self.queue, self.reviewer, *key), self.reviewer
        return Assignment(item_id=item_id, reviewer=me, pair_id=pair_id or None, role=role, side=side, texts=texts)


def sides_to_rate(pairs: Sequence[Pair], version: int) -> dict[str, Side]:
    """The member of each pair that a version shows, by the pair's id: the good one of every other pair of a rule.

    Every other rule starts the other way.
    """
    by_rule: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        by_rule[pair.rule_id].append(pair.id)
    places = ((pair_id, number + at) for number, ids in enumerate(by_rule.values()) for at, pair_id in enumerate(ids))
    return {pair_id: "bad" if (place + version) % 2 else "good" for pair_id, place in places}


def _balanced(n: int, draw: random.Random) -> list[Side]:
    """`n` sides in random order, half of them good; if `n` is odd, the remaining one is drawn."""
    both: tuple[Side, Side] = ("good", "bad")
    sides: list[Side] = [*both * (n // 2), *([draw.choice(both)] if n % 2 else [])]
    draw.shuffle(sides)
    return sides


def _insert_after(items: list[Assignment], item: Assignment, draw: random.Random) -> None:
    """Puts an item at a random place, after the item of the pair that it was made from, if there is one."""
    own = (number for number, other in enumerate(items) if item.pair_id is not None and other.pair_id == item.pair_id)
    items.insert(draw.randint(next(own, -1) + 1, len(items)), item)
