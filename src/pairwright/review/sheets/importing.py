"""Imports answers from whatever reviewers send back into the log. Nothing that a person wrote is dropped.

A reviewer's own sheet lies in the queue's folder. `seen.jsonl` holds the state of each of its rows when it was last
read or written, so a row that the reviewer has changed since can be told from one that the review page has overtaken.
The age of any other file is unknown, and so is that of a sheet that was open in a program while the page went on. An
answer there that its reviewer gave before and has changed since is therefore not imported, but named.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pairwright.errors import ReviewError, at
from pairwright.languages import Language
from pairwright.records import Record
from pairwright.review.log.entries import Entry, Key, is_answer, key_of, same_answer
from pairwright.review.log.folder import UNREADABLE, QueueFolder
from pairwright.review.sheets.answers import RowReading, read_row
from pairwright.review.sheets.columns import QueueSheet
from pairwright.review.sheets.contents import QueueContents, read_contents
from pairwright.review.sheets.doubts import Doubt, DoubtReason
from pairwright.review.sheets.quarantine import QuarantinedRow, quarantine_file, quarantine_rows
from pairwright.review.sheets.spreadsheet import SheetRow
from pairwright.review.sheets.updating import RowState, add_states, read_states, refresh_sheets

_Outcome = Literal["logged", "cleared", "ignored"]


class SheetImport(Record):
    """What was imported from a file.

    reviewers    the reviewers of its rows
    n_decided    rows with an answer; `n_undecided` rows without one, commented or not
    n_new        answers to items that this reviewer had not answered in the log
    n_changed    answers, corrections or comments that differ from the reviewer's last ones in the log
    cleared      items that the reviewer had answered and that the sheet no longer answers; the logged answer stands
    n_doubtful   rows that were not imported
    """

    path: Path
    reviewers: tuple[str, ...]
    n_decided: int
    n_undecided: int
    n_new: int
    n_changed: int
    cleared: tuple[str, ...]
    n_doubtful: int


class ImportResult(Record):
    """What was imported from each file, and every doubt. `n_quarantined` rows are new in the quarantine."""

    queue: str
    log: Path
    sheets: tuple[SheetImport, ...]
    doubts: tuple[Doubt, ...]
    n_quarantined: int


def import_answers(
    folder: QueueFolder,
    language: Language,
    now: datetime,
    separator: str = ";",
    files: Sequence[Path] = (),
    reviewer: str | None = None,
) -> ImportResult:
    """Appends what is new or changed in the sheets of a queue to its log.

    Reads `files` or, without any, all sheets and other tables in the queue's folder. `reviewer` is the owner of files
    that do not name one themselves. `now` becomes the time of the answers, in UTC. Sheets that the review page or
    another file has overtaken are rewritten with `separator`. Rows that can't be placed for certain go to the
    quarantine, each with a doubt, and the others are imported. A second import of the same files changes nothing.
    Raises ReviewError if there is no such queue.
    """
    kind = folder.info().kind
    with folder.locked():
        contents = read_contents(folder, language)
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in folder.entries(kind):
            history[key_of(entry)].append(entry)
        moment = now.astimezone(UTC).isoformat(timespec="seconds")
        work = _Import(contents, moment, history, read_states(folder))
        for path, owner, is_own in _inputs(contents, files, reviewer):
            _import_file(work, path, owner, is_own)
        n_quarantined = quarantine_rows(folder, work.quarantined)
        if work.entries:
            folder.add_entries(kind, work.entries)
        add_states(folder, work.new_states)
        latest = {key: entries[-1] for key, entries in history.items()}
        work.doubts += refresh_sheets(contents, latest, separator)
    return ImportResult(
        queue=folder.queue,
        log=folder.log(kind),
        sheets=tuple(work.sheets),
        doubts=tuple(work.doubts),
        n_quarantined=n_quarantined,
    )


@dataclass
class _Import:
    """An import under way: the log and the sheets as they were, and what is to be added."""

    contents: QueueContents
    at: str
    history: dict[Key, list[Entry]]
    states: dict[Key, str]
    entries: list[Entry] = field(default_factory=list)
    new_states: list[RowState] = field(default_factory=list)
    quarantined: list[QuarantinedRow] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    sheets: list[SheetImport] = field(default_factory=list)

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
    own = {folder.sheet(name).resolve(): name for name in sorted(contents.reviewers)}
    paths = files or (*(path for path in own if path.exists()), *folder.received(own.values()))
    owners = [(path, own.get(path.resolve())) for path in paths]
    return [(folder.sheet(owner), owner, True) if owner else (path, reviewer, False) for path, owner in owners]


def _import_file(work: _Import, path: Path, owner: str | None, is_own: bool) -> None:
    folder = work.contents.folder
    try:
        if path.suffix.lower() in UNREADABLE:
            raise ReviewError(f"{path}: this kind of file is not read; save it as 'CSV UTF-8' or xlsx")
        sheet = work.contents.read_sheet(path)
    except ReviewError as fault:
        work.doubts.append(Doubt(reason=DoubtReason.FILE_UNREADABLE, place="", details=(str(fault),)))
        if path.is_file():
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
        numbers = " and ".join(str(reading.row.number) for reading in answering)
        for reading in answering if len({reading.state for reading in answering}) > 1 else ():
            reading.doubt(None, DoubtReason.ANSWERS_DIFFER, item_id, numbers)
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
        count["decided" if answers else "undecided"] += 1
        had_answer = key in work.history and is_answer(work.history[key][-1])
        outcome = _log_entry(work, reading, entry, is_own)
        if outcome == "cleared":
            cleared.append(key[0])
        elif outcome == "logged":
            count["changed" if had_answer else "new" if answers else "commented"] += 1
    work.sheets.append(
        SheetImport(
            path=sheet.sheet.path,
            reviewers=tuple(sorted({reading.reviewer for reading in readings if reading.reviewer is not None})),
            n_decided=count["decided"],
            n_undecided=count["undecided"],
            n_new=count["new"],
            n_changed=count["changed"],
            cleared=tuple(sorted(cleared)),
            n_doubtful=count["doubtful"],
        )
    )


def _log_entry(work: _Import, reading: RowReading, entry: Entry, is_own: bool) -> _Outcome:
    """Adds an entry to the log if it says something new."""
    key = key_of(entry)
    earlier = work.history.get(key, [])
    last = earlier[-1] if earlier else None
    if is_own and reading.state == work.states.get(key, ""):
        return "ignored"
    if not reading.state:
        return "cleared" if is_own and last and is_answer(last) else "ignored"
    outcome: _Outcome = "ignored"
    if last is None or not same_answer(last, entry):
        if last and (not is_own or last.via == "page") and any(same_answer(old, entry) for old in earlier):
            work.doubts.append(reading.sheet.doubt(reading.row, None, DoubtReason.OVERTAKEN, entry.reviewer, last.at))
            return "ignored"
        if last and is_answer(last) and not is_answer(entry):
            reading.doubt(None, DoubtReason.ONLY_COMMENT, entry.reviewer)
            work.doubts.append(reading.doubts[-1])
            _quarantine_row(work, reading)
            outcome = "cleared"
        else:
            work.entries.append(entry)
            work.history[key] = [*earlier, entry]
            outcome = "logged"
    if is_own:
        work.states[key] = reading.state
        work.new_states.append(RowState(item_id=key[0], reviewer=key[1], state=reading.state))
    return outcome


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
