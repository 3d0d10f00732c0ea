"""One reviewer at the review page: what comes next, an answer logged, an answer taken back, how far they are.

An answer is in the log, synced to the disk, before the page hears of it. The reviewer's sheet follows a moment later;
what they write into it themselves comes in when the file changes.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pairwright.errors import PairwrightError, ReviewError, StoreError
from pairwright.languages import Language
from pairwright.records import Candidate, CheckedPair, Decision, DecisionWord, Judgement, Rule, Source
from pairwright.review.log.folder import Assignment, Entry, QueueFolder
from pairwright.review.log.votes import votes
from pairwright.review.queue.order import Open, active_order, approved_by_rule, doubt_of
from pairwright.review.sheets.answers import Key, QueueContents, judgement
from pairwright.review.sheets.importing import import_answers, is_answer, same_answer
from pairwright.review.sheets.typography import as_typed, squeeze_cell
from pairwright.review.sheets.vocabulary import SCALE, WORDS, DecisionVocabulary
from pairwright.text import unescape_csv_formula

# So many items keep their order once it is made; then it is made anew with what was decided meanwhile.
AHEAD = 20
MAX_TEXT = 5_000
MAX_SECONDS = 24 * 3600.0


class Refused(Exception):
    """An answer that can't be taken: the name of the interface's words that say why."""


@dataclass(frozen=True)
class DeskSettings:
    """What a review page is to know of the queue's rules: whether the order is active, the target, the votes needed."""

    active: bool = True
    target: int = 10
    votes_needed: int = 2
    separator: str = ";"


@dataclass(frozen=True)
class Answer:
    """What a reviewer sends: exactly one of `decision`, `choice` (0 or 1) and `rating`, or a comment alone."""

    decision: str | None = None
    good: str = ""
    bad: str = ""
    choice: int | None = None
    rating: int | None = None
    comment: str = ""
    seconds: float | None = None


@dataclass
class Desk:
    """The state of one reviewer in one queue. Safe to use from several threads."""

    folder: QueueFolder
    reviewer: str
    language: Language
    source: Source
    pairs: Mapping[str, CheckedPair]
    rules: Mapping[str, Rule]
    settings: DeskSettings = field(default_factory=DeskSettings)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def __post_init__(self) -> None:
        self.info = self.folder.known()
        assignments = {(item.item_id, item.reviewer): item for item in self.folder.assignments()}
        self.contents = QueueContents(
            self.info.kind, assignments, self.folder.pair_texts(), DecisionVocabulary(self.language)
        )
        self.items = {item.item_id: item for item in assignments.values() if item.reviewer == self.reviewer}
        if not self.items:
            known = ", ".join(sorted(self.contents.reviewers))
            raise ReviewError(f"{self.folder.path}: '{self.reviewer}' has nothing in this queue; known: {known}")
        self._lock = threading.RLock()
        self._log = _LogReader(self.folder.log if self.info.kind == "pairs" else self.folder.judgements)
        self._latest: dict[Key, Entry] = {}
        self._done: list[tuple[str, Entry | None]] = []
        self._ahead: list[str] = []
        self._skipped: dict[str, None] = {}
        self.sync()

    def sync(self) -> tuple[str, ...]:
        """Takes over what the reviewer wrote into the sheet, and writes into it what they answered here.

        Returns what was in doubt, or why the sheet can't be written now.
        """
        path = self.folder.sheet(self.reviewer)
        doubts: tuple[str, ...] = ()
        if path.exists():
            try:
                doubts = import_answers(
                    self.folder.path.parent,
                    self.folder.queue,
                    self.language,
                    self.clock(),
                    self.settings.separator,
                    (path,),
                ).doubts
            except (PairwrightError, OSError) as fault:
                doubts = (str(fault),)
        with self._lock:
            self._sheet_state = _state_of_file(path)
            self._read()
        return doubts

    def sheet_changed(self) -> bool:
        """Whether somebody else wrote the sheet since it was last read or written."""
        return _state_of_file(self.folder.sheet(self.reviewer)) != self._sheet_state

    def progress(self) -> tuple[int, int]:
        """How many items are answered, and how many there are."""
        with self._lock:
            self._read()
            return sum(self._answered(item_id) for item_id in self.items), len(self.items)

    def next_item(self) -> Assignment | None:
        """What is best answered next; what was put off comes last; None where all is answered."""
        with self._lock:
            self._read()
            self._ahead = [item_id for item_id in self._ahead if not self._answered(item_id)]
            self._ahead = [item_id for item_id in self._ahead if item_id not in self._skipped]
            if not self._ahead:
                waiting = [item_id for item_id in self.items if not self._answered(item_id)]
                fresh = [item_id for item_id in waiting if item_id not in self._skipped]
                late = [item_id for item_id in self._skipped if not self._answered(item_id)]
                self._ahead = self._ordered(fresh)[:AHEAD]
                if not self._ahead:
                    return self.items[late[0]] if late else None
            return self.items[self._ahead[0]]

    def entry(self, item_id: str) -> Entry | None:
        """The reviewer's last entry on an item; never anybody else's."""
        with self._lock:
            return self._latest.get((item_id, self.reviewer))

    def before(self, item_id: str | None) -> str | None:
        """The item that was answered last before this one was, or last of all."""
        with self._lock:
            order = list(dict.fromkeys(done for done, _ in reversed(self._done)))
            if item_id in order:
                order = order[order.index(item_id) + 1 :]
            return order[0] if order else None

    def skip(self, item_id: str) -> None:
        """Puts an item off until all others are answered."""
        with self._lock:
            self._skipped.pop(item_id, None)
            self._skipped[item_id] = None

    def answer(self, item_id: str, answer: Answer) -> None:
        """Logs an answer. Raises KeyError for an item that is not the reviewer's, and Refused for what is no answer."""
        item = self.items[item_id]
        entry = self._entry(item, answer)
        with self._lock, self.folder.locked():
            self._read()
            before = self._latest.get((item_id, self.reviewer))
            if before is not None and same_answer(before, entry):
                return
            self.folder.add_entries(self.info.kind, [entry])
            self._read()

    def undo(self) -> str | None:
        """Takes the last answer that was given here back, to what it was before. Returns its item; None if none."""
        with self._lock, self.folder.locked():
            self._read()
            if not self._done:
                return None
            item_id, before = self._done[-1]
            now = self._latest[item_id, self.reviewer]
            update = {"at": self._now(), "via": "page", "seconds": None}
            back = before if before is not None else _without_answer(now)
            self.folder.add_entries(self.info.kind, [back.model_copy(update=update)])
            done = self._done[:-1]
            self._read()
            self._done = done
            self._ahead = [item_id, *self._ahead]
            self._skipped.pop(item_id, None)
            return item_id

    def candidate(self, item: Assignment) -> Candidate | None:
        """The pair of an item as it was built last; None where it is no longer proposed."""
        checked = self.pairs.get(item.pair_id or "")
        return checked.candidate if checked else None

    def _now(self) -> str:
        return self.clock().astimezone(UTC).isoformat(timespec="milliseconds")

    def _answered(self, item_id: str) -> bool:
        entry = self._latest.get((item_id, self.reviewer))
        return entry is not None and is_answer(entry)

    def _read(self) -> None:
        """Brings in what was logged since, by this page or by any other program."""
        for entry in self._log.new(Decision if self.info.kind == "pairs" else Judgement):
            key = (entry.pair_id if isinstance(entry, Decision) else entry.item_id), entry.reviewer
            if entry.reviewer == self.reviewer and entry.via == "page":
                if is_answer(entry):
                    self._done.append((key[0], self._latest.get(key)))
                else:
                    self._done = [done for done in self._done if done[0] != key[0]]
            self._latest[key] = entry

    def _ordered(self, waiting: Sequence[str]) -> list[str]:
        """The waiting items: pairs by what they teach now, anything else as it was given out."""
        if self.info.kind != "pairs" or not self.settings.active or self.info.of is not None:
            return list(waiting)
        decided = [entry for entry in self._latest.values() if isinstance(entry, Decision)]
        voices = votes(decided, self.contents.pairs)
        approved = approved_by_rule(
            {pair_id: pair.candidate for pair_id, pair in self.pairs.items()}, voices, self.settings.votes_needed
        )
        found = []
        for item_id in waiting:
            words = list(voices.get(item_id, {}).values())
            checked = self.pairs.get(item_id)
            doubt = doubt_of(checked) if checked else 0
            approvals = words.count("approve") if not {"reject", "fix"} & set(words) else 0
            found.append(Open(item_id, self.contents.pairs[item_id].rule_id, doubt, approvals))
        return active_order(found, approved, self.settings.target)

    def _entry(self, item: Assignment, answer: Answer) -> Entry:
        comment = unescape_csv_formula(answer.comment[:MAX_TEXT]) if squeeze_cell(answer.comment) else ""
        update = {"via": "page", "seconds": _seconds(answer.seconds)}
        if self.info.kind == "pairs":
            return self._decision(item, answer, comment).model_copy(update=update)
        value = answer.choice if self.info.kind == "choice" else answer.rating
        low, high = (0, 1) if self.info.kind == "choice" else SCALE
        if value is not None and not low <= value <= high:
            raise Refused("not_saved")
        if value is None:
            now = self.entry(item.item_id)
            if isinstance(now, Judgement):
                return now.model_copy(update={**update, "comment": comment, "at": self._now()})
        return judgement(self.info.kind, item, value, comment, self._now()).model_copy(update=update)

    def _decision(self, item: Assignment, answer: Answer, comment: str) -> Decision:
        pair = self.contents.pairs[item.item_id]
        word: DecisionWord | None = None
        if answer.decision is not None:
            word = next((known for known in WORDS if known == answer.decision), None)
            if word is None:
                raise Refused("not_saved")
        now = self.entry(item.item_id)
        if word is None and isinstance(now, Decision):
            return now.model_copy(update={"comment": comment, "at": self._now()})
        good, bad = (
            as_typed(text[:MAX_TEXT], original) if word == "fix" else ""
            for text, original in ((answer.good, pair.good), (answer.bad, pair.bad))
        )
        whole = good or squeeze_cell(pair.good), bad or squeeze_cell(pair.bad)
        if word == "fix" and (whole[0] == whole[1] or whole == (squeeze_cell(pair.good), squeeze_cell(pair.bad))):
            raise Refused("needs_correction")
        return Decision(
            pair_id=pair.id,
            reviewer=self.reviewer,
            decision=word,
            good=good if good and good != squeeze_cell(pair.good) else None,
            bad=bad if bad and bad != squeeze_cell(pair.bad) else None,
            comment=comment,
            at=self._now(),
        )


class _LogReader:
    """Reads what was added to a log since it was last read; a line that is not ended yet waits."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def new(self, kind: type[Decision] | type[Judgement]) -> Iterator[Entry]:
        if not self._path.exists() or self._path.stat().st_size <= self._offset:
            return
        with self._path.open("rb") as handle:
            handle.seek(self._offset)
            content = handle.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            try:
                yield kind.model_validate(json.loads(line))
            except ValueError:
                raise StoreError(f"{self._path}: not a log of answers; take it back from the version control") from None


def _without_answer(entry: Entry) -> Entry:
    empty = {"decision": None, "good": None, "bad": None} if isinstance(entry, Decision) else {}
    return entry.model_copy(update=empty or {"prefers": None, "rating": None})


def _seconds(seconds: float | None) -> float | None:
    """A time that the browser measured: None where it can't be one."""
    return round(seconds, 1) if seconds is not None and 0 <= seconds <= MAX_SECONDS else None


def _state_of_file(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
