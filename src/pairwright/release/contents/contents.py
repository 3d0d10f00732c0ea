"""What the files of a release are written from: columns, licences, splits, and names that stay in all versions.

A pair's split comes from the hash of its id, so it doesn't depend on the other pairs. Near-duplicates go together, so
do pairs that were made from each other or from the same one, and a pair of the last release keeps its split: nothing
that was for testing is ever shown in a prompt. Two sentences are near-duplicates when nothing but case, punctuation or
white space tells them apart, or one word, where the longer one has six words or more.
"""

import hashlib
import re
import tomllib
import uuid
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np

from pairwright.core.config import ReleaseSettings
from pairwright.core.records import Block, Lot, Rule
from pairwright.core.records.items import Item
from pairwright.core.records.pairs import DERIVED_METHODS
from pairwright.core.records.release import SPLITS, ExcludedPair, ReleaseInfo, ReleasePair, ReleaseSource, Split
from pairwright.core.text import comparison_key

# Rule codes that need no change in a file name but for their points.
PLAIN_CODE = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*", re.ASCII)
# The namespace of all canaries: a random UUID, made once.
CANARIES = uuid.UUID("5f9df3a3-1d5e-4f53-8a3f-0f6a4f2a5c11")
# Names of types as Arrow and `datasets` know them.
TEXT, TRUTH, INTEGER, NUMBER = "string", "bool", "int32", "float64"

Fields = dict[str, str]
# A cell holds a value, a list of values or a list of records.
ColumnType = str | list[str] | list[Fields]

_OTHER_THAN_TEXT: dict[str, ColumnType] = {
    "exception": TRUTH,
    "changes": [{"good": TEXT, "bad": TEXT, "good_at": INTEGER, "bad_at": INTEGER}],
    "votes": [{"reviewer": TEXT, "decision": TEXT, "basis": TEXT}],
    "agreement": NUMBER,
    "features": [TEXT],
    "published_source": TRUTH,
    "phrase": TRUTH,
}
COLUMNS: dict[str, ColumnType] = {name: _OTHER_THAN_TEXT.get(name, TEXT) for name in ReleasePair.model_fields}
# The columns whose cells are lists of records.
NESTED = tuple(name for name, kind in COLUMNS.items() if isinstance(kind, list) and kind[0] != TEXT)


@dataclass(frozen=True)
class Licence:
    """A licence as it was written. `spdx`, `hub` and `url` are None where licences.toml doesn't know the words."""

    words: str
    spdx: str | None
    hub: str | None
    url: str | None


def licence(words: str) -> Licence:
    """The licence that is meant: `CC BY 4.0`, `cc-by-4.0` and `CC-BY-4.0` are one."""
    key = "-".join(words.casefold().replace("(", " ").replace(")", " ").split())
    return Licence(words, *_registry().get(key, (None, None, None)))


@cache
def _registry() -> dict[str, tuple[str, str, str]]:
    """SPDX id, id on the Hub and address of each licence, by its SPDX id in small letters."""
    text = files("pairwright.release.contents").joinpath("licences.toml").read_text(encoding="utf-8")
    return {spdx.casefold(): (spdx, entry["hub"], entry["url"]) for spdx, entry in tomllib.loads(text).items()}


@dataclass(frozen=True)
class ReleaseContents:
    """Everything that the files of a release say; at least one pair. `origins` are lines of provenance.jsonl by id."""

    info: ReleaseInfo
    pairs: Sequence[ReleasePair]
    rules: tuple[Rule, ...]
    excluded: Sequence[ExcludedPair]
    origins: Mapping[str, bytes]
    glosses: Mapping[str, tuple[Block, ...]]
    lots: Sequence[Lot] = ()
    matrices: Sequence[Item] = ()

    @cached_property
    def languages(self) -> list[str]:
        """The codes of the pairs' languages, sorted."""
        return sorted({pair.language for pair in self.pairs})

    @cached_property
    def licences(self) -> list[Licence]:
        """The licences of the pairs, each once, in the order of the pairs."""
        by_name: dict[str, Licence] = {}
        for one in map(licence, dict.fromkeys(pair.licence for pair in self.pairs)):
            by_name.setdefault(one.spdx or one.words, one)
        return list(by_name.values())

    @cached_property
    def released_sources(self) -> list[ReleaseSource]:
        """The sources that have released pairs."""
        used = {pair.source_id for pair in self.pairs}
        return [source for source in self.info.sources if source.id in used]


def canary(name: str) -> str:
    """A string that stands in every version of a release and nowhere else, after BIG-bench's canaries."""
    return f"pairwright {name} canary GUID {uuid.uuid5(CANARIES, name)} test data must never be in training corpora"


def counts(pairs: Sequence[ReleasePair], excluded: Sequence[ExcludedPair]) -> dict[str, Any]:
    """The fields of release.json that the pairs decide on."""
    splits = Counter(pair.split for pair in pairs)
    every = chain((pair.votes for pair in pairs), (pair.votes for pair in excluded))
    return {
        "n_pairs": len(pairs),
        "n_exceptions": sum(pair.exception for pair in pairs),
        "n_rules": len({pair.rule_id for pair in pairs}),
        "n_reviewers": len({vote.reviewer for votes in every for vote in votes}),
        "n_excluded": len(excluded),
        "n_conflicts": sum(pair.cause == "conflict" for pair in excluded),
        "n_sampled": sum(pair.review == "sampled" for pair in pairs),
        "splits": {split: splits[split] for split in SPLITS},
        "columns": tuple(ReleasePair.model_fields),
    }


@lru_cache(maxsize=65_536)
def natural_order(code: str) -> tuple[tuple[int, str], ...]:
    """A sort key by which 3.10 follows 3.9: of two numbers, the one with more digits is larger."""
    parts = re.split(r"0*([0-9]+)", code)
    return tuple((len(part), part) if index % 2 else (-1, part) for index, part in enumerate(parts))


def pair_order(pair: ReleasePair) -> tuple[object, ...]:
    """A sort key of pairs: by source, then by rule, as its code counts."""
    return pair.source_id, natural_order(pair.rule_code), pair.rule_code, pair.id


def rule_order(rule: Rule) -> tuple[object, ...]:
    """A sort key of rules, like that of their pairs."""
    return rule.source_id, natural_order(rule.code), rule.code, rule.id


def uids(rules: Iterable[Rule]) -> dict[str, str]:
    """BLiMP's UID of each rule, by the rule's id: source and code in small letters, digits and `_`.

    Codes that are not unique so, or that two rules share, are followed by the first digits of the rule's id.
    """
    by_id = {rule.id: rule for rule in rules}
    names = {key: re.sub(r"[^a-z0-9]+", "_", f"{rule.source_id}_{rule.code}".casefold()) for key, rule in by_id.items()}
    # Those of two sources may meet, too: rule 1 of `list-3` and rule 3.1 of `list`.
    shared = Counter(name for key, name in names.items() if PLAIN_CODE.fullmatch(by_id[key].code))
    for key, name in names.items():
        if shared[name] > 1 or not PLAIN_CODE.fullmatch(by_id[key].code) or len(name) > 80:
            names[key] = f"{name.strip('_')[:80].rstrip('_')}_{key.rsplit('-', 1)[-1][:8]}"
    return names


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
