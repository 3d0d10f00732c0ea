"""The columns of a review queue by their titles in the reviewer's language, and a sheet read by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process

from pairwright.core.errors import ConfigError, ReviewError
from pairwright.core.ids import digest
from pairwright.core.records import QueueKind
from pairwright.languages import Language
from pairwright.languages.locale import load_words
from pairwright.review.sheets.spreadsheet import Sheet, SheetRow, read_sheet, title_key
from pairwright.review.sheets.words import excerpt, squeeze_cell

# What the reviewer writes. The first of them is the answer itself.
ANSWERS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("decision", "fixed_good", "fixed_bad", "comment"),
    "choice": ("choice", "comment"),
    "likert": ("rating", "comment"),
}
# The sentences that the reviewer is shown. They identify a row that lost its id.
SHOWN: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("good", "bad"),
    "choice": ("sentence_a", "sentence_b"),
    "likert": ("sentence",),
}
IDS: Mapping[QueueKind, str] = {"pairs": "pair_id", "choice": "item_id", "likert": "item_id"}
# A digest of the answer with which a row was written, by which what was written into it since is noticed.
EXPORTED = "exported"
# Label Studio's CSV has this column, and those of the controls that somebody used.
_OF_LABEL_STUDIO = "annotation id"
_HELP = ("alternatives", "translation", "differs", "basis", "examples", "source", "findings", "votes", "reason")
# Columns that a sheet has only where one of its rows has something there.
WHERE_GIVEN = ("translation", "basis", "findings", "votes", "reason")
# All fields, in the order that a new sheet has them.
COLUMNS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("pair_id", "reviewer", "rule", *SHOWN["pairs"], *ANSWERS["pairs"], *_HELP, EXPORTED),
    "choice": ("item_id", "reviewer", *SHOWN["choice"], *ANSWERS["choice"], EXPORTED),
    "likert": ("item_id", "reviewer", *SHOWN["likert"], *ANSWERS["likert"], EXPORTED),
}


def titles(language: Language, kind: QueueKind) -> dict[str, str]:
    """The titles by field, in order, else English. Raises ConfigError for two equal titles."""
    titles_of_all = language.words("review").group("columns")
    title_of = {field: titles_of_all[field] for field in COLUMNS[kind]}
    if len({title_key(title) for title in title_of.values()}) < len(title_of):
        raise ConfigError(f"language '{language.code}': two columns have the same title")
    return title_of


@dataclass(frozen=True, kw_only=True)
class QueueSheet(Sheet):
    """A reviewer's sheet. `titles` has the names of all fields."""

    kind: QueueKind
    titles: Mapping[str, str]

    def item_id(self, row: SheetRow) -> str:
        return self.cell(row, IDS[self.kind]).strip()

    def answer(self, row: SheetRow) -> tuple[str, ...]:
        """What the reviewer wrote into a row, white space aside."""
        return tuple(squeeze_cell(self.cell(row, field)) for field in ANSWERS[self.kind])

    def state(self, row: SheetRow) -> str:
        """The state of a row: a digest of its answer."""
        return state_of(self.answer(row))

    def exported(self, row: SheetRow) -> str:
        """The state in which a row was written."""
        return self.cell(row, EXPORTED).strip()

    def is_touched(self, row: SheetRow) -> bool:
        """Whether a reviewer wrote into a row: an answer, or something into a column that is not the queue's."""
        own = set(self.columns.values())
        return bool(self.state(row)) or any(cell.strip() for at, cell in enumerate(row.cells) if at not in own)

    def doubt(self, row: SheetRow, field: str | None, message: str) -> str:
        """A doubt about a row, or about one of its cells: its place and the message."""
        if field is None:
            return f"{self.at(row)}: {message}"
        return f"{self.at(row, self.columns.get(field))}: column '{self.titles[field]}': {message}"

    def written(self, row: SheetRow) -> dict[str, str]:
        """What stands in a row, by title or the number of the column, from 1; the digest of the export aside."""
        own, header = self.columns.get(EXPORTED), dict(enumerate(self.header.cells))
        cells = ((index, cell) for index, cell in enumerate(row.cells) if index != own and cell.strip())
        return {header.get(index, "").strip() or f"column {index + 1}": cell for index, cell in cells}


def read_queue_sheet(path: Path, language: Language, kind: QueueKind, expected: Sequence[str] = ()) -> QueueSheet:
    """Reads a reviewer's sheet. Titles may be in the language, in English or field names, in any order.

    `expected` are sentences that the sheet should hold. Raises ReviewError if the file can't be read, has a column
    twice, or lacks a column that the reviewer writes, or both the ids and the sentences that identify its rows.
    """
    title_of = titles(language, kind)
    english = load_words("review").group("columns")
    field_of = {title_key(title): field for field in COLUMNS[kind] for title in (field, english[field])}
    field_of |= {title_key(title): field for field, title in title_of.items()}
    expected = (*expected, *(title for title in title_of.values() if not title.isascii()))
    sheet = read_sheet(path, field_of, language.legacy_encoding, expected)
    is_identified = IDS[kind] in sheet.columns or set(SHOWN[kind]) <= set(sheet.columns)
    required = ANSWERS[kind] if is_identified else (IDS[kind], *ANSWERS[kind])
    if _OF_LABEL_STUDIO in map(title_key, sheet.header.cells):
        required = required[: -len(ANSWERS[kind]) + 1]
    missing = [title_of[field] for field in required if field not in sheet.columns]
    if missing:
        untitled = [cell for cell in sheet.header.cells if cell.strip() and title_key(cell) not in field_of]
        near = process.extractOne(missing[0], untitled, processor=title_key, score_cutoff=75)
        remedy = f"rename '{excerpt(near[0])}'" if near else "put it back into the header"
        others = f" (and {len(missing) - 1} more columns)" if len(missing) > 1 else ""
        raise ReviewError(f"{sheet.at(sheet.header)}: column '{missing[0]}' is missing; {remedy}{others}")
    return QueueSheet(**vars(sheet), kind=kind, titles=title_of)


def state_of(answer: Sequence[str]) -> str:
    """A digest of an answer's cells, white space aside; empty for an empty answer."""
    return digest(answer)[:16] if any(answer) else ""
