"""A review queue: its folder, what it is, who was given what, and its logs, which only grow; and the votes in them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from pydantic import ConfigDict, Field

from pairwright.core.config import ReleaseSettings, ReviewSettings
from pairwright.core.errors import ReviewError, StoreError, at, nearest
from pairwright.core.files import held
from pairwright.core.ids import pair_id
from pairwright.core.records import (
    Block,
    Candidate,
    CheckedPair,
    Decision,
    DecisionWord,
    ItemRole,
    Judgement,
    QueueKind,
    Record,
    Rule,
    Side,
    Source,
)
from pairwright.core.store import append_log, log_faults, read_log, read_record, write_text
from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.languages.linguistics.glosses import GlossedBook
from pairwright.languages.linguistics.sentences import changes

Entry = Decision | Judgement
Key = tuple[str, str]
"""An item and a reviewer."""

R = TypeVar("R", bound=Record)

FROM_VERSION_CONTROL = "take the file back from the version control"
# What these logs lose comes back: from the sheets, or at the price of repeated doubts.
_RESTORED = ("decisions.jsonl", "judgements.jsonl", "quarantine.jsonl")


def entry_type(kind: QueueKind) -> type[Decision] | type[Judgement]:
    """The record that reviewers' answers become in a kind of queue."""
    return Decision if kind == "pairs" else Judgement


def key_of(entry: Entry) -> Key:
    """The item that an entry answers, and who answers."""
    return (entry.pair_id if isinstance(entry, Decision) else entry.item_id), entry.reviewer


def is_answer(entry: Entry) -> bool:
    """Whether an entry holds an answer, not only a comment or the withdrawal of an earlier answer."""
    if isinstance(entry, Decision):
        return entry.decision is not None
    return entry.prefers is not None or entry.rating is not None


def says(entry: Entry) -> tuple[object, ...]:
    """What an entry says, regardless of when and by which way it came, and of white space in its comment."""
    said = (entry.decision, entry.good, entry.bad) if isinstance(entry, Decision) else (entry.prefers, entry.rating)
    return *said, squeeze(entry.comment)


def latest_entries(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The last entry of each reviewer on each item, comments and withdrawals included."""
    return {key_of(entry): entry for entry in entries}


def read_queue_log(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a log in a queue's folder; none if it is missing. Raises StoreError that says how to repair it."""
    try:
        yield from read_log(path, kind)
    except OSError as fault:
        raise StoreError(f"{path}: can't be read: {fault.strerror}; {FROM_VERSION_CONTROL}") from None
    except StoreError as fault:
        raise StoreError(f"{fault}; {_remedy(path)}") from None


def damaged_logs(folder: Path) -> Iterator[str]:
    """The logs of a queue that are not as they were written: the first such line, how many more, and the remedy."""
    for path in sorted(folder.glob("*.jsonl")):
        try:
            numbers = log_faults(path)
        except OSError as fault:
            yield f"{path}: can't be read: {fault.strerror}; {_remedy(path)}"
            continue
        if numbers:
            more = f", nor are {len(numbers) - 1} more lines" if len(numbers) > 1 else ""
            yield f"{at(path, numbers[0])}: not as it was written{more}; {_remedy(path)}"


def _remedy(path: Path) -> str:
    if path.name in _RESTORED:
        return f"{FROM_VERSION_CONTROL}, or delete the line: what the sheets have comes back with the next import"
    # What git ignores.
    return "take it back from a backup, or delete it and begin anew" if path.name[0] == "." else FROM_VERSION_CONTROL


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

    queue     its name; it need not exist yet
    rules     by id, in the order of the source
    language  of the reviewers' sheets and page
    deciding  how a release counts votes
    attested  the blocks whose sentences stand in pairs or behind them, by id
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
            if (info := folder.find_info()) and source in (None, info.source):
                yield folder


def pair_queues(annotations: Path, source: str) -> Iterator[QueueFolder]:
    """The queues in which pairs of a source are decided."""
    return (folder for folder in queues(annotations, source) if folder.info().kind == "pairs")


VotesByReviewer = dict[str, DecisionWord]
Votes = dict[str, VotesByReviewer]
"""Each reviewer's vote on each pair, by pair id and reviewer."""


class Correction(NamedTuple):
    """The pair that a reviewer corrected, and the one that the correction makes, by their ids."""

    parent_id: str
    pair_id: str
    reviewer: str


class SourceVotes(NamedTuple):
    """The votes on a source's pairs.

    adjudicated  those that settle a conflict
    written      those of reviewers on their own corrections, which nobody showed them: pair and reviewer
    """

    cast: Votes
    adjudicated: Votes
    written: frozenset[Key] = frozenset()


def latest_decisions(log_path: Path) -> dict[Key, Decision]:
    """The last decision of each reviewer on each pair; empty if there is no log yet."""
    return latest(read_queue_log(log_path, Decision))


def latest(entries: Iterable[Decision]) -> dict[Key, Decision]:
    """The last decision of each reviewer on each pair. An entry without a decision withdraws the one before it."""
    last = {(entry.pair_id, entry.reviewer): entry for entry in entries}
    return {key: entry for key, entry in last.items() if is_answer(entry)}


def count_votes(decisions: Iterable[Decision], pairs: Mapping[str, Pair]) -> Votes:
    """Each reviewer's vote on each pair; only the last decision of a reviewer on a pair counts.

    Whoever corrects a pair votes `fix` on it and approves the pair that the correction makes, unless they decided on
    that one themselves. `pairs` holds the corrected pairs by id.
    """
    current = latest(decisions)
    votes: Votes = {}
    for (identity, reviewer), decision in current.items():
        if decision.decision is not None:
            votes.setdefault(identity, {})[reviewer] = decision.decision
    for correction in corrections(current.values(), pairs):
        votes.setdefault(correction.pair_id, {}).setdefault(correction.reviewer, "approve")
    return votes


def corrections(decisions: Iterable[Decision], pairs: Mapping[str, Pair]) -> Iterator[Correction]:
    """The corrections of `pairs` that the decisions make."""
    for decision in decisions:
        parent = pairs.get(decision.pair_id)
        if decision.decision == "fix" and parent is not None:
            child = pair_id(parent.rule_id, decision.good or parent.good, decision.bad or parent.bad)
            yield Correction(parent.id, child, decision.reviewer)


def source_decisions(annotations: Path, source: str) -> list[Decision]:
    """The last decision of each reviewer on each pair of a source, whichever of its queues it comes from."""
    return _latest_of(decisions for _, decisions in _by_queue(annotations, source))


def _by_queue(annotations: Path, source: str) -> list[tuple[QueueInfo, list[Decision]]]:
    folders = pair_queues(annotations, source)
    return [(folder.info(), list(latest_decisions(folder.log()).values())) for folder in folders]


def _latest_of(queues: Iterable[Iterable[Decision]]) -> list[Decision]:
    decisions = (decision for queue in queues for decision in queue)
    return list(latest(sorted(decisions, key=lambda decision: decision.at)).values())


def source_votes(annotations: Path, source: str, pairs: Mapping[str, Pair]) -> SourceVotes:
    """The votes on a source's pairs, from all its queues of pairs. `pairs` holds the source's pairs by id.

    `unsure` settles nothing. A correction settles its conflict, and approves the pair that it makes, unless somebody
    refuses that one. It does so also where the source no longer has the corrected pair, as after it was corrected.
    """
    queues = _by_queue(annotations, source)
    decisions = _latest_of(own for _, own in queues)
    if any(decision.decision == "fix" and decision.pair_id not in pairs for decision in decisions):
        texts = (folder.pair_texts() for folder in pair_queues(annotations, source))
        pairs = {pair_id: text for own in texts for pair_id, text in own.items()} | dict(pairs)
    cast = count_votes(decisions, pairs)
    shown = {(decision.pair_id, decision.reviewer) for decision in decisions}
    settling: list[Decision] = []
    adjudicated: Votes = {}
    for info, own in queues:
        for decision in own if info.of is not None else ():
            if decision.decision not in (None, "unsure"):
                settling.append(decision)
                adjudicated.setdefault(decision.pair_id, {})[decision.reviewer] = decision.decision
    for _, child, adjudicator in corrections(settling, pairs):
        if not {"fix", "reject"} & set(cast[child].values()):
            adjudicated.setdefault(child, {}).setdefault(adjudicator, "approve")
    written = {(pair_id, reviewer) for pair_id, votes in cast.items() for reviewer in votes} - shown
    return SourceVotes(cast, adjudicated, frozenset(written))


def fixed_candidates(decisions: Iterable[Decision], candidates: Mapping[str, Candidate]) -> Iterator[Candidate]:
    """The pairs that corrections make, each once: method `manual`, the corrected pair as parent, its rule and evidence.

    A correction yields nothing if its result is one of the candidates, or if it is of a pair of another source.

    decisions   the latest ones, in any order; a correction may be of a pair that another correction made
    candidates  by id
    """
    fixes: defaultdict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.decision == "fix":
            fixes[decision.pair_id].append(decision)
    made: set[str] = set()
    parents = [pair for pair in candidates.values() if pair.id in fixes]
    while parents:
        parent = parents.pop(0)
        for fix in fixes.get(parent.id, ()):
            good, bad = fix.good or parent.good, fix.bad or parent.bad
            # Alternatives, features and a changed sentence's translation hold for the parent alone.
            given_up = {"alternatives": (), "features": (), "asked": (), "derivation": None, "kept": False}
            given_up |= {} if good == parent.good else {"translation": None}
            own = {"id": pair_id(parent.rule_id, good, bad), "good": good, "bad": bad, "changes": changes(good, bad)}
            child = parent.model_copy(update={"method": "manual", "parent_id": parent.id} | own | given_up)
            if child.id not in candidates and child.id not in made:
                made.add(child.id)
                parents.append(child)
                yield child
