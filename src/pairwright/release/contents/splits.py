"""Which pairs are for the examples of prompts, for choosing among models, and for testing.

A pair's split comes from the hash of its id, so it doesn't depend on the other pairs. Pairs that resemble each other go
together, so do pairs that were made from each other or from the same one, and a pair of the last release keeps its
split. So nothing that was for testing is ever shown in a prompt; no sentence or near-duplicate stands on both sides.

Two sentences are near-duplicates when nothing but case, punctuation or white space tells them apart, or one word, where
the longer one has six words or more.
"""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from pairwright.core.config import ReleaseSettings
from pairwright.core.records.pairs import DERIVED_METHODS
from pairwright.core.records.release import ReleasePair, Split
from pairwright.core.text import comparison_key

# Of fewer words, one is a fifth of the sentence or more: "Trūksta laiko" and "Trūksta pinigų" are two sentences.
WORDS_OF_NEAR_DUPLICATES = 6


def assign(
    pairs: Sequence[ReleasePair],
    previous: Mapping[str, Split],
    settings: ReleaseSettings,
    parents: Mapping[str, str] | None = None,
) -> tuple[dict[str, Split], dict[str, str]]:
    """The split of each pair by its id, and the reasons why some pairs can have none.

    previous  the splits of the last release by pair id; a pair that corrects one of them takes its split
    parents   the pair that a pair was made from, by id, also of pairs that are not released

    A new pair that resembles pairs of two splits would carry one over into the other: it gets a reason, and no split.
    """
    parents = {pair.id: pair.parent_id for pair in pairs if pair.parent_id is not None} | dict(parents or {})
    signatures = [_signatures(pair, _family(pair.id, parents)) for pair in pairs]
    earlier = {pair.id: previous.get(pair.id) or previous.get(_corrected(pair)) for pair in pairs}
    splits = {pair_id: split for pair_id, split in earlier.items() if split}
    reasons: dict[str, str] = {}
    for indices in _groups(signatures):
        members = {pairs[index].id: signatures[index] for index in indices}
        held = {splits[pair_id] for pair_id in members if pair_id in splits}
        if len(held) > 1:
            reasons |= _assign_one_by_one(members, splits, settings)
        else:
            split = held.pop() if held else split_of(min(members, key=_hash), settings)
            splits |= dict.fromkeys(members, split)
    return splits, reasons


def split_of(pair_id: str, settings: ReleaseSettings) -> Split:
    """The split of a pair that resembles no other: the hash of its id as a number from 0 to 1, against the shares."""
    number = int(_hash(f"split\n{pair_id}")[:16], 16) / 2**64
    if number < settings.few_shot:
        return "few_shot"
    return "validation" if number < settings.few_shot + settings.validation else "test"


def _assign_one_by_one(
    members: Mapping[str, "array[int]"], splits: dict[str, Split], settings: ReleaseSettings
) -> dict[str, str]:
    """Gives new pairs of a group with several splits that of the pairs they resemble. Returns why some get none."""
    holders: dict[int, dict[Split, str]] = defaultdict(dict)
    reasons: dict[str, str] = {}
    # Pairs that have a split come first, as they are; the new ones by id, whatever order the pairs came in.
    for pair_id in sorted(members, key=lambda pair_id: "" if pair_id in splits else pair_id):
        if pair_id not in splits:
            alike: dict[Split, str] = {}
            for split, holder in ((split, it) for key in members[pair_id] for split, it in holders[key].items()):
                alike[split] = min(holder, alike.get(split, holder))
            if len(alike) > 1:
                named = " and ".join(f"{holder} ({split})" for split, holder in sorted(alike.items()))
                reasons[pair_id] = f"resembles {named}, which are in different splits"
                continue
            splits[pair_id] = next(iter(alike), split_of(pair_id, settings))
        for key in members[pair_id]:
            holders[key].setdefault(splits[pair_id], pair_id)
    return reasons


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _corrected(pair: ReleasePair) -> str:
    """The pair of which this one is a correction, or another reading; nothing for what programs derived."""
    return "" if pair.method in DERIVED_METHODS else pair.parent_id or ""


def _family(pair_id: str, parents: Mapping[str, str]) -> Iterable[str]:
    """A pair and those that it was made from, the nearest first."""
    members = {pair_id: None}
    while (parent := parents.get(pair_id)) is not None and parent not in members:
        members[parent] = None
        pair_id = parent
    return members


def _signatures(pair: ReleasePair, family: Iterable[str]) -> "array[int]":
    """Numbers of which near-duplicates share one: of a sentence's words, and of its words without one of them.

    Those that were made from each other share one as well: of the ids of the family.

    Leaving each word out in turn finds all sentences one word apart in linear time (the deletion neighbourhoods of
    Mor and Fraenkel 1982, on words instead of letters).
    """
    numbers = {_word_hash(f"family {member}") for member in family}
    for sentence in (pair.sentence_good, pair.sentence_bad):
        hashes = tuple(_word_hash(word) for word in comparison_key(sentence).split())
        numbers.add(hash(hashes))
        if len(hashes) >= WORDS_OF_NEAR_DUPLICATES:
            numbers.update(hash(hashes[:at] + hashes[at + 1 :]) for at in range(len(hashes)))
    return array("q", sorted(numbers))


@lru_cache(maxsize=200_000)
def _word_hash(word: str) -> int:
    # Of the bytes, as Python's own hash of a text is another one in each process; that of numbers is not.
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=7).digest(), "big")


def _groups(keys: Sequence["array[int]"]) -> Iterable[list[int]]:
    """The indices that share a key, directly or over others; each index in one group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not keys:
        return []
    holders = np.repeat(np.arange(len(keys)), [len(own) for own in keys])
    values = np.concatenate([np.frombuffer(own, dtype=np.int64) for own in keys])
    order = np.argsort(values, kind="stable")
    same = np.flatnonzero(values[order][1:] == values[order][:-1])
    links = (np.ones(len(same), dtype=bool), (holders[order][same], holders[order][same + 1]))
    _, labels = connected_components(coo_array(links, shape=(len(keys), len(keys))), directed=False)
    groups: dict[int, list[int]] = defaultdict(list)
    for index, label in enumerate(labels.tolist()):
        groups[label].append(index)
    return groups.values()
