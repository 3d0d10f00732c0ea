"""Annotation spreadsheets: whatever a spreadsheet program of any locale saves is read, and text survives the trip.

A cell that a spreadsheet program would take for a formula is written with a leading apostrophe. Apostrophes before such
a cell are counted up by one on writing and down by one on reading, so every text comes back letter by letter, also one
that itself begins with an apostrophe.

A damaged row does not keep the others from being read: it carries its fault, and its cells as far as they can be told.
"""

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path

from pairwright.errors import ReviewError, at
from pairwright.review.sheets.decoding import REMEDY, decode
from pairwright.review.sheets.workbook import is_workbook, read_workbook
from pairwright.store import atomic
from pairwright.text import escape_csv_formula, unescape_csv_formula

SEPARATORS = (";", ",", "\t")
# A row of titles may stand below a few lines that somebody wrote above it.
HEADER_WITHIN = 10

_QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
_PLAIN = {separator: re.compile(rf"[^{separator}\r\n]*+") for separator in SEPARATORS}
_SEPARATOR_LINE = re.compile(r'"?sep=([;,\t])"?[;,\t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
# The id of an item at the beginning of a line inside a cell: a quotation mark was left open, and rows were swallowed.
_SWALLOWED = re.compile(r'[\r\n](?:[^\r\n]*[;,\t])?"{0,2}(?:pair|item)-[0-9a-f]{16}\b')


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of a row's cells, formulas restored, and its number as a spreadsheet program shows it.

    `fault` says what is wrong with the row where it could not be read for certain.
    """

    cells: tuple[str, ...]
    number: int
    fault: str | None = None

    @property
    def blank(self) -> bool:
        return not any(cell.strip() for cell in self.cells)


@dataclass(frozen=True)
class Sheet:
    """A table as it was read; blank rows are left out.

    encoding  the one that the bytes proved to be in; `workbook` for a file that is no text
    damaged   whether some of its bytes are no text in any encoding; the letter U+FFFD stands for them
    above     the rows above the titles
    """

    path: Path
    encoding: str
    separator: str
    damaged: bool
    header: Row
    rows: tuple[Row, ...]
    above: tuple[Row, ...] = ()

    def at(self, row: Row, index: int | None = None) -> str:
        """The place of a row or of one of its cells as `file:row:column`, the column in letters."""
        place = at(self.path, row.number)
        return place if index is None else f"{place}:{column_letters(index)}"


def column_letters(index: int) -> str:
    """The name that spreadsheet programs give to a column, counted from 0: A, B, …, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def read_sheet(
    path: Path, is_title: Callable[[str], bool], legacy_encoding: str, expected: Sequence[str] = ()
) -> Sheet:
    """Reads a CSV file in any common encoding, with `;`, `,` or tab and any line ends, or an xlsx, ods or xls workbook.

    `is_title` tells whether a cell is a known column title: the row of titles and the separator are those that show
    most of them. A `sep=` line is passed over. `expected` are sentences that the file should hold, by which an encoding
    that the bytes leave open is told.
    Raises ReviewError where the file can't be read at all or has no row of titles.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ReviewError(f"{path}: can't be read: {fault.strerror}") from None
    if is_workbook(data):
        tables = ((";", [Row(cells, number) for number, cells in rows]) for rows in read_workbook(path, data))
        return _sheet(path, tables, is_title, "workbook", damaged=False)
    decoded = decode(data, path, legacy_encoding, expected)
    text, start = decoded.text, 0
    mark = _SEPARATOR_LINE.match(text)
    if mark:
        start = mark.end()
    separator = _find_separator(text, start, is_title)
    rows = list(_scan_rows(text, start, separator))
    return _sheet(path, [(separator, rows)], is_title, decoded.encoding, decoded.damaged)


def write_sheet(path: Path, rows: Iterable[Sequence[str]], separator: str) -> None:
    """Writes rows as UTF-8 with a byte order mark and CRLF line ends, quoted where needed, replaced atomically.

    Raises ReviewError where another program holds the file.
    """
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerows([escape_csv_formula(cell) for cell in row] for row in rows)
    try:
        with atomic(path, "wb") as handle:
            handle.write(codecs.BOM_UTF8 + text.getvalue().encode())
    except PermissionError:
        raise ReviewError(f"{path}: can't be written; close it in the spreadsheet program and try again") from None


def _sheet(
    path: Path,
    tables: Iterable[tuple[str, list[Row]]],
    is_title: Callable[[str], bool],
    encoding: str,
    damaged: bool,
) -> Sheet:
    """The table with the row that shows most known titles."""
    best: tuple[int, str, list[Row], int] | None = None
    for separator, rows in tables:
        for index, row in enumerate(rows[:HEADER_WITHIN]):
            known = sum(is_title(cell) for cell in row.cells)
            if known and (best is None or known > best[0]):
                best = known, separator, rows, index
    if best is None:
        raise ReviewError(f"{path}:1: no row of column titles of a review queue; put it back, or {REMEDY}")
    _, separator, rows, index = best
    header, kept = rows[index], tuple(row for row in rows[index + 1 :] if not row.blank)
    above = tuple(row for row in rows[:index] if not row.blank)
    return Sheet(path, encoding, separator, damaged, header, kept, above)


def _find_separator(text: str, offset: int, is_title: Callable[[str], bool]) -> str:
    """The separator under which one of the first rows has most known titles."""

    def known(separator: str) -> int:
        first = islice(_scan_rows(text, offset, separator), HEADER_WITHIN)
        return max((sum(is_title(cell) for cell in row.cells) for row in first), default=0)

    return max(SEPARATORS, key=known)


def _scan_rows(text: str, offset: int, separator: str) -> Iterator[Row]:
    number = 0
    while offset < len(text):
        cells, fault, offset = _scan_row(text, offset, separator)
        number += 1
        yield Row(tuple(map(unescape_csv_formula, cells)), number, fault)


def _scan_row(text: str, offset: int, separator: str) -> tuple[list[str], str | None, int]:
    """The raw cells of the row that begins at `offset`, what is wrong with it, and the offset of the next row."""
    cells: list[str] = []
    fault = None
    plain = _PLAIN[separator]
    while True:
        match = _QUOTED.match(text, offset) if text.startswith('"', offset) else None
        if text.startswith('"', offset) and not _ends_cell(text, match, separator):
            fault = fault or "a quotation mark is not closed, or stands inside a cell without being doubled"
            match = None
        if match is None:
            match = plain.match(text, offset)
            assert match is not None  # the pattern also matches nothing
            cells.append(match[0])
        else:
            cells.append(match[1].replace('""', '"'))
        offset = match.end()
        if text[offset : offset + 1] == separator:
            offset += 1
        else:
            return cells, fault, offset + (2 if text.startswith("\r\n", offset) else 1)


def _ends_cell(text: str, match: re.Match[str] | None, separator: str) -> bool:
    """Whether a quoted cell ends where a cell may end, and holds no rows that a missing mark let it swallow."""
    if match is None or text[match.end() : match.end() + 1] not in (separator, "", "\r", "\n"):
        return False
    inside = match[1]
    return not (("\n" in inside or "\r" in inside) and _SWALLOWED.search(inside))
