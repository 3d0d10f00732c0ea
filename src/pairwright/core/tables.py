"""Tables that people and other tools write: strictly read, and written with cells that are no formulas.

Those that unpack, workbooks (xlsx, ods, xls) and Parquet, are read in a process with limits.
"""

import csv
import datetime
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import PairwrightError, at, one_line
from pairwright.core.files import bounded, refuse_long
from pairwright.core.processes import Limits, Reply, read_apart
from pairwright.core.text import escape_csv_formula

_JSON_VALUE = re.compile(r"[^ \t\r\n,\]]")
PARQUET = b"PAR1"
# Zip archives (xlsx, ods) and OLE files (xls). A file's name may be wrong.
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

# What unpacks


class PackedRow(NamedTuple):
    """A row with its number, from 1, or 0 of titles; `table` is that of its sheet, from 0."""

    table: int
    number: int
    cells: list[Any]


def packed_rows(path: Path, data: bytes, error: type[PairwrightError]) -> Iterator[PackedRow]:
    """The rows of all sheets of a workbook, cells as text; or of Parquet, below its titles, cells as in JSON.

    Raises `error` where the file can't be read, or not within the limits of a file of its size.
    """
    request, limits = json.dumps(str(path)).encode() + b"\n" + data, Limits().share(len(data))
    lines = read_apart(__name__, request, path, limits, error, "save what you need of it as 'CSV UTF-8'")
    rows = (PackedRow(table, number, cells) for table, number, *cells in map(json.loads, lines))
    return bounded(rows, path, len(data), error)


def serve(request: bytes, reply: Reply) -> None:
    """Replies with the rows of a file as JSON. Raises PairwrightError where it can't be read."""
    name, _, data = request.partition(b"\n")
    kind, read = ("Parquet file", _parquet_rows) if data.startswith(PARQUET) else ("workbook", _workbook_rows)
    # Whatever a damaged file makes its reader raise; both have their own classes of errors.
    try:
        for row in read(data):
            # Dates and numbers are text; bytes are what is no text.
            reply(json.dumps([*row], default=lambda it: [it.hex()] if isinstance(it, bytes) else str(it)))
    except MemoryError:
        raise
    except Exception as fault:
        reason = f"not a {kind} that can be read ({one_line(fault)})"
        raise PairwrightError(f"{json.loads(name)}: {reason}; save it as 'CSV UTF-8'") from None


def _parquet_rows(data: bytes) -> Iterator[Iterable[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(pa.BufferReader(data)) as file:
        yield 0, 0, *file.schema_arrow.names
        batches = file.iter_batches(batch_size=1000, use_threads=False)
        rows = chain.from_iterable(zip(*map(pa.Array.to_pylist, batch.columns), strict=True) for batch in batches)
        yield from ((0, number, *cells) for number, cells in enumerate(rows, start=1))


def _workbook_rows(data: bytes) -> Iterator[Iterable[Any]]:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(BytesIO(data))
    for table, name in enumerate(book.sheet_names):
        sheet = book.get_sheet_by_name(name)
        first = sheet.start[0] if sheet.start else 0
        for number, cells in enumerate(sheet.to_python(skip_empty_area=True), start=first + 1):
            yield table, number, *map(_cell_text, cells)


def _cell_text(cell: str | float | int | bool | datetime.date | datetime.time | datetime.timedelta) -> str:
    """A cell as text: whole numbers without a fraction, dates as in ISO 8601."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell).upper() if isinstance(cell, bool) else str(cell)


# Text: separated values and JSON


class TableRow(NamedTuple):
    """A row that is not blank, or an object. `line` is its first one, `quote` its own words, `cells` stand by title."""

    line: int
    quote: str
    cells: dict[str, Any]


def read_table(
    path: Path,
    text: str,
    separators: str,
    error: type[PairwrightError],
    suits: Callable[[tuple[str, ...]], bool] = bool,
) -> tuple[tuple[str, ...], Iterator[TableRow]]:
    """The titles in the first line of a table, and its rows. Cells that a row lacks at its end are empty.

    separators  of which the one counts that gives titles that suit, else the one that gives most
    path        of the file, for messages

    Raises `error`, with file and line, for a title that stands twice, cells without a title and quotation marks that
    are not closed.
    """
    headers = {separator: _titles(_lines(path, text, error), separator) for separator in separators}
    separator = max(separators, key=lambda sign: (suits(headers[sign]), len(headers[sign])))
    refuse_doubled(headers[separator], at(path, 1), error)
    rows = _rows(path, text, headers[separator], separator, error)
    return headers[separator], bounded(rows, path, len(text), error)


def read_objects(path: Path, text: str, error: type[PairwrightError]) -> Iterator[TableRow]:
    """The objects of JSON Lines, or of one JSON array, whatever white space stands between them.

    Raises `error`, with file and line, for what is no object, and for more of them than a table may have rows.
    """
    return bounded(_objects(path, text, error), path, len(text), error)


def _objects(path: Path, text: str, error: type[PairwrightError]) -> Iterator[TableRow]:
    decoder = json.JSONDecoder()
    text = text.rstrip()
    end = len(text) - len(text.lstrip())
    if text.startswith("[", end):
        if not text.endswith("]"):
            raise error(f"{path}: not JSON: the array has no end; get the whole file")
        end += 1
    line, counted = 1, 0
    while match := _JSON_VALUE.search(text, end):
        # Not splitlines(): JSON strings may hold U+2028, which it takes for a line's end.
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        try:
            value, end = decoder.raw_decode(text, counted)
        except json.JSONDecodeError as fault:
            raise error(f"{at(path, fault.lineno, fault.colno)}: not JSON: {fault.msg}") from None
        except (RecursionError, ValueError):
            raise error(f"{at(path, line)}: not JSON that can be read; write one flat object a line") from None
        if not isinstance(value, dict):
            raise error(f"{at(path, line)}: not a JSON object; write one object a line, or one array of objects")
        yield TableRow(line, text[counted:end], value)


def refuse_doubled(titles: Iterable[str], place: str, error: type[PairwrightError]) -> None:
    """Raises `error` for a title that stands twice, in whatever case; columns may lack a title."""
    seen = {"": False}
    for title in titles:
        if seen.setdefault(title.casefold(), False):
            raise error(f"{place}: column '{title}' stands twice; rename or remove one")
        seen[title.casefold()] = bool(title)


def table_text(rows: Iterable[Iterable[object]], separator: str = ",", line_end: str = "\n") -> str:
    """Rows as the text of a table. None is an empty cell; a text that could be a formula gets an apostrophe in front,
    see `escape_csv_formula`."""
    text = io.StringIO(newline="")
    # With other line ends the csv module leaves a lone \r unquoted, at which spreadsheet programs end the row.
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    for row in rows:
        writer.writerow([escape_csv_formula(cell) if isinstance(cell, str) else cell for cell in row])
        text.seek(text.tell() - 2)
        text.write(line_end)
        text.truncate()
    return text.getvalue()


def _lines(path: Path, text: str, error: type[PairwrightError], taken: list[str] | None = None) -> Iterator[str]:
    """The lines of a text, which `taken` takes up as well. Raises `error` for one that is too long."""
    # The csv module ends lines where StringIO does, str.splitlines() at U+2028 and other characters too.
    for number, line in enumerate(io.StringIO(text, newline=""), start=1):
        refuse_long(line, path, number, error)
        if taken is not None:
            taken.append(line)
        yield line


def _titles(lines: Iterator[str], separator: str) -> tuple[str, ...]:
    first = next(lines, "")
    try:
        cells = next(csv.reader(chain([first], lines), delimiter=separator), [])
    except csv.Error:
        cells = first.split(separator)
    return tuple(cell.strip() for cell in cells)


def _rows(
    path: Path, text: str, titles: tuple[str, ...], separator: str, error: type[PairwrightError]
) -> Iterator[TableRow]:
    taken: list[str] = []
    reader = csv.reader(_lines(path, text, error, taken), delimiter=separator, strict=True)
    start = 1
    try:
        for cells in reader:
            if start > 1 and any(map(str.strip, cells)):
                if any(map(str.strip, cells[len(titles) :])):
                    raise error(
                        f"{at(path, start)}: {len(cells)} cells under {len(titles)} columns; put cells that contain "
                        f"{separator!r} into quotation marks"
                    )
                by_title = dict(zip_longest(titles, cells[: len(titles)], fillvalue=""))
                yield TableRow(start, "".join(taken).strip(), by_title)
            start = reader.line_num + 1
            taken.clear()
    except csv.Error as fault:
        raise error(
            f"{at(path, start)}: {fault}; put a cell that contains quotation marks into quotation marks and "
            "double those inside"
        ) from None
