"""Brings reviewers' sheets up to date, and takes answers over from whatever they send back. Nothing written is lost.

Each row says three things: with which answer it was written (its last column has the digest), what stands in it now,
and what the log has of it. A cell of an answer is written only if its reviewer has not touched it since the row was
written, or if the log has what stands there. A row counts as imported only if the log has its answer, so whatever a log
has lost comes back from the sheets. A sheet that somebody saves meanwhile keeps its rows; new ones go to a second one.
"""

import codecs
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from os.path import lexists
from pathlib import Path

from pairwright.core.errors import ReviewError, counted
from pairwright.core.ids import digest
from pairwright.core.records import QueueKind, Record
from pairwright.core.store import append_log, atomic
from pairwright.languages import Language
from pairwright.languages.locale import decision_words
from pairwright.review.log import (
    UNREADABLE,
    Assignment,
    Entry,
    Key,
    QueueFolder,
    QueueInfo,
    ReviewContext,
    is_answer,
    key_of,
    read_queue_log,
    says,
)
from pairwright.review.sheets.answers import RowReading, answer_cells, placed, read_row, standing
from pairwright.review.sheets.contents import (
    COLUMNS,
    EXPORTED,
    IDS,
    SHOWN,
    WHERE_GIVEN,
    QueueContents,
    interface_words,
    pair_facts,
    read_contents,
    titles,
)
from pairwright.review.sheets.spreadsheet import (
    Doubt,
    SavedMeanwhile,
    Sheet,
    SheetRow,
    cell_matches,
    file_digest,
    second_sheet,
    write_sheet,
)

History = Mapping[Key, Sequence[Entry]]


class SheetExport(Record):
    """A reviewer's sheet after an export: rows added, and rows that were there and stay as they are."""

    reviewer: str
    path: Path
    n_new: int
    n_kept: int


class QueueExport(Record):
    """A queue's sheets that are there after an export. Without any, there are no instructions either.

    n_short      pairs that have fewer reviewers than the settings ask
    n_withdrawn  rows that nobody had answered and that are no longer asked: the source lost their pairs, their seeds
                 were refused, other pairs were drawn, or their reviewers left
    faults       why a sheet was left as it is; its reviewer gets the rows that it lacks when it is repaired
    """

    sheets: tuple[SheetExport, ...]
    instructions: Path
    n_short: int = 0
    n_withdrawn: int = 0
    faults: tuple[str, ...] = ()

    @property
    def n_new(self) -> int:
        """Rows that were added."""
        return sum(sheet.n_new for sheet in self.sheets)

    @property
    def withdrawn_line(self) -> str | None:
        """What was withdrawn, in words; None if nothing was."""
        if not self.n_withdrawn:
            return None
        return f"{counted(self.n_withdrawn, 'row')} taken out: no longer asked about, and nobody had answered"


@dataclass(frozen=True)
class SheetWriter:
    """Writes the sheets of a queue whose folder is locked; `contents` is the queue as it was.

    reviewers  who gets new rows
    votes      what reviewers said whose conflict is to be settled, by pair
    """

    context: ReviewContext
    info: QueueInfo
    contents: QueueContents
    reviewers: Sequence[str] = ()
    show_findings: bool = False
    votes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def history(self) -> dict[Key, list[Entry]]:
        """The log as it was."""
        return self.contents.history()

    @cached_property
    def read(self) -> tuple[dict[str, Sheet], dict[str, str]]:
        """The existing sheets by reviewer, and of those that can't be rewritten without loss the faults."""
        sheets, faults = {}, {}
        for reviewer in sorted({*self.reviewers, *self.contents.reviewers}):
            try:
                if sheet := _find_sheet(self.contents, reviewer):
                    sheets[reviewer] = sheet
            except ReviewError as fault:
                faults[reviewer] = str(fault)
        return sheets, faults

    def hand_out(
        self,
        added: Sequence[Assignment],
        pair_ids: Iterable[str],
        withdrawn: Sequence[Assignment] = (),
        n_short: int = 0,
    ) -> QueueExport:
        """Logs assignments of pairs and brings all sheets up to date. A damaged sheet keeps no other waiting."""
        folder, contents = self.context.folder, self.contents
        # A log with gaps is named before anything is written.
        known, (sheets, faults), history = folder.find_info(), self.read, self.history
        if not added and known is None:
            path = folder.instructions(self.context.language.code)
            return QueueExport(sheets=(), instructions=path, n_short=n_short)
        new = {key: self.context.candidates[key] for key in pair_ids if key not in contents.pairs}
        changed = {(item.item_id, item.reviewer): item for item in (*withdrawn, *added)}
        contents = replace(contents, assignments={**contents.assignments, **changed}, pairs={**contents.pairs, **new})
        if known != self.info:
            folder.write_info(self.info)
        if new:
            folder.add_pairs(new.values())
        if changed:
            folder.assign(changed.values())
        exports = []
        for name in [*self.reviewers, *(name for name in sheets if name not in self.reviewers)]:
            try:
                if name not in faults:
                    exports.append(self._update(contents, name, sheets.get(name), history))
            except ReviewError as fault:
                faults[name] = str(fault)
        instructions = write_instructions(folder, self.context.language, self.info.kind)
        return QueueExport(
            sheets=tuple(sheet for sheet in exports if sheet.reviewer in self.reviewers and sheet.path.exists()),
            instructions=instructions,
            n_short=n_short,
            n_withdrawn=len(withdrawn),
            faults=tuple(faults.values()),
        )

    def _update(self, contents: QueueContents, reviewer: str, sheet: Sheet | None, history: History) -> SheetExport:
        """Brings a sheet up to date: later answers, the rows that its reviewer lacks, and no withdrawn ones."""
        words = interface_words(self.context.language)
        kept, n_stale = _current_rows(sheet, reviewer, contents, history) if sheet else ([], 0)
        present_ids = {*map(contents.item_id, sheet.rows)} if sheet else set()
        new = [
            self.shown_cells(contents, item, words) | answer_cells(history.get(key, [None])[-1], contents, item.side)
            for key, item in (contents.assignments.items() if reviewer in self.reviewers else ())
            if item.reviewer == reviewer and item.item_id not in present_ids
            if key in history or not item.withdrawn
        ]
        path = contents.folder.sheet(reviewer)
        if new or n_stale or (sheet and len(kept) < len(sheet.rows)):
            path = _write(contents, path, sheet, kept, new, self.context.settings.separator)
        return SheetExport(reviewer=reviewer, path=path, n_new=len(new), n_kept=len(kept))

    def shown_cells(self, contents: QueueContents, item: Assignment, words: Mapping[str, str]) -> dict[str, str]:
        """The cells of an item by field, without those that the reviewer fills in. `words` are of the interface."""
        cells = {IDS[contents.kind]: item.item_id, "reviewer": item.reviewer}
        cells |= zip(SHOWN[contents.kind], contents.shown(item), strict=True)
        if contents.kind != "pairs":
            return cells
        facts = pair_facts(self.context, item.item_id, words, show_findings=self.show_findings)
        listed = enumerate(contents.pairs[item.item_id].alternatives, start=1)
        cells |= {"votes": self.votes.get(item.item_id, ""), "reason": item.reason}
        cells["alternatives"] = " | ".join(f"{number}) {sentence}" for number, sentence in listed)
        return cells | facts.cells() if facts else cells


def refresh_sheets(contents: QueueContents, history: History, separator: str) -> list[str]:
    """Brings answers from elsewhere into the sheets of a locked folder. Returns which of them could not be updated."""
    doubts = []
    for reviewer in sorted({reviewer for (_, reviewer), entries in history.items() if entries[-1].via != "sheet"}):
        path, n_stale = contents.folder.sheet(reviewer), 0
        try:
            if sheet := _find_sheet(contents, reviewer):
                rows, n_stale = _current_rows(sheet, reviewer, contents, history)
                if n_stale:
                    _write(contents, path, sheet, rows, (), separator)
        except ReviewError as fault:
            lacking = counted(n_stale, "answer") if n_stale else "answers"
            doubts.append(f"{fault} (until then it lacks {lacking}, which the log has)")
    return doubts


def _find_sheet(contents: QueueContents, reviewer: str) -> Sheet | None:
    """A reviewer's sheet, to be rewritten. Raises ReviewError if its encoding is in doubt: texts could be lost."""
    path = contents.folder.sheet(reviewer)
    if not lexists(path):
        return None
    sheet = contents.read_sheet(path)
    for row in sheet.rows if not sheet.encoding.startswith(("utf-", "workbook")) else ():
        item = contents.assignments.get((contents.item_id(row), reviewer))
        for name, text in zip(SHOWN[contents.kind], contents.shown(item) if item else (), strict=False):
            if name in row.columns and not cell_matches(row.cell(name), text):
                doubt = "the sentence is not the one that was exported, so the encoding of the file is in doubt"
                remedy = "save the sheet as 'CSV UTF-8' with this cell as it was"
                raise ReviewError(placed(row, Doubt(name, f"{doubt}; {remedy}"), contents))
    return sheet


def _current_rows(
    sheet: Sheet, reviewer: str, contents: QueueContents, history: History
) -> tuple[list[Sequence[str]], int]:
    """The rows of a sheet as they are to be, and how many of them show an earlier answer than the log.

    Withdrawn rows into which nobody has written are no longer there.
    """
    rows: list[Sequence[str]] = []
    n_stale = 0
    for row in sheet.rows:
        key = contents.item_id(row), reviewer
        item, entries = contents.assignments.get(key), history.get(key, ())
        if item and item.withdrawn and not entries and not contents.is_touched(row):
            continue
        later = _later_answer(row, reviewer, contents, entries)
        n_stale += later is not None
        rows.append(later or row.cells)
    return rows, n_stale


def _later_answer(row: SheetRow, reviewer: str, contents: QueueContents, entries: Sequence[Entry]) -> list[str] | None:
    """The cells of a row with the last answer from elsewhere, where it shows an earlier one that the log has."""
    if not entries or entries[-1].via == "sheet":
        return None
    item, state = contents.assignments[contents.item_id(row), reviewer], contents.state(row)
    cells = answer_cells(entries[-1], contents, item.side)
    if cells[EXPORTED] == state:
        return None
    if state or row.cell(EXPORTED).strip():
        reading = read_row(row, reviewer, contents, "")
        if standing(reading, entries, contents, is_own=True) != "known":
            return None
    filled = [*row.cells, *[""] * (max(row.columns.values()) + 1 - len(row.cells))]
    for name in cells.keys() & row.columns.keys():
        filled[row.columns[name]] = cells[name]
    return filled


def _write(
    contents: QueueContents,
    path: Path,
    sheet: Sheet | None,
    rows: Sequence[Sequence[str]],
    new: Sequence[Mapping[str, str]],
    separator: str,
) -> Path:
    """Writes a sheet with these rows of the one that was read, and new ones below. Returns where the new ones are.

    Without any, the sheet goes, unless somebody has saved it since it was read.
    """
    if sheet and not rows and not new:
        before = second_sheet(path)
        path.rename(before)
        if file_digest(before.read_bytes()) == sheet.sha256:
            before.unlink()
        return path
    try:
        write_sheet(path, _table(contents, sheet, rows, new), separator, sheet.sha256 if sheet else None)
    except SavedMeanwhile:
        if not new:
            raise
        path = second_sheet(path)
        write_sheet(path, _table(contents, None, (), new), separator)
    return path


def _table(
    contents: QueueContents, sheet: Sheet | None, rows: Sequence[Sequence[str]], new: Sequence[Mapping[str, str]]
) -> list[Sequence[str]]:
    """The titles, the rows of a sheet, and new ones below.

    A sheet's columns keep their order, the reviewer's own included. Columns that it lacks and only new rows have
    something for come last.
    """
    header, columns = ([*sheet.header.cells], sheet.header.columns) if sheet else ([], {})
    fields = {index: name for name, index in columns.items()}
    given = {name for row in new for name in row if row[name]}
    for name in COLUMNS[contents.kind] if new else ():
        if name not in columns and (name in given or name not in WHERE_GIVEN):
            header += [""] * (max(map(len, [header, *rows])) - len(header))
            fields[len(header)] = name
            header.append(contents.titles[name])
    added = [[row.get(fields.get(index, ""), "") for index in range(len(header))] for row in new]
    return [header, *rows, *added]


def write_instructions(folder: QueueFolder, language: Language, kind: QueueKind) -> Path:
    """Writes what the reviewers read beside their sheets, unless exactly that is already there."""
    words = language.words("review")
    lines = words(f"instructions.{kind}") + "\n"
    if kind == "pairs":
        spelled = "\n".join("- " + " / ".join(spellings) for spellings in decision_words(words).values())
        lines += f"\n{titles(language, kind)['decision']}:\n{spelled}\n"
    content = codecs.BOM_UTF8 + lines.replace("\n", "\r\n").encode()
    path = folder.instructions(language.code)
    # A pipe of that name is never read: it could wait for ever.
    if not path.is_file() or path.read_bytes() != content:
        with atomic(path, "wb") as handle:
            handle.write(content)
    return path


class SheetImport(Record):
    """What was imported from a file: of rows with an answer, those that are new in the log or changed there.

    cleared     items that the reviewer had answered and that the sheet no longer answers; the logged answer stands
    n_doubtful  rows that were not imported
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
        log, sheets, doubts = self.contents.folder.log(self.contents.kind), tuple(self.sheets), tuple(self.doubts)
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
        counts = {f"n_{name}": count[name] for name in ("decided", "new", "changed", "doubtful")}
        self.sheets.append(SheetImport(path=path, cleared=tuple(sorted(cleared)), **counts))

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
