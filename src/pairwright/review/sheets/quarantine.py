"""What people wrote and nobody can place: kept with the reason, never dropped, never guessed."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from pairwright.ids import digest
from pairwright.records import Record
from pairwright.review.log.folder import QUARANTINE, QueueFolder
from pairwright.store import append_jsonl, atomic, read_log


class Quarantined(Record):
    """A row, or some of its cells, that could not be taken over. `row` counts as a spreadsheet program shows it."""

    file: str
    row: int | None
    reviewer: str | None
    item_id: str | None
    reason: str
    cells: dict[str, str]
    at: str

    @property
    def key(self) -> str:
        """What makes two of them the same, wherever the row stands now."""
        return digest([self.reviewer, self.item_id, self.reason.partition(": ")[2], self.cells])


def quarantine_path(folder: QueueFolder) -> Path:
    """Where the rows of a queue are kept that nobody can place."""
    return folder.path / f"{QUARANTINE}.jsonl"


def add_quarantined(folder: QueueFolder, found: Iterable[Quarantined]) -> int:
    """Adds to the quarantine of a queue what is not in it yet. Returns how many that were."""
    path = quarantine_path(folder)
    known = {item.key for item in read_log(path, Quarantined)}
    new: dict[str, Quarantined] = {}
    for item in found:
        if item.key not in known:
            new.setdefault(item.key, item)
    if new:
        append_jsonl(path, new.values())
    return len(new)


def keep_file(folder: QueueFolder, path: Path) -> Path:
    """A copy of a file that can't be read, under a name by its content, so that each is kept once."""
    data = path.read_bytes()
    kept = folder.path / QUARANTINE / f"{hashlib.sha256(data).hexdigest()[:12]}-{path.name}"
    if not kept.exists():
        with atomic(kept, "wb") as handle:
            handle.write(data)
    return kept
