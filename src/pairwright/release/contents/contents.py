"""What the files of a release are written from: columns, licences, and names that stay the same in all versions."""

import re
import tomllib
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import chain
from typing import Any

from pairwright.core.records import Block, Lot, Rule
from pairwright.core.records.items import Item
from pairwright.core.records.release import SPLITS, ExcludedPair, ReleaseInfo, ReleasePair, ReleaseSource

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
