"""The log of decisions, read as votes and as the minimal pairs that corrections make."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Decision, DecisionWord
from pairwright.languages.linguistics.edits import changes
from pairwright.review.log.log import Key, read_queue_log
from pairwright.review.log.queue import Pair, QueueInfo, pair_queues

VotesByReviewer = dict[str, DecisionWord]
Votes = dict[str, VotesByReviewer]
"""Each reviewer's vote on each pair, by pair id and reviewer."""


class Correction(NamedTuple):
    """The pair that a reviewer corrected, and the one that the correction makes, by their ids."""

    parent_id: str
    pair_id: str
    reviewer: str


class SourceVotes(NamedTuple):
    """The votes on a source's pairs.

    adjudicated  those that settle a conflict
    written      those of reviewers on their own corrections, which nobody showed them: pair and reviewer
    """

    cast: Votes
    adjudicated: Votes
    written: frozenset[Key] = frozenset()


def latest_decisions(log_path: Path) -> dict[Key, Decision]:
    """The last decision of each reviewer on each pair; empty if there is no log yet."""
    return latest(read_queue_log(log_path, Decision))


def latest(entries: Iterable[Decision]) -> dict[Key, Decision]:
    """The last decision of each reviewer on each pair. An entry without a decision withdraws the one before it."""
    last = {(entry.pair_id, entry.reviewer): entry for entry in entries}
    return {key: entry for key, entry in last.items() if entry.decision is not None}


def count_votes(decisions: Iterable[Decision], pairs: Mapping[str, Pair]) -> Votes:
    """Each reviewer's vote on each pair; only the last decision of a reviewer on a pair counts.

    Whoever corrects a pair votes `fix` on it and approves the pair that the correction makes, unless they decided on
    that one themselves. `pairs` holds the corrected pairs by id.
    """
    current = latest(decisions)
    votes: Votes = {}
    for (identity, reviewer), decision in current.items():
        if decision.decision is not None:
            votes.setdefault(identity, {})[reviewer] = decision.decision
    for correction in corrections(current.values(), pairs):
        votes.setdefault(correction.pair_id, {}).setdefault(correction.reviewer, "approve")
    return votes


def corrections(decisions: Iterable[Decision], pairs: Mapping[str, Pair]) -> Iterator[Correction]:
    """The corrections of `pairs` that the decisions make."""
    for decision in decisions:
        parent = pairs.get(decision.pair_id)
        if decision.decision == "fix" and parent is not None:
            child = pair_id(parent.rule_id, decision.good or parent.good, decision.bad or parent.bad)
            yield Correction(parent.id, child, decision.reviewer)


def source_decisions(annotations: Path, source: str) -> list[Decision]:
    """The last decision of each reviewer on each pair of a source, whichever of its queues it comes from."""
    return _latest_of(decisions for _, decisions in _by_queue(annotations, source))


def _by_queue(annotations: Path, source: str) -> list[tuple[QueueInfo, list[Decision]]]:
    folders = pair_queues(annotations, source)
    return [(folder.info(), list(latest_decisions(folder.log()).values())) for folder in folders]


def _latest_of(queues: Iterable[Iterable[Decision]]) -> list[Decision]:
    decisions = (decision for queue in queues for decision in queue)
    return list(latest(sorted(decisions, key=lambda decision: decision.at)).values())


def source_votes(annotations: Path, source: str, pairs: Mapping[str, Pair]) -> SourceVotes:
    """The votes on a source's pairs, from all its queues of pairs. `pairs` holds the source's pairs by id.

    `unsure` settles nothing. A correction settles its conflict, and approves the pair that it makes, unless somebody
    refuses that one. It does so also where the source no longer has the corrected pair, as after it was corrected.
    """
    queues = _by_queue(annotations, source)
    decisions = _latest_of(own for _, own in queues)
    if any(decision.decision == "fix" and decision.pair_id not in pairs for decision in decisions):
        texts = (folder.pair_texts() for folder in pair_queues(annotations, source))
        pairs = {pair_id: text for own in texts for pair_id, text in own.items()} | dict(pairs)
    cast = count_votes(decisions, pairs)
    shown = {(decision.pair_id, decision.reviewer) for decision in decisions}
    settling: list[Decision] = []
    adjudicated: Votes = {}
    for info, own in queues:
        for decision in own if info.of is not None else ():
            if decision.decision not in (None, "unsure"):
                settling.append(decision)
                adjudicated.setdefault(decision.pair_id, {})[decision.reviewer] = decision.decision
    for _, child, adjudicator in corrections(settling, pairs):
        if not {"fix", "reject"} & set(cast[child].values()):
            adjudicated.setdefault(child, {}).setdefault(adjudicator, "approve")
    written = {(pair_id, reviewer) for pair_id, votes in cast.items() for reviewer in votes} - shown
    return SourceVotes(cast, adjudicated, frozenset(written))


def fixed_candidates(decisions: Iterable[Decision], candidates: Mapping[str, Candidate]) -> Iterator[Candidate]:
    """The pairs that corrections make, each once: method `manual`, the corrected pair as parent, its rule and evidence.

    A correction yields nothing if its result is one of the candidates, or if it is of a pair of another source.

    decisions   the latest ones, in any order; a correction may be of a pair that another correction made
    candidates  by id
    """
    fixes: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.decision == "fix":
            fixes[decision.pair_id].append(decision)
    made: set[str] = set()
    parents = [pair for pair in candidates.values() if pair.id in fixes]
    while parents:
        parent = parents.pop(0)
        for fix in fixes.get(parent.id, ()):
            good, bad = fix.good or parent.good, fix.bad or parent.bad
            # Alternatives, features and a changed sentence's translation hold for the parent alone.
            given_up = {"alternatives": (), "features": (), "asked": (), "derivation": None, "kept": False}
            given_up |= {} if good == parent.good else {"translation": None}
            own = {"id": pair_id(parent.rule_id, good, bad), "good": good, "bad": bad, "changes": changes(good, bad)}
            child = parent.model_copy(update={"method": "manual", "parent_id": parent.id} | own | given_up)
            if child.id not in candidates and child.id not in made:
                made.add(child.id)
                parents.append(child)
                yield child
