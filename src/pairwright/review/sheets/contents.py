"""The contents of a review queue, against which sheets are read and written."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pairwright.core.errors import StoreError
from pairwright.core.records import QueueKind
from pairwright.languages import Language
from pairwright.languages.locale import load_words
from pairwright.review.log.log import FROM_VERSION_CONTROL, Entry, Key, key_of
from pairwright.review.log.queue import Assignment, Pair, QueueFolder, QueueInfo
from pairwright.review.sheets.columns import ANSWERS, IDS, state_of, titles
from pairwright.review.sheets.spreadsheet import Sheet, SheetRow, read_sheet, require, title_key
from pairwright.review.sheets.words import DecisionVocabulary

# Label Studio's CSV has this column, and those of the controls that somebody used.
_OF_LABEL_STUDIO = "annotation id"


@dataclass(frozen=True)
class QueueContents:
    """What a queue asks of whom: assignments by item and reviewer, and pairs by id."""

    folder: QueueFolder
    kind: QueueKind
    language: Language
    assignments: Mapping[Key, Assignment]
    pairs: Mapping[str, Pair]

    @cached_property
    def vocabulary(self) -> DecisionVocabulary:
        return DecisionVocabulary(self.language)

    @cached_property
    def titles(self) -> dict[str, str]:
        return titles(self.language, self.kind)

    @cached_property
    def reviewers(self) -> frozenset[str]:
        return frozenset(reviewer for _, reviewer in self.assignments)

    def shown(self, assignment: Assignment) -> tuple[str, ...]:
        """The sentences that the reviewer was shown, in the order of the columns."""
        if self.kind != "pairs":
            return assignment.texts
        pair = self.pairs[assignment.item_id]
        return pair.good, pair.bad

    def asked(self, answered: Collection[Key]) -> dict[Key, Assignment]:
        """What the queue asks now: without what was withdrawn and that nobody answered all the same."""
        return {key: item for key, item in self.assignments.items() if not item.withdrawn or key in answered}

    def history(self) -> dict[Key, list[Entry]]:
        """All entries of the log by item and reviewer, in order. Raises StoreError as `check_assigned` does."""
        history: dict[Key, list[Entry]] = defaultdict(list)
        for entry in self.folder.entries(self.kind):
            history[key_of(entry)].append(entry)
        self.check_assigned(history)
        return dict(history)

    def check_assigned(self, answered: Collection[Key]) -> None:
        """Raises StoreError unless every item that a log answers was given to the reviewer."""
        missing = [f"{key[0]} of {key[1]}" for key in answered if key not in self.assignments]
        _refuse_missing(self.folder.path / "assignments.jsonl", missing)

    def item_id(self, row: SheetRow) -> str:
        """The item of a row, as it stands there."""
        return row.cell(IDS[self.kind]).strip()

    def state(self, row: SheetRow) -> str:
        """A digest of what a reviewer wrote into a row, white space aside; empty for an empty answer."""
        return state_of([row.cell(field) for field in ANSWERS[self.kind]])

    def is_touched(self, row: SheetRow) -> bool:
        """Whether a reviewer wrote into a row: an answer, or something into a column that is not the queue's."""
        own = set(row.columns.values())
        return bool(self.state(row)) or any(cell.strip() for at, cell in enumerate(row.cells) if at not in own)

    def read_sheet(self, path: Path) -> Sheet:
        """Reads a sheet of this queue. Titles may be in its language, in English or field names, in any order.

        Raises ReviewError if the file can't be read, has a column twice, or lacks the ids or what the reviewer writes.
        """
        title_of, english = self.titles, load_words("review").group("columns")
        field_of = {title_key(title): field for field in title_of for title in (field, english[field])}
        field_of |= {title_key(title): field for field, title in title_of.items()}
        sheet = read_sheet(path, field_of, self.language.legacy_encoding)
        is_of_label_studio = _OF_LABEL_STUDIO in map(title_key, sheet.header.cells)
        written = ANSWERS[self.kind][: 1 if is_of_label_studio else None]
        require(sheet, {field: title_of[field] for field in (IDS[self.kind], *written)})
        return sheet


def _refuse_missing(path: Path, missing: Sequence[str]) -> None:
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise StoreError(f"{path}: lacks {missing[0]}{others}; {FROM_VERSION_CONTROL}")


def read_contents(folder: QueueFolder, language: Language, info: QueueInfo | None = None) -> QueueContents:
    """Reads a queue's contents; `info` describes one that is being made.

    Raises ReviewError if there is no queue, StoreError if its files lack pairs, assignments or whole lines.
    """
    kind = (info or folder.info()).kind
    assignments = {(item.item_id, item.reviewer): item for item in folder.assignments()}
    if not assignments and folder.find_info() is not None and (sheets := folder.received(())):
        path = folder.path / "assignments.jsonl"
        raise StoreError(f"{path}: nothing is assigned, though there is {sheets[0].name}; {FROM_VERSION_CONTROL}")
    pairs, asked = folder.pair_texts(), dict.fromkeys(item.pair_id for item in assignments.values())
    _refuse_missing(folder.path / "pairs.jsonl", [pair_id for pair_id in asked if pair_id and pair_id not in pairs])
    return QueueContents(folder, kind, language, assignments, pairs)
