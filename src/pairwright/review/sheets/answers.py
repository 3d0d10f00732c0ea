"""Answers as cells and as entries of the log: what a row says, and what it says that the log does not have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pairwright.core.records import Decision, DecisionWord, Judgement, QueueKind, Side
from pairwright.review.log import Assignment, Entry, Pair, is_answer, says
from pairwright.review.sheets.contents import ANSWERS, EXPORTED, IDS, SHOWN, QueueContents, state_of
from pairwright.review.sheets.spreadsheet import (
    REMEDY,
    Doubt,
    SheetRow,
    as_typed,
    cell_matches,
    excerpt,
    letters_lost,
    read_choice,
    read_number,
    read_rating,
    squeeze_cell,
)

# A function, a cell or an error of a spreadsheet: =SUM(A1), +B2, {=A1}, #NAME?.
_FORMULA = re.compile(r"[=+{][\s=+]*[A-Z$]+[$(\d]|#[A-Z/0]+[!?]?$")


@dataclass
class RowReading:
    """A row of a sheet as it is understood. `entry` is None if the row holds no answer that can be imported, and
    `doubt` says why, with the row's place."""

    row: SheetRow
    state: str
    item: Assignment | None = None
    entry: Entry | None = None
    doubt: str = ""


def read_row(row: SheetRow, owner: str | None, contents: QueueContents, at: str) -> RowReading:
    """Reads a row of a sheet that belongs to `owner`, if that is known. `at` becomes the time of the answer."""
    reading = RowReading(row, contents.state(row))
    try:
        reading.item = _assignment(row, owner, contents)
        lost = _lost_letters(row, reading.item, contents)
        entry = (_decision if contents.kind == "pairs" else _judgement)(row, reading.item, contents, at)
        if lost and isinstance(entry, Decision) and entry.decision == "fix":
            raise Doubt(lost, f"letters were lost when the file was saved; {REMEDY} and check your cells")
        reading.entry = entry
    except Doubt as doubt:
        reading.doubt = placed(row, doubt, contents)
    return reading


def placed(row: SheetRow, doubt: Doubt, contents: QueueContents) -> str:
    """A doubt about a row, or about one of its cells, with the place."""
    column = f"column '{contents.titles[doubt.field]}': " if doubt.field else ""
    return f"{row.at(doubt.field)}: {column}{doubt}"


def _assignment(row: SheetRow, owner: str | None, contents: QueueContents) -> Assignment:
    """The assignment that a row answers."""
    named = squeeze_cell(row.cell("reviewer")).casefold()
    reviewer, known = named or owner or "", ", ".join(sorted(contents.reviewers))
    if owner is not None and reviewer != owner:
        raise Doubt("reviewer", f"the row is of '{excerpt(named)}', the file of '{owner}'; keep them apart")
    if reviewer not in contents.reviewers:
        raise Doubt("reviewer", f"unknown reviewer '{excerpt(reviewer)}'; write one of {known}, or give --reviewer")
    item_id = contents.item_id(row)
    if item := contents.assignments.get((item_id, reviewer)):
        return item
    remedy = "put the id back as it was exported, or move what you wrote into a row that has one"
    raise Doubt(IDS[contents.kind], f"'{excerpt(item_id)}' was not given to '{reviewer}'; {remedy}")


def _lost_letters(row: SheetRow, item: Assignment, contents: QueueContents) -> str | None:
    """The column of a sentence that lost letters in saving, if any. Raises Doubt if one is another than was given."""
    lost = None
    for name, text in zip(SHOWN[contents.kind], contents.shown(item), strict=True):
        cell = row.cell(name)
        if name in row.columns and not cell_matches(cell, text):
            if not letters_lost(cell, text):
                into = {"good": "fixed_good", "bad": "fixed_bad"}.get(name, "comment")
                column = contents.titles[into]
                raise Doubt(name, f"the sentence was changed; put it back and write into '{column}'")
            lost = name
    return lost


def _decision(row: SheetRow, item: Assignment, contents: QueueContents, at: str) -> Decision:
    pair, cell = contents.pairs[item.item_id], row.cell("decision")
    good, bad = as_typed(row.cell("fixed_good"), pair.good), as_typed(row.cell("fixed_bad"), pair.bad)
    word: DecisionWord | None
    if not good and not bad and read_number(cell) is not None:
        word, good, column = "fix", cell, "decision"
    else:
        word, column = contents.vocabulary.read(cell), "fixed_good"
    if (number := read_number(good)) is not None:
        good, n_listed = alternative(pair, number), len(pair.alternatives)
        if not good:
            remedy = "write one that is, a word, or a sentence"
            raise Doubt(column, f"'{number}' is no number of the corrections listed here ({n_listed}); {remedy}")
    if word == "fix" and (fault := fix_fault(pair, good, bad)):
        columns = f"'{contents.titles['fixed_good']}' or '{contents.titles['fixed_bad']}'"
        raise Doubt("decision", f"{fault}; write a corrected one into {columns}")
    if word != "fix" and (good or bad):
        needed = f"a corrected sentence needs the decision '{contents.vocabulary.best['fix']}'"
        raise Doubt("fixed_good" if good else "fixed_bad", f"{needed}; write it, or empty this cell")
    return decision_on(pair, item.reviewer, word, good, bad, _comment(row), at)


def _judgement(row: SheetRow, item: Assignment, contents: QueueContents, at: str) -> Judgement:
    field = ANSWERS[contents.kind][0]
    cell = row.cell(field)
    read, wanted = {"choice": (read_choice, "A or B"), "rating": (read_rating, "a whole number from 1 to 7")}[field]
    value = read(cell)
    if squeeze_cell(cell) and value is None:
        raise Doubt(field, f"'{excerpt(cell)}' is no answer; write {wanted}")
    return judgement(contents.kind, item, value, _comment(row), at)


def _comment(row: SheetRow) -> str:
    """The comment as it was written; empty if it shows nothing."""
    comment = row.cell("comment")
    return comment if squeeze_cell(comment) else ""


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
    return answer | {EXPORTED: state_of([*answer.values()])}


def standing(
    reading: RowReading, entries: Sequence[Entry], contents: QueueContents, *, is_own: bool
) -> Literal["empty", "emptied", "known", "lost", "new"]:
    """What a row says beside the digest with which it was written and the entries of the log about its item.

    emptied  an answer stood there that the log has
    known    the log has what it says, since the entry that the row was last known to show. That is the one with which
             it was written or, in a reviewer's own sheet, one that was imported from it; a blank row may have been
             written after an answer was withdrawn
    lost     it says what it was written with, and the log does not have that
    """
    exported, side = reading.row.cell(EXPORTED).strip(), reading.item.side if reading.item else None
    imported = [is_own and entry.via == "sheet" for entry in entries]
    if not reading.state:
        is_emptied = is_own and (exported or any(imported)) and entries and is_answer(entries[-1])
        return "emptied" if is_emptied else "empty"
    states = [answer_cells(entry, contents, side)[EXPORTED] for entry in entries]
    is_comparable = bool(exported) or is_own
    shown = (n for n, at in enumerate(states) if imported[n] or (is_comparable and at == exported))
    base, said = max(shown, default=0), reading.entry and says(reading.entry)
    if reading.state in states[base:] or any(says(entry) == said for entry in entries[base:]):
        return "known"
    return "lost" if reading.state == exported and exported not in states else "new"
