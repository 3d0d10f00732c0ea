"""What a reviewer's sheet says, row by row: an entry of the log, or doubts with their places."""

import re
from dataclasses import dataclass, field

from pairwright.core.records import Decision, Judgement, QueueKind, Side
from pairwright.review.log.log import Entry
from pairwright.review.log.queue import Assignment, Pair
from pairwright.review.sheets.columns import ANSWERS, IDS, SHOWN, Doubt, DoubtReason, QueueSheet, excerpt
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.spreadsheet import (
    SheetRow,
    as_typed,
    cell_matches,
    letters_lost,
    plain,
    squeeze_cell,
)
from pairwright.review.sheets.words import read_choice, read_rating, whole_number

# A function, a cell or an error of a spreadsheet: =SUM(A1), +B2, {=A1}, #NAME?.
_FORMULA = re.compile(r"[=+{][\s=+]*[A-Z$]+[$(\d]|#[A-Z/0]+[!?]?$")


@dataclass
class RowReading:
    """A row of a sheet as it is understood. `entry` is None if the row holds no answer that can be imported."""

    sheet: QueueSheet
    row: SheetRow
    reviewer: str | None = None
    assignment: Assignment | None = None
    entry: Entry | None = None
    doubts: list[Doubt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = self.sheet.state(self.row)

    def cell(self, name: str) -> str:
        return self.sheet.cell(self.row, name)

    @property
    def comment(self) -> str:
        """The comment as it was written; empty if it shows nothing."""
        comment = self.cell("comment")
        return comment if squeeze_cell(comment) else ""

    def doubt(self, column: str | None, reason: DoubtReason, *details: str) -> None:
        self.doubts.append(self.sheet.doubt(self.row, column, reason, *details))

    def has(self, reason: DoubtReason) -> bool:
        return any(doubt.reason is reason for doubt in self.doubts)


def read_row(sheet: QueueSheet, row: SheetRow, owner: str | None, contents: QueueContents, at: str) -> RowReading:
    """Reads a row of a sheet that belongs to `owner`, if that is known. `at` becomes the time of the answer."""
    reading = RowReading(sheet, row)
    if row.damaged:
        reading.doubt(None, DoubtReason.OPEN_QUOTE)
        return reading
    reading.reviewer = _reviewer(reading, owner, contents)
    reading.assignment = _assignment(reading, reading.reviewer, contents) if reading.reviewer is not None else None
    if reading.assignment is not None:
        _compare_sentences(reading, reading.assignment, contents)
        if sheet.kind == "pairs":
            reading.entry = _decision(reading, reading.assignment, contents, at)
        elif not reading.doubts:
            reading.entry = _judgement(reading, reading.assignment, at)
    return reading


def _reviewer(reading: RowReading, owner: str | None, contents: QueueContents) -> str | None:
    named = squeeze_cell(reading.cell("reviewer")).casefold()
    reviewer = named or owner
    if named and owner is not None and named != owner:
        reading.doubt("reviewer", DoubtReason.OTHER_REVIEWER, excerpt(named), owner)
    elif reviewer is None:
        reading.doubt("reviewer", DoubtReason.NO_REVIEWER)
    elif reviewer not in contents.reviewers:
        names = ", ".join(sorted(contents.reviewers))
        reading.doubt("reviewer", DoubtReason.UNKNOWN_REVIEWER, excerpt(reviewer), names)
    else:
        return reviewer
    return None


def _assignment(reading: RowReading, reviewer: str, contents: QueueContents) -> Assignment | None:
    """The assignment that a row answers, by its id or, if that was lost, by its sentences."""
    column, item_id = IDS[contents.kind], reading.sheet.item_id(reading.row)
    if (item_id, reviewer) in contents.assignments:
        return contents.assignments[item_id, reviewer]
    texts = tuple(plain(reading.cell(name)) for name in SHOWN[contents.kind])
    same = contents.by_text.get((reviewer, *texts), ())
    if len(same) == 1 and all(texts):
        return same[0]
    if not item_id:
        reading.doubt(column, DoubtReason.NO_PAIR)
    elif item_id in contents.pairs or any(key[0] == item_id for key in contents.assignments):
        reading.doubt(column, DoubtReason.NOT_GIVEN, item_id, reviewer)
    else:
        reading.doubt(column, DoubtReason.UNKNOWN_PAIR, excerpt(item_id))
    return None


def _compare_sentences(reading: RowReading, assignment: Assignment, contents: QueueContents) -> None:
    """Doubts sentences that are not the ones that the reviewer was given."""
    for name, text in zip(SHOWN[contents.kind], contents.shown(assignment), strict=True):
        cell = reading.cell(name)
        if name not in reading.sheet.columns or cell_matches(cell, text):
            continue
        if letters_lost(cell, text):
            reading.doubt(name, DoubtReason.LETTERS_LOST)
        else:
            column = {"good": "fixed_good", "bad": "fixed_bad"}.get(name, "comment")
            reading.doubt(name, DoubtReason.SENTENCE_CHANGED, reading.sheet.titles[column])


def _decision(reading: RowReading, assignment: Assignment, contents: QueueContents, at: str) -> Decision | None:
    pair, vocabulary = contents.pairs[assignment.item_id], contents.vocabulary
    cell = reading.cell("decision")
    good, bad = as_typed(reading.cell("fixed_good"), pair.good), as_typed(reading.cell("fixed_bad"), pair.bad)
    decision, listed = vocabulary.read(cell), _number(cell)
    number, column = _number(good), "fixed_good"
    if decision is None and listed is not None and not good and not bad:
        decision, number, column = "fix", listed, "decision"
    elif squeeze_cell(cell) and decision is None and listed is None:
        near, choices = vocabulary.nearest(cell), ", ".join(vocabulary.best.values())
        reason = DoubtReason.MISSPELT_DECISION if near else DoubtReason.UNKNOWN_DECISION
        reading.doubt("decision", reason, *filter(None, (excerpt(cell), near, choices)))
        return None
    if number is not None:
        good = alternative(pair, number)
        if not good:
            reading.doubt(column, DoubtReason.NO_ALTERNATIVE, str(number), str(len(pair.alternatives)))
            return None
    if decision == "fix" and reading.doubts and not good and not bad:
        good, bad = _overwritten(reading, pair, contents)
        reading.doubts.clear()
    if reading.has(DoubtReason.SENTENCE_CHANGED) or (reading.has(DoubtReason.LETTERS_LOST) and decision == "fix"):
        return None
    if decision == "fix":
        if fault := fix_fault(pair, good, bad):
            columns = reading.sheet.titles["fixed_good"], reading.sheet.titles["fixed_bad"]
            details = {
                DoubtReason.NO_CORRECTION: (excerpt(cell), *columns),
                DoubtReason.NOTHING_CORRECTED: (vocabulary.best["approve"],),
            }
            reading.doubt("decision", fault, *details.get(fault, ()))
            return None
    elif good or bad:
        reading.doubt("fixed_good" if good else "fixed_bad", DoubtReason.FIX_NOT_DECIDED, vocabulary.best["fix"])
        return None
    return Decision(
        pair_id=pair.id,
        reviewer=assignment.reviewer,
        decision=decision,
        good=good or None,
        bad=bad or None,
        comment=reading.comment,
        at=at,
    )


def _number(cell: str) -> int | None:
    """The number of three digits or fewer that stands alone in a cell."""
    number = whole_number(squeeze_cell(cell).strip(" .)"))
    return int(number) if number.isdecimal() and number.isascii() and len(number) <= 3 else None


def alternative(pair: Pair, number: int) -> str:
    """The other good sentence that is listed under a number, from 1; empty if there is none."""
    return squeeze_cell(pair.alternatives[number - 1]) if 1 <= number <= len(pair.alternatives) else ""


def _overwritten(reading: RowReading, pair: Pair, contents: QueueContents) -> tuple[str, str]:
    """The correction that stands over the sentence, not beside it; empty if letters were lost or rows were mixed up."""
    cells = reading.cell("good"), reading.cell("bad")
    texts = tuple(map(plain, cells))
    if reading.has(DoubtReason.LETTERS_LOST) or not all(texts):
        return "", ""
    kept = cell_matches(cells[0], pair.good), cell_matches(cells[1], pair.bad)
    own = (key[1:] for key in contents.by_text if key[0] == reading.reviewer)
    if not any(kept) and any(text in shown for shown in own for text in texts):
        return "", ""
    return "" if kept[0] else as_typed(cells[0], pair.good), "" if kept[1] else as_typed(cells[1], pair.bad)


def fix_fault(pair: Pair, good: str, bad: str) -> DoubtReason | None:
    """Why a correction does not make another pair of two different sentences; None if it does."""
    original = squeeze_cell(pair.good), squeeze_cell(pair.bad)
    corrected = good or original[0], bad or original[1]
    if not good and not bad:
        return DoubtReason.NO_CORRECTION
    if corrected[0] == corrected[1]:
        return DoubtReason.SENTENCES_EQUAL
    if _FORMULA.match(good) or _FORMULA.match(bad):
        return DoubtReason.FORMULA
    return DoubtReason.NOTHING_CORRECTED if corrected == original else None


def _judgement(reading: RowReading, assignment: Assignment, at: str) -> Judgement | None:
    kind = reading.sheet.kind
    cell = reading.cell(ANSWERS[kind][0])
    value = read_choice(cell) if kind == "choice" else read_rating(cell)
    if squeeze_cell(cell) and value is None:
        reason = DoubtReason.NO_CHOICE if kind == "choice" else DoubtReason.NO_RATING
        reading.doubt(ANSWERS[kind][0], reason, excerpt(cell))
        return None
    return judgement(kind, assignment, value, reading.comment, at)


def judgement(kind: QueueKind, assignment: Assignment, value: int | None, comment: str, at: str) -> Judgement:
    """An answer to an item of an experiment. `value` is the index of the chosen sentence, 0-1, or the rating, 1-7."""
    prefers: Side | None = None
    if kind == "choice" and value is not None:
        assert assignment.side is not None
        prefers = "good" if (assignment.side == "good") == (value == 0) else "bad"
    return Judgement(
        item_id=assignment.item_id,
        pair_id=assignment.pair_id,
        reviewer=assignment.reviewer,
        role=assignment.role,
        prefers=prefers,
        side=assignment.side if kind == "likert" else None,
        rating=value if kind == "likert" else None,
        comment=comment,
        at=at,
    )
