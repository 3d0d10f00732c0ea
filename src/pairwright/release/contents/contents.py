"""What the files of a release are written from, and the names in it that stay the same from version to version."""

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pairwright.records import Block, Rule
from pairwright.records.release import ExcludedPair, ReleaseInfo, ReleasePair, ReleaseSource
from pairwright.release.contents.licences import Licence, licence

# Rule codes that need no change in a file name but for their points.
PLAIN_CODE = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*", re.ASCII)
# The namespace of all canaries: a random UUID, made once.
CANARIES = uuid.UUID("5f9df3a3-1d5e-4f53-8a3f-0f6a4f2a5c11")


@dataclass(frozen=True)
class ReleaseContents:
    """Everything that the files of a release say; at least one pair. `origins` are lines of provenance.jsonl by id."""

    info: ReleaseInfo
    pairs: Sequence[ReleasePair]
    rules: tuple[Rule, ...]
    excluded: Sequence[ExcludedPair]
    origins: Mapping[str, bytes]
    glosses: Mapping[str, tuple[Block, ...]]

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

    def by_uid(self) -> dict[str, list[ReleasePair]]:
        """The pairs of each rule by UID, in order."""
        pairs: dict[str, list[ReleasePair]] = defaultdict(list)
        for pair in self.pairs:
            pairs[pair.uid].append(pair)
        return pairs


def canary(name: str) -> str:
    """A string that stands in every version of a release and nowhere else, after BIG-bench's canaries."""
    return f"pairwright {name} canary GUID {uuid.uuid5(CANARIES, name)} test data must never be in training corpora"


def uids(rules: Iterable[Rule]) -> dict[str, str]:
    """BLiMP's UID of each rule, by the rule's id: source and code in small letters, digits and `_`.

    Codes that are not unique so, or that two rules share, are followed by the first digits of the rule's id.
    """
    distinct_rules = list({rule.id: rule for rule in rules}.values())
    shared = Counter((rule.source_id, rule.code) for rule in distinct_rules)
    names = {}
    for rule in distinct_rules:
        name = re.sub(r"[^a-z0-9]+", "_", f"{rule.source_id}_{rule.code}".casefold()).strip("_")
        if shared[rule.source_id, rule.code] > 1 or not PLAIN_CODE.fullmatch(rule.code) or len(name) > 80:
            name = f"{name[:80].rstrip('_')}_{rule.id.rsplit('-', 1)[-1][:8]}"
        names[rule.id] = name
    return names
