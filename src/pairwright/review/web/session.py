"""A queue that is served, and one reviewer at its page: what comes next, answers logged and withdrawn, progress.

A queue may hold a hundred thousand pairs and have twenty reviewers at once, so nothing of it is held for each of them,
and of its log only what is new is read. An answer is in the log, synced to the disk, before the page hears of it. What
people say of themselves before a blind experiment is personal data: it stands apart, in a file that git ignores and
others of the machine can't read.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, field_validator, model_validator

from pairwright.core.config import Settings
from pairwright.core.errors import PairwrightError, ReviewError, StoreError
from pairwright.core.files import open_file
from pairwright.core.ids import digest, read_toml
from pairwright.core.records import Decision, DecisionWord, Record
from pairwright.core.store import append_log, log_lines, logged_record, write_log
from pairwright.core.tables import table_text
from pairwright.core.text import unescape_csv_formula
from pairwright.review.assign.design import PendingPair, active_order, approved_by_rule, first_pass, pending_pairs
from pairwright.review.log import (
    Assignment,
    Entry,
    Key,
    QueueFolder,
    ReviewContext,
    Votes,
    count_votes,
    damaged_logs,
    entry_type,
    is_answer,
    key_of,
    read_queue_log,
    says,
)
from pairwright.review.sheets.answers import alternative, decision_on, fix_fault, judgement
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.exchange import import_answers
from pairwright.review.sheets.spreadsheet import as_typed, squeeze_cell

# By so many bytes the log that was read is recognised.
_REMEMBERED = 1_000
# Votes are counted again when the log has grown by a fiftieth: a large queue's order hangs on no single one.
_VOTES_STAY = 50


class SharedQueue:
    """A queue that is served, for several threads. Raises ReviewError if there is none, StoreError if it is damaged.

    lock    held by whoever reads or adds answers
    latest  the last entry of each reviewer on each item, as far as `read` has come
    done    the items that each reviewer answered at the page, in order, with their entries before
    """

    def __init__(self, context: ReviewContext) -> None:
        self.context, self.folder = context, context.folder
        self.info = self.folder.info()
        self.contents = read_contents(self.folder, context.language)
        self.lock = threading.RLock()
        self.latest: dict[Key, Entry] = {}
        self.done: defaultdict[str, list[tuple[str, Entry | None]]] = defaultdict(list)
        self.first_notes: tuple[str, ...] = ()
        self._offset, self._last_read = 0, b""
        self._log_state: tuple[int, int] | None = None
        self._n_read = 0
        self._counted: tuple[int, Votes, Counter[str]] | None = None
        # Reviewers whose sheets are taken over, with the state in which these were read last.
        self._sheets: dict[str, tuple[int, int] | None] = {}
        self.read()
        self.contents.check_assigned(self.latest)
        self._asked = self.contents.asked(self.latest).values()

    def items(self, reviewer: str) -> dict[str, Assignment]:
        """What a reviewer is asked, by item, in order. Raises ReviewError if that is nothing."""
        items = {item.item_id: item for item in self._asked if item.reviewer == reviewer}
        if not items:
            known = ", ".join(sorted(self.contents.reviewers))
            raise ReviewError(f"{self.folder.path}: '{reviewer}' has nothing in this queue; known: {known}")
        return items

    def read_sheets(self, *reviewers: str) -> None:
        """Takes over the sheets of these reviewers, and again whenever they change. Notes are `first_notes`."""
        new = [reviewer for reviewer in reviewers if reviewer not in self._sheets]
        if new:
            self._sheets |= dict.fromkeys(new)
            self.first_notes += self.sync(*new)

    def sync(self, *reviewers: str) -> tuple[str, ...]:
        """Imports the sheets of these reviewers, or those that another program has written since. Returns the doubts.

        A log that has become shorter gets back what all of them have.
        """
        states = {name: _state_of_file(self.folder.sheet(name)) for name in self._sheets}
        with self.lock:
            log = _state_of_file(self.folder.log(self.info.kind))
            log_is_changed, is_shorter = log != self._log_state, (log[1] if log else 0) < self._offset
            changed = [name for name, state in states.items() if state != self._sheets[name] or is_shorter]
            changed = [*reviewers] or changed
            if not log_is_changed and not changed:
                return ()
        notes = tuple(damaged_logs(self.folder.path)) if log_is_changed else ()
        # Taken before a sheet is read, so that whatever is saved from now on counts as a change.
        self._sheets |= {name: states[name] for name in changed}
        files = [self.folder.sheet(name) for name in changed if states[name]]
        try:
            if files:
                now = datetime.now(UTC)
                imported = import_answers(self.folder, self.context.language, now, files=files, refresh=False)
                notes = (*notes, *imported.doubts)
            with self.lock:
                self.read()
        except (PairwrightError, OSError) as fault:
            self._sheets |= dict.fromkeys(changed)  # to be read again, though they may not change
            notes = notes or (str(fault),)
        return notes

    def votes(self) -> tuple[Votes, Counter[str]]:
        """The votes on the pairs, and how many pairs of each rule are approved; those of a while ago in a long log."""
        counted = self._counted
        if counted is None or self._n_read - counted[0] > self._n_read // _VOTES_STAY:
            entries = (entry for entry in self.latest.values() if isinstance(entry, Decision))
            votes = count_votes(entries, self.contents.pairs)
            approved = approved_by_rule(self.context.candidates, votes, self.context.deciding.votes)
            counted = self._counted = self._n_read, votes, approved
        return counted[1:]

    def read(self) -> None:
        """Reads what was logged since, by the page or by any other program."""
        self._log_state = _state_of_file(self.folder.log(self.info.kind))
        for entry in self._new_entries():
            item_id, reviewer = key = key_of(entry)
            done = self.done[reviewer]
            if entry.via == "page" and is_answer(entry):
                done.append((item_id, self.latest.get(key)))
            elif entry.via == "page":
                self.done[reviewer] = [one for one in done if one[0] != item_id]
            self.latest[key] = entry
            self._n_read += 1

    def _new_entries(self) -> list[Entry]:
        """What was added to the log since it was last read. A line that has no end yet waits.

        A log that was put in the place of the one that was read is read from its beginning.
        """
        path, record = self.folder.log(self.info.kind), entry_type(self.info.kind)
        content = b""
        if path.exists():
            with open_file(path, StoreError) as handle:
                handle.seek(self._offset - len(self._last_read))
                content = handle.read()
        if not content.startswith(self._last_read):
            self._offset, self._last_read, self._n_read, self._counted = 0, b"", 0, None
            self.latest.clear()
            self.done.clear()
            return self._new_entries()
        whole = content[len(self._last_read) : content.rfind(b"\n") + 1]
        try:
            entries: list[Entry] = [logged_record(record, line, path, 0) for line in log_lines(whole)]
        except StoreError:
            list(self.folder.entries(self.info.kind))  # names the line and the remedy
            raise
        if whole:
            self._offset += len(whole)
            self._last_read = whole[-_REMEMBERED:]
        return entries


def _state_of_file(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


# So many items keep their order. Then the order is made anew with what was decided meanwhile.
AHEAD = 20
MAX_TEXT = 5_000


class Note(StrEnum):
    """What the page says after an action. The value names the words of the interface."""

    SAVED = "saved"
    UNDONE = "undone"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NEEDS_CORRECTION = "needs_correction"
    NOT_SAVED = "not_saved"


class NothingCorrected(Exception):
    """A fix that changes no sentence, or makes both sentences the same."""


class OtherReviewer(Exception):
    """A form of a page that was made for another reviewer; the message is the name of the one who is here now."""


class PageAnswer(Record):
    """A reviewer's `decision`, `choice` or `rating`, or a comment alone. `seconds` that can't be true become None.

    alternative  the number, from 1, of a listed correction that the reviewer takes
    """

    model_config = ConfigDict(extra="ignore")

    decision: DecisionWord | None = None
    good: str = ""
    bad: str = ""
    alternative: Annotated[int, Field(ge=1)] | None = None
    choice: Literal["A", "B"] | None = None
    rating: Annotated[int, Field(ge=1, le=7)] | None = None
    comment: str = ""
    seconds: Annotated[float, Field(ge=0, le=24 * 3600)] | None = None

    @field_validator("seconds", mode="wrap")
    @classmethod
    def _plausible(cls, value: object, validate: ValidatorFunctionWrapHandler) -> float | None:
        try:
            return round(float(validate(value)), 1)
        except ValidationError:
            return None


@dataclass
class ReviewSession:
    """One reviewer in one queue, for several threads. Raises ReviewError if nothing there is for the reviewer."""

    queue: SharedQueue
    reviewer: str

    def __post_init__(self) -> None:
        self.context = self.queue.context
        self.folder, self.info, self.contents = self.queue.folder, self.queue.info, self.queue.contents
        self.items = self.queue.items(self.reviewer)
        self._lock, self._latest, self._read = self.queue.lock, self.queue.latest, self.queue.read
        # The answer that was undone last, for the page to name, and to show the correction that it held.
        self.undone: Entry | None = None
        self._ahead: list[str] = []
        self._skipped: dict[str, None] = {}
        own = (self.contents.pairs[item_id] for item_id in self.items if self.info.kind == "pairs")
        # The assignments are in the order in which pairs teach, so nothing but the rule is left to be looked at.
        pairs = [PendingPair(pair.id, pair.rule_id, 0) for pair in own]
        self._rules = list(dict.fromkeys(pair.rule_id for pair in pairs))
        self._first_pass = first_pass(pairs, self.context.settings.target)
        self.queue.read_sheets(self.reviewer)

    def progress(self) -> tuple[int, int]:
        """How many items are answered, and how many there are."""
        with self._lock:
            self._read()
            return sum(map(self._answered, self.items)), len(self.items)

    def next_item(self) -> Assignment | None:
        """The item that is best answered next; skipped ones come last. None if everything is answered."""
        with self._lock:
            self._read()
            self._ahead = [item_id for item_id in self._ahead if self._is_fresh(item_id)]
            if not self._ahead:
                self._ahead = self._ordered([item_id for item_id in self.items if self._is_fresh(item_id)])[:AHEAD]
            late = (item_id for item_id in self._skipped if not self._answered(item_id))
            item_id = self._ahead[0] if self._ahead else next(late, None)
            return self.items[item_id] if item_id is not None else None

    def entry(self, item_id: str) -> Entry | None:
        """The reviewer's last entry on an item. Nobody sees anybody else's."""
        with self._lock:
            return self._latest.get((item_id, self.reviewer))

    def before(self, item_id: str | None) -> str | None:
        """The item that was answered just before this one or, if this one has no answer, last of all."""
        with self._lock:
            order = list(dict.fromkeys(done for done, _ in reversed(self.queue.done[self.reviewer])))
            return next(iter(order[order.index(item_id) + 1 :] if item_id in order else order), None)

    def rule_place(self, item_id: str) -> tuple[int, int, bool]:
        """The number of an item's rule from 1, how many there are, and whether the answer before was on another."""
        rule_id, before = self.contents.pairs[item_id].rule_id, self.before(item_id)
        is_new = before is None or self.contents.pairs[before].rule_id != rule_id
        return self._rules.index(rule_id) + 1, len(self._rules), is_new

    def skip(self, item_id: str) -> None:
        """Puts an item off until all others are answered."""
        with self._lock:
            self._skipped.pop(item_id, None)
            self._skipped[item_id] = None

    def answer(self, item_id: str, answer: PageAnswer) -> None:
        """Logs an answer. Raises KeyError if the item is not the reviewer's, and NothingCorrected for an empty fix."""
        item = self.items[item_id]
        entry = self._entry(item, answer)
        with self._lock, self.folder.locked():
            self._read()
            before = self.entry(item_id)
            if before is None or says(before) != says(entry):
                self.folder.add_entries(self.info.kind, [entry])
                self._read()

    def undo(self) -> str | None:
        """Takes the last answer given here back to what it was before. Returns its item, or None if there is none."""
        with self._lock, self.folder.locked():
            self._read()
            if not self.queue.done[self.reviewer]:
                return None
            *done, (item_id, before) = self.queue.done[self.reviewer]
            answer = ("decision", "good", "bad") if self.info.kind == "pairs" else ("prefers", "rating")
            self.undone = undone = self._latest[item_id, self.reviewer]
            back = before or undone.model_copy(update=dict.fromkeys(answer))
            update = {"at": self._now(), "via": "page", "seconds": None}
            self.folder.add_entries(self.info.kind, [back.model_copy(update=update)])
            self._read()
            self.queue.done[self.reviewer] = done
            self._ahead = [item_id, *self._ahead]
            self._skipped.pop(item_id, None)
        return item_id

    def _now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds")

    def _answered(self, item_id: str) -> bool:
        entry = self._latest.get((item_id, self.reviewer))
        return entry is not None and is_answer(entry)

    def _is_fresh(self, item_id: str) -> bool:
        return item_id not in self._skipped and not self._answered(item_id)

    def _ordered(self, waiting: list[str]) -> list[str]:
        """Items in the order in which they are asked: pairs by the first pass and by what they teach then."""
        context, texts, order = self.context, self.contents.pairs, self.context.settings.order
        if self.info.kind != "pairs" or order in ("source", "random") or self.info.of is not None:
            return waiting
        if order == "rules":
            fresh = set(waiting)
            if first := [pair_id for pair_id in self._first_pass if pair_id in fresh]:
                return first
        votes, approved = self.queue.votes()
        return active_order(pending_pairs(waiting, texts, context.pairs, votes), approved, context.settings.target)

    def _entry(self, item: Assignment, answer: PageAnswer) -> Entry:
        comment = unescape_csv_formula(answer.comment[:MAX_TEXT]) if squeeze_cell(answer.comment) else ""
        kind, last = self.info.kind, self.entry(item.item_id)
        if last is not None and self._value(answer) is None:
            entry: Entry = last.model_copy(update={"comment": comment, "at": self._now()})
        elif kind == "pairs":
            entry = self._decision(item, answer, comment)
        else:
            value = "AB".index(answer.choice) if answer.choice else answer.rating
            entry = judgement(kind, item, value, comment, self._now())
        return entry.model_copy(update={"via": "page", "seconds": answer.seconds})

    def _value(self, answer: PageAnswer) -> str | int | None:
        """What is answered; None for a comment alone."""
        of_pair = answer.alternative or answer.decision
        return {"pairs": of_pair, "choice": answer.choice, "likert": answer.rating}[self.info.kind]

    def _decision(self, item: Assignment, answer: PageAnswer, comment: str) -> Decision:
        pair = self.contents.pairs[item.item_id]
        good = bad = ""
        decision = answer.decision
        if answer.alternative is not None:
            # The fields of the form hold whatever the reviewer left there.
            decision, good = "fix", alternative(pair, answer.alternative)
        elif decision == "fix":
            good, bad = as_typed(answer.good[:MAX_TEXT], pair.good), as_typed(answer.bad[:MAX_TEXT], pair.bad)
        if decision == "fix" and fix_fault(pair, good, bad):
            raise NothingCorrected
        return decision_on(pair, self.reviewer, decision, good, bad, comment, self._now())


QUESTIONNAIRE = "questionnaire.toml"
MAX_ANSWER = 500
_FILE = ".questionnaire.jsonl"
_Line = Annotated[str, Field(min_length=1)]


class Question(Settings):
    """A question. Without `options` it takes words of the reader's own."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    text: _Line
    options: tuple[_Line, ...] = ()
    required: bool = False


class Questionnaire(Settings):
    """What stands in `questionnaire.toml` of the workspace: the text to agree to, and the questions."""

    consent: _Line
    questions: tuple[Question, ...] = ()

    @model_validator(mode="after")
    def _plain(self) -> Self:
        names = [question.name for question in self.questions]
        if len({*names, "consent"}) <= len(names):
            raise ValueError("the names of questions must differ, also from 'consent'")
        return self

    @property
    def consent_sha256(self) -> str:
        """By which a text that people agreed to is told from another one."""
        return digest(self.consent)

    def read(self, form: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]] | None:
        """The answers in a form, by question; None without consent, without a required answer or with one not offered.

        An answer in words is cut after MAX_ANSWER characters.
        """
        answers: dict[str, tuple[str, ...]] = {}
        for question in self.questions:
            given = tuple(text for value in form.get(question.name, ()) if (text := value.strip()[:MAX_ANSWER]))
            unknown = question.options and not set(given) <= set(question.options)
            if unknown or (question.required and not given) or len(given) > 1:
                return None
            answers[question.name] = given
        return answers if form.get("consent") == ["yes"] else None


class Participant(Record):
    """What one reviewer said. `consent_sha256` names the text that they agreed to."""

    reviewer: str
    at: str
    consent_sha256: str
    answers: dict[str, tuple[str, ...]]


def find_questionnaire(root: Path) -> Questionnaire | None:
    """The questionnaire of a workspace; None if it has none. Raises ConfigError."""
    path = root / QUESTIONNAIRE
    return read_toml(path, Questionnaire) if path.exists() else None


def participants(folder: QueueFolder) -> dict[str, Participant]:
    """What the reviewers of a queue said last, by reviewer."""
    return {one.reviewer: one for one in read_queue_log(folder.path / _FILE, Participant)}


def add_participant(
    folder: QueueFolder, questionnaire: Questionnaire, reviewer: str, answers: dict[str, tuple[str, ...]]
) -> None:
    """Stores what a reviewer said."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    path = folder.path / _FILE
    with folder.locked():
        path.touch(mode=0o600)
        consent = questionnaire.consent_sha256
        append_log(path, [Participant(reviewer=reviewer, at=at, consent_sha256=consent, answers=answers)])


def delete_participant(folder: QueueFolder, reviewer: str) -> None:
    """Deletes all that a reviewer said of themselves; the answers to items stay.

    Raises ReviewError if there is nothing of theirs.
    """
    path = folder.path / _FILE
    with folder.locked():
        stored = list(read_queue_log(path, Participant))
        rest = [one for one in stored if one.reviewer != reviewer]
        if len(rest) == len(stored):
            names = ", ".join(sorted({one.reviewer for one in stored})) or "nobody"
            raise ReviewError(
                f"{folder.path}: nothing of '{reviewer}' in the questionnaire; those who answered: {names}"
            )
        write_log(path, rest, permissions=0o600)


def table(folder: QueueFolder) -> str:
    """What the reviewers of a queue said last, as CSV."""
    said = participants(folder)
    names = list(dict.fromkeys(name for one in said.values() for name in one.answers))
    rows = (
        [reviewer, one.at, one.consent_sha256, *("; ".join(one.answers.get(name, ())) for name in names)]
        for reviewer, one in sorted(said.items())
    )
    return table_text([["reviewer", "at", "consent_sha256", *names], *rows])
