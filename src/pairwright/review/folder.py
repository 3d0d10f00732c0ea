"""The folder of a review queue: a sheet a reviewer, the log of decisions, the pairs that were ever handed out.

The pairs are kept beside the decisions because decisions must be readable after the source was built anew without them.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from pairwright.errors import ReviewError
from pairwright.records import Candidate
from pairwright.store import append_jsonl, read_log

LOCK_TIMEOUT = 30  # seconds
# Reviewers who save in the spreadsheet program's own format must hear of it, else their work would be passed over.
FOREIGN = frozenset({".xlsx", ".xls", ".xlsm", ".ods", ".fods", ".numbers", ".tsv", ".tab"})

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def plain_name(kind: str, name: str) -> str:
    """The name of a queue or reviewer, which becomes a file name. Raises ReviewError where it is not plain."""
    if not _NAME.fullmatch(name):
        raise ReviewError(
            f"{kind} {name!r} is not a plain name; use small letters a-z, digits, - and _, 64 at most, "
            "beginning with a letter or digit"
        )
    return name


class QueueFolder:
    """The files of one queue under the annotations folder."""

    def __init__(self, annotations: Path, queue: str) -> None:
        self.queue = plain_name("queue", queue)
        self.path = annotations / queue

    @property
    def log(self) -> Path:
        return self.path / "decisions.jsonl"

    def sheet(self, reviewer: str) -> Path:
        return self.path / f"{plain_name('reviewer', reviewer)}.csv"

    def pairs(self) -> dict[str, Candidate]:
        """Every pair that was ever put into the queue, by id, as it was then."""
        return {pair.id: pair for pair in read_log(self._pairs, Candidate)}

    def add_pairs(self, pairs: Iterable[Candidate]) -> None:
        """Keeps pairs that are about to be put into a sheet for the first time."""
        known = self.pairs()
        new = {pair.id: pair for pair in pairs if pair.id not in known}
        if new:
            append_jsonl(self._pairs, new.values())

    def reviewers(self) -> list[str]:
        """The reviewers who have a sheet. Raises ReviewError for a file that looks like a sheet and can't be one."""
        found = []
        for path in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            if path.name.startswith((".", "~")) or not path.is_file():
                continue
            if path.suffix.lower() in FOREIGN:
                raise ReviewError(f"{path}: only CSV sheets are read; save it as 'CSV UTF-8' or move it away")
            if path.suffix.lower() == ".csv":
                if not _NAME.fullmatch(path.stem) or path.suffix != ".csv":
                    raise ReviewError(
                        f"{path}: this is not the sheet of a reviewer; name it after the reviewer (such as ana.csv) "
                        "or move it away"
                    )
                found.append(path.stem)
        return found

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other programs of this kind from writing here. Clears what a killed one left half written."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.path / ".lock", timeout=LOCK_TIMEOUT):
                for remnant in self.path.glob(".*.tmp"):
                    remnant.unlink(missing_ok=True)
                yield
        except Timeout:
            raise ReviewError(f"{self.path}: another program is writing here; try again when it is done") from None

    @property
    def _pairs(self) -> Path:
        return self.path / "pairs.jsonl"
