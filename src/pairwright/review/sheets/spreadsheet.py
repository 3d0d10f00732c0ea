"""Annotation spreadsheets: reads what spreadsheet programs of any locale save, and keeps every text intact.

Where the bytes of a file leave its encoding open, the expected sentences decide. A cell that a spreadsheet program
would take for a formula is written with a leading apostrophe. Writing adds one apostrophe to such a cell and reading
removes one, so that every text survives, even one that begins with an apostrophe.

A damaged row does not stop the others from being read: it is marked, and its cells are given as far as they are clear.
"""

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from pairwright.core.errors import ReviewError, at
from pairwright.core.files import bounded, read_file, refuse_long
from pairwright.core.packed import WORKBOOKS, packed_rows
from pairwright.core.store import atomic
from pairwright.core.tables import table_text
from pairwright.core.text import marked_encoding, squeeze, unescape_csv_formula
from pairwright.review.sheets.label_studio import annotation_rows

REMEDY = "save it again as 'CSV UTF-8'"
SEPARATORS = (";", ",", "\t")
# Somebody may have written a few lines above the titles.
HEADER_WITHIN = 10

_LINE = re.compile(r"[^\r\n]++")
_QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
_PLAIN = {separator: re.compile(rf"[^{separator}\r\n]*+") for separator in SEPARATORS}
# An item's id at the start of a line inside a cell: a quotation mark was left open, and the cell swallowed rows.
_SWALLOWED = re.compile(r'[\r\n](?:[^\r\n]*[;,\t])?"{0,2}(?:pair|item)-[0-9a-f]{16}\b')
# What European spreadsheet programs save when they don't save Unicode.
_OTHERS = ("cp1257", "cp1250", "cp1252", "cp1254", "cp1251", "iso8859-4", "iso8859-13", "mac-latin2", "mac-roman")
# Signs that programs put in place of a typewriter's.
_SIGNS = {'"': "„“”‟«»″‶＂", "'": "‘’‚‛‹›ʼʻ´`′", "-": "–—‐‑‒―−", "...": "…"}
_TYPED = str.maketrans({sign: typed for typed, signs in _SIGNS.items() for sign in signs})
# Invisible characters that programs insert: soft hyphens, zero-width spaces, joiners, direction and byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row's cells, without the apostrophes of formulas, and its number. `damaged`: a quotation mark is not closed."""

    cells: tuple[str, ...]
    number: int
    damaged: bool = False

    @property
    def blank(self) -> bool:
        return not any(cell.strip() for cell in self.cells)


@dataclass(frozen=True)
class Sheet:
    """A table without its blank rows.

    sha256    the digest of the file that it was read from
    encoding  the encoding of the file, or `workbook` if it is no text file
    damaged   whether some bytes are no text in any encoding; U+FFFD stands for each of them
    above     the rows above the titles
    """

    path: Path
    sha256: str
    encoding: str
    separator: str
    damaged: bool
    header: SheetRow
    rows: tuple[SheetRow, ...]
    above: tuple[SheetRow, ...] = ()

    def at(self, row: SheetRow, index: int | None = None) -> str:
        """The place of a row, or of one of its cells, as `file:row:column`, with the column in letters."""
        place = at(self.path, row.number)
        return place if index is None else f"{place}:{column_letters(index)}"


def column_letters(index: int) -> str:
    """The name of a column in spreadsheet programs: A for index 0, …, Z, AA."""
    before, digit = divmod(index, 26)
    return (column_letters(before - 1) if before else "") + chr(ord("A") + digit)


def read_sheet(
    path: Path,
    is_title: Callable[[str], bool],
    legacy_encoding: str,
    expected: Sequence[str] = (),
    titles: str = "of a review queue",
) -> Sheet:
    """Reads a CSV file in any common encoding, with `;`, `,` or tab and any line ends, or an xlsx, ods or xls workbook,
    or what Label Studio exported as JSON.

    `is_title` recognises column titles; the row of titles and the separator are those that show most of them.
    `expected` are sentences that the file should hold; they decide between encodings. `titles` names
    those that there should be in messages. Raises ReviewError if the file can't be read at all or has no row of titles.
    """
    data = read_file(path, error=ReviewError)
    sha256 = file_digest(data)
    if data.startswith(WORKBOOKS):
        sheets = groupby(packed_rows(path, data, ReviewError), key=attrgetter("table"))
        tables = ((";", [SheetRow(_cells(row.cells), row.number) for row in rows]) for _, rows in sheets)
        return _sheet(path, sha256, tables, is_title, titles, "workbook", damaged=False)
    if path.suffix.lower() == ".json":
        cells = [SheetRow(cells, number) for number, cells in annotation_rows(path, data)]
        return _sheet(path, sha256, [("", cells)], is_title, titles, "json", damaged=False)
    text, encoding, damaged = decode(data, path, legacy_encoding, expected)
    for number, line in enumerate(_LINE.finditer(text), start=1):
        refuse_long(line[0], path, number, ReviewError)
    # The separator with which one of the first rows has most titles.
    first = {one: islice(_scan_rows(text, one), HEADER_WITHIN) for one in SEPARATORS}
    n_titles = {one: max((sum(map(is_title, row.cells)) for row in rows), default=0) for one, rows in first.items()}
    separator = max(SEPARATORS, key=n_titles.__getitem__)
    rows = list(bounded(_scan_rows(text, separator), path, len(data), ReviewError))
    return _sheet(path, sha256, [(separator, rows)], is_title, titles, encoding, damaged)


def read_table(path: Path, columns: Sequence[str], legacy_encoding: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The place of each row and its cells in these columns. Raises ReviewError if the table lacks one or is damaged."""
    sheet = read_sheet(
        path, lambda title: squeeze_cell(title).casefold() in columns, legacy_encoding, titles=", ".join(columns)
    )
    titles = [squeeze_cell(title).casefold() for title in sheet.header.cells]
    missing = [name for name in columns if name not in titles]
    if missing:
        raise ReviewError(f"{sheet.at(sheet.header)}: column '{missing[0]}' is missing; add it")
    for row in sheet.rows:
        cells = dict(zip(titles, map(squeeze_cell, row.cells), strict=False))
        yield sheet.at(row), {name: cells.get(name, "") for name in columns}


def write_sheet(path: Path, rows: Iterable[Sequence[str]], separator: str, sha256: str | None = None) -> None:
    """Writes UTF-8 with a byte order mark and CRLF, whole or not at all.

    `sha256` is the digest of the sheet that was read, None if there was none. The old sheet gets another name before
    the new one takes its own, and neither step overwrites a file. So what another program saves at any moment is kept:
    as the sheet itself, or as `<reviewer>-2.csv`. Raises ReviewError if the sheet is no longer the one that was read,
    another program has it open, or the folder can't be written.
    """
    content = codecs.BOM_UTF8 + table_text(rows, separator, "\r\n").encode()
    try:
        replace_sheet(path, content, sha256)
    except PermissionError:
        raise ReviewError(f"{path}: can't be written; close it in the spreadsheet program and try again") from None
    except OSError as fault:
        raise ReviewError(f"{path}: can't be written: {fault.strerror}; make room and try again") from None


def replace_sheet(path: Path, content: bytes, sha256: str | None) -> None:
    """Puts a content in the place of the one with a digest, or of none; as `write_sheet`, and raises OSError."""
    staged, before = path.with_name(f".{path.name}.staged.tmp"), second_sheet(path)
    with atomic(staged, "wb") as handle:
        handle.write(content)
    try:
        if sha256 is not None:
            if file_digest(path.read_bytes()) != sha256:
                raise FileExistsError
            path.rename(before)
        _put(staged, path)
    except (FileExistsError, FileNotFoundError):
        raise SavedMeanwhile(f"{path}: another program saved it meanwhile; run the command again") from None
    finally:
        staged.unlink(missing_ok=True)
        if sha256 is not None and before.exists():
            if not path.exists():
                before.rename(path)
            elif file_digest(before.read_bytes()) == sha256:
                before.unlink()


class SavedMeanwhile(ReviewError):
    """Another program saved a sheet after it was read, so nothing was written."""


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


def _sheet(
    path: Path,
    sha256: str,
    tables: Iterable[tuple[str, list[SheetRow]]],
    is_title: Callable[[str], bool],
    titles: str,
    encoding: str,
    damaged: bool,
) -> Sheet:
    """The table whose first rows hold the row with most titles."""
    headers = (
        (sum(map(is_title, row.cells)), separator, rows, index)
        for separator, rows in tables
        for index, row in enumerate(rows[:HEADER_WITHIN])
    )
    n_titles, separator, rows, index = max(headers, key=lambda header: header[0], default=(0, "", [], 0))
    if not n_titles:
        lacks = (
            f"no row of column titles {titles}; put it back, or {REMEDY}" if rows else f"the file is empty; {REMEDY}"
        )
        raise ReviewError(f"{path}:1: {lacks}")
    above, below = ([row for row in part if not row.blank] for part in (rows[:index], rows[index + 1 :]))
    return Sheet(path, sha256, encoding, separator, damaged, rows[index], tuple(below), tuple(above))


def _scan_rows(text: str, separator: str) -> Iterator[SheetRow]:
    number = offset = 0
    while offset < len(text):
        cells, damaged, offset = _scan_row(text, offset, separator)
        number += 1
        yield SheetRow(_cells(cells), number, damaged)


def _cells(cells: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(unescape_csv_formula, cells))


def _scan_row(text: str, offset: int, separator: str) -> tuple[list[str], bool, int]:
    """The raw cells of the row that begins at `offset`, whether it is damaged, and the offset of the next row."""
    cells: list[str] = []
    damaged = False
    plain = _PLAIN[separator]
    while True:
        is_quoted = text.startswith('"', offset)
        match = _QUOTED.match(text, offset) if is_quoted else None
        # It ends where a cell may end, and has not swallowed rows for want of a quotation mark.
        after = text[match.end() : match.end() + 1] if match else ""
        if match and after in (separator, "", "\r", "\n") and not _SWALLOWED.search(match[1]):
            cells.append(match[1].replace('""', '"'))
        else:
            damaged |= is_quoted
            match = plain.match(text, offset)
            assert match is not None  # the pattern also matches nothing
            cells.append(match[0])
        offset = match.end()
        if text[offset : offset + 1] == separator:
            offset += 1
        else:
            return cells, damaged, offset + (2 if text.startswith("\r\n", offset) else 1)


def decode(data: bytes, path: Path, legacy_encoding: str, expected: Sequence[str]) -> tuple[str, str, bool]:
    """A file's text, its encoding, and whether some bytes are no text; U+FFFD stands for each of them.

    It is in the encoding of its byte order mark, in UTF-8, or in the one that shows most `expected` sentences. Of
    encodings that show equally many, the legacy encoding wins. Raises ReviewError if the bytes are no text.
    """
    if encoding := marked_encoding(data):
        return _lenient(data, encoding)
    if b"\0" in data:
        raise ReviewError(f"{path}: not a text file; {REMEDY}")
    best: dict[int, tuple[str, str, bool]] = {}
    for decoded in _candidates(data, legacy_encoding):
        shown = sum(sentence in decoded[0] for sentence in expected)
        best.setdefault(shown, decoded)
        # A wrong encoding spoils nearly all sentences, so this one is right. Searching a large file is slow.
        if decoded[1:] == ("utf-8", False) or shown * 2 > len(expected):
            break
    return best[max(best)]


def _lenient(data: bytes, encoding: str) -> tuple[str, str, bool]:
    try:
        return data.decode(encoding), encoding, False
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), encoding, True


def _candidates(data: bytes, legacy_encoding: str) -> Iterator[tuple[str, str, bool]]:
    """Possible texts, the likeliest first. The last two replace what they can't decode, so they always exist."""
    for encoding in dict.fromkeys(("utf-8", legacy_encoding, *_OTHERS)):
        with suppress(UnicodeDecodeError):
            yield data.decode(encoding), encoding, False
    yield _lenient(data, "utf-8")
    yield _lenient(data, legacy_encoding)


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and invisible characters."""
    return squeeze(_INVISIBLE.sub("", text) if not text.isascii() else text)


def plain(text: str) -> str:
    """A text with typewriter quotation marks, dashes and dots."""
    return squeeze_cell(text).translate(_TYPED)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text, apart from white space, Unicode form and typography."""
    return cell == text or plain(cell) == plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding that lacks its letters, with `?` or the bare letter instead."""
    shown, whole = plain(cell), plain(text)
    return len(shown) == len(whole) and all(
        char in (letter, "?", "\ufffd", unicodedata.normalize("NFD", letter)[0])
        for char, letter in zip(shown, whole, strict=True)
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


def without_marks(text: str) -> str:
    """A text without the diacritics of its letters."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
