"""Sheets that are no ordinary files, and clients of the page that go away: one line each, and the rest goes on."""

import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from review_queue import QueueFixture, make_pair
from workspace_parts import no_superuser

from made_records import make_checked
from pairwright.core.errors import PairwrightError
from pairwright.review.sheets.exchange import ImportResult


def one_doubt(result: ImportResult) -> str:
    (doubt,) = map(str, result.doubts)
    assert "\n" not in doubt
    return doubt


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (os.mkfifo, "a named pipe"),
        (os.mkdir, "a folder"),
        (lambda path: path.symlink_to("gone"), "a link to gone"),
        (lambda path: path.write_bytes(b"\0"), "not a text file"),
    ],
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
    assert len(exported.rows("jonas")) == 6
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


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that every user of the machine may reach."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


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
