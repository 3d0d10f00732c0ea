"""A review queue: its folder with what it is, who was given what, sheets and logs; and its source."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from pairwright.core.config import ReleaseSettings, ReviewSettings
from pairwright.core.errors import ReviewError, StoreError, nearest
from pairwright.core.locks import held
from pairwright.core.records import (
    Block,
    Candidate,
    CheckedPair,
    ItemRole,
    QueueKind,
    Record,
    Rule,
    Side,
    Source,
)
from pairwright.core.store import append_log, read_record, write_text
from pairwright.languages import Language
from pairwright.languages.linguistics.glosses import GlossedBook
from pairwright.review.log.log import FROM_VERSION_CONTROL, Entry, entry_type, read_queue_log

LOCK_TIMEOUT = 30  # seconds
SHEETS = frozenset({".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods"})
# Reviewers who save in one of these must be warned: their work would be passed over.
UNREADABLE = frozenset({".fods", ".numbers", ".gsheet"})
# What a queue is stands beside these files before any of them is written.
_LOGS = ("pairs.jsonl", "assignments.jsonl", "decisions.jsonl", "judgements.jsonl", "rules.jsonl")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class QueueInfo(Record):
    """What a queue is.

    source     the id of the source whose pairs are reviewed
    language   of the reviewers' sheets and page
    of         the queue whose conflicts this one settles; None for any other queue
    reviewers  its own; without any, those under [review] in pairwright.toml
    """

    queue: str
    kind: QueueKind
    source: str
    language: str
    seed: int = 0
    versions: Annotated[int, Field(ge=1)] = 1
    of: str | None = None
    reviewers: tuple[str, ...] = ()


class Assignment(Record):
    """An item given to a reviewer. Only the log of assignments says who has what; the last line on an item counts.

    item_id    the pair's id in a queue of pairs; in an experiment, an id that reveals nothing about the pair
    side       the member shown first in a forced choice, or shown at all in a rating
    texts      the sentences as the reviewer sees them; empty in a queue of pairs
    reason     why the pair is reviewed again; empty the first time
    withdrawn  whether the item was taken back, as the pair is no longer asked about and nobody answered
    """

    item_id: str
    reviewer: str
    pair_id: str | None
    role: ItemRole = "item"
    side: Side | None = None
    texts: tuple[str, ...] = ()
    reason: str = ""
    withdrawn: bool = False


class PairText(Record):
    """A pair without its provenance; a queue may hold a hundred thousand of them.

    alternatives  other good sentences for it, as they are listed for its reviewers, who name one by its number, from 1
    """

    model_config = ConfigDict(extra="ignore")

    id: str
    rule_id: str
    good: str
    bad: str
    alternatives: tuple[str, ...] = ()


Pair = Candidate | PairText
"""What reviewing needs of a pair: its id, its rule's id and its sentences."""


def plain_name(kind: str, name: str) -> str:
    """Returns the name of a queue or reviewer, which becomes a file name. Raises ReviewError unless it is plain."""
    if not _NAME.fullmatch(name):
        raise ReviewError(
            f"{kind} {name!r} is not a plain name; use small letters a-z, digits, - and _, 64 at most, "
            "beginning with a letter or digit"
        )
    return name


class QueueFolder:
    """The files of one queue. Raises ReviewError for a name or a link that leads out of the annotations folder."""

    def __init__(self, annotations: Path, queue: str) -> None:
        self.queue = plain_name("queue", queue)
        self.path = annotations / queue
        if self.path.is_symlink() and not self.path.resolve().is_relative_to(annotations.resolve()):
            raise ReviewError(f"{self.path}: leads out of {annotations}; put the queue itself there")

    def log(self, kind: QueueKind = "pairs") -> Path:
        """The log of decisions on pairs, or of judgements in an experiment."""
        return self.path / ("decisions.jsonl" if kind == "pairs" else "judgements.jsonl")

    def sheet(self, reviewer: str) -> Path:
        return self.path / f"{plain_name('reviewer', reviewer)}.csv"

    def instructions(self, language: str) -> Path:
        return self.path / f"INSTRUCTIONS.{language}.txt"

    def find_info(self) -> QueueInfo | None:
        """What the queue is; None if there is no such queue. Raises StoreError if its file is damaged or gone."""
        path = self.path / "queue.json"
        if path.exists():
            return read_record(path, QueueInfo, "the record of a queue", FROM_VERSION_CONTROL)
        if any((self.path / name).exists() for name in _LOGS):
            raise StoreError(f"{path}: missing; {FROM_VERSION_CONTROL}")
        return None

    def info(self) -> QueueInfo:
        """What the queue is. Raises ReviewError if there is no such queue."""
        if info := self.find_info():
            return info
        known = nearest(self.queue, (path.parent.name for path in self.path.parent.glob("*/queue.json")))
        raise ReviewError(f"{self.path}: there is no such queue{known or '; build its source first'}")

    def write_info(self, info: QueueInfo) -> None:
        write_text(self.path / "queue.json", info.model_dump_json(indent=2) + "\n")

    def assignments(self) -> list[Assignment]:
        """Who was given what, in order."""
        return list(read_queue_log(self.path / "assignments.jsonl", Assignment))

    def assign(self, assignments: Iterable[Assignment]) -> None:
        append_log(self.path / "assignments.jsonl", assignments)

    def entries(self, kind: QueueKind) -> Iterator[Entry]:
        """The log of answers, in order."""
        return read_queue_log(self.log(kind), entry_type(kind))

    def add_entries(self, kind: QueueKind, entries: Iterable[Entry]) -> None:
        append_log(self.log(kind), entries)

    def pair_texts(self) -> dict[str, PairText]:
        """The sentences of every pair that was ever put into the queue, by id, oldest first."""
        return {text.id: text for text in read_queue_log(self.path / "pairs.jsonl", PairText)}

    def pairs(self) -> Iterator[Candidate]:
        """Every pair that was ever put into the queue, as it was then. Raises StoreError."""
        return read_queue_log(self.path / "pairs.jsonl", Candidate)

    def add_pairs(self, pairs: Iterable[Candidate]) -> None:
        """Stores pairs that are new to the queue, so that decisions stay readable if the source drops them."""
        append_log(self.path / "pairs.jsonl", pairs)

    def rules(self) -> dict[str, Rule]:
        """The rules that were kept for decided pairs, by id."""
        return {rule.id: rule for rule in read_queue_log(self.path / "rules.jsonl", Rule)}

    def add_rules(self, rules: Iterable[Rule]) -> None:
        """Keeps rules of decided pairs, so that these stay if a language model finds other rules."""
        append_log(self.path / "rules.jsonl", rules)

    def received(self, reviewers: Iterable[str]) -> list[Path]:
        """Files beside the reviewers' own sheets that may hold answers: copies, renamed sheets, workbooks."""
        own = {self.sheet(reviewer).name for reviewer in reviewers}
        tables = (path for path in sorted(self.path.glob("*")) if path.suffix.lower() in SHEETS | UNREADABLE)
        return [path for path in tables if path.is_file() and path.name not in own and path.name[0] not in ".~"]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps others from writing and clears what a killed one left.

        Raises StoreError after LOCK_TIMEOUT s, and ReviewError in place of an OSError.
        """
        try:
            with held(self.path / "queue.json", str(self.path), patience=LOCK_TIMEOUT):
                for remnant in self.path.glob(".*.tmp"):
                    remnant.unlink(missing_ok=True)
                yield
        except OSError as fault:
            place = fault.filename or self.path
            raise ReviewError(f"{place}: {fault.strerror}; see to it that it can be read and written") from None


@dataclass(frozen=True)
class ReviewContext:
    """A queue together with its source, as it was last built.

    queue         the name of the queue, which need not exist yet
    pairs         the checked pairs of the source, by id
    rules         the rules of the source, by id, in the order of the source
    language      of the reviewers' sheets and page
    deciding      how a release counts votes
    attested      the blocks whose sentences stand in pairs or behind them, by id
    glosses       what the source glosses, where pairs are made of its sentences
    """

    annotations: Path
    queue: str
    source: Source
    pairs: Mapping[str, CheckedPair]
    rules: Mapping[str, Rule]
    language: Language
    settings: ReviewSettings
    deciding: ReleaseSettings = field(default_factory=ReleaseSettings)
    attested: Mapping[str, Block] = field(default_factory=dict)
    glosses: GlossedBook = field(default_factory=GlossedBook)

    @cached_property
    def folder(self) -> QueueFolder:
        return QueueFolder(self.annotations, self.queue)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """The source's pairs without their findings, by id."""
        return {pair_id: checked.candidate for pair_id, checked in self.pairs.items()}

    def rule_code(self, rule_id: str) -> str:
        """The code of a rule, its title where it has none; its id if the source no longer has the rule."""
        rule = self.rules.get(rule_id)
        return (rule.code or rule.title if rule else "") or rule_id


def queues(annotations: Path, source: str | None = None) -> Iterator[QueueFolder]:
    """The queues in the annotations folder, of one source or of all, by name. Folders without a queue are skipped.

    Raises StoreError if the description of a queue is damaged or gone.
    """
    for path in sorted(annotations.iterdir()) if annotations.is_dir() else ():
        if path.is_dir() and _NAME.fullmatch(path.name):
            folder = QueueFolder(annotations, path.name)
            info = folder.find_info()
            if info is not None and source in (None, info.source):
                yield folder


def pair_queues(annotations: Path, source: str) -> Iterator[QueueFolder]:
    """The queues in which pairs of a source are decided."""
    return (folder for folder in queues(annotations, source) if folder.info().kind == "pairs")
