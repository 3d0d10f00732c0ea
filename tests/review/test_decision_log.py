"""The log of decisions: nothing in it is lost, and it is read back as votes."""

import subprocess
import sys
import threading

import pytest
from review_queue import DECISION, GOOD, QueueFixture, make_pair

from pairwright.core.errors import StoreError
from pairwright.core.records import Decision, DecisionWord
from pairwright.review.log.votes import count_votes, source_votes


def decided(queue: QueueFixture) -> set[str]:
    """The acceptable sentences of the pairs that ana decided."""
    return {queue.known[pair_id].good for pair_id, name in queue.latest if name == "ana"}


def test_a_half_line_that_a_crash_left_in_the_log_does_no_harm(exported: QueueFixture) -> None:
    exported.answer({0: "gerai"})
    whole = exported.log.read_bytes()
    exported.log.write_bytes(whole + whole[: len(whole) // 2])
    assert decided(exported) == {exported.good(0)}
    exported.answer({1: "gerai"})
    assert exported.log.read_bytes().startswith(whole)
    assert decided(exported) == {exported.good(0), exported.good(1)}


def test_a_log_whose_last_line_end_an_editor_took_away_loses_nothing(exported: QueueFixture) -> None:
    exported.answer({0: "gerai"})
    exported.log.write_bytes(exported.log.read_bytes().rstrip(b"\n"))
    assert exported.answer({1: "gerai"}).sheets[0].n_new == 1
    assert decided(exported) == {exported.good(0), exported.good(1)}


def test_a_damaged_log_is_named_with_its_line(exported: QueueFixture) -> None:
    exported.answer({0: "gerai"})
    exported.log.write_bytes(exported.log.read_bytes() + b"<<<<<<< HEAD\n")
    with pytest.raises(StoreError, match=r"decisions\.jsonl:2: "):
        exported.import_sheets()


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
from pairwright.review.log.queue import QueueFolder
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
    monkeypatch.setattr("pairwright.review.log.queue.LOCK_TIMEOUT", 0.1)
    with pytest.raises(StoreError, match=f"linksniai: process {holder.pid} on"):
        exported.import_sheets()
    holder.kill()
    holder.communicate()
    assert len(exported.import_sheets().sheets) == 2


def decision(
    pair_id: str, reviewer: str, word: DecisionWord, good: str | None = None, bad: str | None = None
) -> Decision:
    return Decision(
        pair_id=pair_id, reviewer=reviewer, decision=word, good=good, bad=bad, at="2026-03-11T09:30:00+00:00"
    )


def test_a_correction_counts_as_approval_of_the_pair_that_it_makes(queue: QueueFixture) -> None:
    parent = queue.pairs[0].candidate
    child = make_pair("Laukiu tavo autobuso.", parent.bad)
    found = count_votes(
        [
            decision(parent.id, "ana", "fix", good="Laukiu tavo autobuso."),
            decision(parent.id, "jonas", "approve"),
            decision(child.id, "jonas", "reject"),
        ],
        queue.known,
    )
    assert found == {parent.id: {"ana": "fix", "jonas": "approve"}, child.id: {"ana": "approve", "jonas": "reject"}}


@pytest.mark.parametrize("first", [True, False])
def test_what_the_corrector_says_of_the_new_pair_itself_counts_more(first: bool, queue: QueueFixture) -> None:
    parent = queue.pairs[0].candidate
    child = make_pair("Laukiu tavo autobuso.", parent.bad)
    entries = [decision(parent.id, "ana", "fix", good="Laukiu tavo autobuso."), decision(child.id, "ana", "unsure")]
    found = count_votes(entries if first else reversed(entries), queue.known)
    assert found == {parent.id: {"ana": "fix"}, child.id: {"ana": "unsure"}}


def test_a_correction_that_makes_a_pair_that_is_there_approves_it(queue: QueueFixture) -> None:
    one, other = queue.pairs[0].candidate, make_pair("Laukiu troleibuso.", "Laukiu autobusą.")
    known = {**queue.known, other.id: other}
    assert count_votes([decision(one.id, "ana", "fix", good=other.good)], known)[other.id] == {"ana": "approve"}


def test_a_correction_counts_after_the_source_itself_was_mended(exported: QueueFixture) -> None:
    fixed = exported.good(0).replace("autobuso", "troleibuso")
    exported.answer({0: {DECISION: "taisyti", GOOD: fixed}})
    child = make_pair(fixed, exported.pairs[0].candidate.bad)
    mended = {key: pair for key, pair in exported.known.items() if key != exported.id(0)} | {child.id: child}
    votes = source_votes(exported.annotations, "mini", mended)
    assert votes.cast[child.id] == {"ana": "approve"}
    assert (child.id, "ana") in votes.written


def test_a_correction_that_was_taken_back_approves_nothing(queue: QueueFixture) -> None:
    parent = queue.pairs[0].candidate
    entries = [decision(parent.id, "ana", "fix", good="Laukiu tavo autobuso."), decision(parent.id, "ana", "approve")]
    assert count_votes(entries, queue.known) == {parent.id: {"ana": "approve"}}
