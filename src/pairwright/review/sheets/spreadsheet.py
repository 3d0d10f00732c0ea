"""Sheets as spreadsheet programs of any locale save them, what their cells mean, and how they are written.

A cell that a spreadsheet program would take for a formula is written with a leading apostrophe. Writing adds one
apostrophe to such a cell and reading removes one, so that every text survives, even one that begins with an apostrophe.
"""

import codecs
import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from pairwright.core.errors import ReviewError, at, nearest, one_line
from pairwright.core.files import bounded, read_file, refuse_long
from pairwright.core.records import DecisionWord
from pairwright.core.store import atomic
from pairwright.core.tables import WORKBOOKS, packed_rows, table_text
from pairwright.core.text import marked_encoding, squeeze, unescape_csv_formula
from pairwright.languages import Language
from pairwright.languages.locale import decision_words, load_words

DECISIONS: tuple[DecisionWord, ...] = ("approve", "fix", "reject", "unsure")
_EDGES = " .!,;:'\"()…"
_NUMBER = re.compile(r"0*(\d{1,2})(?:[.,]0+)?")
_LETTERS = str.maketrans("АВ12", "ABAB")  # the first two are Cyrillic
# Signs that programs put in place of a typewriter's.
_SIGNS = {'"': "„“”‟«»″‶＂", "'": "‘’‚‛‹›ʼʻ´`′", "-": "–—‐‑‒―−", "...": "…"}
_TYPED = str.maketrans({sign: typed for typed, signs in _SIGNS.items() for sign in signs})
# Invisible characters that programs insert: soft hyphens, zero-width spaces, joiners, direction and byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
REMEDY = "save it again as 'CSV UTF-8'"
_SEPARATORS = (";", ",", "\t")
# An item's id at the start of a line inside a cell: a quotation mark was left open, and the cell swallowed rows.
_SWALLOWED = re.compile(r'[\r\n](?:[^\r\n]*[;,\t])?"{0,2}(?:pair|item)-[0-9a-f]{16}\b')


class Doubt(Exception):
    """Why a row is not taken over, and what to do. `field` is the column that it is about, if it is about one."""

    def __init__(self, field: str | None, message: str) -> None:
        super().__init__(message)
        self.field = field


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and invisible characters."""
    return squeeze(_INVISIBLE.sub("", text) if not text.isascii() else text)


def excerpt(text: str) -> str:
    """A cell's text for a message: one short line without control characters."""
    return one_line(squeeze_cell(text), 50)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text, apart from white space, Unicode form and typography."""
    return cell == text or _plain(cell) == _plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding that lacks its letters, with `?` or the bare letter instead."""
    shown, whole = _plain(cell), _plain(text)
    return len(shown) == len(whole) and all(
        char in (letter, "?", _bare(letter)) for char, letter in zip(shown, whole, strict=True)
    )


def as_typed(text: str, original: str) -> str:
    """A correction without the typography that a program added while it was typed.

    For each class of signs (double quotes, single quotes, dashes, dots): if the original has only the typewriter sign,
    so does the result. Otherwise the two sentences of the corrected pair would differ in typography by accident.
    """
    fixed = squeeze_cell(text)
    for typed, signs in _SIGNS.items():
        if typed in original and not any(sign in original for sign in signs):
            fixed = fixed.translate({ord(sign): typed for sign in signs})
    return fixed


def _plain(text: str) -> str:
    """A text with typewriter quotation marks, dashes and dots."""
    return squeeze_cell(text).translate(_TYPED)


def _bare(text: str) -> str:
    """A text without the diacritics of its letters."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


class DecisionVocabulary:
    """A language's words for decisions. English words are understood too, unless they mean something else there."""

    def __init__(self, language: Language) -> None:
        english, own = (decision_words(words) for words in (load_words("review"), language.words("review")))
        self.best: dict[DecisionWord, str] = {decision: own[decision][0] for decision in DECISIONS}
        # English letters alone would make other abbreviations ambiguous.
        whole = {word: decision for decision in DECISIONS for word in english[decision] if len(word) > 1}
        self.meaning: dict[str, DecisionWord] = {word: word for word in DECISIONS} | whole
        self.meaning |= {_word_key(word): decision for decision in DECISIONS for word in own[decision]}

    def read(self, cell: str) -> DecisionWord | None:
        """The decision that a cell names; None for an empty one. Words may be cut short and lack their diacritics.

        Raises Doubt if the word is unknown, or the beginning of words that differ in meaning.
        """
        word, shown = _word_key(cell), excerpt(cell)
        if not word or word in self.meaning:
            return self.meaning.get(word)
        meant = {key: decision for key, decision in self.meaning.items() if _bare(key).startswith(_bare(word))}
        if len(set(meant.values())) > 1:
            raise Doubt("decision", f"decision '{shown}' may mean {' or '.join(meant)}; write more of the word")
        if not meant:
            choices = ", ".join(self.best.values())
            near = nearest(word[:50], self.meaning)
            raise Doubt("decision", f"unknown decision '{shown}'; write one of: {choices}{near}")
        return next(iter(meant.values()))


def read_choice(cell: str) -> int | None:
    """The index, 0 or 1, of the sentence that a cell names by A or B, 1 or 2; None if it names none."""
    word = str(read_number(cell) or _plain(cell)).strip(_EDGES).upper().translate(_LETTERS)
    return {"A": 0, "B": 1}.get(word)


def read_rating(cell: str) -> int | None:
    """The rating in a cell, 1 to 7, even as `5,0`; None if there is none."""
    number = read_number(cell)
    return number if number in range(1, 8) else None


def read_number(cell: str) -> int | None:
    """The number of one or two digits that stands alone in a cell, even as `5,0` or `5)`."""
    match = _NUMBER.fullmatch(_plain(cell).strip(_EDGES))
    return int(match[1]) if match else None


def _word_key(cell: str) -> str:
    word = _plain(cell).casefold()
    return word.strip(_EDGES) or word


class SheetRow(NamedTuple):
    """A row of a file: its number in a spreadsheet program, from 1, its cells, without the apostrophes of formulas, and
    the index of each field.
    """

    path: Path
    number: int
    cells: tuple[str, ...]
    columns: Mapping[str, int]

    def at(self, field: str | None = None) -> str:
        """The place of the row, or of one of its cells, as `file:row:column`, with the column in letters."""
        index = self.columns.get(field or "")
        return at(self.path, self.number) + (f":{_letters(index)}" if index is not None else "")

    def cell(self, field: str) -> str:
        """The text of a cell as it stands; empty if the row is too short or the sheet lacks the column."""
        index = self.columns.get(field, len(self.cells))
        return self.cells[index] if index < len(self.cells) else ""


@dataclass(frozen=True)
class Sheet:
    """A table without its blank rows, the first of which has the titles.

    sha256    the digest of the file that it was read from
    encoding  of the file, or `workbook` if it is no text file
    """

    sha256: str
    encoding: str
    header: SheetRow
    rows: tuple[SheetRow, ...]


def _letters(index: int) -> str:
    """The name of a column in spreadsheet programs: A for index 0, …, Z, AA."""
    before, digit = divmod(index, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + digit)


def title_key(title: str) -> str:
    """A column's title for comparison."""
    return squeeze_cell(title.replace("_", " ")).casefold().rstrip(" :.")


def read_sheet(path: Path, field_of: Mapping[str, str], legacy_encoding: str) -> Sheet:
    """Reads a CSV file with `;`, `,` or tab and any line ends, in Unicode or an encoding of spreadsheet programs, or an
    xlsx, ods or xls workbook.

    `field_of` has the fields by the keys of their titles; the separator and the sheet of a workbook are those whose
    first row shows most of them. Raises ReviewError if the file can't be read as a whole, or if its first row has no
    title or one twice.
    """
    data, columns = read_file(path, error=ReviewError), dict[str, int]()
    if data.startswith(WORKBOOKS):
        packed = groupby(packed_rows(path, data, ReviewError), key=attrgetter("table"))
        tables = [[SheetRow(path, row.number, tuple(row.cells), columns) for row in rows] for _, rows in packed]
        encoding, rows = "workbook", max(tables, key=lambda table: _n_titles(table, field_of), default=[])
    else:
        encoding, text = _decode(path, data, legacy_encoding)
        separator = max(_SEPARATORS, key=lambda sign: _n_titles(_csv_rows(path, text, sign, columns), field_of))
        rows = list(bounded(_csv_rows(path, text, separator, columns), path, len(data), ReviewError))
    filled = [row._replace(cells=tuple(map(unescape_csv_formula, row.cells))) for row in rows if _is_filled(row)]
    if not filled:
        raise ReviewError(f"{path}:1: the file is empty; {REMEDY}")
    header, *below = filled
    for index, title in enumerate(header.cells):
        if (field := field_of.get(title_key(title))) and columns.setdefault(field, index) != index:
            raise ReviewError(f"{header.at()}:{_letters(index)}: column '{title}' stands twice; rename or remove one")
    if not columns:
        such = f"no row of column titles such as '{next(iter(field_of))}'"
        raise ReviewError(f"{header.at()}: {such}; put it back, or {REMEDY}")
    return Sheet(file_digest(data), encoding, header, tuple(below))


def require(sheet: Sheet, titles: Mapping[str, str]) -> None:
    """Raises ReviewError, with a title that may be meant, unless a sheet has all fields with these titles."""
    missing = [title for field, title in titles.items() if field not in sheet.header.columns]
    if missing:
        known = sheet.header.columns.values()
        others = [title for index, title in enumerate(sheet.header.cells) if index not in known]
        near = get_close_matches(missing[0], others, 1)
        remedy = f"rename '{excerpt(near[0])}'" if near else "put it back into the header"
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise ReviewError(f"{sheet.header.at()}: column '{missing[0]}' is missing{more}; {remedy}")


def read_table(path: Path, columns: Sequence[str], legacy_encoding: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The place of each row and its cells in these columns. Raises ReviewError if the table lacks one or is damaged."""
    sheet = read_sheet(path, {title_key(name): name for name in columns}, legacy_encoding)
    require(sheet, {name: name for name in columns})
    for row in sheet.rows:
        yield row.at(), {name: squeeze_cell(row.cell(name)) for name in columns}


def _is_filled(row: SheetRow) -> bool:
    return any(map(str.strip, row.cells))


def _n_titles(rows: Iterable[SheetRow], field_of: Mapping[str, str]) -> int:
    """How many titles the first row shows that has anything in it."""
    with suppress(ReviewError):
        first = next((row.cells for row in rows if _is_filled(row)), ())
        return sum(title_key(cell) in field_of for cell in first)
    return 0


def _csv_rows(path: Path, text: str, separator: str, columns: Mapping[str, int]) -> Iterator[SheetRow]:
    """The rows of a text. Raises ReviewError for a quotation mark that is not closed; no spreadsheet leaves one."""

    def lines() -> Iterator[str]:
        for number, line in enumerate(io.StringIO(text, newline=""), start=1):
            refuse_long(line, path, number, ReviewError)
            yield line

    number = 1
    try:
        for cells in csv.reader(lines(), delimiter=separator, strict=True):
            if any(map(_SWALLOWED.search, cells)):
                raise csv.Error
            yield SheetRow(path, number, tuple(cells), columns)
            number += 1
    except csv.Error:
        wrong = "a quotation mark is not closed, or is inside a cell without being doubled"
        raise ReviewError(f"{at(path, number)}: {wrong}; correct it, or {REMEDY}") from None


def _decode(path: Path, data: bytes, legacy_encoding: str) -> tuple[str, str]:
    """A file's encoding and text: in that of its byte order mark, else in UTF-8, a language's old one or Western."""
    marked = marked_encoding(data)
    if marked is None and b"\0" in data:
        raise ReviewError(f"{path}: not a text file; {REMEDY}")
    for encoding in [marked] if marked else ("utf-8", legacy_encoding, "cp1252"):
        with suppress(UnicodeDecodeError):
            return encoding, data.decode(encoding)
    raise ReviewError(f"{path}: some bytes are no text in any encoding; {REMEDY}")


class SavedMeanwhile(ReviewError):
    """Another program saved a sheet after it was read, so nothing was written."""


def write_sheet(path: Path, rows: Iterable[Sequence[str]], separator: str, sha256: str | None = None) -> None:
    """Writes UTF-8 with a byte order mark and CRLF, as `replace_sheet`."""
    replace_sheet(path, codecs.BOM_UTF8 + table_text(rows, separator, "\r\n").encode(), sha256)


def replace_sheet(path: Path, content: bytes, sha256: str | None) -> None:
    """Puts a content in the place of the one with a digest, or of none; whole or not at all.

    The old sheet gets another name before the new one takes its own, and neither step overwrites a file. So what
    another program saves at any moment is kept: as the sheet itself, or as `<reviewer>-2.csv`. Raises ReviewError if
    the sheet is no longer the one that was read, another program has it open, or the folder can't be written.
    """
    staged, before = path.with_name(f".{path.name}.staged.tmp"), second_sheet(path)
    try:
        with atomic(staged, "wb") as handle:
            handle.write(content)
        if sha256 is not None:
            if file_digest(path.read_bytes()) != sha256:
                raise FileExistsError
            path.rename(before)
        _put(staged, path)
    except (FileExistsError, FileNotFoundError):
        raise SavedMeanwhile(f"{path}: another program saved it meanwhile; run the command again") from None
    except PermissionError:
        raise ReviewError(f"{path}: can't be written; close it in the spreadsheet program and try again") from None
    except OSError as fault:
        raise ReviewError(f"{path}: can't be written: {fault.strerror}; make room and try again") from None
    finally:
        staged.unlink(missing_ok=True)
        if sha256 is not None and before.exists():
            if not path.exists():
                before.rename(path)
            elif file_digest(before.read_bytes()) == sha256:
                before.unlink()


def second_sheet(path: Path) -> Path:
    """A name beside a sheet that is free: `ana-2.csv`. An import reads it like any file in the folder."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in range(2, 1000))
    return next(name for name in names if not name.exists())


def file_digest(content: bytes) -> str:
    """The SHA-256 of a sheet's bytes, by which a change is noticed."""
    return hashlib.sha256(content).hexdigest()


def _put(source: Path, target: Path) -> None:
    """Gives a file another name that must be free; raises FileExistsError if it is not."""
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        # The file system has no hard links. Between the question and the renaming lie microseconds.
        if target.exists():
            raise FileExistsError(target) from None
        source.rename(target)
