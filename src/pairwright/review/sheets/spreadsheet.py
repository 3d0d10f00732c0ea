"""Annotation spreadsheets: reads what spreadsheet programs of any locale save, and keeps every text intact.

A cell that a spreadsheet program would take for a formula is written with a leading apostrophe. Writing adds one
apostrophe to such a cell and reading removes one, so that every text survives, even one that begins with an apostrophe.

A damaged row does not stop the others from being read: it is marked, and its cells are given as far as they are clear.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from pairwright.core.errors import ReviewError, at
from pairwright.core.files import bounded, read_file, refuse_long
from pairwright.core.packed import WORKBOOKS, packed_rows
from pairwright.core.tables import table_text
from pairwright.core.text import unescape_csv_formula
from pairwright.review.log.files import file_digest, replace_sheet
from pairwright.review.sheets.annotation_files import annotation_rows
from pairwright.review.sheets.decoding import REMEDY, decode
from pairwright.review.sheets.typography import squeeze_cell

SEPARATORS = (";", ",", "\t")
# Somebody may have written a few lines above the titles.
HEADER_WITHIN = 10

_LINE = re.compile(r"[^\r\n]++")
_QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
_PLAIN = {separator: re.compile(rf"[^{separator}\r\n]*+") for separator in SEPARATORS}
_SEPARATOR_LINE = re.compile(r'"?sep=([;,\t])"?[;,\t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
# An item's id at the start of a line inside a cell: a quotation mark was left open, and the cell swallowed rows.
_SWALLOWED = re.compile(r'[\r\n](?:[^\r\n]*[;,\t])?"{0,2}(?:pair|item)-[0-9a-f]{16}\b')


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
    or what an annotation tool exported as JSON.

    `is_title` recognises column titles; the row of titles and the separator are those that show most of them. A `sep=`
    line is skipped. `expected` are sentences that the file should hold; they decide between encodings. `titles` names
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
    decoded = decode(data, path, legacy_encoding, expected)
    for number, line in enumerate(_LINE.finditer(decoded.text), start=1):
        refuse_long(line[0], path, number, ReviewError)
    separator_line = _SEPARATOR_LINE.match(decoded.text)
    start = separator_line.end() if separator_line else 0
    separator = _find_separator(decoded.text, start, is_title)
    scanned = _scan_rows(decoded.text, start, separator)
    rows = list(bounded(scanned, path, len(data), ReviewError))
    return _sheet(path, sha256, [(separator, rows)], is_title, titles, decoded.encoding, decoded.damaged)


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

    `sha256` is the digest of the sheet that was read, None if there was none. Raises ReviewError if the sheet is no
    longer that one, another program has it open, or the folder can't be written.
    """
    try:
        replace_sheet(path, codecs.BOM_UTF8 + table_text(rows, separator, "\r\n").encode(), sha256)
    except PermissionError:
        raise ReviewError(f"{path}: can't be written; close it in the spreadsheet program and try again") from None
    except OSError as fault:
        raise ReviewError(f"{path}: can't be written: {fault.strerror}; make room and try again") from None


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
        raise ReviewError(f"{path}:1: no row of column titles {titles}; put it back, or {REMEDY}")
    above, below = ([row for row in part if not row.blank] for part in (rows[:index], rows[index + 1 :]))
    return Sheet(path, sha256, encoding, separator, damaged, rows[index], tuple(below), tuple(above))


def _find_separator(text: str, offset: int, is_title: Callable[[str], bool]) -> str:
    """The separator with which one of the first rows has most titles."""
    first = {separator: islice(_scan_rows(text, offset, separator), HEADER_WITHIN) for separator in SEPARATORS}
    return max(SEPARATORS, key=lambda one: max((sum(map(is_title, row.cells)) for row in first[one]), default=0))


def _scan_rows(text: str, offset: int, separator: str) -> Iterator[SheetRow]:
    number = 0
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
        if match and _ends_cell(text, match, separator):
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


def _ends_cell(text: str, match: re.Match[str], separator: str) -> bool:
    """Whether a quoted cell ends where a cell may end, and has not swallowed rows for want of a quotation mark."""
    return text[match.end() : match.end() + 1] in (separator, "", "\r", "\n") and not _SWALLOWED.search(match[1])
