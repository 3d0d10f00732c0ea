"""Imports answers from whatever reviewers send back into the log. Nothing that a person wrote is dropped.

A reviewer's own sheet lies in the queue's folder. `seen.jsonl` holds the state of each of its rows when it was last
read or written, so a row that the reviewer has changed since can be told from one that the review page has overtaken.
The age of any other file is unknown, and so is that of a sheet that was open in a program while the page went on. An
answer there that its reviewer gave before and has changed since is therefore not imported, but named.

A row counts as imported only if the log has its answer. So whatever a log has lost comes back from the sheets.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pairwright.core.errors import ReviewError, at, counted
from pairwright.core.records import QueueKind, Record
from pairwright.languages import Language
from pairwright.review.log.entries import Entry, Key, entry_type, is_answer, key_of, same_answer
from pairwright.review.log.files import set_damaged_aside
from pairwright.review.log.folder import UNREADABLE, QueueFolder
from pairwright.review.sheets.answers import RowReading, read_row
from pairwright.review.sheets.columns import QueueSheet
from pairwright.review.sheets.contents import QueueContents, read_contents
from pairwright.review.sheets.doubts import Doubt, DoubtReason
from pairwright.review.sheets.quarantine import QuarantinedRow, quarantine_file, quarantine_path, quarantine_rows
from pairwright.review.sheets.spreadsheet import SheetRow
from pairwright.review.sheets.updating import (
    RowState,
    RowStates,
    add_states,
    answer_cells,
    cells_state,
    is_logged,
    refresh_sheets,
    seen_path,
)

_Outcome = Literal["logged", "restored", "cleared", "ignored"]


class SheetImport(Record):
    """What was imported from a file.

    reviewers    the reviewers of its rows
    n_decided    rows with an answer
    n_new        answers to items that this reviewer had not answered in the log
    n_changed    answers, corrections or comments that differ from the reviewer's last ones in the log
    n_restored   answers that were imported before and that the log lacked
    cleared      items that the reviewer had answered and that the sheet no longer answers; the logged answer stands
    n_doubtful   rows that were not imported
    """

    path: Path
    reviewers: tuple[str, ...]
    n_decided: int
    n_new: int
    n_changed: int
    n_restored: int
    cleared: tuple[str, ...]
    n_doubtful: int


class ImportResult(Record):
    """What was imported from each file, and every doubt.

    n_quarantined  rows that are new in the quarantine
    set_aside      copies of damaged logs, from which the unreadable lines were taken
    """

    queue: str
    log: Path
    sheets: tuple[SheetImport, ...]
    doubts: tuple[Doubt, ...]
    n_quarantined: int
    set_aside: tuple[Path, ...] = ()

    def restored_lines(self) -> list[str]:
        """What went back into the log, in words, and what was set aside."""
        lines = [f"{copy}: kept; its readable lines stay in the log" for copy in self.set_aside]
        restored = sum(sheet.n_restored for sheet in self.sheets)
        if restored:
            lines.append(f"{self.log}: lacked {counted(restored, 'answer')} of the sheets, now restored")
        return lines


def import_answers(
    folder: QueueFolder,
    language: Language,
    now: datetime,
    separator: str = ";",
    files: Sequence[Path] = (),
    reviewer: str | None = None,
    *,
    rebuild: bool = False,
) -> ImportResult:
    """Appends what is new or changed in the sheets of a queue to its log.

    Reads `files` or, without any, all sheets and other tables in the queue's folder. `reviewer` is the owner of files
    that do not name one themselves. `now` becomes the time of the answers, in UTC. Sheets that the review page or
    another file has overtaken are rewritten with `separator`. Rows that can't be placed for certain go to the
    quarantine, each with a doubt, and the others are imported. A second import of the same files changes nothing.
    `rebuild` sets logs with unreadable lines aside and goes on with the readable ones.
    Raises ReviewError if there is no such queue, and StoreError if its files lack something that sheets can't give.
    """
    kind = folder.info().kind
    with folder.locked():
        set_aside = _set_damaged_aside(folder, kind) if rebuild else ()
        contents = read_contents(folder, language)
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in folder.entries(kind):
            history[key_of(entry)].append(entry)
        contents.check_assigned(history)
        moment = now.astimezone(UTC).isoformat(timespec="seconds")
        work = _Import(contents, moment, history, RowStates(folder))
        for path, owner, is_own in _inputs(contents, files, reviewer):
            _import_file(work, path, owner, is_own)
        n_quarantined = quarantine_rows(folder, work.quarantined)
        if work.entries:
            folder.add_entries(kind, work.entries)
        add_states(folder, work.new_states)
        work.doubts += refresh_sheets(contents, history, work.states, separator)
    return ImportResult(
        queue=folder.queue,
        log=folder.log(kind),
        sheets=tuple(work.sheets),
        doubts=tuple(work.doubts),
        n_quarantined=n_quarantined,
        set_aside=set_aside,
    )


def _set_damaged_aside(folder: QueueFolder, kind: QueueKind) -> tuple[Path, ...]:
    logs: list[tuple[Path, type[Record]]] = [
        (folder.log(kind), entry_type(kind)),
        (seen_path(folder), RowState),
        (quarantine_path(folder), QuarantinedRow),
    ]
    return tuple(filter(None, (set_damaged_aside(path, record) for path, record in logs)))


@dataclass
class _Import:
    """An import under way: the log and the sheets as they were, and what is to be added."""

    contents: QueueContents
    at: str
    history: dict[Key, list[Entry]]
    states: RowStates
    entries: list[Entry] = field(default_factory=list)
    new_states: list[RowState] = field(default_factory=list)
    quarantined: list[QuarantinedRow] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    sheets: list[SheetImport] = field(default_factory=list)

    def log(self, entry: Entry) -> None:
        """Adds an entry to the log."""
        self.entries.append(entry)
        self.history[key_of(entry)].append(entry)

    def quarantine(
        self, sheet: QueueSheet, row: SheetRow, doubt: Doubt, cells: dict[str, str], reading: RowReading | None = None
    ) -> None:
        """Puts cells of a row into quarantine. The reason names the file without its folder."""
        assignment = reading.assignment if reading else None
        item_id = assignment.item_id if assignment else sheet.item_id(row) if reading else None
        self.quarantined.append(
            QuarantinedRow(
                file=sheet.sheet.path.name,
                row=row.number,
                reviewer=reading.reviewer if reading else None,
                item_id=item_id or None,
                reason=str(doubt).removeprefix(f"{at(sheet.sheet.path.parent)}/"),
                cells=cells,
                at=self.at,
            )
        )


def _inputs(
    contents: QueueContents, files: Sequence[Path], reviewer: str | None
) -> list[tuple[Path, str | None, bool]]:
    """The files to read, their owners if known, and whether they are reviewers' own sheets."""
    folder = contents.folder
    sheets = {folder.sheet(name): name for name in sorted(contents.reviewers)}
    paths = files or (*(path for path in sheets if os.path.lexists(path)), *folder.received(sheets.values()))
    own = {os.path.realpath(path): name for path, name in sheets.items()}
    owners = [(path, own.get(os.path.realpath(path))) for path in paths]
    return [(folder.sheet(owner), owner, True) if owner else (path, reviewer, False) for path, owner in owners]


def _import_file(work: _Import, path: Path, owner: str | None, is_own: bool) -> None:
    folder = work.contents.folder
    try:
        if path.suffix.lower() in UNREADABLE:
            raise ReviewError(f"{path}: this kind of file is not read; save it as 'CSV UTF-8' or xlsx")
        sheet = work.contents.read_sheet(path)
    except ReviewError as fault:
        work.doubts.append(Doubt(reason=DoubtReason.FILE_UNREADABLE, place="", details=(str(fault),)))
        with suppress(ReviewError):
            quarantine_file(folder, path)
        return
    if sheet.sheet.damaged:
        copy = str(quarantine_file(folder, path))
        work.doubts.append(Doubt(reason=DoubtReason.BYTES_DAMAGED, place=str(path), details=(copy,)))
    if owner is None:
        owner = _named_by_file(sheet, work.contents.reviewers)
    readings = [read_row(sheet, row, owner, work.contents, work.at) for row in sheet.sheet.rows]
    _refuse_doubles(readings)
    _import_rows(work, sheet, readings, is_own)
    for row in sheet.sheet.above:
        cells = {str(index): cell for index, cell in enumerate(row.cells) if cell.strip()}
        work.quarantine(sheet, row, sheet.doubt(row, None, DoubtReason.ABOVE_TITLES), cells)


def _named_by_file(sheet: QueueSheet, reviewers: Iterable[str]) -> str | None:
    """The owner of a file by its name, such as `ana (1).csv`, if its rows name nobody."""
    if any(sheet.cell(row, "reviewer").strip() for row in sheet.sheet.rows):
        return None
    stem = sheet.sheet.path.stem.casefold()
    matching = [name for name in reviewers if stem.startswith(name) and not stem[len(name) :][:1].isalnum()]
    return max(matching, key=len, default=None)


def _refuse_doubles(readings: Iterable[RowReading]) -> None:
    """Doubts rows of one item that answer differently. Of rows that agree, the first one with an answer counts."""
    by_item: dict[Key, list[RowReading]] = defaultdict(list)
    for reading in readings:
        if reading.assignment is not None:
            by_item[reading.assignment.item_id, reading.assignment.reviewer].append(reading)
    for (item_id, _), doubles in by_item.items():
        if len(doubles) == 1:
            continue
        answering = [reading for reading in doubles if reading.state] or doubles
        numbers = list(dict.fromkeys(str(reading.row.number) for reading in answering))
        place = f"row{'s' * (len(numbers) > 1)} {' and '.join(numbers)}"
        for reading in answering if len({reading.state for reading in answering}) > 1 else ():
            reading.doubt(None, DoubtReason.ANSWERS_DIFFER, item_id, place)
        for reading in doubles:
            if reading.doubts or reading is not answering[0]:
                reading.entry = None


def _import_rows(work: _Import, sheet: QueueSheet, readings: Sequence[RowReading], is_own: bool) -> None:
    count: Counter[str] = Counter()
    cleared: list[str] = []
    for reading in readings:
        work.doubts += reading.doubts
        if reading.entry is None and reading.doubts:
            count["doubtful"] += 1
            _quarantine_row(work, reading)
            continue
        _quarantine_extra(work, reading)
        if reading.entry is None:
            continue
        entry = reading.entry if is_own else reading.entry.model_copy(update={"via": "file"})
        answers, key = is_answer(entry), key_of(entry)
        count["decided"] += answers
        had_answer = any(map(is_answer, work.history.get(key, [])[-1:]))
        outcome = _log_entry(work, reading, entry, is_own)
        if outcome == "cleared":
            cleared.append(key[0])
        elif outcome == "restored":
            count["restored"] += answers
        elif outcome == "logged" and (had_answer or answers):
            count["changed" if had_answer else "new"] += 1
    work.sheets.append(
        SheetImport(
            path=sheet.sheet.path,
            reviewers=tuple(sorted({reading.reviewer for reading in readings if reading.reviewer is not None})),
            n_decided=count["decided"],
            n_new=count["new"],
            n_changed=count["changed"],
            n_restored=count["restored"],
            cleared=tuple(sorted(cleared)),
            n_doubtful=count["doubtful"],
        )
    )


def _log_entry(work: _Import, reading: RowReading, entry: Entry, is_own: bool) -> _Outcome:
    """Adds an entry to the log if it says something new, or something that the log has lost."""
    key = key_of(entry)
    earlier = work.history.get(key, [])
    last = earlier[-1] if earlier else None
    if is_own and reading.state == work.states.state(key):
        return _restore_lost(work, reading, entry)
    if not reading.state:
        return "cleared" if is_own and last and is_answer(last) else "ignored"
    outcome: _Outcome = "ignored"
    if last is None or not same_answer(last, entry):
        if _is_overtaken(work, reading, entry, is_own):
            since = last.at if last else work.states.answered_at(key)
            work.doubts.append(reading.sheet.doubt(reading.row, None, DoubtReason.OVERTAKEN, entry.reviewer, since))
            return "ignored"
        if last and is_answer(last) and not is_answer(entry):
            reading.doubt(None, DoubtReason.ONLY_COMMENT, entry.reviewer)
            work.doubts.append(reading.doubts[-1])
            _quarantine_row(work, reading)
            outcome = "cleared"
        else:
            work.log(entry)
            outcome = "logged"
    if is_own:
        state = RowState(item_id=key[0], reviewer=key[1], state=reading.state, at=entry.at)
        work.states.add(state)
        work.new_states.append(state)
    return outcome


def _restore_lost(work: _Import, reading: RowReading, entry: Entry) -> _Outcome:
    """Gives the answer of a row that was imported before back to a log that lacks it, with its time if that is known.

    A later answer of another way stays the last one.
    """
    key = key_of(entry)
    earlier = work.history.get(key, [])
    last = earlier[-1] if earlier else None
    assert reading.assignment is not None  # without it the row would have no entry
    if not reading.state or is_logged(entry, earlier, work.contents, reading.assignment.side):
        return "ignored"
    if last and is_answer(last) and not is_answer(entry):
        return "ignored"  # a comment that stands in quarantine
    answered_at = work.states.answered_at(key)
    work.log(entry.model_copy(update={"at": answered_at or entry.at}))
    if last and (last.at > answered_at if answered_at else last.via != "sheet"):
        work.log(last)
    return "restored"


def _is_overtaken(work: _Import, reading: RowReading, entry: Entry, is_own: bool) -> bool:
    """Whether a row of unknown age holds an answer that its reviewer gave before and has changed since."""
    key = key_of(entry)
    earlier = work.history.get(key, [])
    if is_own and not (earlier and earlier[-1].via == "page"):
        return False
    if any(same_answer(old, entry) for old in earlier):
        return True
    # The log may have lost the answer, but the reviewer's own sheet had it once and has another one now.
    assert reading.assignment is not None
    state = cells_state(answer_cells(entry, work.contents, reading.assignment.side), work.contents)
    return not is_own and work.states.state(key) != state and work.states.had(key, state)


def _quarantine_row(work: _Import, reading: RowReading) -> None:
    """Puts a row into quarantine, unless all that it holds was written by an export."""
    sheet, row = reading.sheet, reading.row
    misplaced = reading.assignment is None or reading.has(DoubtReason.SENTENCE_CHANGED)
    if reading.state or sheet.extra(row) or row.damaged or misplaced:
        cells = {sheet.name(index): cell for index, cell in enumerate(row.cells) if cell.strip()}
        work.quarantine(sheet, row, reading.doubts[-1], cells, reading)


def _quarantine_extra(work: _Import, reading: RowReading) -> None:
    """Puts what stands in a reviewer's own columns into quarantine. Cells in a column without a title are in doubt."""
    sheet, row = reading.sheet, reading.row
    extra = sheet.extra(row)
    if not extra:
        return
    header = sheet.sheet.header.cells
    untitled = [index for index in extra if index >= len(header) or not header[index].strip()]
    reason = DoubtReason.UNTITLED_COLUMN if untitled else DoubtReason.OWN_COLUMN
    doubt = Doubt(reason=reason, place=sheet.sheet.at(row, [*untitled, *extra][0]))
    if untitled:
        work.doubts.append(doubt)
    work.quarantine(sheet, row, doubt, {sheet.name(index): cell for index, cell in extra.items()}, reading)
