"""The reviewers' own sheets: rows for what they were given, and answers that came by another way brought in.

A program writes into an answer's cell only where the reviewer has not touched it since it was last read or written.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pairwright.errors import ReviewError
from pairwright.languages import Language
from pairwright.records import Decision, QueueKind, Record
from pairwright.review.log.folder import Entry, QueueFolder, QueueInfo
from pairwright.review.sheets.answers import Key, QueueContents, state_of
from pairwright.review.sheets.columns import ANSWERS, COLUMNS, ON_REQUEST, SHOWN, QueueSheet, read_queue_sheet, titles
from pairwright.review.sheets.decoding import UNICODE
from pairwright.review.sheets.spreadsheet import Row, write_sheet
from pairwright.review.sheets.typography import cell_matches, squeeze_cell
from pairwright.review.sheets.vocabulary import DecisionVocabulary
from pairwright.store import append_jsonl, read_log

N_EXPECTED = 40


class Seen(Record):
    """What a row of a reviewer's own sheet answered when it was last read or written; empty for nothing."""

    item_id: str
    reviewer: str
    state: str


def read_seen(folder: QueueFolder) -> dict[Key, str]:
    """What the rows of all sheets answered when they were last read or written."""
    return {(seen.item_id, seen.reviewer): seen.state for seen in read_log(folder.path / "seen.jsonl", Seen)}


def add_seen(folder: QueueFolder, found: Iterable[Seen]) -> None:
    """Keeps what rows answered when they were read or written just now."""
    append_jsonl(folder.path / "seen.jsonl", found)


def expected_sentences(contents: QueueContents) -> list[str]:
    """Sentences of a queue with letters beyond ASCII, by which the encoding of a file is told."""
    found: list[str] = []
    for assignment in contents.assignments.values():
        found += [text for text in contents.shown(assignment) if not text.isascii()]
        if len(found) >= N_EXPECTED:
            break
    return found


def answer_cells(
    entry: Entry | None, kind: QueueKind, words: DecisionVocabulary, first: str = "good"
) -> dict[str, str]:
    """What stands in the reviewer's cells of a row for an answer. `first` is the member that a choice shows as A."""
    if entry is None:
        return dict.fromkeys(ANSWERS[kind], "")
    if isinstance(entry, Decision):
        word = words.best[entry.decision] if entry.decision else ""
        return {
            "decision": word,
            "fixed_good": entry.good or "",
            "fixed_bad": entry.bad or "",
            "comment": entry.comment,
        }
    if kind == "choice":
        place = "" if entry.prefers is None else "A" if entry.prefers == first else "B"
        return {"choice": place, "comment": entry.comment}
    return {"rating": "" if entry.rating is None else str(entry.rating), "comment": entry.comment}


def cells_state(cells: Mapping[str, str], kind: QueueKind) -> str:
    """The state of a row with these cells."""
    return state_of(tuple(squeeze_cell(cells[field]) for field in ANSWERS[kind]))


def fault_of(sheet: QueueSheet, contents: QueueContents) -> str | None:
    """Why a sheet can't be written anew without loss; None where it can.

    A sheet in a legacy encoding whose known sentences come out wrong may be in another encoding.
    """
    broken = next((row for row in (*sheet.sheet.above, *sheet.sheet.rows) if row.fault), None)
    if broken is not None:
        return f"{sheet.sheet.at(broken)}: {broken.fault}; mend it, then it is written on"
    if sheet.sheet.damaged:
        return f"{sheet.sheet.path}: some bytes are no text in any encoding; save the sheet as 'CSV UTF-8'"
    if sheet.sheet.encoding in UNICODE or sheet.sheet.encoding == "workbook":
        return None
    by_item = {item_id: assignment for (item_id, _), assignment in contents.assignments.items()}
    for row in sheet.sheet.rows:
        assignment = by_item.get(sheet.item_id(row))
        for field, text in zip(SHOWN[sheet.kind], contents.shown(assignment) if assignment else (), strict=False):
            if field in sheet.columns and not cell_matches(sheet.cell(row, field), text):
                return sheet.fault(
                    row,
                    field,
                    "the sentence is not the one that was exported, so the encoding of the file is in doubt; "
                    "save the sheet as 'CSV UTF-8' with this cell as it was",
                )
    return None


def rewrite(
    path: Path,
    known: QueueSheet | None,
    kept: Sequence[Sequence[str]],
    new: Sequence[Mapping[str, str]],
    language: Language,
    kind: QueueKind,
    separator: str,
    requested: frozenset[str] = frozenset(),
) -> None:
    """Writes a sheet with the rows that it has and new ones; columns keep their order, also those of the reviewer's."""
    named = titles(language, kind)
    if known is None:
        fields = [field for field in COLUMNS[kind] if field not in ON_REQUEST or field in requested]
        write_sheet(
            path, [[named[field] for field in fields], *([row.get(f, "") for f in fields] for row in new)], separator
        )
        return
    header = known.sheet.header.cells
    places = {index: field for field, index in known.columns.items()}
    added = [[row.get(places.get(index, ""), "") for index in range(len(header))] for row in new]
    above = [row.cells for row in known.sheet.above]
    write_sheet(path, [*above, header, *kept, *added], separator)


def refresh_sheets(
    folder: QueueFolder,
    info: QueueInfo,
    contents: QueueContents,
    latest: Mapping[Key, Entry],
    language: Language,
    separator: str,
) -> list[str]:
    """Brings answers that came by the page or by files into the sheets. The folder must be locked.

    Returns why sheets could not be brought up to date; the answers are in the log all the same.
    """
    seen = read_seen(folder)
    stale: dict[str, dict[str, dict[str, str]]] = {}
    for key, entry in latest.items():
        assignment = contents.assignments.get(key)
        if entry.via == "sheet" or assignment is None:
            continue
        cells = answer_cells(entry, info.kind, contents.words, assignment.side or "good")
        if cells_state(cells, info.kind) != seen.get(key, ""):
            stale.setdefault(key[1], {})[key[0]] = cells
    doubts = []
    for reviewer, answers in sorted(stale.items()):
        path = folder.sheet(reviewer)
        if not path.exists():
            continue
        try:
            _refresh(folder, path, reviewer, answers, seen, contents, language, separator)
        except ReviewError as fault:
            doubts.append(f"{fault} (until then it lacks {len(answers)} answers that are in the log)")
    return doubts


def _refresh(
    folder: QueueFolder,
    path: Path,
    reviewer: str,
    answers: Mapping[str, Mapping[str, str]],
    seen: Mapping[Key, str],
    contents: QueueContents,
    language: Language,
    separator: str,
) -> None:
    sheet = read_queue_sheet(path, language, contents.kind, expected_sentences(contents))
    fault = fault_of(sheet, contents)
    if fault:
        raise ReviewError(fault)
    written: list[Seen] = []
    rows: list[Sequence[str]] = []
    for row in sheet.sheet.rows:
        item_id = sheet.item_id(row)
        cells = answers.get(item_id)
        if cells is None or state_of(sheet.answer(row)) != seen.get((item_id, reviewer), ""):
            rows.append(row.cells)
            continue
        rows.append(_filled(sheet, row, cells))
        written.append(Seen(item_id=item_id, reviewer=reviewer, state=cells_state(cells, contents.kind)))
    if written:
        rewrite(path, sheet, rows, (), language, contents.kind, separator)
        add_seen(folder, written)


def _filled(sheet: QueueSheet, row: Row, cells: Mapping[str, str]) -> list[str]:
    filled = [*row.cells, *[""] * (len(sheet.sheet.header.cells) - len(row.cells))]
    for field, text in cells.items():
        filled[sheet.columns[field]] = text
    return filled
