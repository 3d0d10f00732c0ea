"""The columns of a review queue: their titles in the reviewer's language, and a reviewer's sheet read by them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process

from pairwright.errors import ConfigError, ReviewError
from pairwright.languages import Language, load_language
from pairwright.records import QueueKind
from pairwright.review.sheets.spreadsheet import Row, Sheet, read_sheet
from pairwright.review.sheets.typography import squeeze_cell

# In the order in which a new sheet has them.
COLUMNS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": (
        "pair_id",
        "reviewer",
        "rule",
        "good",
        "bad",
        "differs",
        "alternatives",
        "examples",
        "source",
        "findings",
        "voices",
        "reason",
        "decision",
        "fixed_good",
        "fixed_bad",
        "comment",
    ),
    "choice": ("item_id", "reviewer", "sentence_a", "sentence_b", "choice", "comment"),
    "likert": ("item_id", "reviewer", "sentence", "rating", "comment"),
}
# What the reviewer writes; the first of them is the answer itself.
ANSWERS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("decision", "fixed_good", "fixed_bad", "comment"),
    "choice": ("choice", "comment"),
    "likert": ("rating", "comment"),
}
# The sentences that the reviewer is shown, by which a row is known that lost its id.
SHOWN: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("good", "bad"),
    "choice": ("sentence_a", "sentence_b"),
    "likert": ("sentence",),
}
IDS: Mapping[QueueKind, str] = {"pairs": "pair_id", "choice": "item_id", "likert": "item_id"}
# Columns that a sheet has only where they were asked for.
ON_REQUEST = frozenset({"findings", "voices", "reason"})
_ALL = tuple(dict.fromkeys(field for fields in COLUMNS.values() for field in fields))


def titles(language: Language, kind: QueueKind) -> dict[str, str]:
    """The column titles of a queue by field, in order; those that the language lacks are English.

    Raises ConfigError where the language names an unknown column or gives two columns one title.
    """
    unknown = sorted(set(language.columns) - set(_ALL))
    if unknown:
        raise ConfigError(f"language '{language.code}': unknown column '{unknown[0]}'; known: {', '.join(_ALL)}")
    named = load_language("en").columns | language.columns
    found = {field: named[field] for field in COLUMNS[kind]}
    if len({_key(title) for title in found.values()}) < len(found):
        raise ConfigError(f"language '{language.code}': two columns have the same title")
    return found


@dataclass(frozen=True)
class QueueSheet:
    """A reviewer's sheet; `columns` gives the place of each field that it has, `titles` their names for messages."""

    sheet: Sheet
    kind: QueueKind
    columns: Mapping[str, int]
    titles: Mapping[str, str]

    def cell(self, row: Row, field: str) -> str:
        """The text of a row's cell as it stands; empty where the row is too short or the sheet lacks the column."""
        index = self.columns.get(field, len(row.cells))
        return row.cells[index] if index < len(row.cells) else ""

    def item_id(self, row: Row) -> str:
        return self.cell(row, IDS[self.kind]).strip()

    def answer(self, row: Row) -> tuple[str, ...]:
        """What the reviewer wrote into a row, white space aside."""
        return tuple(squeeze_cell(self.cell(row, field)) for field in ANSWERS[self.kind])

    def fault(self, row: Row, field: str, message: str) -> str:
        """A fault of a row's cell with its place and its column; of the row where the sheet lacks the column."""
        return f"{self.sheet.at(row, self.columns.get(field))}: column '{self.titles[field]}': {message}"

    def extra(self, row: Row) -> dict[int, str]:
        """What stands in columns that are not the queue's, by place; those to the right of the last title too."""
        known = set(self.columns.values())
        return {index: cell for index, cell in enumerate(row.cells) if index not in known and cell.strip()}


def read_queue_sheet(path: Path, language: Language, kind: QueueKind, expected: Sequence[str] = ()) -> QueueSheet:
    """Reads a reviewer's sheet. Titles may be in the language, in English or field names, in any order.

    `expected` are sentences that the sheet should hold. Raises ReviewError where the file can't be read, has a column
    twice, or lacks one that the reviewer writes or both what tells its rows apart.
    """
    named = titles(language, kind)
    english = load_language("en").columns
    fields = {_key(title): field for field in COLUMNS[kind] for title in (field, english[field])}
    fields |= {_key(title): field for field, title in named.items()}
    expected = (*expected, *(title for title in named.values() if not title.isascii()))
    sheet = read_sheet(path, lambda title: _key(title) in fields, language.legacy_encoding, expected)
    columns: dict[str, int] = {}
    for index, title in enumerate(sheet.header.cells):
        field = fields.get(_key(title))
        if field in columns:
            raise ReviewError(f"{sheet.at(sheet.header, index)}: column '{title}' stands twice; rename or remove one")
        if field is not None:
            columns[field] = index
    placed = IDS[kind] in columns or set(SHOWN[kind]) <= set(columns)
    missing = [field for field in (() if placed else (IDS[kind],)) + ANSWERS[kind] if field not in columns]
    if missing:
        raise ReviewError(_missing(sheet, named[missing[0]], fields, len(missing) - 1))
    return QueueSheet(sheet=sheet, kind=kind, columns=columns, titles=named)


def excerpt(text: str, limit: int = 50) -> str:
    """A cell's text for a message: one line, short, no control characters."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in squeeze_cell(text))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _key(title: str) -> str:
    return squeeze_cell(title.replace("_", " ")).casefold().rstrip(" :.")


def _missing(sheet: Sheet, title: str, fields: Mapping[str, str], more: int) -> str:
    unknown = [cell for cell in sheet.header.cells if cell.strip() and _key(cell) not in fields]
    near = process.extractOne(title, unknown, processor=_key, score_cutoff=75)
    hint = f"rename '{excerpt(near[0])}'" if near else "put it back into the header"
    others = f" (and {more} more columns)" if more else ""
    return f"{sheet.at(sheet.header)}: column '{title}' is missing; {hint}{others}"
