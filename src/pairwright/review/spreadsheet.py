"""Annotation spreadsheets as CSV: what a spreadsheet program of any locale saves is read, and text survives the trip.

A cell that a spreadsheet program would take for a formula is written with a leading apostrophe. Apostrophes before such
a cell are counted up by one on writing and down by one on reading, so every text comes back letter by letter, also one
that itself begins with an apostrophe.
"""

import bisect
import codecs
import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path

from pairwright.errors import ReviewError, at
from pairwright.store import atomic
from pairwright.text import neutralise, restore

# UTF-32 stands first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SEPARATORS = (";", ",", "\t")
REMEDY = "save it again as 'CSV UTF-8'"

_BREAK = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
_BLANK_LINES = re.compile(r"(?:[ ;,\t]*(?:\r\n|\r|\n))*")
_PLAIN = {separator: re.compile(rf"[^{separator}\r\n]*+") for separator in SEPARATORS}
_SEPARATOR_LINE = re.compile(r'"?sep=([;,\t])"?[;,\t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of a row's cells, formulas restored. `offset` is where the row begins in the file's text."""

    cells: tuple[str, ...]
    offset: int

    @property
    def blank(self) -> bool:
        return not any(cell.strip() for cell in self.cells)


@dataclass(frozen=True)
class Sheet:
    """A CSV file as it was read; blank rows are left out. `encoding` is the one that the bytes proved to be in."""

    path: Path
    text: str
    encoding: str
    separator: str
    header: Row
    rows: tuple[Row, ...]

    def place(self, row: Row, index: int = 0) -> tuple[int, int]:
        """Line and column, counted from 1 as a text editor shows them, at which a row's cell begins."""
        starts = _scan_row(self.text, row.offset, self.separator)[0]
        return self._line_and_column(starts[min(index, len(starts) - 1)])

    def at(self, row: Row, index: int = 0) -> str:
        """The place of a row's cell as `file:line:column`."""
        return at(self.path, *self.place(row, index))

    @cached_property
    def _line_starts(self) -> list[int]:
        return _line_starts(self.text)

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        line = bisect.bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


class _BrokenCell(Exception):
    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def read_sheet(path: Path, is_title: Callable[[str], bool], legacy_encoding: str) -> Sheet:
    """Reads a CSV file in UTF-8, UTF-16 or the legacy encoding, with `;`, `,` or tab, whatever its line ends.

    `is_title` tells whether a cell is a known column title: the separator is the one that finds most of them in the
    first row that is not blank. A `sep=` line before it is passed over.
    Raises ReviewError with file:line:column where the file can't be read without loss.
    """
    text, encoding = _decode(_read_bytes(path), path, legacy_encoding)
    mark = _SEPARATOR_LINE.match(text)
    try:
        offset = _skip_blank(text, mark.end() if mark else 0)
        separator = _find_separator(text, offset, is_title)
        if separator is None:
            line = bisect.bisect_right(_line_starts(text), offset)
            raise ReviewError(
                f"{at(path, line, 1)}: this is not the header of a review queue; put the row of column titles back"
            )
        header, *rows = _scan_rows(text, offset, separator)
    except _BrokenCell as fault:
        starts = _line_starts(text)
        line = bisect.bisect_right(starts, fault.offset)
        raise ReviewError(f"{at(path, line, fault.offset - starts[line - 1] + 1)}: {fault}") from None
    kept = tuple(row for row in rows if not row.blank)
    return Sheet(path=path, text=text, encoding=encoding, separator=separator, header=header, rows=kept)


def write_sheet(path: Path, rows: Iterable[Sequence[str]], separator: str) -> None:
    """Writes rows as UTF-8 with a byte order mark and CRLF line ends, quoted where needed, replaced atomically.

    Raises ReviewError where another program holds the file.
    """
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerows([neutralise(cell) for cell in row] for row in rows)
    try:
        with atomic(path, "wb") as handle:
            handle.write(codecs.BOM_UTF8 + text.getvalue().encode())
    except PermissionError:
        raise ReviewError(f"{path}: can't be written; close it in the spreadsheet program and try again") from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ReviewError(f"{path}: can't be read: {fault.strerror}") from None


def _decode(data: bytes, path: Path, legacy_encoding: str) -> tuple[str, str]:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return _decode_strictly(data[len(mark) :], encoding, path, f"not {encoding.upper()} as its first bytes say")
    if b"\0" in data:
        raise ReviewError(f"{path}: not a CSV text file; {REMEDY}")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_strictly(data, legacy_encoding, path, f"neither UTF-8 nor {legacy_encoding}")


def _decode_strictly(data: bytes, encoding: str, path: Path, fault: str) -> tuple[str, str]:
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        starts = _line_starts(data[: error.start].decode(encoding))
        column = len(data[: error.start].decode(encoding)) - starts[-1] + 1
        raise ReviewError(f"{at(path, len(starts), column)}: {fault}; {REMEDY}") from None


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _BREAK.finditer(text))]


def _skip_blank(text: str, offset: int) -> int:
    """The offset of the first line with more than separators and white space; the end of the text where none is."""
    match = _BLANK_LINES.match(text, offset)
    return match.end() if match else offset


def _find_separator(text: str, offset: int, is_title: Callable[[str], bool]) -> str | None:
    """The separator under which the row at `offset` has most known titles; None where it has none under any."""
    best, most = None, 0
    broken: _BrokenCell | None = None
    for separator in SEPARATORS:
        try:
            cells = _scan_row(text, offset, separator)[1]
        except _BrokenCell as fault:
            broken = broken or fault
            continue
        known = sum(is_title(restore(cell)) for cell in cells)
        if known > most:
            best, most = separator, known
    if best is None and broken is not None:
        raise broken
    return best


def _scan_rows(text: str, offset: int, separator: str) -> Iterable[Row]:
    while offset < len(text):
        _, cells, following = _scan_row(text, offset, separator)
        yield Row(cells=tuple(map(restore, cells)), offset=offset)
        offset = following


def _scan_row(text: str, offset: int, separator: str) -> tuple[list[int], list[str], int]:
    """The offsets and raw cells of the row that begins at `offset`, and the offset of the next row."""
    starts, cells = [], []
    plain = _PLAIN[separator]
    while True:
        starts.append(offset)
        if text.startswith('"', offset):
            match = _QUOTED.match(text, offset)
            if match is None:
                raise _BrokenCell(offset, "the quotation mark that opens this cell is never closed; close it")
            cells.append(match[1].replace('""', '"'))
        else:
            match = plain.match(text, offset)
            assert match is not None  # the pattern also matches nothing
            cells.append(match[0])
        offset = match.end()
        following = text[offset : offset + 1]
        if following == separator:
            offset += 1
        elif following in ("", "\r", "\n"):
            return starts, cells, offset + (2 if text.startswith("\r\n", offset) else 1)
        else:
            raise _BrokenCell(
                starts[-1], "text goes on after the quotation mark that closes this cell; double the marks inside it"
            )
