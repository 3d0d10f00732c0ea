"""What people wrote and cannot be placed: stored with the reason, never dropped, never guessed."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pairwright.core.errors import ReviewError
from pairwright.core.files import read_file
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.store import append_log, atomic
from pairwright.review.log.files import read_queue_log
from pairwright.review.log.folder import QUARANTINE, QueueFolder


class QuarantinedRow(Record):
    """A row, or some of its cells, that could not be imported. `row` is its number in a spreadsheet program."""

    file: str
    row: int | None
    reviewer: str | None
    item_id: str | None
    reason: str
    cells: dict[str, str]
    at: str

    @property
    def key(self) -> str:
        """Equal for equal contents, wherever the row stands and whatever is wrong with it."""
        return digest([self.reviewer, self.item_id, self.cells])


def quarantine_path(folder: QueueFolder) -> Path:
    """The log of rows that could not be imported."""
    return folder.path / f"{QUARANTINE}.jsonl"


def quarantine_rows(folder: QueueFolder, rows: Iterable[QuarantinedRow]) -> int:
    """Adds to the quarantine of a queue what it does not hold yet. Returns how many rows that were."""
    path = quarantine_path(folder)
    stored = {row.key for row in read_queue_log(path, QuarantinedRow)}
    new: dict[str, QuarantinedRow] = {}
    for row in rows:
        if row.key not in stored:
            new.setdefault(row.key, row)
    if new:
        append_log(path, new.values())
    return len(new)


def quarantine_file(folder: QueueFolder, path: Path) -> Path:
    """Copies a file that is no sheet. The copy's name has a hash of the content, so that each is stored once.

    Raises ReviewError if the bytes can't be read.
    """
    data = read_file(path, error=ReviewError)
    copy = folder.path / QUARANTINE / f"{hashlib.sha256(data).hexdigest()[:12]}-{path.name}"
    if not copy.exists():
        with atomic(copy, "wb") as handle:
            handle.write(data)
    return copy
