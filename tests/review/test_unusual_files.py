"""Sheets that are no ordinary files, and clients of the page that go away: one line each, and the rest goes on."""

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from review_queue import QueueFixture, make_pair
from review_server import ReviewThread
from workspace_parts import no_superuser

from made_records import make_checked
from pairwright.core.errors import PairwrightError
from pairwright.core.files import MAX_BYTES
from pairwright.review.sheets.importing import ImportResult


def one_doubt(result: ImportResult) -> str:
    (doubt,) = map(str, result.doubts)
    assert "\n" not in doubt
    return doubt


@pytest.mark.parametrize(
    ("make", "words"),
    [(os.mkfifo, "a named pipe"), (os.mkdir, "a folder"), (lambda path: path.symlink_to("gone"), "a link to gone")],
)
def test_a_sheet_in_whose_place_something_else_stands_is_named(
    make: Callable[[Path], object], words: str, exported: QueueFixture
) -> None:
    exported.fill({0: "gerai"}, "jonas")
    exported.path().unlink()
    make(exported.path())
    assert f"ana.csv: {words}" in one_doubt(exported.import_sheets())
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))
    (fault,) = exported.export().faults
    assert f"ana.csv: {words}" in fault
    assert set(exported.latest) == {(exported.id(0), "jonas")}


def test_a_pipe_in_place_of_the_instructions_holds_nobody_up(exported: QueueFixture) -> None:
    (path,) = exported.path().parent.glob("INSTRUCTIONS.*")
    written = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))
    exporting = threading.Thread(target=exported.export, daemon=True)
    exporting.start()
    exporting.join(10)
    assert path.is_file()
    assert path.read_bytes() == written


def test_a_file_that_is_too_large_is_named(exported: QueueFixture, tmp_path: Path) -> None:
    sent = tmp_path / "ana.csv"
    with sent.open("wb") as handle:
        handle.truncate(MAX_BYTES + 1)
    doubt = one_doubt(exported.import_files(sent))
    assert doubt == f"{sent}: {MAX_BYTES + 1:,} bytes, more than the {MAX_BYTES:,} that are read; split the file"


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that every user of the machine may reach."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_sheet_that_may_not_be_read_is_named_and_the_others_are_taken_over(
    queue: QueueFixture, everybodys: Path
) -> None:
    queue.annotations = everybodys / "annotations"
    queue.export()
    queue.import_sheets()  # loads what only root may read on some machines
    queue.fill({0: "gerai"}, "jonas")
    for path in (everybodys, *everybodys.rglob("*")):
        path.chmod(0 if path == queue.path() else 0o777)
    with no_superuser():
        doubt = one_doubt(queue.import_sheets())
    assert doubt == f"{queue.path()}: may not be read; give yourself permission to read it"
    assert set(queue.latest) == {(queue.id(0), "jonas")}


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("name", ["queue.json", "assignments.jsonl", "pairs.jsonl", "decisions.jsonl", ""])
def test_a_queue_that_may_not_be_read_or_written_is_named(name: str, queue: QueueFixture, everybodys: Path) -> None:
    queue.annotations = everybodys / "annotations"
    queue.export()
    queue.answer({0: "gerai"})
    for path in (everybodys, *everybodys.rglob("*")):
        path.chmod(0o777)
    locked = queue.path().parent / name
    locked.chmod(0o555 if not name else 0)
    queue.fill({1: "gerai"})
    (locked / ".queue.json.lock" if not name else locked).chmod(0)
    with no_superuser(), pytest.raises(PairwrightError, match=r"(may not be read|Permission denied); [^\n]*$"):
        queue.import_sheets()
    locked.chmod(0o777)


@pytest.fixture
def server(
    queue: QueueFixture, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[ReviewThread]:
    monkeypatch.setattr("pairwright.review.web.server.BODY_SECONDS", 0.3)
    monkeypatch.setattr("pairwright.review.web.server.SYNC_SECONDS", 0.05)
    queue.export()
    running = queue.serve("ana")
    yield running
    running.stop()


def request(server: ReviewThread, body: bytes, length: int) -> bytes:
    head = (
        f"POST /answer HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.root}\r\n"
        f"Cookie: pairwright_{server.port}=token-of-ana\r\nContent-Length: {length}\r\n\r\n"
    )
    return head.encode() + body


def test_a_client_that_sends_half_a_body_and_waits_is_sent_away(
    queue: QueueFixture, server: ReviewThread, capfd: pytest.CaptureFixture[str]
) -> None:
    before = threading.active_count()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(request(server, f"item={queue.id(0)}&decision=approve".encode(), 500))
        answer = client.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 408 ")
        while client.recv(10_000):
            pass  # until the server closes the connection
    assert threading.active_count() <= before
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as waiting:
        waiting.sendall(request(server, b"item=", 500))
        time.sleep(0.1)
        server.stop()
        assert not server.thread.is_alive()
    assert capfd.readouterr().err == ""
    assert not queue.log.exists()
