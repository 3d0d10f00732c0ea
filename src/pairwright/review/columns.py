"""The columns of a review queue: their titles in the reviewer's language, and a reviewer's sheet read by them."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import process

from pairwright.errors import ConfigError, ReviewError, at
from pairwright.languages import Language, load_language
from pairwright.review.spreadsheet import Row, Sheet, read_sheet
from pairwright.text import squeeze

# In the order in which a new sheet has them.
FIELDS = (
    "pair_id",
    "reviewer",
    "rule",
    "good",
    "bad",
    "differs",
    "alternatives",
    "source",
    "decision",
    "fixed_good",
    "fixed_bad",
    "comment",
)
# What only helps the reviewer's eye; a sheet without it is whole.
HELPS = frozenset({"rule", "differs", "alternatives", "source"})


def titles(language: Language) -> dict[str, str]:
    """The column titles of a new sheet by field, in order; those that the language lacks are English.

    Raises ConfigError where the language names an unknown column or gives two columns one title.
    """
    unknown = sorted(set(language.columns) - set(FIELDS))
    if unknown:
        raise ConfigError(f"language '{language.code}': unknown column '{unknown[0]}'; known: {', '.join(FIELDS)}")
    named = load_language("en").columns | language.columns
    found = {field: named[field] for field in FIELDS}
    if len({_key(title) for title in found.values()}) < len(found):
        raise ConfigError(f"language '{language.code}': two columns have the same title")
    return found


@dataclass(frozen=True)
class QueueSheet:
    """A reviewer's sheet; `columns` gives the place of each field that it has, `titles` their names for messages."""

    sheet: Sheet
    columns: Mapping[str, int]
    titles: Mapping[str, str]

    def cell(self, row: Row, field: str) -> str:
        """The text of a row's cell as it stands; empty where the row is too short or the sheet lacks the column."""
        index = self.columns.get(field, len(row.cells))
        return row.cells[index] if index < len(row.cells) else ""

    def fault(self, row: Row, field: str, message: str) -> str:
        """A fault of a row's cell with its place and its column."""
        return f"{self.sheet.at(row, self.columns[field])}: column '{self.titles[field]}': {message}"


def read_queue_sheet(path: Path, language: Language) -> QueueSheet:
    """Reads a reviewer's sheet. Titles may be in the language, in English or field names, in any order.

    Raises ReviewError where the file can't be read without loss, or lacks a column, or has one twice.
    """
    named = titles(language)
    english = load_language("en").columns
    fields = {_key(title): field for field in FIELDS for title in (field, english[field])}
    fields |= {_key(title): field for field, title in named.items()}
    sheet = read_sheet(path, lambda title: _key(title) in fields, language.legacy_encoding)
    columns: dict[str, int] = {}
    for index, title in enumerate(sheet.header.cells):
        field = fields.get(_key(title))
        if field in columns:
            raise ReviewError(f"{sheet.at(sheet.header, index)}: column '{title}' stands twice; rename or remove one")
        if field is not None:
            columns[field] = index
    missing = [field for field in FIELDS if field not in columns and field not in HELPS]
    if missing:
        raise ReviewError(_missing(sheet, named[missing[0]], fields, len(missing) - 1))
    return QueueSheet(sheet=sheet, columns=columns, titles=named)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text; white space and the Unicode form don't matter."""
    return cell == text or squeeze(cell) == squeeze(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding without its letters: `?` or the bare letter stands there."""
    shown, whole = squeeze(cell), squeeze(text)
    return len(shown) == len(whole) and all(
        have in (want, "?", "\ufffd", _bare(want)) for have, want in zip(shown, whole, strict=True)
    )


def excerpt(text: str, limit: int = 50) -> str:
    """A cell's text for a message: one line, short, no control characters."""
    line = "".join(char if char.isprintable() else "\ufffd" for char in squeeze(text))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0]


def _key(title: str) -> str:
    return squeeze(title.replace("_", " ")).casefold().rstrip(" :.")


def _missing(sheet: Sheet, title: str, fields: Mapping[str, str], more: int) -> str:
    unknown = [cell for cell in sheet.header.cells if cell.strip() and _key(cell) not in fields]
    near = process.extractOne(title, unknown, processor=_key, score_cutoff=75)
    hint = f"rename '{excerpt(near[0])}'" if near else "put it back into the header"
    others = f" (and {more} more columns)" if more else ""
    return f"{at(sheet.path, *sheet.place(sheet.header))}: column '{title}' is missing; {hint}{others}"
