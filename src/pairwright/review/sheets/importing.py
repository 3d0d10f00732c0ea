"""Imports answers from whatever reviewers send back into the log. Nothing that a person wrote is dropped.

Each row says three things: with which answer it was written (its last column has the digest), what stands in it now,
and what the log has of it. A row that shows what it was written with, or what was imported last from its sheet, holds
nothing new. Neither does one whose answer is in the log since then: later answers of the page or of another file stand.
Any other answer is new.

A row counts as imported only if the log has its answer. So whatever a log has lost comes back from the sheets.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pairwright.core.errors import ReviewError
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.store import append_log
from pairwright.languages import Language
from pairwright.review.log.log import Entry, Key, is_answer, key_of, read_queue_log, says
from pairwright.review.log.queue import UNREADABLE, QueueFolder
from pairwright.review.sheets.answers import RowReading, placed, read_row, standing
from pairwright.review.sheets.columns import EXPORTED
from pairwright.review.sheets.contents import QueueContents, read_contents
from pairwright.review.sheets.spreadsheet import Sheet
from pairwright.review.sheets.words import Doubt
from pairwright.review.sheets.writing import refresh_sheets


class SheetImport(Record):
    """What was imported from a file.

    n_decided    rows with an answer
    n_new        answers to items that this reviewer had not answered in the log
    n_changed    answers, corrections or comments that differ from the reviewer's last ones in the log
    cleared      items that the reviewer had answered and that the sheet no longer answers; the logged answer stands
    n_doubtful   rows that were not imported
    """

    path: Path
    n_decided: int
    n_new: int
    n_changed: int
    cleared: tuple[str, ...]
    n_doubtful: int


class ImportResult(Record):
    """What was imported from each file, and every doubt. `n_quarantined` rows are new in the quarantine."""

    log: Path
    sheets: tuple[SheetImport, ...]
    doubts: tuple[str, ...]
    n_quarantined: int


class QuarantinedRow(Record):
    """A row that could not be imported. `row` is its number in a spreadsheet program; `cells` are what stands in it, by
    title or the number of the column, from 1.
    """

    file: str
    row: int
    reviewer: str | None
    item_id: str | None
    reason: str
    cells: dict[str, str]
    at: str

    @property
    def key(self) -> str:
        """Equal for equal contents, wherever the row stands and whatever is wrong with it."""
        return digest([self.reviewer, self.item_id, self.cells])


def import_answers(
    folder: QueueFolder,
    language: Language,
    now: datetime,
    separator: str = ";",
    files: Sequence[Path] = (),
    reviewer: str | None = None,
    *,
    refresh: bool = True,
) -> ImportResult:
    """Appends what is new or changed in the sheets of a queue to its log.

    Reads `files` or, without any, all sheets and other tables in the queue's folder. `reviewer` is the owner of files
    that do not name one themselves. `now` becomes the time of the answers, in UTC. Rows that can't be placed for
    certain go to the quarantine, each with a doubt, and the others are imported. A second import of the same files
    changes nothing. `refresh` then brings answers from elsewhere into the sheets, with `separator`.
    Raises ReviewError if there is no such queue, and StoreError if its files lack something that sheets can't give.
    """
    kind = folder.info().kind
    with folder.locked():
        work = _read(folder, language, now, files, reviewer)
        n_quarantined = _quarantine(folder, work.quarantined)
        if work.entries:
            folder.add_entries(kind, work.entries)
        if refresh:
            work.doubts += refresh_sheets(work.contents, work.history, separator)
    return work.result(n_quarantined)


def preview_import(folder: QueueFolder, language: Language, now: datetime) -> ImportResult:
    """What `import_answers` would take over from the folder's sheets. Writes nothing."""
    return _read(folder, language, now, (), None).result(0)


def _read(
    folder: QueueFolder, language: Language, now: datetime, files: Sequence[Path], reviewer: str | None
) -> "_Import":
    contents = read_contents(folder, language)
    work = _Import(contents, now.astimezone(UTC).isoformat(timespec="seconds"), contents.history())
    sheets = {folder.sheet(name): name for name in sorted(contents.reviewers)}
    paths = files or (*filter(os.path.lexists, sheets), *folder.received(sheets.values()))
    own = {os.path.realpath(path): name for path, name in sheets.items()}
    for path in paths:
        owner = own.get(os.path.realpath(path))
        try:
            work.read_file(folder.sheet(owner) if owner else path, owner or reviewer, is_own=owner is not None)
        except ReviewError as fault:
            work.doubts.append(str(fault))
    return work


@dataclass
class _Import:
    """An import under way: the log and the sheets as they were, and what is to be added."""

    contents: QueueContents
    at: str
    history: dict[Key, list[Entry]]
    entries: list[Entry] = field(default_factory=list)
    logged: set[Key] = field(default_factory=set)
    quarantined: list[QuarantinedRow] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    sheets: list[SheetImport] = field(default_factory=list)

    def result(self, n_quarantined: int) -> ImportResult:
        log = self.contents.folder.log(self.contents.kind)
        sheets, doubts = tuple(self.sheets), tuple(self.doubts)
        return ImportResult(log=log, sheets=sheets, doubts=doubts, n_quarantined=n_quarantined)

    def read_file(self, path: Path, owner: str | None, *, is_own: bool) -> None:
        """Imports the rows of a file. Raises ReviewError if it can't be read."""
        if path.suffix.lower() in UNREADABLE:
            raise ReviewError(f"{path}: this kind of file is not read; save it as 'CSV UTF-8' or xlsx")
        sheet = self.contents.read_sheet(path)
        count: Counter[str] = Counter()
        cleared = []
        readings = [read_row(row, owner, self.contents, self.at) for row in sheet.rows]
        _refuse_doubles(readings, self.contents)
        for reading in readings:
            if reading.entry is not None:
                outcome = self._take(sheet, reading, reading.entry, is_own=is_own)
                count.update([outcome, "decided" if is_answer(reading.entry) else "said"])
                cleared += [key_of(reading.entry)[0]] if outcome == "cleared" else []
            elif reading.doubt:
                count["doubtful"] += 1
                self._leave(sheet, reading)
            self.doubts += [reading.doubt] if reading.doubt else []
        self.sheets.append(
            SheetImport(
                path=path,
                n_decided=count["decided"],
                n_new=count["new"],
                n_changed=count["changed"],
                cleared=tuple(sorted(cleared)),
                n_doubtful=count["doubtful"],
            )
        )

    def _take(self, sheet: Sheet, reading: RowReading, entry: Entry, *, is_own: bool) -> str:
        """Adds the answer of a row to the log if it says something new, or something that the log has lost.

        Returns what the row is counted as: new, changed, cleared, or something else.
        """
        entry = entry if is_own else entry.model_copy(update={"via": "file"})
        key, answers = key_of(entry), is_answer(entry)
        last = next(reversed(self.history.get(key, ())), None)
        had_answer = last is not None and is_answer(last)
        found = standing(reading, self.history.get(key, ()), self.contents, is_own=is_own)
        since = f", changed since ({last.at})" if last else ""
        earlier = Doubt(None, f"an earlier answer of {entry.reviewer}{since}; the later one stands")
        if found in ("empty", "emptied"):
            return "cleared" if found == "emptied" else found
        if found == "known":
            is_written = reading.state != reading.row.cell(EXPORTED).strip()
            if last and not is_own and is_written and says(last) != says(entry):
                reading.doubt = placed(reading.row, earlier, self.contents)
            return found
        if had_answer and not answers:
            if found == "new":
                alone = f"a comment without an answer; what {entry.reviewer} answered before stands"
                self._leave(sheet, reading, Doubt(None, alone))
                return "cleared"
            return found
        if last is not None and not is_own and key in self.logged:
            self._leave(sheet, reading, earlier)
            return "left"
        # What was said later by another way than what is restored stays the last word.
        stays = found == "lost" and last is not None and not (is_own and last.via == "sheet")
        added = [entry, last] if stays and last else [entry]
        self.entries += added
        self.logged.add(key)
        self.history.setdefault(key, []).extend(added)
        return "changed" if had_answer else "new" if answers else "said"

    def _leave(self, sheet: Sheet, reading: RowReading, doubt: Doubt | None = None) -> None:
        """Puts a row into quarantine with its doubt, in which the file stands without its folder."""
        row, header = reading.row, dict(enumerate(sheet.header.cells))
        if doubt:
            reading.doubt = placed(row, doubt, self.contents)
        cells = ((at, cell) for at, cell in enumerate(row.cells) if at != row.columns.get(EXPORTED) and cell.strip())
        self.quarantined.append(
            QuarantinedRow(
                file=row.path.name,
                row=row.number,
                reviewer=reading.item.reviewer if reading.item else None,
                item_id=self.contents.item_id(row) or None,
                reason=reading.doubt.removeprefix(f"{row.path.parent}/"),
                cells={header.get(at, "").strip() or f"column {at + 1}": cell for at, cell in cells},
                at=self.at,
            )
        )


def _refuse_doubles(readings: Iterable[RowReading], contents: QueueContents) -> None:
    """Doubts rows of one item that answer differently. Of rows that agree, the first one with an answer counts."""
    by_item: dict[Key, list[RowReading]] = defaultdict(list)
    for reading in readings:
        if reading.item is not None:
            by_item[reading.item.item_id, reading.item.reviewer].append(reading)
    for (item_id, _), doubles in by_item.items():
        first, *others = answering = [reading for reading in doubles if reading.state] or doubles
        if any(other.state != first.state for other in others):
            numbers = " and ".join(str(reading.row.number) for reading in answering)
            doubt = Doubt(None, f"{item_id} has different answers in rows {numbers}; keep one of them")
            for reading in answering:
                reading.entry, reading.doubt = None, placed(reading.row, doubt, contents)
        for reading in doubles:
            if reading is not first:
                reading.entry = None


def _quarantine(folder: QueueFolder, rows: Iterable[QuarantinedRow]) -> int:
    """Adds to the quarantine of a queue what it does not hold yet. Returns how many rows that were."""
    path = folder.path / "quarantine.jsonl"
    stored = {row.key for row in read_queue_log(path, QuarantinedRow)}
    new = {row.key: row for row in reversed([*rows]) if row.key not in stored}
    if new:
        append_log(path, reversed(new.values()))
    return len(new)
