"""What a release says: its pairs with their votes, what was left out and why, its sources."""

from pathlib import Path
from typing import Literal

from pairwright.records import Change, DecisionWord, Method, Record, SourceFile

Exclusion = Literal["checks", "conflict", "fixed", "rejected", "undecided", "identical", "contradiction", "duplicate"]


class Vote(Record):
    """A decision as a release shows it: the reviewer is a pseudonym."""

    reviewer: str
    decision: DecisionWord


class ReleasePair(Record):
    """A pair of a frozen release. `agreement` is the share of votes that approve, 0-1."""

    id: str
    sentence_good: str
    sentence_bad: str
    phenomenon: str
    rule_code: str
    rule: str
    rule_id: str
    source_id: str
    method: Method
    exception: bool
    changes: tuple[Change, ...]
    votes: tuple[Vote, ...]
    agreement: float
    citation: str
    licence: str
    split: str


class ExcludedPair(Record):
    """A pair that was left out of a release: `cause` for programs, `reason` for people, and the votes that it got."""

    id: str
    source_id: str
    rule_id: str
    rule_code: str
    sentence_good: str
    sentence_bad: str
    method: Method
    exception: bool
    votes: tuple[Vote, ...]
    cause: Exclusion
    reason: str


class ReleaseSource(Record):
    """A source as a release names it; the paths of its files say nothing of the machine that it was built on."""

    id: str
    title: str
    language: str
    licence: str
    citation: str
    url: str | None
    files: tuple[SourceFile, ...]


class ReleaseInfo(Record):
    """What release.json says of a release. `format` is raised when files or columns change.

    votes_needed  the approvals that a released pair has at least
    n_pairs       released pairs; `n_exceptions` of them are exceptions to their rule
    n_excluded    pairs in excluded.jsonl; `n_conflicts` of them have an approving and a rejecting vote
    """

    format: Literal[1] = 1
    name: str
    version: str
    votes_needed: int
    n_pairs: int
    n_exceptions: int
    n_rules: int
    n_reviewers: int
    n_excluded: int
    n_conflicts: int
    sources: tuple[ReleaseSource, ...]


class ReleaseResult(Record):
    """What freezing made: the directory of the release and the SHA-256 of its MANIFEST.sha256.

    conflicts  the ids of the excluded pairs with an approving and a rejecting vote, for the reviewers to settle
    """

    path: Path
    sha256: str
    info: ReleaseInfo
    conflicts: tuple[str, ...]


class Release(Record):
    """A frozen release as it was read and verified. `sha256` is that of MANIFEST.sha256 and stands for all files."""

    path: Path
    sha256: str
    info: ReleaseInfo
    pairs: tuple[ReleasePair, ...]

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def version(self) -> str:
        return self.info.version
