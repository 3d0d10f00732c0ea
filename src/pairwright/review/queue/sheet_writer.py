"""Hands items out: logs new assignments, and writes the rows that sheets lack, with instructions beside them."""

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pairwright.core.errors import ReviewError, counted
from pairwright.core.records import QueueKind, Record
from pairwright.core.store import atomic
from pairwright.languages import Language
from pairwright.languages.locale import decision_words
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.entries import Entry, Key, latest_entries
from pairwright.review.log.folder import Assignment, QueueFolder, QueueInfo, plain_name
from pairwright.review.sheets.columns import IDS, SHOWN, QueueSheet, titles
from pairwright.review.sheets.contents import QueueContents, read_contents
from pairwright.review.sheets.pair_facts import interface_words, pair_facts
from pairwright.review.sheets.updating import (
    RowState,
    add_states,
    answer_cells,
    cells_state,
    read_sheets,
    rewrite_sheet,
    write_new_sheet,
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
                 were refused, or other pairs were drawn
    faults       why a sheet was left as it is; its reviewer gets the rows that it lacks when it is mended
    """

    queue: str
    kind: QueueKind
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

    contents   the queue as it was
    requested  columns that the sheets have on request
    votes      what reviewers said whose conflict is to be settled, by pair
    """

    context: ReviewContext
    info: QueueInfo
    contents: QueueContents
    requested: frozenset[str] = frozenset()
    votes: Mapping[str, str] = field(default_factory=dict)

    def hand_out(
        self, added: Sequence[Assignment], pair_ids: Iterable[str], reviewers: Sequence[str], n_short: int = 0
    ) -> QueueExport:
        """Logs assignments of pairs and writes the rows that sheets lack. A damaged sheet keeps no other waiting."""
        folder = self.context.folder
        if not added and folder.find_info() is None:
            path = _instructions_path(folder, self.context.language)
            return QueueExport(queue=folder.queue, kind=self.info.kind, sheets=(), instructions=path, n_short=n_short)
        new = {pair_id: self.context.candidates[pair_id] for pair_id in pair_ids if pair_id not in self.contents.pairs}
        contents = replace(
            self.contents,
            assignments={**self.contents.assignments, **{(item.item_id, item.reviewer): item for item in added}},
            pairs={**self.contents.pairs, **new},
        )
        sheets, faults = read_sheets(contents, {*reviewers, *contents.reviewers})
        latest = latest_entries(folder.entries(self.info.kind))
        self.contents.check_assigned(latest)
        if folder.find_info() is None:
            folder.write_info(self.info)
        if new:
            folder.add_pairs(self.context.candidates[pair_id] for pair_id in new)
        if added:
            folder.assign(added)
        exports = []
        for name in (name for name in reviewers if name not in faults):
            try:
                exports.append(self._write(contents, name, sheets.get(name), latest))
            except ReviewError as fault:
                faults[name] = str(fault)
        instructions = write_instructions(folder, self.context.language, self.info.kind)
        return QueueExport(
            queue=folder.queue,
            kind=self.info.kind,
            sheets=tuple(sheet for sheet in exports if sheet.path.exists()),
            instructions=instructions,
            n_short=n_short,
            faults=tuple(faults.values()),
        )

    def _write(
        self, contents: QueueContents, reviewer: str, sheet: QueueSheet | None, latest: Mapping[Key, Entry]
    ) -> SheetExport:
        """Adds the rows that a sheet lacks, with the answers that the log already has."""
        words = interface_words(self.context.language)
        present = sheet.sheet.rows if sheet else ()
        present_ids = {sheet.item_id(row) for row in present} if sheet else set()
        rows, states = [], []
        for (item_id, owner), item in contents.assignments.items():
            if owner != reviewer or item_id in present_ids:
                continue
            entry = latest.get((item_id, reviewer))
            if item.withdrawn and entry is None:
                continue
            cells = answer_cells(entry, contents, item.side)
            rows.append(self.shown_cells(contents, item, words) | cells)
            if entry is not None:
                states.append(
                    RowState(item_id=item_id, reviewer=reviewer, state=cells_state(cells, contents), at=entry.at)
                )
        separator, path = self.context.settings.separator, contents.folder.sheet(reviewer)
        if rows and sheet:
            rewrite_sheet(sheet, (row.cells for row in present), rows, separator)
        elif rows:
            write_new_sheet(contents, reviewer, rows, self.requested, separator)
        add_states(contents.folder, states)
        return SheetExport(reviewer=reviewer, path=path, n_new=len(rows), n_kept=len(present))

    def shown_cells(self, contents: QueueContents, item: Assignment, words: Mapping[str, str]) -> dict[str, str]:
        """The cells of an item by field, without those that the reviewer fills in. `words` are of the interface."""
        cells = {IDS[contents.kind]: item.item_id, "reviewer": item.reviewer}
        cells |= zip(SHOWN[contents.kind], contents.shown(item), strict=True)
        if contents.kind != "pairs":
            return cells
        facts = pair_facts(self.context, item.item_id, words, show_findings="findings" in self.requested)
        listed = enumerate(contents.pairs[item.item_id].alternatives, start=1)
        cells |= {"votes": self.votes.get(item.item_id, ""), "reason": item.reason}
        cells["alternatives"] = " | ".join(f"{number}) {sentence}" for number, sentence in listed)
        return cells | facts.cells() if facts else cells


def export_selected(
    context: ReviewContext,
    items: Iterable[Assignment],
    reviewers: Sequence[str],
    requested: frozenset[str],
    *,
    of: str | None = None,
    votes: Mapping[str, str] | None = None,
) -> QueueExport:
    """Puts chosen pairs before chosen reviewers, in the queue of pairs named by the context.

    Nobody gets a pair twice. `requested` are columns that the sheets have on request. `of` is the queue whose conflicts
    this one settles, and `votes`, by pair, what its reviewers said.
    """
    folder = context.folder
    with folder.locked():
        info = folder.find_info() or QueueInfo(
            queue=context.queue, kind="pairs", source=context.source.id, language=context.language.code, of=of
        )
        contents = read_contents(folder, context.language, info)
        added = [item for item in items if (item.item_id, item.reviewer) not in contents.assignments]
        return SheetWriter(context, info, contents, requested, votes or {}).hand_out(
            added, (item.item_id for item in added), reviewers
        )


def plain_names(names: Iterable[str]) -> tuple[str, ...]:
    """The names of reviewers, each once. Raises ReviewError unless they are plain."""
    return tuple(plain_name("reviewer", name) for name in dict.fromkeys(names))


def write_instructions(folder: QueueFolder, language: Language, kind: QueueKind) -> Path:
    """Writes what the reviewers read beside their sheets, unless exactly that is already there."""
    words = language.words("review")
    lines = words(f"instructions.{kind}") + "\n"
    if kind == "pairs":
        spelled = "\n".join("- " + " / ".join(spellings) for spellings in decision_words(words).values())
        lines += f"\n{titles(language, kind)['decision']}:\n{spelled}\n"
    content = codecs.BOM_UTF8 + lines.replace("\n", "\r\n").encode()
    path = _instructions_path(folder, language)
    if not path.exists() or path.read_bytes() != content:
        with atomic(path, "wb") as handle:
            handle.write(content)
    return path


def _instructions_path(folder: QueueFolder, language: Language) -> Path:
    return folder.path / f"INSTRUCTIONS.{language.code}.txt"
