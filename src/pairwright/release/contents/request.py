"""What a release is frozen from, and the name and version to freeze it under."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pairwright.config import ReleaseSettings
from pairwright.ids import keyed_pseudonym
from pairwright.records import Block, CheckedPair, DecisionWord, Rule, Source

# The decision of each reviewer on each pair: by pair id, then by reviewer.
Votes = Mapping[str, Mapping[str, DecisionWord]]


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """The reviewed pairs to freeze, and all that decides which of them are released and how.

    pairs          are read once, so they may come from files one by one
    rules, sources by id
    blocks         the glossed examples of the sources, by id
    adjudicated    the votes that were cast to settle a conflict
    key            the workspace's key, from which the pseudonyms of reviewers are made
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
    adjudicated: Votes = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    because: str | None = None
    date: str | None = None

    @cached_property
    def pseudonyms(self) -> dict[str, str]:
        """The pseudonym of each reviewer in releases of this name."""
        reviewers = {reviewer for votes in self.votes.values() for reviewer in votes}
        return {reviewer: keyed_pseudonym(self.key, self.name, reviewer) for reviewer in reviewers}

    def deciding_votes(self, pair_id: str) -> tuple[Mapping[str, DecisionWord], int]:
        """The votes that decide on a pair, and how many of them have to approve it.

        Votes of reviewers who may decide alone come first, then those that settled a conflict; one approval is enough
        of these. Else all votes count, and the settings say how many approvals a pair needs.
        """
        votes = self.votes.get(pair_id, {})
        alone = {reviewer: word for reviewer, word in votes.items() if reviewer in self.settings.decide_alone}
        settling = alone or self.adjudicated.get(pair_id)
        return (settling, 1) if settling else (votes, self.settings.votes)
