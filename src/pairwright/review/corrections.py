"""Minimal pairs that reviewers made by correcting one. They are checked and reviewed like any other candidate."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Decision
from pairwright.languages.linguistics.edits import changes


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
            child = _child(parent, fix)
            if child.id not in candidates and child.id not in made:
                made.add(child.id)
                parents.append(child)
                yield child


def _child(parent: Candidate, fix: Decision) -> Candidate:
    """Leaves out alternatives, features and a changed sentence's translation, which hold for the parent alone."""
    good, bad = fix.good or parent.good, fix.bad or parent.bad
    own = {"id": pair_id(parent.rule_id, good, bad), "good": good, "bad": bad, "changes": changes(good, bad)}
    given_up = {"alternatives": (), "features": (), "asked": (), "derivation": None, "kept": False} | (
        {} if good == parent.good else {"translation": None}
    )
    return parent.model_copy(update={"method": "manual", "parent_id": parent.id} | own | given_up)
