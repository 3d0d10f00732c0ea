"""A queue whose files lack lines: the sheets give lost answers back, and what nothing can give back is named."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_queue import COMMENT, DECISION, GOOD, NOW, QueueFixture

from pairwright.core.errors import PairwrightError, StoreError
from pairwright.core.records import QueueKind
from pairwright.languages import load_language
from pairwright.review.log import queues
from pairwright.review.results import queue_status
from pairwright.review.sheets.contents import ANSWERS, titles
from pairwright.review.web.session import ReviewSession, SharedQueue

WORDS = ("gerai", "atmesti", "neaišku")
Q = "tyrimas"
CHOICE = titles(load_language("lt"), "choice")["choice"]


def votes(queue: QueueFixture) -> dict[tuple[str, str], tuple[str | None, str | None, str]]:
    return {key: (entry.decision, entry.good, entry.comment) for key, entry in queue.latest.items()}


def answer_everything(queue: QueueFixture) -> None:
    """Both reviewers answer in their sheets; two of ana's answers change later, one of them to a correction."""
    queue.export()
    for reviewer in ("ana", "jonas"):
        queue.answer({n: {DECISION: WORDS[n % 3], COMMENT: f"žr. {n}"} for n in range(5)}, reviewer)
    queue.fill({0: "neaišku", 1: {DECISION: "taisyti", GOOD: "Ieškome gero."}})
    queue.import_sheets(NOW + timedelta(days=1))


def restored(queue: QueueFixture) -> int:
    result = queue.import_sheets()
    assert result.doubts == ()
    return sum(sheet.n_new + sheet.n_changed for sheet in result.sheets)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.sets(st.integers(0, 11)))
def test_answers_that_a_log_has_lost_come_back_from_the_sheets(kept: set[int], queue: QueueFixture) -> None:
    queue = queue.fresh()
    answer_everything(queue)
    before, lines = votes(queue), queue.log.read_bytes().splitlines(keepends=True)
    assert len(lines) == 12
    queue.log.write_bytes(b"".join(line for number, line in enumerate(lines) if number in kept))
    n_lost = len(before) - sum(votes(queue).get(key) == vote for key, vote in before.items())
    assert restored(queue) == n_lost
    assert votes(queue) == before
    assert restored(queue) == 0


@pytest.mark.parametrize(
    "junk", [b"<<<<<<< HEAD\n", b"\xff\xfe\x00\n", b"\n", b'{"pair_id": "x"}\n', b"[" * 5000 + b"\n"]
)
def test_a_damaged_line_is_named_and_what_it_held_comes_back_when_it_is_deleted(
    junk: bytes, queue: QueueFixture
) -> None:
    answer_everything(queue)
    before, lines = votes(queue), queue.log.read_bytes().splitlines(keepends=True)
    queue.log.write_bytes(b"".join([*lines[:3], junk, *lines[6:]]))
    with pytest.raises(StoreError, match=r"decisions\.jsonl:4: .*delete the line"):
        queue.import_sheets()
    queue.log.write_bytes(b"".join([*lines[:3], *lines[6:]]))
    assert restored(queue) == 3
    assert votes(queue) == before
    assert restored(queue) == 0


def test_what_was_answered_on_the_page_comes_back_from_the_sheet_and_a_later_answer_stands(
    exported: QueueFixture,
) -> None:
    with exported.page() as client:
        forms = [
            {"decision": "approve", "comment": " eilutė\r\nir kita "},
            {"decision": "fix", "good": "=Ieškome „gero“."},
            {"decision": "reject"},
            {"decision": "reject", "comment": "atšaukta"},
        ]
        for number, form in enumerate(forms):
            assert client.post("/answer", data={"item": exported.id(number), **form}).status_code == 200
        client.post("/undo")
        before = votes(exported)
        assert len(before) == 3
        exported.import_sheets()
        client.post("/answer", data={"item": exported.id(0), "decision": "unsure"})
    exported.log.write_bytes(exported.log.read_bytes().splitlines(keepends=True)[-1])
    restored(exported)
    found = {key: vote[:2] for key, vote in votes(exported).items()}
    assert found == {key: vote[:2] for key, vote in before.items()} | {(exported.id(0), "ana"): ("unsure", None)}
    assert [row[DECISION] for row in exported.rows() if row["Poros ID"] == exported.id(0)] == ["neaišku"]


@pytest.mark.parametrize(
    ("undone", "words"),
    [(False, {"atmesti": "reject", "gerai": "approve", "neaišku": "unsure"}), (True, {"gerai": "approve"})],
)
def test_an_answer_that_is_set_back_in_a_sheet_to_what_the_page_said_before_counts(
    undone: bool, words: dict[str, str], exported: QueueFixture
) -> None:
    with exported.page() as client:
        client.post("/answer", data={"item": exported.id(0), "decision": "approve"})
        exported.import_sheets()
        if undone:
            client.post("/undo")
    exported.import_sheets()
    assert [row[DECISION] for row in exported.rows() if row[DECISION]] == ([] if undone else ["gerai"])
    for word, decision in words.items():
        exported.fill({0: {DECISION: word}})
        assert restored(exported) == 1
        assert votes(exported)[exported.id(0), "ana"][0] == decision
        assert restored(exported) == 0
        assert [row[DECISION] for row in exported.rows() if row[DECISION]] == [word]


def test_the_page_shows_what_the_sheet_gave_back_even_while_it_runs(queue: QueueFixture) -> None:
    answer_everything(queue)
    before = votes(queue)
    queue.log.unlink()
    server = queue.serve("ana")
    assert {key: vote for key, vote in before.items() if key[1] == "ana"} == votes(queue)
    client = server.client("ana")
    assert "Atlikta 5 iš 5" in client.get("/").text
    first = queue.log.read_bytes().splitlines(keepends=True)[0]
    queue.log.write_bytes(first)
    client.post("/answer", data={"item": queue.id(4), "decision": "reject"})
    server.stop()
    queue.import_sheets()
    assert {key: vote[0] for key, vote in votes(queue).items()} == {
        **{key: vote[0] for key, vote in before.items()},
        (queue.id(4), "ana"): "reject",
    }


def test_a_copy_of_a_sheet_does_not_overtake_what_comes_back(exported: QueueFixture) -> None:
    exported.answer({0: "gerai"})
    shutil.copy(exported.path(), exported.path().with_name("ana (1).csv"))
    exported.answer({0: "atmesti"})
    exported.log.unlink()
    result = exported.import_sheets()
    assert ["an earlier answer of ana" in doubt for doubt in result.doubts] == [True]
    assert exported.latest[exported.id(0), "ana"].decision == "reject"


def test_a_file_that_was_sent_does_not_write_over_a_lost_answer_in_the_sheet(
    exported: QueueFixture, tmp_path: Path
) -> None:
    exported.fill({0: "atmesti"})
    sent = tmp_path / "ana.csv"
    shutil.copy(exported.path(), sent)
    exported.answer({0: "gerai"})
    exported.log.unlink()
    exported.import_files(sent)
    assert [row[DECISION] for row in exported.rows() if row["Poros ID"] == exported.id(0)] == ["gerai"]
    exported.import_sheets()
    assert {b'"approve"' in line for line in exported.log.read_bytes().splitlines()} == {True, False}


@pytest.mark.parametrize(("kind", "answers"), [("choice", "AB"), ("likert", "17")])
def test_judgements_come_back_too(kind: QueueKind, answers: str, queue: QueueFixture) -> None:
    queue.export(Q, kind)
    rows = queue.rows("ana", queue=Q)
    column = titles(queue.language, kind)[ANSWERS[kind][0]]
    queue.save([{**row, column: answers[n % 2]} for n, row in enumerate(rows)], "ana", Q)
    queue.import_sheets(queue=Q)
    log = queue.annotations / Q / "judgements.jsonl"
    before = sorted(log.read_bytes().splitlines())
    log.write_bytes(b"")
    assert queue.import_sheets(queue=Q).sheets[0].n_new == len(rows)
    assert sorted(log.read_bytes().splitlines()) == before


def test_without_the_column_of_digests_an_import_goes_on_and_logs_nothing_twice(queue: QueueFixture) -> None:
    answer_everything(queue)
    with queue.page() as client:
        client.post("/answer", data={"item": queue.id(3), "decision": "reject"})
    queue.import_sheets()
    log = queue.log.read_bytes()
    title = titles(queue.language, "pairs")["exported"]
    for reviewer in ("ana", "jonas"):
        rows = queue.rows(reviewer)
        queue.save([{name: cell for name, cell in row.items() if name != title} for row in rows], reviewer)
    assert restored(queue) == 0
    assert queue.log.read_bytes() == log
    queue.fill({3: "neaišku"})
    assert restored(queue) == 1


def everything(queue: QueueFixture, name: str) -> list[Callable[[], object]]:
    """All that one can do with a queue."""
    return [
        lambda: queue.import_sheets(queue=name),
        lambda: queue_status(queue.context(name)),
        lambda: queue.export(name, "choice" if name == Q else "pairs"),
        lambda: ReviewSession(SharedQueue(queue.context(name)), "ana"),
    ]


@pytest.mark.parametrize("name", ["linksniai", Q])
@pytest.mark.parametrize("file", ["pairs.jsonl", "assignments.jsonl", "queue.json"])
def test_a_line_that_only_the_version_control_has_is_named_and_nothing_is_written(
    name: str, file: str, queue: QueueFixture, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    answer_everything(queue)
    queue.export(Q, "choice")
    rows = queue.rows("ana", queue=Q)
    queue.save([{**row, CHOICE: "A"} for row in rows], "ana", Q)
    queue.import_sheets(queue=Q)
    path = queue.annotations / name / file
    lines = path.read_bytes().splitlines(keepends=True)
    answered = [number for number, line in enumerate(lines) if b'"jonas"' not in line or name != Q]
    cuts = [[*lines[:number], *lines[number + 1 :]] for number in answered] if file != "queue.json" else []
    for content in (*map(b"".join, cuts), b"", None):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        before = snapshot(path.parent)
        for action in everything(queue, name):
            with pytest.raises(PairwrightError) as fault:
                action()
            assert str(path) in str(fault.value)
            assert "version control" in str(fault.value)
            assert "\n" not in str(fault.value)
        assert snapshot(path.parent) == before
    if file == "queue.json":
        with pytest.raises(StoreError, match=r"queue\.json: missing"):
            list(queues(queue.annotations))


def test_sheets_without_any_assignment_are_not_handed_out_anew(exported: QueueFixture) -> None:
    exported.fill({0: "gerai"})
    (exported.log.parent / "assignments.jsonl").unlink()
    for action in everything(exported, "linksniai"):
        with pytest.raises(StoreError, match=r"assignments\.jsonl: .*version control"):
            action()
