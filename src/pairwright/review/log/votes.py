"""The log of decisions read back as votes."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from pairwright.ids import pair_id
from pairwright.records import Decision, DecisionWord
from pairwright.review.log.folder import QueueFolder, queues
from pairwright.store import read_log

Votes = dict[str, dict[str, DecisionWord]]
"""What each reviewer says of each pair, by pair id and reviewer."""


class Pair(Protocol):
    """As much of a pair as votes need."""

    @property
    def rule_id(self) -> str: ...
    @property
    def good(self) -> str: ...
    @property
    def bad(self) -> str: ...


class SourceVotes(NamedTuple):
    """The votes on the pairs of a source, and those of them that were cast to settle a conflict."""

    cast: Votes
    adjudicated: Votes


def latest_decisions(log_path: Path) -> dict[tuple[str, str], Decision]:
    """The last decision of each reviewer on each pair, by (pair id, reviewer); none where there is no log yet.

    An entry without a decision takes the one before it back.
    """
    return latest(read_log(log_path, Decision))


def latest(entries: Iterable[Decision]) -> dict[tuple[str, str], Decision]:
    """The last decision of each reviewer on each pair in a log, in the order in which they were first decided."""
    found: dict[tuple[str, str], Decision] = {}
    for entry in entries:
        key = entry.pair_id, entry.reviewer
        if entry.decision is not None:
            found[key] = entry
        else:
            found.pop(key, None)
    return found


def votes(decisions: Iterable[Decision], candidates: Mapping[str, Pair]) -> Votes:
    """What each reviewer says of each pair, by pair id and reviewer; of several decisions on a pair the last counts.

    Who corrects a pair says `fix` of it and approves the pair that the correction makes, unless they decided on that
    one themselves. `candidates` gives the corrected pairs by id.
    """
    current = latest(decisions)
    found: Votes = {}
    for (identity, reviewer), decision in current.items():
        if decision.decision is not None:
            found.setdefault(identity, {})[reviewer] = decision.decision
    for child, reviewer in corrections(current.values(), candidates):
        found.setdefault(child, {}).setdefault(reviewer, "approve")
    return found


def corrections(decisions: Iterable[Decision], candidates: Mapping[str, Pair]) -> Iterator[tuple[str, str]]:
    """The id of each pair that a decision makes by correcting another, and the reviewer who made it.

    `candidates` gives the corrected pairs by id.
    """
    for decision in decisions:
        parent = candidates.get(decision.pair_id)
        if decision.decision == "fix" and parent is not None:
            yield pair_id(parent.rule_id, decision.good or parent.good, decision.bad or parent.bad), decision.reviewer


def source_decisions(annotations: Path, source: str) -> list[Decision]:
    """The latest decisions on the pairs of a source, of all its queues; of several by one reviewer the last counts."""
    found = [
        decision for folder in _queues_of(annotations, source) for decision in latest_decisions(folder.log).values()
    ]
    return list(latest(sorted(found, key=lambda decision: decision.at)).values())


def source_votes(annotations: Path, source: str, candidates: Mapping[str, Pair]) -> SourceVotes:
    """The votes on the pairs of a source, of all its queues of pairs. `candidates` gives its pairs by id.

    Who is unsure settles nothing. A pair that settles a conflict by a correction is not settled itself: it needs the
    votes of any new pair.
    """
    settling = [folder for folder in _queues_of(annotations, source) if folder.known().of is not None]
    adjudicated: Votes = {}
    for decision in (decision for folder in settling for decision in latest_decisions(folder.log).values()):
        if decision.decision not in (None, "unsure"):
            adjudicated.setdefault(decision.pair_id, {})[decision.reviewer] = decision.decision
    return SourceVotes(cast=votes(source_decisions(annotations, source), candidates), adjudicated=adjudicated)


def _queues_of(annotations: Path, source: str) -> Iterator[QueueFolder]:
    for folder in queues(annotations):
        info = folder.known()
        if info.kind == "pairs" and info.source == source:
            yield folder
