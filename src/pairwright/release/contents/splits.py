"""Which pairs are for examples in prompts, for choosing, and for testing. A pair never changes its split.

A pair's split comes from the hash of its id, so that it doesn't depend on the other pairs; pairs that resemble each
other go together, and a pair that the last release holds keeps its split. So nothing that was for testing is ever shown
in a prompt, and no sentence or near-duplicate stands on both sides.

Two sentences are near-duplicates when nothing but case, punctuation or white space tells them apart, or one word, where
the longer one has six words or more.
"""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from pairwright.config import ReleaseSettings
from pairwright.records.release import ReleasePair, Split
from pairwright.text import comparison_key

# Of fewer words, one is a fifth of the sentence or more: "Trūksta laiko" and "Trūksta pinigų" are two sentences.
WORDS_OF_NEAR_DUPLICATES = 6
# The Mersenne prime below 2^64 with the fastest remainder, and a large number without meaning.
PRIME = 2**61 - 1
BASE = 1_000_000_007_177_129


def assign(
    pairs: Sequence[ReleasePair], previous: Mapping[str, Split], settings: ReleaseSettings
) -> tuple[dict[str, Split], dict[str, str]]:
    """The split of each pair by its id, and the reasons why some pairs can have none.

    `previous` gives the splits of the last release by pair id; a pair that corrects one of them takes its split. A new
    pair that resembles pairs of two splits would carry one over into the other: it gets a reason, and no split.
    """
    keys = [_signatures(pair) for pair in pairs]
    splits: dict[str, Split] = {}
    for pair in pairs:
        known = previous.get(pair.id) or previous.get(pair.parent_id or "")
        if known is not None:
            splits[pair.id] = known
    reasons: dict[str, str] = {}
    for members in _groups(keys):
        found = {splits[pairs[index].id] for index in members if pairs[index].id in splits}
        if len(found) > 1:
            reasons |= _one_by_one(members, pairs, keys, splits, settings)
            continue
        anchor = min((pairs[index].id for index in members), key=_hash)
        split = found.pop() if found else split_of(anchor, settings)
        splits |= {pairs[index].id: split for index in members}
    return splits, reasons


def split_of(pair_id: str, settings: ReleaseSettings) -> Split:
    """The split of a pair that resembles no other: the hash of its id as a number from 0 to 1, against the shares."""
    number = int(_hash(f"split\n{pair_id}")[:16], 16) / 2**64
    if number < settings.few_shot:
        return "few_shot"
    return "validation" if number < settings.few_shot + settings.validation else "test"


def _one_by_one(
    members: Sequence[int],
    pairs: Sequence[ReleasePair],
    keys: Sequence["array[int]"],
    splits: dict[str, Split],
    settings: ReleaseSettings,
) -> dict[str, str]:
    """Splits for the new pairs of a group that holds several splits, by the pairs that each of them resembles."""
    holders: dict[int, dict[Split, str]] = defaultdict(dict)

    def enter(index: int) -> None:
        for key in keys[index]:
            holders[key].setdefault(splits[pairs[index].id], pairs[index].id)

    reasons: dict[str, str] = {}
    for index in members:
        if pairs[index].id in splits:
            enter(index)
    for index in sorted((index for index in members if pairs[index].id not in splits), key=lambda at: pairs[at].id):
        alike = {split: holder for key in keys[index] for split, holder in sorted(holders[key].items())}
        if len(alike) > 1:
            named = " and ".join(f"{holder} ({split})" for split, holder in sorted(alike.items()))
            reasons[pairs[index].id] = f"resembles {named}, which are in different splits"
            continue
        splits[pairs[index].id] = next(iter(alike)) if alike else split_of(pairs[index].id, settings)
        enter(index)
    return reasons


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _signatures(pair: ReleasePair) -> "array[int]":
    """Numbers of which near-duplicates share one: of a sentence's words, and of its words without one of them.

    Leaving each word out in turn finds all sentences one word apart in linear time (the deletion neighbourhoods of
    Mor and Fraenkel 1982, on words instead of letters). A sequence of words is hashed as a polynomial in its words'
    hashes (Karp and Rabin 1987), so that leaving a word out takes one step, too.
    """
    numbers: set[int] = set()
    for sentence in (pair.sentence_good, pair.sentence_bad):
        hashes = [_word_hash(word) for word in comparison_key(sentence).split()]
        before, whole = [0], 0
        for value in hashes:
            whole = (whole * BASE + value) % PRIME
            before.append(whole)
        numbers.add(whole)
        if len(hashes) < WORDS_OF_NEAR_DUPLICATES:
            continue
        after, power = 0, 1
        for at in range(len(hashes) - 1, -1, -1):
            numbers.add((before[at] * power + after) % PRIME)
            after = (after + hashes[at] * power) % PRIME
            power = power * BASE % PRIME
    return array("Q", sorted(numbers))


@lru_cache(maxsize=200_000)
def _word_hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") % (PRIME - 1) + 1


def _groups(keys: Sequence["array[int]"]) -> Iterable[list[int]]:
    """The indices that share a key, directly or over others; each index in one group."""
    lengths = np.fromiter((len(own) for own in keys), dtype=np.int64, count=len(keys))
    values = np.concatenate([np.frombuffer(own, dtype=np.uint64) for own in keys]) if keys else np.zeros(0, np.uint64)
    holders = np.repeat(np.arange(len(keys)), lengths)
    order = np.argsort(values, kind="stable")
    same = np.flatnonzero(values[order][1:] == values[order][:-1])
    parents = list(range(len(keys)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for first, second in zip(holders[order][same].tolist(), holders[order][same + 1].tolist(), strict=True):
        low, high = sorted((root(first), root(second)))
        parents[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for index in range(len(keys)):
        groups[root(index)].append(index)
    return groups.values()
