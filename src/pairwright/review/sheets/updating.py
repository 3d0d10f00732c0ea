"""Writes into the reviewers' own sheets: new rows, and answers that came in by another way.

A cell of an answer is written only if the reviewer has not touched it since it was last read or written.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from pairwright.errors import ReviewError
from pairwright.records import Decision, Judgement, Record, Side
from pairwright.review.log.entries import Entry, Key
from pairwright.review.log.folder import QueueFolder
from pairwright.review.sheets.answers import state_of
from pairwright.review.sheets.columns import ANSWERS, COLUMNS, ON_REQUEST, SHOWN, QueueSheet, titles
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.decoding import UNICODE
from pairwright.review.sheets.doubts import Doubt, DoubtReason
from pairwright.review.sheets.spreadsheet import write_sheet
from pairwright.review.sheets.typography import cell_matches, squeeze_cell
from pairwright.store import append_jsonl, read_log


class RowState(Record):
    """The state of a row in a reviewer's own sheet when it was last read or written; empty if it had no answer."""

    item_id: str
    reviewer: str
    state: str


def read_states(folder: QueueFolder) -> dict[Key, str]:
    """The states of the rows of all sheets when they were last read or written."""
    return {(row.item_id, row.reviewer): row.state for row in read_log(folder.path / "seen.jsonl", RowState)}


def chosen_letter(judgement: Judgement, first: Side | None) -> str:
    """A or B, whichever sentence a choice prefers if A is the member `first`; empty if it prefers none."""
    return "" if judgement.prefers is None else "A" if judgement.prefers == (first or "good") else "B"


def add_states(folder: QueueFolder, states: Collection[RowState]) -> None:
    if states:
        append_jsonl(folder.path / "seen.jsonl", states)


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


def check_writable(sheet: QueueSheet, contents: QueueContents) -> None:
    """Raises ReviewError if rewriting a sheet would lose something, for one if its encoding is in doubt."""
    for row in (*sheet.sheet.above, *sheet.sheet.rows):
        if row.damaged:
            raise ReviewError(str(sheet.doubt(row, None, DoubtReason.OPEN_QUOTE)))
    if sheet.sheet.damaged:
        raise ReviewError(f"{sheet.sheet.path}: some bytes are no text in any encoding; save the sheet as 'CSV UTF-8'")
    if sheet.sheet.encoding in UNICODE or sheet.sheet.encoding == "workbook":
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


def write_new_sheet(
    contents: QueueContents, reviewer: str, rows: Iterable[Mapping[str, str]], requested: frozenset[str], separator: str
) -> None:
    """Writes a sheet that does not exist yet. `requested` are the columns that it has on request."""
    title_of = titles(contents.language, contents.kind)
    fields = [field for field in COLUMNS[contents.kind] if field not in ON_REQUEST or field in requested]
    header = [title_of[field] for field in fields]
    cells = ([row.get(field, "") for field in fields] for row in rows)
    write_sheet(contents.folder.sheet(reviewer), [header, *cells], separator)


def rewrite_sheet(
    sheet: QueueSheet, rows: Iterable[Sequence[str]], new: Iterable[Mapping[str, str]], separator: str
) -> None:
    """Writes a sheet with these rows and new ones below. Its columns keep their order, the reviewer's own included."""
    header = sheet.sheet.header.cells
    fields = {index: field for field, index in sheet.columns.items()}
    added = ([row.get(fields.get(index, ""), "") for index in range(len(header))] for row in new)
    write_sheet(sheet.sheet.path, [*(row.cells for row in sheet.sheet.above), header, *rows, *added], separator)


def refresh_sheets(contents: QueueContents, latest: Mapping[Key, Entry], separator: str) -> list[Doubt]:
    """Brings answers from elsewhere into the sheets of a locked folder. Returns which of them could not be updated."""
    states = read_states(contents.folder)
    stale: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for (item_id, reviewer), entry in latest.items():
        assignment = contents.assignments.get((item_id, reviewer))
        if entry.via == "sheet" or assignment is None:
            continue
        cells = answer_cells(entry, contents, assignment.side)
        if cells_state(cells, contents) != states.get((item_id, reviewer), ""):
            stale[reviewer][item_id] = cells
    doubts = []
    for reviewer, answers in sorted(stale.items()):
        try:
            if contents.folder.sheet(reviewer).exists():
                _refresh_sheet(contents, reviewer, answers, states, separator)
        except ReviewError as fault:
            doubts.append(Doubt(reason=DoubtReason.SHEET_BEHIND, place="", details=(str(fault), str(len(answers)))))
    return doubts


def _refresh_sheet(
    contents: QueueContents,
    reviewer: str,
    answers: Mapping[str, Mapping[str, str]],
    states: Mapping[Key, str],
    separator: str,
) -> None:
    sheet = contents.read_sheet(contents.folder.sheet(reviewer))
    check_writable(sheet, contents)
    written: list[RowState] = []
    rows: list[Sequence[str]] = []
    for row in sheet.sheet.rows:
        filled, item_id = list(row.cells), sheet.item_id(row)
        if item_id in answers and state_of(sheet.answer(row)) == states.get((item_id, reviewer), ""):
            filled += [""] * (len(sheet.sheet.header.cells) - len(filled))
            for field, text in answers[item_id].items():
                filled[sheet.columns[field]] = text
            state = cells_state(answers[item_id], contents)
            written.append(RowState(item_id=item_id, reviewer=reviewer, state=state))
        rows.append(filled)
    if written:
        rewrite_sheet(sheet, rows, (), separator)
        add_states(contents.folder, written)
