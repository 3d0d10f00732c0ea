"""What a release is frozen from, and the name and version to freeze it under.

The random key from which the pseudonyms of reviewers are made is never released: with it, whoever knows the reviewers'
names can find out how each of them voted. But a release is frozen from it, as from the sheets beside it: the same
sheets and key give the same bytes on every machine.
"""

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pairwright.core import store
from pairwright.core.config import ReleaseSettings, SamplingSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.files import read_text
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import Block, Candidate, CheckedPair, Rule, Source
from pairwright.core.records.items import Item
from pairwright.core.workspace import Workspace
from pairwright.stats.acceptance import Votes

FILE = "pseudonyms.key"


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
    workspace      the one that commands in messages are for
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
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    matrices: Sequence[Item] = ()
    because: str | None = None
    date: str | None = None

    @cached_property
    def pseudonyms(self) -> dict[str, str]:
        """The pseudonym of each reviewer in releases of this name."""
        reviewers = {reviewer for votes in self.votes.values() for reviewer in votes}
        return {reviewer: keyed_pseudonym(self.key, self.name, reviewer) for reviewer in reviewers}


def pseudonym_key(annotations: Path) -> bytes:
    """The key of a workspace, 32 bytes; it is made where there is none yet. Raises ReleaseError where it is damaged."""
    path = annotations / FILE
    if not path.exists():
        store.write_text(path, f"{secrets.token_hex(32)}\n")
    text = read_text(path, 1_000, ReleaseError).strip()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ReleaseError(
            f"{path}: not 64 hexadecimal digits; get the file back from a copy of the workspace, for with another key "
            "all reviewers get other pseudonyms"
        )
    return bytes.fromhex(text)
