"""Answers taken over from whatever reviewers send back into an append-only log. Nothing that a person wrote is dropped.

A reviewer's own sheet lies in the queue's folder. What each of its rows said when it was last read or written is kept
in `seen.jsonl`, so a row that the reviewer changed since is told from one that the review page has overtaken. Of a file
from elsewhere nobody knows how old it is, nor of a sheet that was open in a program while the page went on: an answer
in it that the reviewer gave before and has changed since is left, and named.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pairwright.errors import ReviewError, at
from pairwright.languages import Language
from pairwright.records import Decision, Record
from pairwright.review.log.folder import FOREIGN, Entry, QueueFolder
from pairwright.review.sheets.answers import Key, QueueContents, RowReading, read_row
from pairwright.review.sheets.columns import QueueSheet, read_queue_sheet
from pairwright.review.sheets.files import Seen, add_seen, expected_sentences, read_seen, refresh_sheets
from pairwright.review.sheets.quarantine import Quarantined, add_quarantined, keep_file
from pairwright.review.sheets.vocabulary import DecisionVocabulary


class SheetImport(Record):
    """What was taken over from a file.

    reviewers    whose rows it has
    n_decided    rows with an answer; `n_undecided` rows without one, commented or not
    n_new        answers to items on which the log had none of this reviewer
    n_changed    answers, corrections or comments that differ from the reviewer's last ones in the log
    cleared      items that the reviewer had answered and that the sheet no longer answers; the logged answer stands
    n_doubtful   rows that were not taken over
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
    """What an import took over from each file. `doubts` are messages with file, row and column.

    n_quarantined  what this import put into quarantine and was not there before
    """

    queue: str
    log: Path
    sheets: tuple[SheetImport, ...]
    doubts: tuple[str, ...]
    n_quarantined: int


@dataclass
class _Import:
    """An import under way: the log as it was, and what is to be added."""

    folder: QueueFolder
    contents: QueueContents
    language: Language
    at: str
    history: dict[Key, list[Entry]]
    seen: dict[Key, str]
    entries: list[Entry] = field(default_factory=list)
    seen_now: list[Seen] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    sheets: list[SheetImport] = field(default_factory=list)


def import_answers(
    annotations: Path,
    queue: str,
    language: Language,
    now: datetime,
    separator: str = ";",
    files: Sequence[Path] = (),
    reviewer: str | None = None,
) -> ImportResult:
    """Appends what is new or changed in the sheets of a queue to its log.

    Without `files`, all sheets and other tables in the queue's folder are read. `reviewer` is whose a file is that
    does not say it itself. `now` becomes the time of the answers, in UTC; `separator` is that of sheets that are
    written anew because the review page or another file has overtaken them. A row that can't be placed for certain is
    named in the result's doubts and kept in quarantine, and the others are taken over. A second import of the same
    files changes nothing. Raises ReviewError where there is no such queue.
    """
    folder = QueueFolder(annotations, queue)
    info = folder.known()
    with folder.locked():
        assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
        contents = QueueContents(info.kind, assignments, folder.pair_texts(), DecisionVocabulary(language))
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in folder.entries(info.kind):
            history[_key(entry)].append(entry)
        moment = now.astimezone(UTC).isoformat(timespec="seconds")
        work = _Import(folder, contents, language, moment, history, read_seen(folder))
        for path, owner, own in _inputs(folder, contents.reviewers, files, reviewer):
            _import_file(work, path, owner, own)
        n_quarantined = add_quarantined(folder, work.quarantined)
        if work.entries:
            folder.add_entries(info.kind, work.entries)
        if work.seen_now:
            add_seen(folder, work.seen_now)
        latest = {key: entries[-1] for key, entries in history.items()}
        work.doubts += refresh_sheets(folder, info, contents, latest, language, separator)
    log = folder.log if info.kind == "pairs" else folder.judgements
    return ImportResult(
        queue=queue, log=log, sheets=tuple(work.sheets), doubts=tuple(work.doubts), n_quarantined=n_quarantined
    )


def is_answer(entry: Entry) -> bool:
    """Whether an entry answers: a comment alone, and an answer that was taken back, do not."""
    if isinstance(entry, Decision):
        return entry.decision is not None
    return entry.prefers is not None or entry.rating is not None


def same_answer(one: Entry, other: Entry) -> bool:
    """Whether two entries say the same, whenever and however they came."""
    return one == other.model_copy(update={"at": one.at, "seconds": one.seconds, "via": one.via})


def latest_entries(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """The last entry of each reviewer on each item."""
    return {_key(entry): entry for entry in entries}


def _key(entry: Entry) -> Key:
    return (entry.pair_id if isinstance(entry, Decision) else entry.item_id), entry.reviewer


def _inputs(
    folder: QueueFolder, reviewers: Iterable[str], files: Sequence[Path], reviewer: str | None
) -> list[tuple[Path, str | None, bool]]:
    """The files to read, whose they are where that is known, and whether they are a reviewer's own sheet."""
    own = {folder.sheet(name).resolve(): name for name in sorted(reviewers)}
    paths = files or (*(path for path in own if path.exists()), *folder.received(own.values()))
    return [
        (folder.sheet(own[path.resolve()]), own[path.resolve()], True)
        if path.resolve() in own
        else (path, reviewer, False)
        for path in paths
    ]


def _import_file(work: _Import, path: Path, owner: str | None, own: bool) -> None:
    try:
        if path.suffix.lower() in FOREIGN:
            raise ReviewError(f"{path}: this kind of file is not read; save it as 'CSV UTF-8' or xlsx")
        sheet = read_queue_sheet(path, work.language, work.contents.kind, expected_sentences(work.contents))
    except ReviewError as fault:
        work.doubts.append(str(fault))
        if path.is_file():
            keep_file(work.folder, path)
        return
    if sheet.sheet.damaged:
        kept = keep_file(work.folder, path)
        work.doubts.append(f"{path}: some bytes are no text in any encoding; the file is kept as {kept}")
    if owner is None:
        owner = _named_by_file(sheet, path, work.contents.reviewers)
    readings = [read_row(sheet, row, owner, work.contents, work.at) for row in sheet.sheet.rows]
    _refuse_doubles(sheet, readings)
    _take_over(work, sheet, readings, own)


def _named_by_file(sheet: QueueSheet, path: Path, reviewers: Iterable[str]) -> str | None:
    """Whose a file is by its name, such as `ana (1).csv`, where its rows do not say it."""
    if any(sheet.cell(row, "reviewer").strip() for row in sheet.sheet.rows):
        return None
    stem = path.stem.casefold()
    found = [name for name in reviewers if stem.startswith(name) and not stem[len(name) :][:1].isalnum()]
    return max(found, key=len, default=None)


def _refuse_doubles(sheet: QueueSheet, readings: Sequence[RowReading]) -> None:
    """Puts rows of one item that answer differently in doubt; of equal or empty ones the first that answers counts."""
    rows: dict[Key, list[RowReading]] = defaultdict(list)
    for reading in readings:
        if reading.assignment is not None:
            rows[reading.assignment.item_id, reading.assignment.reviewer].append(reading)
    for (item_id, _), found in rows.items():
        if len(found) == 1:
            continue
        kept = [reading for reading in found if reading.state] or found
        if len({reading.state for reading in kept}) > 1:
            numbers = " and ".join(str(reading.row.number) for reading in kept)
            for reading in kept:
                place = sheet.sheet.at(reading.row)
                reading.doubts.append(f"{place}: {item_id} has different answers in rows {numbers}; keep one of them")
        for reading in found:
            if reading.doubts or reading is not kept[0]:
                reading.entry = None


def _take_over(work: _Import, sheet: QueueSheet, readings: Iterable[RowReading], own: bool) -> None:
    n_decided = n_undecided = n_new = n_changed = n_doubtful = 0
    cleared: list[str] = []
    reviewers: set[str] = set()
    for reading in readings:
        if reading.reviewer is not None:
            reviewers.add(reading.reviewer)
        if reading.doubts:
            work.doubts += reading.doubts
        if reading.entry is None and reading.doubts:
            n_doubtful += 1
            _quarantine_row(work, sheet, reading)
            continue
        extra = sheet.extra(reading.row)
        if extra:
            _quarantine_extra(work, sheet, reading, extra)
        entry = reading.entry
        if entry is None or reading.assignment is None:
            continue
        answers = is_answer(entry)
        n_decided, n_undecided = n_decided + answers, n_undecided + (not answers)
        before = work.history.get(_key(entry), [])
        had = bool(before) and is_answer(before[-1])
        outcome = _place(work, sheet, reading, entry if own else entry.model_copy(update={"via": "file"}), own)
        if outcome == "cleared":
            cleared.append(reading.assignment.item_id)
        elif outcome == "added":
            n_new, n_changed = n_new + (answers and not had), n_changed + had
    work.sheets.append(
        SheetImport(
            path=sheet.sheet.path,
            reviewers=tuple(sorted(reviewers)),
            n_decided=n_decided,
            n_undecided=n_undecided,
            n_new=n_new,
            n_changed=n_changed,
            cleared=tuple(sorted(cleared)),
            n_doubtful=n_doubtful,
        )
    )
    for row in sheet.sheet.above:
        cells = {str(index): cell for index, cell in enumerate(row.cells) if cell.strip()}
        reason = f"{sheet.sheet.at(row)}: stands above the column titles"
        _quarantine(work, sheet, row.number, None, None, reason, cells)


def _place(work: _Import, sheet: QueueSheet, reading: RowReading, entry: Entry, own: bool) -> str:
    """Adds an entry to the log where it says something new. Returns `added`, `cleared` or `known`."""
    key = _key(entry)
    before = work.history.get(key, [])
    if own and reading.state == work.seen.get(key, ""):
        return "known"
    if not reading.state:
        if before and is_answer(before[-1]) and own:
            return "cleared"
        return "known"
    if before and same_answer(before[-1], entry):
        _saw(work, key, reading.state, own)
        return "known"
    overtaken = not own or (bool(before) and before[-1].via == "page")
    if overtaken and any(same_answer(earlier, entry) for earlier in before):
        later = before[-1].at
        work.doubts.append(
            f"{sheet.sheet.at(reading.row)}: an earlier answer of {entry.reviewer}, changed since ({later}); "
            "the later one stands"
        )
        return "known"
    if before and not is_answer(entry) and is_answer(before[-1]):
        reading.doubts.append(
            f"{sheet.sheet.at(reading.row)}: a comment without an answer, where {entry.reviewer} answered before; "
            "the answer stands, and the comment is in quarantine"
        )
        work.doubts.append(reading.doubts[-1])
        _quarantine_row(work, sheet, reading)
        _saw(work, key, reading.state, own)
        return "cleared"
    work.entries.append(entry)
    work.history[key] = [*before, entry]
    _saw(work, key, reading.state, own)
    return "added"


def _saw(work: _Import, key: Key, state: str, own: bool) -> None:
    if own and work.seen.get(key, "") != state:
        work.seen[key] = state
        work.seen_now.append(Seen(item_id=key[0], reviewer=key[1], state=state))


def _quarantine_row(work: _Import, sheet: QueueSheet, reading: RowReading) -> None:
    if not reading.state and not sheet.extra(reading.row) and not reading.row.fault and not _foreign(sheet, reading):
        return
    names = sheet.sheet.header.cells
    cells = {
        (names[index] if index < len(names) and names[index].strip() else f"column {index + 1}"): cell
        for index, cell in enumerate(reading.row.cells)
        if cell.strip()
    }
    item_id = reading.assignment.item_id if reading.assignment else sheet.item_id(reading.row) or None
    _quarantine(work, sheet, reading.row.number, reading.reviewer, item_id, reading.doubts[-1], cells)


def _foreign(sheet: QueueSheet, reading: RowReading) -> bool:
    """Whether a row that can't be placed holds anything that may be a person's."""
    return reading.assignment is None or any("sentence was changed" in doubt for doubt in reading.doubts)


def _quarantine_extra(work: _Import, sheet: QueueSheet, reading: RowReading, extra: Mapping[int, str]) -> None:
    names = sheet.sheet.header.cells
    titled = {index: cell for index, cell in extra.items() if index < len(names) and names[index].strip()}
    loose = {index: cell for index, cell in extra.items() if index not in titled}
    place = sheet.sheet.at(reading.row, next(iter(extra)))
    reason = f"{place}: in a column that is not the queue's"
    if loose:
        reason = (
            f"{sheet.sheet.at(reading.row, next(iter(loose)))}: stands in a column without a title; give the column "
            "one, or put quotation marks around a cell that contains the separator"
        )
        work.doubts.append(reason)
    cells = {(names[index] if index in titled else f"column {index + 1}"): cell for index, cell in extra.items()}
    item_id = reading.assignment.item_id if reading.assignment else None
    _quarantine(work, sheet, reading.row.number, reading.reviewer, item_id, reason, cells)


def _quarantine(
    work: _Import,
    sheet: QueueSheet,
    row: int,
    reviewer: str | None,
    item_id: str | None,
    reason: str,
    cells: dict[str, str],
) -> None:
    prefix = at(sheet.sheet.path.parent)
    work.quarantined.append(
        Quarantined(
            file=sheet.sheet.path.name,
            row=row,
            reviewer=reviewer,
            item_id=item_id,
            reason=reason.removeprefix(f"{prefix}/"),
            cells=cells,
            at=work.at,
        )
    )
