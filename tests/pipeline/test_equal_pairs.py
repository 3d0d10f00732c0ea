"""Of equal pairs in two sources the decided or older one stays, whatever the sources are called."""

from pathlib import Path

import pytest

from made_records import make_candidate, make_checked, make_rule
from pairwright.core.records import Decision, DecisionWord
from pairwright.core.store import write_jsonl
from pairwright.core.workspace import Workspace
from pairwright.pipeline.decided import pairs_before
from pairwright.review.log import Assignment, QueueFolder, QueueInfo

GOOD, BAD = "Laukiu autobuso.", "Laukiu autobusą."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two sources with an equal pair and one of their own."""
    workspace = Workspace(tmp_path)
    for source_id in ("aaa", "bbb"):
        rule = make_rule(source_id=source_id)
        pairs = [
            make_checked(make_candidate(good, bad, rule_id=rule.id, source_id=source_id))
            for good, bad in ((GOOD, BAD), (f"Noriu {source_id}.", f"Nori {source_id}."))
        ]
        write_jsonl(workspace.work(source_id) / "candidates.jsonl", (pair.candidate for pair in pairs))
        write_jsonl(workspace.work(source_id) / "checked.jsonl", pairs)
    return workspace


def hand_out(workspace: Workspace, source_id: str, word: DecisionWord | None = None) -> None:
    queue = QueueFolder(workspace.annotations, source_id)
    queue.write_info(QueueInfo(queue=source_id, kind="pairs", source=source_id, language="lt"))
    pair_id = make_candidate(GOOD, BAD, rule_id=make_rule(source_id=source_id).id, source_id=source_id).id
    queue.assign([Assignment(item_id=pair_id, reviewer="ana", pair_id=pair_id)])
    if word:
        at = "2026-03-11T09:30:00+00:00"
        queue.add_entries("pairs", [Decision(pair_id=pair_id, reviewer="ana", decision=word, at=at)])


@pytest.mark.parametrize(
    ("handed_out", "stands"),
    [({}, "aaa"), ({"bbb": None}, "bbb"), ({"aaa": None, "bbb": "approve"}, "bbb")],
    ids=["by name where nobody saw them", "in review", "decided before handed out"],
)
def test_which_of_two_equal_pairs_stands_before_the_other(
    workspace: Workspace, handed_out: dict[str, DecisionWord | None], stands: str
) -> None:
    for source_id, word in handed_out.items():
        hand_out(workspace, source_id, word)
    found = [pair for source_id in ("aaa", "bbb") for pair in pairs_before(workspace, source_id).values()]
    assert [pair.candidate.source_id for pair in found] == [stands]
