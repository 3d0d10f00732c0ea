"""The log of decisions: nothing in it is lost, and it is read back as votes."""

import subprocess
import sys
import threading

import pytest
from review_queue import DECISION, GOOD, QueueFixture, make_pair

from pairwright.core.errors import StoreError
from pairwright.core.records import Decision, DecisionWord
from pairwright.review.log import count_votes, source_votes


def test_imports_at_the_same_time_log_each_decision_once(exported: QueueFixture) -> None:
    exported.fill(dict.fromkeys(range(5), "gerai"))
    threads = [threading.Thread(target=exported.import_sheets) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(exported.log.read_bytes().splitlines()) == 5


HOLD_THE_LOCK = """
import sys, time
from pathlib import Path
from pairwright.review.log import QueueFolder
with QueueFolder(Path(sys.argv[1]), "linksniai").locked():
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_program_that_was_killed_blocks_nobody(exported: QueueFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_LOCK, str(exported.annotations)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    monkeypatch.setattr("pairwright.review.log.LOCK_TIMEOUT", 0.1)
    with pytest.raises(StoreError, match=f"linksniai: process {holder.pid} on"):
        exported.import_sheets()
    holder.kill()
    holder.communicate()
    assert len(exported.import_sheets().sheets) == 2


def decision(number: int, reviewer: str, word: DecisionWord, good: str | None = None) -> Decision:
    """A decision on the first pair of the queue, or on the one that its correction makes."""
    pair_id = (PARENT, CHILD)[number].id
    return Decision(pair_id=pair_id, reviewer=reviewer, decision=word, good=good, at="2026-03-11T09:30:00+00:00")


FIXED = "Laukiu tavo autobuso."
PARENT = make_pair("Laukiu autobuso.", "Laukiu autobusą.")
CHILD = make_pair(FIXED, PARENT.bad)
FIX = decision(0, "ana", "fix", FIXED)


@pytest.mark.parametrize(
    ("decisions", "of_parent", "of_child"),
    [
        ([FIX, decision(0, "jonas", "approve")], {"ana": "fix", "jonas": "approve"}, {"ana": "approve"}),
        ([FIX, decision(1, "jonas", "reject")], {"ana": "fix"}, {"ana": "approve", "jonas": "reject"}),
        # What the corrector says of the new pair itself counts more.
        ([FIX, decision(1, "ana", "unsure")], {"ana": "fix"}, {"ana": "unsure"}),
        ([decision(1, "ana", "unsure"), FIX], {"ana": "fix"}, {"ana": "unsure"}),
        ([FIX, decision(0, "ana", "approve")], {"ana": "approve"}, None),
    ],
)
def test_a_correction_counts_as_approval_of_the_pair_that_it_makes(
    decisions: list[Decision], of_parent: dict[str, str], of_child: dict[str, str] | None
) -> None:
    found = count_votes(decisions, {PARENT.id: PARENT})
    assert found == {PARENT.id: of_parent} | ({CHILD.id: of_child} if of_child else {})


def test_a_correction_counts_after_the_source_itself_was_mended(exported: QueueFixture) -> None:
    fixed = exported.good(0).replace("autobuso", "troleibuso")
    exported.answer({0: {DECISION: "taisyti", GOOD: fixed}})
    child = make_pair(fixed, exported.pairs[0].candidate.bad)
    mended = {key: pair for key, pair in exported.known.items() if key != exported.id(0)} | {child.id: child}
    votes = source_votes(exported.annotations, "mini", mended)
    assert votes.cast[child.id] == {"ana": "approve"}
    assert (child.id, "ana") in votes.written
