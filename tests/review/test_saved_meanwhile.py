"""A reviewer saves the sheet at the very moment at which it is rewritten: both what they saved and the rest is kept."""

import csv
import io
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from review_queue import DECISION, QueueFixture, make_pair

from made_records import make_checked
from pairwright.core.errors import ReviewError
from pairwright.review.log import QueueFolder
from pairwright.review.web.session import ReviewSession, SharedQueue


def overwrite(path: Path) -> Callable[[bytes], None]:
    """A program that writes into the file of that name."""

    def save(content: bytes) -> None:
        path.write_bytes(content)

    return save


def rename(path: Path) -> Callable[[bytes], None]:
    """A program that writes a new file and gives it the name."""

    def save(content: bytes) -> None:
        beside = path.with_name("~ana.part")
        beside.write_bytes(content)
        beside.replace(path)

    return save


def hold_open(path: Path) -> Callable[[bytes], None]:
    """A program that keeps the file open and writes into it."""
    handle = path.open("r+b")

    def save(content: bytes) -> None:
        with handle:
            handle.truncate()
            handle.write(content)

    return save


def at_call(monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], None], *, after: bool = False) -> None:
    """Delays the first call of the operating system by what another program does before or after it."""
    real = getattr(os, name)

    def delayed(*arguments: object, **options: object) -> None:
        monkeypatch.setattr(os, name, real)
        if not after:
            action()
        real(*arguments, **options)
        if after:
            action()

    monkeypatch.setattr(os, name, delayed)


def with_answer(queue: QueueFixture, number: int, word: str) -> bytes:
    """The sheet as a reviewer saves it who decides one more pair."""
    before = queue.path().read_bytes()
    queue.fill({number: {DECISION: word}})
    content = queue.path().read_bytes()
    queue.path().write_bytes(before)
    return content


MOMENTS = [("replace", False), ("rename", False), ("rename", True), ("link", False), ("link", True)]


@pytest.mark.parametrize(
    ("program", "call", "after"),
    [
        *((rename, *moment) for moment in MOMENTS),
        (overwrite, "link", False),
        *((hold_open, *one) for one in MOMENTS[1:]),
    ],
)
def test_what_is_saved_while_an_answer_is_written_into_a_sheet_is_taken_over(
    program: Callable[[Path], Callable[[bytes], None]],
    call: str,
    after: bool,
    exported: QueueFixture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = tmp_path / "ana.csv"
    sent.write_bytes(with_answer(exported, 0, "gerai"))
    saved = with_answer(exported, 1, "atmesti")
    save = program(exported.path())
    with monkeypatch.context() as patch:
        at_call(patch, call, lambda: save(saved), after=after)
        exported.import_files(sent)
    exported.import_sheets()
    assert exported.decided() == {exported.id(0): "approve", exported.id(1): "reject"}
    assert exported.import_sheets().doubts == ()
    assert exported.decided() == {exported.id(0): "approve", exported.id(1): "reject"}
    assert {row["Poros ID"]: row[DECISION] for row in exported.rows()}[exported.id(1)] == "atmesti"
    assert not [path for path in exported.path().parent.iterdir() if path.suffix in (".aside", ".tmp")]


@pytest.mark.parametrize(("call", "after"), MOMENTS)
def test_what_is_saved_while_a_sheet_is_topped_up_is_taken_over(
    call: str,
    after: bool,
    exported: QueueFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved = with_answer(exported, 1, "atmesti")
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))
    with monkeypatch.context() as patch, suppress(ReviewError):
        at_call(patch, call, lambda: rename(exported.path())(saved), after=after)
        exported.export()
    exported.import_sheets()
    assert exported.decided() == {exported.id(1): "reject"}
    exported.export()
    assert len(exported.rows()) == 6
    assert len(exported.rows("jonas")) == 6


@pytest.mark.parametrize(("call", "after"), [("link", False), ("link", True)])
def test_a_sheet_that_comes_back_while_a_new_one_is_written_is_taken_over(
    call: str, after: bool, exported: QueueFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = with_answer(exported, 1, "atmesti")
    exported.path().unlink()
    with monkeypatch.context() as patch, suppress(ReviewError):
        at_call(patch, call, lambda: rename(exported.path())(saved), after=after)
        exported.export()
    exported.import_sheets()
    assert exported.decided() == {exported.id(1): "reject"}


def test_a_sheet_that_is_open_in_a_program_that_locks_it_is_named_and_written_later(
    exported: QueueFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where a file that Excel has open can't be renamed."""
    sent = tmp_path / "ana.csv"
    sent.write_bytes(with_answer(exported, 0, "gerai"))
    before = exported.path().read_bytes()

    def refuse() -> None:
        raise PermissionError(13, "The process cannot access the file", str(exported.path()))

    with monkeypatch.context() as patch:
        at_call(patch, "rename", refuse)
        (doubt,) = map(str, exported.import_files(sent).doubts)
    assert "close it in the spreadsheet program and try again" in doubt
    assert "1 answer, which the log has" in doubt
    assert exported.path().read_bytes() == before
    assert exported.import_sheets().doubts == ()
    assert [row[DECISION] for row in exported.rows() if row[DECISION]] == ["gerai"]


KILLED = """
import os, sys
from pathlib import Path
from pairwright.review.sheets.spreadsheet import file_digest, replace_sheet

real, path = getattr(os, sys.argv[1]), Path(sys.argv[2])

def killed(*arguments, **options):
    real(*arguments, **options)
    os._exit(9)

setattr(os, sys.argv[1], killed)
replace_sheet(path, Path(sys.argv[3]).read_bytes(), file_digest(path.read_bytes()))
"""


@pytest.mark.parametrize(("call", "new"), [("rename", False), ("link", True)])
def test_a_program_killed_while_it_writes_a_sheet_leaves_the_old_or_the_new_one(
    call: str, new: bool, exported: QueueFixture, tmp_path: Path
) -> None:
    exported.fill({0: "gerai"})
    (tmp_path / "new.csv").write_bytes(with_answer(exported, 1, "atmesti"))
    command = [sys.executable, "-c", KILLED, call, str(exported.path()), str(tmp_path / "new.csv")]
    assert subprocess.run(command, check=False).returncode == 9
    exported.import_sheets()
    assert exported.decided() == {exported.id(0): "approve"} | ({exported.id(1): "reject"} if new else {})
    assert not [path for path in exported.path().parent.iterdir() if path.suffix in (".aside", ".tmp")]


def test_a_file_system_without_hard_links_serves_too(
    queue: QueueFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    queue.export()
    sent = tmp_path / "ana.csv"
    sent.write_bytes(with_answer(queue, 0, "gerai"))
    assert queue.import_files(sent).doubts == ()
    assert [row[DECISION] for row in queue.rows() if row[DECISION]] == ["gerai"]
    assert not [path for path in queue.path().parent.iterdir() if path.suffix in (".aside", ".tmp")]


def test_the_page_notices_what_is_saved_while_it_reads_the_sheet(exported: QueueFixture) -> None:
    saved = with_answer(exported, 1, "atmesti")
    session = ReviewSession(SharedQueue(exported.context()), "ana")
    assert session.queue.sync() == ()
    with QueueFolder(exported.annotations, "linksniai").locked():
        importing = threading.Thread(target=session.queue.sync, args=["ana"])
        importing.start()
        time.sleep(0.2)
        exported.path().write_bytes(saved)
    importing.join()
    session.queue.sync()
    assert exported.decided() == {exported.id(1): "reject"}


def test_a_sheet_that_is_saved_just_before_another_reviewer_comes_is_taken_over(exported: QueueFixture) -> None:
    shared = SharedQueue(exported.context())
    ReviewSession(shared, "ana")
    exported.path().write_bytes(with_answer(exported, 1, "atmesti"))
    ReviewSession(shared, "jonas")
    shared.sync()
    assert exported.decided() == {exported.id(1): "reject"}


def test_the_page_takes_over_a_sheet_once_what_kept_it_from_that_is_gone(exported: QueueFixture) -> None:
    shared = SharedQueue(exported.context())
    ReviewSession(shared, "ana")
    lost = exported.path().with_name("assignments.jsonl").rename(exported.path().with_name("away"))
    exported.fill({1: "atmesti"})
    (fault,) = shared.sync()
    assert "assignments.jsonl" in fault
    lost.rename(lost.with_name("assignments.jsonl"))
    assert shared.sync() == ()
    assert exported.decided() == {exported.id(1): "reject"}


def save_all_the_time(queue: QueueFixture, stop: threading.Event, saved: dict[str, str], draw: random.Random) -> None:
    """A reviewer who decides one pair after another in the sheet, in a program that saves in one of two ways."""
    path = queue.path()
    while not stop.is_set():
        time.sleep(draw.uniform(0, 0.02))
        with suppress(FileNotFoundError, ValueError, KeyError):
            text = path.read_bytes().decode("utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";"))
            row = next((row for row in rows[1::2] if row["Poros ID"] not in saved), None)
            if row is None:
                return
            row[DECISION] = draw.choice(["gerai", "atmesti"])
            out = io.StringIO(newline="")
            writer = csv.DictWriter(out, rows[0].keys(), delimiter=";", lineterminator="\r\n")
            writer.writeheader()
            writer.writerows(rows)
            (rename if draw.random() < 0.5 else overwrite)(path)(out.getvalue().encode("utf-8-sig"))
            saved[row["Poros ID"]] = row[DECISION]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_sheet_that_is_saved_all_the_time_while_the_page_answers_loses_nothing(
    seed: int, queue: QueueFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairwright.review.web.server.SYNC_SECONDS", 0.01)
    queue.pairs = [make_checked(make_pair(f"Laukiu {n} autobuso.", f"Laukiu {n} autobusą.")) for n in range(150)]
    queue.export()
    rows = [row["Poros ID"] for row in queue.rows()]
    server, stop, saved = queue.serve("ana"), threading.Event(), dict[str, str]()
    saver = threading.Thread(target=save_all_the_time, args=(queue, stop, saved, random.Random(seed)))
    saver.start()
    answered = {}
    with httpx.Client(base_url=server.root, headers={"Origin": server.root}, follow_redirects=True) as client:
        client.get("/?token=token-of-ana")
        for item_id in rows[::2]:
            word = random.Random(f"{seed}{item_id}").choice(["approve", "reject", "unsure"])
            assert client.post("/answer", data={"item": item_id, "decision": word}).status_code == 200
            answered[item_id] = word
    stop.set()
    saver.join()
    server.stop()
    queue.import_sheets()
    meaning = {"gerai": "approve", "atmesti": "reject"}
    assert len(saved) > 20
    assert queue.decided() == answered | {item_id: meaning[word] for item_id, word in saved.items()}
