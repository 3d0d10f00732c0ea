"""What a release is frozen from, and the name and version to freeze it under."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from pairwright.core.config import ReleaseSettings, SamplingSettings
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import Block, Candidate, CheckedPair, Rule, Source
from pairwright.core.records.items import Item
from pairwright.stats.acceptance import Votes


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """The reviewed pairs to freeze, and all that decides which of them are released and how.

    pairs          are read once, so they may come from files one by one
    rules, sources by id
    blocks         the glossed examples of the sources, by id
    gone           pairs on which people voted and that are no longer made, as they were handed out, by id
    corrections    the ids of the pairs that corrections make, by the id of the corrected one
    adjudicated    the votes that were cast to settle a conflict
    written        the votes of reviewers on their own corrections: pair and reviewer
    shown          the ids of the pairs that somebody was asked about
    doubts         what could not be taken over from reviewers' sheets, in words, by the folder of the queue
    sampling       how lots of derived pairs are sampled
    key            the workspace's key, from which the pseudonyms of reviewers are made
    matrices       problems of matrices to freeze with the pairs
    because        the reason for a larger version step than the change asks for
    date           the day of the release, YYYY-MM-DD
    """

    name: str
    version: str
    pairs: Iterable[CheckedPair]
    rules: Mapping[str, Rule]
    sources: Mapping[str, Source]
    votes: Votes
    settings: ReleaseSettings
    key: bytes
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    gone: Mapping[str, Candidate] = field(default_factory=dict)
    corrections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    adjudicated: Votes = field(default_factory=dict)
    written: Set[tuple[str, str]] = frozenset()
    blocks: Mapping[str, Block] = field(default_factory=dict)
    shown: Set[str] = frozenset()
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matrices: Sequence[Item] = ()
    because: str | None = None
    date: str | None = None

    @cached_property
    def pseudonyms(self) -> dict[str, str]:
        """The pseudonym of each reviewer in releases of this name."""
        reviewers = {reviewer for votes in self.votes.values() for reviewer in votes}
        return {reviewer: keyed_pseudonym(self.key, self.name, reviewer) for reviewer in reviewers}
