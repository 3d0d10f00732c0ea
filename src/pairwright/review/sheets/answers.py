"""Answers as cells and as entries of the log: what a row says, and what it says that the log does not have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pairwright.core.records import Decision, DecisionWord, Judgement, QueueKind, Side
from pairwright.review.log.log import Entry, Key, is_answer, says
from pairwright.review.log.queue import Assignment, Pair
from pairwright.review.sheets.columns import ANSWERS, EXPORTED, IDS, SHOWN, QueueSheet, state_of
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.spreadsheet import REMEDY, SheetRow
from pairwright.review.sheets.words import (
    as_typed,
    cell_matches,
    excerpt,
    letters_lost,
    plain,
    read_choice,
    read_number,
    read_rating,
    squeeze_cell,
)

# A function, a cell or an error of a spreadsheet: =SUM(A1), +B2, {=A1}, #NAME?.
_FORMULA = re.compile(r"[=+{][\s=+]*[A-Z$]+[$(\d]|#[A-Z/0]+[!?]?$")


@dataclass
class RowReading:
    """A row of a sheet as it is understood. `entry` is None if the row holds no answer that can be imported.

    changed      whether a sentence was changed; `letters_lost` if only letters were lost when the sheet was saved
    """

    sheet: QueueSheet
    row: SheetRow
    reviewer: str | None = None
    assignment: Assignment | None = None
    entry: Entry | None = None
    doubts: list[str] = field(default_factory=list)
    changed: bool = False
    letters_lost: bool = False

    def __post_init__(self) -> None:
        self.state = self.sheet.state(self.row)

    def cell(self, name: str) -> str:
        return self.sheet.cell(self.row, name)

    @property
    def comment(self) -> str:
        """The comment as it was written; empty if it shows nothing."""
        comment = self.cell("comment")
        return comment if squeeze_cell(comment) else ""

    def doubt(self, column: str | None, message: str) -> None:
        self.doubts.append(self.sheet.doubt(self.row, column, message))


def read_row(sheet: QueueSheet, row: SheetRow, owner: str | None, contents: QueueContents, at: str) -> RowReading:
    """Reads a row of a sheet that belongs to `owner`, if that is known. `at` becomes the time of the answer."""
    reading = RowReading(sheet, row)
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
        reading.doubt("reviewer", f"the row is of '{excerpt(named)}', the file of '{owner}'; keep them apart")
    elif reviewer is None:
        reading.doubt("reviewer", "the row names no reviewer; write the name, or give --reviewer")
    elif reviewer not in contents.reviewers:
        known = ", ".join(sorted(contents.reviewers))
        reading.doubt("reviewer", f"unknown reviewer '{excerpt(reviewer)}'; known: {known}")
    else:
        return reviewer
    return None


def _assignment(reading: RowReading, reviewer: str, contents: QueueContents) -> Assignment | None:
    """The assignment that a row answers, by its id or, if that was lost, by its sentences."""
    item_id = reading.sheet.item_id(reading.row)
    if (item_id, reviewer) in contents.assignments:
        return contents.assignments[item_id, reviewer]
    texts = tuple(plain(reading.cell(name)) for name in SHOWN[contents.kind])
    same = contents.by_text.get((reviewer, *texts), ())
    if len(same) == 1 and all(texts):
        return same[0]
    doubt = f"unknown pair '{excerpt(item_id)}'; put the id back as it was exported, or move the row away"
    if not item_id:
        doubt = "the row has no pair; put the id back, or move your notes into a pair's row"
    elif item_id in contents.pairs or any(key[0] == item_id for key in contents.assignments):
        doubt = f"{item_id} was not given to '{reviewer}'; leave it to whose it is"
    reading.doubt(IDS[contents.kind], doubt)
    return None


def _compare_sentences(reading: RowReading, assignment: Assignment, contents: QueueContents) -> None:
    """Doubts sentences that are not the ones that the reviewer was given."""
    for name, text in zip(SHOWN[contents.kind], contents.shown(assignment), strict=True):
        cell = reading.cell(name)
        if name not in reading.sheet.columns or cell_matches(cell, text):
            continue
        if letters_lost(cell, text):
            reading.letters_lost = True
            reading.doubt(name, f"letters were lost when the file was saved; {REMEDY} and check your cells")
        else:
            reading.changed = True
            column = reading.sheet.titles[{"good": "fixed_good", "bad": "fixed_bad"}.get(name, "comment")]
            reading.doubt(name, f"the sentence was changed; put it back and write into '{column}'")


def _decision(reading: RowReading, assignment: Assignment, contents: QueueContents, at: str) -> Decision | None:
    pair, vocabulary, cell = contents.pairs[assignment.item_id], contents.vocabulary, reading.cell("decision")
    good, bad = as_typed(reading.cell("fixed_good"), pair.good), as_typed(reading.cell("fixed_bad"), pair.bad)
    word, number, column = vocabulary.read(cell), read_number(good), "fixed_good"
    if word is None and not good and not bad and (number := read_number(cell)) is not None:
        word, column = "fix", "decision"
    elif word is None and squeeze_cell(cell):
        reading.doubt("decision", vocabulary.doubt(cell))
        return None
    if number is not None:
        good = alternative(pair, number)
        if not good:
            listed_here = f"no number of the corrections listed here ({len(pair.alternatives)})"
            reading.doubt(column, f"'{number}' is {listed_here}; write one that is, a word, or a sentence")
            return None
    if reading.changed or (reading.letters_lost and word == "fix"):
        return None
    fault = fix_fault(pair, good, bad) if word == "fix" else None
    if fault:
        columns = " or ".join(f"'{reading.sheet.titles[name]}'" for name in ("fixed_good", "fixed_bad"))
        reading.doubt("decision", f"{fault}; write a corrected one into {columns}")
        return None
    if word != "fix" and (good or bad):
        needed = f"a corrected sentence needs the decision '{vocabulary.best['fix']}'; write it, or empty this cell"
        reading.doubt("fixed_good" if good else "fixed_bad", needed)
        return None
    return decision_on(pair, assignment.reviewer, word, good, bad, reading.comment, at)


def decision_on(
    pair: Pair, reviewer: str, word: DecisionWord | None, good: str, bad: str, comment: str, at: str
) -> Decision:
    """A decision on a pair. A sentence that is empty, or the pair's own, stays as it is."""
    return Decision(
        pair_id=pair.id,
        reviewer=reviewer,
        decision=word,
        good=good if good != squeeze_cell(pair.good) and good else None,
        bad=bad if bad != squeeze_cell(pair.bad) and bad else None,
        comment=comment,
        at=at,
    )


def alternative(pair: Pair, number: int) -> str:
    """The other good sentence that is listed under a number, from 1; empty if there is none."""
    return squeeze_cell(pair.alternatives[number - 1]) if 1 <= number <= len(pair.alternatives) else ""


def fix_fault(pair: Pair, good: str, bad: str) -> str:
    """Why a correction does not make another pair of two different sentences, in words; empty if it does."""
    original = squeeze_cell(pair.good), squeeze_cell(pair.bad)
    corrected = good or original[0], bad or original[1]
    if not good and not bad:
        return "a corrected sentence is missing"
    if corrected[0] == corrected[1]:
        return "both sentences are the same after the correction"
    if _FORMULA.match(good) or _FORMULA.match(bad):
        return "a corrected sentence is a formula of the spreadsheet"
    return "the corrected sentences are those of the pair" if corrected == original else ""


def _judgement(reading: RowReading, assignment: Assignment, at: str) -> Judgement | None:
    kind = reading.sheet.kind
    cell = reading.cell(ANSWERS[kind][0])
    value = read_choice(cell) if kind == "choice" else read_rating(cell)
    if squeeze_cell(cell) and value is None:
        wanted = "A or B" if kind == "choice" else "a whole number from 1 to 7"
        reading.doubt(ANSWERS[kind][0], f"'{excerpt(cell)}' is no answer; write {wanted}")
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


def chosen_letter(judgement: Judgement, first: Side | None) -> str:
    """A or B, whichever sentence a choice prefers if A is the member `first`; empty if it prefers none."""
    return "" if judgement.prefers is None else "A" if judgement.prefers == (first or "good") else "B"


def answer_cells(entry: Entry | None, contents: QueueContents, first: Side | None) -> dict[str, str]:
    """The reviewer's cells of a row for an answer, with its digest. `first` is the member shown as sentence A."""
    if entry is None:
        return dict.fromkeys((*ANSWERS[contents.kind], EXPORTED), "")
    if isinstance(entry, Decision):
        word = contents.vocabulary.best[entry.decision] if entry.decision else ""
        answer = {"decision": word, "fixed_good": entry.good or "", "fixed_bad": entry.bad or ""}
    elif contents.kind == "choice":
        answer = {"choice": chosen_letter(entry, first)}
    else:
        answer = {"rating": str(entry.rating or "")}
    answer["comment"] = entry.comment
    return answer | {EXPORTED: state_of(tuple(map(squeeze_cell, answer.values())))}


def standing(
    reading: RowReading, entries: Sequence[Entry], contents: QueueContents, key: Key, *, is_own: bool
) -> Literal["empty", "emptied", "known", "lost", "new"]:
    """What a row says beside the digest with which it was written and the entries of the log about its item.

    emptied  an answer stood there that the log has
    known    the log has what it says, since the entry that the row was last known to show. That is the one with which
             it was written or, in a reviewer's own sheet, one that was imported from it; a blank row may have been
             written after an answer was withdrawn
    lost     it says what it was written with, and the log does not have that
    """
    exported, state = reading.sheet.exported(reading.row), reading.state
    imported = [is_own and entry.via == "sheet" for entry in entries]
    if not state:
        is_emptied = is_own and (exported or any(imported)) and entries and is_answer(entries[-1])
        return "emptied" if is_emptied else "empty"
    side = contents.assignments[key].side
    states = [answer_cells(entry, contents, side)[EXPORTED] for entry in entries]
    is_comparable = bool(exported) or is_own
    shown = (n for n, at in enumerate(states) if imported[n] or (is_comparable and at == exported))
    base, said = max(shown, default=0), reading.entry and says(reading.entry)
    if state in states[base:] or any(says(entry) == said for entry in entries[base:]):
        return "known"
    return "lost" if state == exported and exported not in states else "new"
