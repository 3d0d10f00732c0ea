"""Writes reviewers' sheets: hands items out, adds the rows that sheets lack, and brings in answers from elsewhere.

A cell of an answer is written only if its reviewer has not touched it since the row was written, or if the log has what
stands there. A sheet that somebody saves meanwhile keeps its rows, and new ones go to a second one.
"""

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import lexists
from pathlib import Path
from typing import Literal

from pairwright.core.errors import ReviewError, counted
from pairwright.core.records import Decision, Judgement, QueueKind, Record, Side
from pairwright.core.store import atomic
from pairwright.languages import Language
from pairwright.languages.locale import decision_words
from pairwright.review.log.log import Entry, Key, is_answer, says
from pairwright.review.log.queue import Assignment, QueueFolder, QueueInfo, ReviewContext
from pairwright.review.sheets.answers import OPEN_QUOTE, RowReading, read_row
from pairwright.review.sheets.columns import (
    ANSWERS,
    COLUMNS,
    EXPORTED,
    IDS,
    SHOWN,
    WHERE_GIVEN,
    QueueSheet,
    state_of,
    titles,
)
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.facts import interface_words, pair_facts
from pairwright.review.sheets.spreadsheet import (
    SavedMeanwhile,
    SheetRow,
    cell_matches,
    file_digest,
    second_sheet,
    squeeze_cell,
    write_sheet,
)


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
    """Writes the sheets of a queue whose folder is locked.

    contents       the queue as it was
    reviewers      who gets new rows
    show_findings  whether reviewers see what the checks say
    votes          what reviewers said whose conflict is to be settled, by pair
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
    def read(self) -> tuple[dict[str, QueueSheet], dict[str, str]]:
        """The existing sheets by reviewer, and of those that can't be rewritten without loss the faults."""
        sheets, faults = {}, {}
        for reviewer in sorted({*self.reviewers, *self.contents.reviewers}):
            path = self.contents.folder.sheet(reviewer)
            try:
                if lexists(path):
                    sheet = self.contents.read_sheet(path)
                    _check_writable(sheet, self.contents)
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

    def _update(
        self,
        contents: QueueContents,
        reviewer: str,
        sheet: QueueSheet | None,
        history: Mapping[Key, Sequence[Entry]],
    ) -> SheetExport:
        """Brings a sheet up to date: later answers, the rows that its reviewer lacks, and no withdrawn ones."""
        words = interface_words(self.context.language)
        kept, n_stale = current_rows(sheet, reviewer, contents, history) if sheet else ([], 0)
        present_ids = {sheet.item_id(row) for row in sheet.rows} if sheet else set()
        rows = [
            self.shown_cells(contents, item, words) | answer_cells(history.get(key, [None])[-1], contents, item.side)
            for key, item in (contents.assignments.items() if reviewer in self.reviewers else ())
            if item.reviewer == reviewer and item.item_id not in present_ids
            if key in history or not item.withdrawn
        ]
        separator, path = self.context.settings.separator, contents.folder.sheet(reviewer)
        try:
            if sheet and (rows or n_stale or len(kept) < len(sheet.rows)):
                rewrite_sheet(sheet, kept, rows, separator)
            elif rows:
                self._write_new(contents, path, rows, separator)
        except SavedMeanwhile:
            if rows:
                path = second_sheet(path)
                self._write_new(contents, path, rows, separator)
        return SheetExport(reviewer=reviewer, path=path, n_new=len(rows), n_kept=len(kept))

    def _write_new(
        self, contents: QueueContents, path: Path, rows: Sequence[Mapping[str, str]], separator: str
    ) -> None:
        title_of = titles(contents.language, contents.kind)
        given = _given(rows)
        fields = [name for name in COLUMNS[contents.kind] if name not in WHERE_GIVEN or name in given]
        header = [title_of[name] for name in fields]
        write_sheet(path, [header, *([row.get(name, "") for name in fields] for row in rows)], separator)

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


def _check_writable(sheet: QueueSheet, contents: QueueContents) -> None:
    """Raises ReviewError if rewriting a sheet would lose something, for one if its encoding is in doubt."""
    for row in (*sheet.above, *sheet.rows):
        if row.damaged:
            raise ReviewError(sheet.doubt(row, None, OPEN_QUOTE))
    if sheet.damaged:
        raise ReviewError(f"{sheet.path}: some bytes are no text in any encoding; save the sheet as 'CSV UTF-8'")
    if sheet.encoding.startswith(("utf-", "workbook")):
        return
    by_item = {item_id: assignment for (item_id, _), assignment in contents.assignments.items()}
    for row in sheet.rows:
        assignment = by_item.get(sheet.item_id(row))
        for name, text in zip(SHOWN[sheet.kind], contents.shown(assignment) if assignment else (), strict=False):
            if name in sheet.columns and not cell_matches(sheet.cell(row, name), text):
                raise ReviewError(
                    f"{sheet.place(row, name)}: the sentence is not the one that was exported, so the encoding of the "
                    "file is in doubt; save the sheet as 'CSV UTF-8' with this cell as it was"
                )


def rewrite_sheet(
    sheet: QueueSheet, rows: Sequence[Sequence[str]], new: Sequence[Mapping[str, str]], separator: str
) -> None:
    """Writes a sheet with these rows and new ones below, or takes it away if there are none.

    Its columns keep their order, the reviewer's own included. Columns that only new rows have something for come last.
    """
    if not rows and not new:
        before = second_sheet(sheet.path)
        sheet.path.rename(before)
        # Somebody may have saved it since it was read.
        if file_digest(before.read_bytes()) == sheet.sha256:
            before.unlink()
        return
    old, header = [*rows], [*sheet.header.cells]
    lacking = [name for name in (*WHERE_GIVEN, EXPORTED) if name in _given(new) and name not in sheet.columns]
    if lacking:
        width = max(len(row) for row in (header, *old))
        header += [""] * (width - len(header)) + [sheet.titles[name] for name in lacking]
    fields = {index: name for name, index in sheet.columns.items()}
    fields |= dict(zip(range(len(header) - len(lacking), len(header)), lacking, strict=True))
    added = ([row.get(fields.get(index, ""), "") for index in range(len(header))] for row in new)
    every = [*(row.cells for row in sheet.above), header, *old, *added]
    write_sheet(sheet.path, every, separator, sheet.sha256)


def _given(rows: Iterable[Mapping[str, str]]) -> set[str]:
    """The fields for which some row has something."""
    return {name for row in rows for name, text in row.items() if text}


def refresh_sheets(contents: QueueContents, history: Mapping[Key, Sequence[Entry]], separator: str) -> list[str]:
    """Brings answers from elsewhere into the sheets of a locked folder. Returns which of them could not be updated."""
    doubts = []
    for reviewer in sorted({reviewer for (_, reviewer), entries in history.items() if entries[-1].via != "sheet"}):
        path, n_stale = contents.folder.sheet(reviewer), 0
        try:
            if path.exists():
                sheet = contents.read_sheet(path)
                rows, n_stale = current_rows(sheet, reviewer, contents, history)
                if n_stale:
                    _check_writable(sheet, contents)
                    rewrite_sheet(sheet, rows, (), separator)
        except ReviewError as fault:
            lacking = counted(n_stale, "answer") if n_stale else "answers"
            doubts.append(f"{fault} (until then it lacks {lacking}, which the log has)")
    return doubts


def current_rows(
    sheet: QueueSheet, reviewer: str, contents: QueueContents, history: Mapping[Key, Sequence[Entry]]
) -> tuple[list[Sequence[str]], int]:
    """The rows of a sheet as they are to be, and how many of them show an earlier answer than the log.

    Withdrawn rows into which nobody has written are no longer there.
    """
    rows: list[Sequence[str]] = []
    n_stale = 0
    for row in sheet.rows:
        key = sheet.item_id(row), reviewer
        item, entries = contents.assignments.get(key), history.get(key, ())
        if item and item.withdrawn and not (entries or sheet.state(row) or sheet.extra(row)):
            continue
        later = _later_answer(sheet, row, key, contents, entries)
        n_stale += later is not None
        rows.append(later or row.cells)
    return rows, n_stale


def _later_answer(
    sheet: QueueSheet, row: SheetRow, key: Key, contents: QueueContents, entries: Sequence[Entry]
) -> list[str] | None:
    """The cells of a row with the last answer from elsewhere, where it shows an earlier one that the log has."""
    if not entries or entries[-1].via == "sheet":
        return None
    cells, state = answer_cells(entries[-1], contents, contents.assignments[key].side), sheet.state(row)
    if cells[EXPORTED] == state:
        return None
    reading = read_row(sheet, row, key[1], contents, "")
    if standing(reading, entries, contents, key, is_own=True) == "known" or not (state or sheet.exported(row)):
        filled = [*row.cells, *[""] * (len(sheet.header.cells) - len(row.cells))]
        for name in cells.keys() & sheet.columns.keys():
            filled[sheet.columns[name]] = cells[name]
        return filled
    return None


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
    if not state:
        stood = is_own and (exported or any(old.via == "sheet" for old in entries))
        return "emptied" if stood and entries and is_answer(entries[-1]) else "empty"
    side = contents.assignments[key].side
    states = [answer_cells(old, contents, side)[EXPORTED] for old in entries]
    shown = (
        n
        for n, (old, written) in enumerate(zip(entries, states, strict=True))
        if (written == exported and (exported or is_own)) or (is_own and old.via == "sheet")
    )
    base, said = max(shown, default=0), reading.entry and says(reading.entry)
    if state in states[base:] or any(says(old) == said for old in entries[base:]):
        return "known"
    return "lost" if state == exported and exported not in states else "new"


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
