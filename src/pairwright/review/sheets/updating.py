"""Writes into the reviewers' own sheets: new rows, and answers that came in by another way.

A cell of an answer is written only if the reviewer has not touched it since it was last read or written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from os.path import lexists
from pathlib import Path

from pairwright.core.errors import ReviewError, counted
from pairwright.core.records import Decision, Judgement, Record, Side
from pairwright.core.store import append_log
from pairwright.review.log.entries import Entry, Key, is_answer
from pairwright.review.log.files import read_queue_log
from pairwright.review.log.folder import QueueFolder
from pairwright.review.sheets.answers import read_row, state_of
from pairwright.review.sheets.columns import ANSWERS, COLUMNS, ON_REQUEST, SHOWN, WHERE_GIVEN, QueueSheet, titles
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.doubts import Doubt, DoubtReason
from pairwright.review.sheets.spreadsheet import SheetRow, write_sheet
from pairwright.review.sheets.typography import cell_matches, squeeze_cell


class RowState(Record):
    """The state of a row in a reviewer's own sheet when it was read or written.

    state  empty if the row had no answer
    at     the time of the answer, as in the log; empty if it is not known
    """

    item_id: str
    reviewer: str
    state: str
    at: str = ""


class RowStates:
    """The states of the rows of a queue's sheets, with all their earlier states."""

    def __init__(self, folder: QueueFolder) -> None:
        self._last: dict[Key, RowState] = {}
        self._all: set[tuple[Key, str]] = set()
        for row in read_queue_log(seen_path(folder), RowState):
            self.add(row)

    def add(self, row: RowState) -> None:
        key = row.item_id, row.reviewer
        self._last[key] = row
        self._all.add((key, row.state))

    def state(self, key: Key) -> str:
        """The state of a row when it was last read or written; empty if it had no answer or never was."""
        return self._last[key].state if key in self._last else ""

    def answered_at(self, key: Key) -> str:
        """The time of the answer in the last state; empty if it is not known."""
        return self._last[key].at if key in self._last else ""

    def had(self, key: Key, state: str) -> bool:
        """Whether a row ever had a state."""
        return (key, state) in self._all


def seen_path(folder: QueueFolder) -> Path:
    """The log of the states of rows."""
    return folder.path / "seen.jsonl"


def chosen_letter(judgement: Judgement, first: Side | None) -> str:
    """A or B, whichever sentence a choice prefers if A is the member `first`; empty if it prefers none."""
    return "" if judgement.prefers is None else "A" if judgement.prefers == (first or "good") else "B"


def add_states(folder: QueueFolder, states: Collection[RowState]) -> None:
    if states:
        append_log(seen_path(folder), states)


def answer_cells(entry: Entry | None, contents: QueueContents, first: Side | None) -> dict[str, str]:
    """The reviewer's cells of a row for an answer. `first` is the member that a choice shows as sentence A."""
    if entry is None:
        return dict.fromkeys(ANSWERS[contents.kind], "")
    if isinstance(entry, Decision):
        word = contents.vocabulary.best[entry.decision] if entry.decision else ""
        answer = {"decision": word, "fixed_good": entry.good or "", "fixed_bad": entry.bad or ""}
    elif contents.kind == "choice":
        answer = {"choice": chosen_letter(entry, first)}
    else:
        answer = {"rating": str(entry.rating or "")}
    return {**answer, "comment": entry.comment}


def cells_state(cells: Mapping[str, str], contents: QueueContents) -> str:
    """The state of a row with these cells."""
    return state_of(tuple(squeeze_cell(cells[field]) for field in ANSWERS[contents.kind]))


def says(entry: Entry, contents: QueueContents, first: Side | None) -> tuple[str, ...]:
    """What an entry says, white space, spelling and the way by which it came aside. `first` is that of a choice."""
    return tuple(map(squeeze_cell, answer_cells(entry, contents, first).values()))


def is_logged(entry: Entry, history: Iterable[Entry], contents: QueueContents, first: Side | None) -> bool:
    """Whether a history of entries on the same item says somewhere what an entry says."""
    said = says(entry, contents, first)
    return any(says(old, contents, first) == said for old in history)


def check_writable(sheet: QueueSheet, contents: QueueContents) -> None:
    """Raises ReviewError if rewriting a sheet would lose something, for one if its encoding is in doubt."""
    for row in (*sheet.sheet.above, *sheet.sheet.rows):
        if row.damaged:
            raise ReviewError(str(sheet.doubt(row, None, DoubtReason.OPEN_QUOTE)))
    if sheet.sheet.damaged:
        raise ReviewError(f"{sheet.sheet.path}: some bytes are no text in any encoding; save the sheet as 'CSV UTF-8'")
    if sheet.sheet.encoding.startswith(("utf-", "workbook")):
        return
    by_item = {item_id: assignment for (item_id, _), assignment in contents.assignments.items()}
    for row in sheet.sheet.rows:
        assignment = by_item.get(sheet.item_id(row))
        for field, text in zip(SHOWN[sheet.kind], contents.shown(assignment) if assignment else (), strict=False):
            if field in sheet.columns and not cell_matches(sheet.cell(row, field), text):
                raise ReviewError(
                    f"{sheet.place(row, field)}: the sentence is not the one that was exported, so the encoding of the "
                    "file is in doubt; save the sheet as 'CSV UTF-8' with this cell as it was"
                )


def read_sheets(contents: QueueContents, reviewers: Iterable[str]) -> tuple[dict[str, QueueSheet], dict[str, str]]:
    """The existing sheets by reviewer, and of those that can't be rewritten without loss the faults."""
    sheets, faults = {}, {}
    for reviewer in sorted(reviewers):
        path = contents.folder.sheet(reviewer)
        try:
            if lexists(path):
                sheet = contents.read_sheet(path)
                check_writable(sheet, contents)
                sheets[reviewer] = sheet
        except ReviewError as fault:
            faults[reviewer] = str(fault)
    return sheets, faults


def write_new_sheet(
    contents: QueueContents, reviewer: str, rows: Sequence[Mapping[str, str]], requested: frozenset[str], separator: str
) -> None:
    """Writes a sheet that does not exist yet. `requested` are the columns that it has on request."""
    title_of = titles(contents.language, contents.kind)
    optional = {*ON_REQUEST, *WHERE_GIVEN} - requested - _given(rows)
    fields = [field for field in COLUMNS[contents.kind] if field not in optional]
    header = [title_of[field] for field in fields]
    cells = ([row.get(field, "") for field in fields] for row in rows)
    write_sheet(contents.folder.sheet(reviewer), [header, *cells], separator)


def rewrite_sheet(
    sheet: QueueSheet, rows: Iterable[Sequence[str]], new: Sequence[Mapping[str, str]], separator: str
) -> None:
    """Writes a sheet with these rows and new ones below. Its columns keep their order, the reviewer's own included.

    Columns that only new rows have something for come last.
    """
    old = [*rows]
    header = [*sheet.sheet.header.cells]
    if lacking := [field for field in WHERE_GIVEN if field in _given(new) and field not in sheet.columns]:
        width = max(len(row) for row in (header, *old))
        header += [""] * (width - len(header)) + [sheet.titles[field] for field in lacking]
    fields = {index: field for field, index in sheet.columns.items()}
    fields |= dict(zip(range(len(header) - len(lacking), len(header)), lacking, strict=True))
    added = ([row.get(fields.get(index, ""), "") for index in range(len(header))] for row in new)
    every = [*(row.cells for row in sheet.sheet.above), header, *old, *added]
    write_sheet(sheet.sheet.path, every, separator, sheet.sheet.sha256)


def _given(rows: Iterable[Mapping[str, str]]) -> set[str]:
    """The fields for which some row has something."""
    return {field for row in rows for field, text in row.items() if text}


def refresh_sheets(
    contents: QueueContents, history: Mapping[Key, Sequence[Entry]], states: RowStates, separator: str
) -> list[Doubt]:
    """Brings answers from elsewhere into the sheets of a locked folder. Returns which of them could not be updated.

    `history` are all entries of the log by item and reviewer.
    """
    stale: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for (item_id, reviewer), entries in history.items():
        assignment, entry = contents.assignments[item_id, reviewer], entries[-1]
        if entry.via == "sheet":
            continue
        cells = answer_cells(entry, contents, assignment.side)
        if cells_state(cells, contents) != states.state((item_id, reviewer)):
            stale[reviewer][item_id] = cells
    doubts = []
    for reviewer, answers in sorted(stale.items()):
        try:
            if contents.folder.sheet(reviewer).exists():
                _refresh_sheet(contents, reviewer, answers, history, states, separator)
        except ReviewError as fault:
            lacking = counted(len(answers), "answer")
            doubts.append(Doubt(reason=DoubtReason.SHEET_BEHIND, place="", details=(str(fault), lacking)))
    return doubts


def _refresh_sheet(
    contents: QueueContents,
    reviewer: str,
    answers: Mapping[str, Mapping[str, str]],
    history: Mapping[Key, Sequence[Entry]],
    states: RowStates,
    separator: str,
) -> None:
    sheet = contents.read_sheet(contents.folder.sheet(reviewer))
    check_writable(sheet, contents)
    written: list[RowState] = []
    rows: list[Sequence[str]] = []
    for row in sheet.sheet.rows:
        filled, key = list(row.cells), (sheet.item_id(row), reviewer)
        is_old = key[0] in answers and state_of(sheet.answer(row)) == states.state(key)
        if is_old and not _is_lost(sheet, row, contents, history[key]):
            filled += [""] * (len(sheet.sheet.header.cells) - len(filled))
            for field, text in answers[key[0]].items():
                filled[sheet.columns[field]] = text
            state = cells_state(answers[key[0]], contents)
            written.append(RowState(item_id=key[0], reviewer=reviewer, state=state, at=history[key][-1].at))
        rows.append(filled)
    if written:
        rewrite_sheet(sheet, rows, (), separator)
        add_states(contents.folder, written)


def _is_lost(sheet: QueueSheet, row: SheetRow, contents: QueueContents, entries: Sequence[Entry]) -> bool:
    """Whether a row holds an answer that the log lacks, and that the next import of the sheet gives back to it."""
    if not any(sheet.answer(row)):
        return False
    reading = read_row(sheet, row, entries[-1].reviewer, contents, "")
    entry, assignment = reading.entry, reading.assignment
    if entry is None or assignment is None or not is_answer(entry):
        return False
    return not is_logged(entry, entries, contents, assignment.side)
