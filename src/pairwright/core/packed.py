"""Tables that unpack, workbooks (xlsx, ods, xls) and Parquet: their rows, read in a process with limits."""

import datetime
import json
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import PairwrightError, one_line
from pairwright.core.files import bounded
from pairwright.core.processes import Limits, Reply, read_apart


class PackedRow(NamedTuple):
    """A row with its number, from 1, or 0 of titles; `table` is that of its sheet, from 0."""

    table: int
    number: int
    cells: list[Any]


PARQUET = b"PAR1"
# Zip archives (xlsx, ods) and OLE files (xls). A file's name may be wrong.
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


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
