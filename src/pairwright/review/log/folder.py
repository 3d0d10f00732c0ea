"""The folder of a review queue: what the queue is, who got what, the sheets, and the logs, which only grow.

The pairs are kept beside the decisions because decisions must be readable after the source was built anew without them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from pairwright.errors import ReviewError, StoreError, at
from pairwright.records import Candidate, Decision, Judgement, QueueKind, Record, Role, Side
from pairwright.store import append_jsonl, read_log, write_text

LOCK_TIMEOUT = 30  # seconds
SHEETS = frozenset({".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods"})
# Reviewers who save in these must hear of it, else their work would be passed over.
FOREIGN = frozenset({".fods", ".numbers", ".gsheet"})
QUARANTINE = "quarantine"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

Entry = Decision | Judgement


class QueueInfo(Record):
    """What a queue is; written when it is made and never changed.

    source    the id of the source whose pairs are asked about
    language  of the reviewers' sheets and page
    of        in a queue that settles conflicts: the queue that they come from
    """

    queue: str
    kind: QueueKind
    source: str
    language: str
    seed: int = 0
    versions: Annotated[int, Field(ge=1)] = 1
    of: str | None = None


class Assignment(Record):
    """An item that was given to a reviewer. The log of these alone says who has what; it only grows.

    item_id  the pair's id in a queue of pairs; in an experiment an id that says nothing of the pair
    side     the member that stands first in a forced choice, or that is shown in a rating
    texts    the sentences as the reviewer sees them; empty in a queue of pairs
    reason   why the pair is asked about again; empty where it is asked for the first time
    """

    item_id: str
    reviewer: str
    pair_id: str | None
    role: Role = "item"
    side: Side | None = None
    texts: tuple[str, ...] = ()
    reason: str = ""


class PairText(NamedTuple):
    """As much of a pair as an import needs; a queue may have a hundred thousand."""

    id: str
    rule_id: str
    good: str
    bad: str


def plain_name(kind: str, name: str) -> str:
    """The name of a queue or reviewer, which becomes a file name. Raises ReviewError where it is not plain."""
    if not _NAME.fullmatch(name):
        raise ReviewError(
            f"{kind} {name!r} is not a plain name; use small letters a-z, digits, - and _, 64 at most, "
            "beginning with a letter or digit"
        )
    return name


class QueueFolder:
    """The files of one queue under the annotations folder. Raises ReviewError for a name or link that leads out."""

    def __init__(self, annotations: Path, queue: str) -> None:
        self.queue = plain_name("queue", queue)
        self.path = annotations / queue
        if self.path.is_symlink() and not self.path.resolve().is_relative_to(annotations.resolve()):
            raise ReviewError(f"{self.path}: leads out of {annotations}; put the queue itself there")

    @property
    def log(self) -> Path:
        """The decisions on pairs."""
        return self.path / "decisions.jsonl"

    @property
    def judgements(self) -> Path:
        """The answers of a blind experiment."""
        return self.path / "judgements.jsonl"

    def sheet(self, reviewer: str) -> Path:
        return self.path / f"{plain_name('reviewer', reviewer)}.csv"

    def info(self) -> QueueInfo | None:
        """What the queue is; None where there is none of this name. Raises StoreError where its file is damaged."""
        path = self.path / "queue.json"
        try:
            return QueueInfo.model_validate_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValidationError, UnicodeDecodeError):
            raise StoreError(f"{path}: damaged; take it back from the version control") from None

    def known(self) -> QueueInfo:
        """What the queue is. Raises ReviewError where there is none of this name."""
        info = self.info()
        if info is None:
            raise ReviewError(f"{self.path}: there is no such queue; export the queue first")
        return info

    def write_info(self, info: QueueInfo) -> None:
        write_text(self.path / "queue.json", info.model_dump_json(indent=2) + "\n")

    def assignments(self) -> list[Assignment]:
        """Who was given what, in the order in which it was given."""
        return list(read_log(self.path / "assignments.jsonl", Assignment))

    def assign(self, assignments: Iterable[Assignment]) -> None:
        append_jsonl(self.path / "assignments.jsonl", assignments)

    def entries(self, kind: QueueKind) -> Iterator[Entry]:
        """The log of answers, in order."""
        if kind == "pairs":
            yield from read_log(self.log, Decision)
        else:
            yield from read_log(self.judgements, Judgement)

    def add_entries(self, kind: QueueKind, entries: Iterable[Entry]) -> None:
        append_jsonl(self.log if kind == "pairs" else self.judgements, entries)

    def pairs(self) -> dict[str, Candidate]:
        """Every pair that was ever put into the queue, by id, as it was then."""
        return {pair.id: pair for pair in read_log(self._pairs, Candidate)}

    def pair_texts(self) -> dict[str, PairText]:
        """The sentences of every pair that was ever put into the queue, by id, in the order in which they came."""
        found: dict[str, PairText] = {}
        if not self._pairs.exists():
            return found
        with self._pairs.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                try:
                    pair = json.loads(line)
                    text = PairText(pair["id"], pair["rule_id"], pair["good"], pair["bad"])
                except (ValueError, KeyError, TypeError):
                    if not line.endswith(b"\n"):  # what a crash left of a line
                        break
                    raise StoreError(f"{at(self._pairs, number)}: not a Candidate") from None
                found[text.id] = text
        return found

    def add_pairs(self, pairs: Iterable[Candidate]) -> None:
        """Keeps pairs that are about to be put into the queue for the first time."""
        known = self.pair_texts()
        new = {pair.id: pair for pair in pairs if pair.id not in known}
        if new:
            append_jsonl(self._pairs, new.values())

    def reviewers(self) -> list[str]:
        """Everyone who was ever given an item, sorted."""
        return sorted({assignment.reviewer for assignment in self.assignments()})

    def received(self, reviewers: Iterable[str]) -> list[Path]:
        """Files beside the reviewers' own sheets that may hold answers: copies, renamed sheets, workbooks."""
        own = {self.sheet(reviewer).name for reviewer in reviewers}
        return [
            path
            for path in (sorted(self.path.iterdir()) if self.path.is_dir() else ())
            if path.is_file()
            and not path.name.startswith((".", "~"))
            and path.suffix.lower() in SHEETS | FOREIGN
            and path.name not in own
        ]

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


def queues(annotations: Path) -> Iterator[QueueFolder]:
    """The queues under the annotations folder, by name; folders that hold none are passed over."""
    for path in sorted(annotations.iterdir()) if annotations.is_dir() else ():
        if path.is_dir() and _NAME.fullmatch(path.name) and (path / "queue.json").exists():
            yield QueueFolder(annotations, path.name)
