"""What reviewers were given, written into their sheets: rows that they lack, and the instructions beside them."""

import codecs
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pairwright.errors import ReviewError
from pairwright.languages import Language, load_language
from pairwright.records import Candidate, QueueKind, Record
from pairwright.review.log.folder import Assignment, Entry, PairText, QueueFolder, QueueInfo
from pairwright.review.sheets.answers import Key, QueueContents
from pairwright.review.sheets.columns import QueueSheet, read_queue_sheet, titles
from pairwright.review.sheets.files import (
    Seen,
    add_seen,
    answer_cells,
    cells_state,
    expected_sentences,
    fault_of,
    rewrite,
)
from pairwright.review.sheets.importing import latest_entries
from pairwright.review.sheets.rows import RowMaker
from pairwright.review.sheets.vocabulary import DecisionVocabulary
from pairwright.store import atomic


class SheetExport(Record):
    """What became of a reviewer's sheet: rows appended, and rows that stood in it and were left as they are."""

    reviewer: str
    path: Path
    n_new: int
    n_kept: int


@dataclass(frozen=True)
class HandingOut:
    """A queue whose folder is locked. `assignments` are all that there will be, `pairs` all pairs, by id."""

    folder: QueueFolder
    info: QueueInfo
    assignments: Sequence[Assignment]
    pairs: Mapping[str, PairText]
    maker: RowMaker
    language: Language
    separator: str

    def hand_out(
        self, added: Iterable[Assignment], new: Iterable[Candidate], reviewers: Sequence[str], requested: frozenset[str]
    ) -> tuple[SheetExport, ...]:
        """Logs what is given for the first time, and writes the rows that the reviewers' sheets lack.

        `requested` are columns that not every queue has. Raises ReviewError, and writes nothing, where a sheet is
        damaged.
        """
        by_key = {(item.item_id, item.reviewer): item for item in self.assignments}
        contents = QueueContents(self.info.kind, by_key, self.pairs, DecisionVocabulary(self.language))
        sheets = self._sheets(contents, reviewers)
        if self.folder.info() is None:
            self.folder.write_info(self.info)
        self.folder.add_pairs(new)
        given = list(added)
        if given:
            self.folder.assign(given)
        entries = latest_entries(self.folder.entries(self.info.kind))
        return tuple(
            self._write(contents, reviewer, sheets.get(reviewer), entries, requested) for reviewer in reviewers
        )

    def _sheets(self, contents: QueueContents, reviewers: Sequence[str]) -> dict[str, QueueSheet]:
        expected = expected_sentences(contents)
        found = {}
        for reviewer in sorted({*reviewers, *contents.reviewers}):
            path = self.folder.sheet(reviewer)
            if path.exists():
                sheet = read_queue_sheet(path, self.language, contents.kind, expected)
                fault = fault_of(sheet, contents)
                if fault:
                    raise ReviewError(fault)
                found[reviewer] = sheet
        return found

    def _write(
        self,
        contents: QueueContents,
        reviewer: str,
        known: QueueSheet | None,
        entries: Mapping[Key, Entry],
        requested: frozenset[str],
    ) -> SheetExport:
        """Adds the rows that a sheet lacks; answers that the log has already stand in them."""
        path = self.folder.sheet(reviewer)
        there = {known.item_id(row) for row in known.sheet.rows} if known else set()
        rows, seen = [], []
        for item in contents.assignments.values():
            if item.reviewer != reviewer or item.item_id in there:
                continue
            entry = entries.get((item.item_id, reviewer))
            cells = answer_cells(entry, contents.kind, contents.words, item.side or "good")
            rows.append(self.maker.row(contents, item) | cells)
            if entry is not None:
                state = cells_state(cells, contents.kind)
                seen.append(Seen(item_id=item.item_id, reviewer=reviewer, state=state))
        if rows:
            kept = [row.cells for row in known.sheet.rows] if known else []
            rewrite(path, known, kept, rows, self.language, contents.kind, self.separator, requested)
        if seen:
            add_seen(self.folder, seen)
        return SheetExport(reviewer=reviewer, path=path, n_new=len(rows), n_kept=len(known.sheet.rows) if known else 0)


def write_instructions(folder: QueueFolder, language: Language, kind: QueueKind) -> Path:
    """Writes what the reviewers read beside their sheets, where it is not there letter by letter already."""
    english = load_language("en")
    field = {"pairs": "instructions", "choice": "choice_instructions", "likert": "likert_instructions"}[kind]
    text = (getattr(language, field) or getattr(english, field)).strip()
    lines = f"{text}\n"
    if kind == "pairs":
        words = "\n".join("- " + " / ".join(spellings) for _, spellings in language.decisions)
        lines += f"\n{titles(language, kind)['decision']}:\n{words}\n"
    content = codecs.BOM_UTF8 + lines.replace("\n", "\r\n").encode()
    path = folder.path / f"INSTRUCTIONS.{language.code}.txt"
    if not path.exists() or path.read_bytes() != content:
        with atomic(path, "wb") as handle:
            handle.write(content)
    return path
