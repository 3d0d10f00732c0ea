"""One reviewer at the review page: what comes next, answers logged and withdrawn, progress.

An answer is in the log, synced to the disk, before the page hears of it. What reviewers write into their sheets is
imported when a file changes; sheets get the answers of the page when the queue is synchronised.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from pairwright.core.records import Decision, DecisionWord, Record
from pairwright.core.text import unescape_csv_formula
from pairwright.review.assign.order import PendingPair, active_order, first_pass, pending_pairs
from pairwright.review.log.log import Entry, is_answer, says
from pairwright.review.log.queue import Assignment
from pairwright.review.sheets.answers import alternative, decision_on, fix_fault, judgement
from pairwright.review.sheets.words import as_typed, squeeze_cell
from pairwright.review.web.shared import SharedQueue

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
