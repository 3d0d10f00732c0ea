"""Workbooks that people send back instead of CSV files: xlsx, ods and xls, read as rows of texts."""

import datetime
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from pairwright.errors import ReviewError
from pairwright.text import unescape_csv_formula

# Zip archives (xlsx, ods) and OLE files (xls). A file's name may be wrong.
_SIGNATURES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
# No queue comes near this, but a small file can claim to.
MAX_CELLS = 20_000_000

Cell = str | float | int | bool | datetime.date | datetime.datetime | datetime.time | datetime.timedelta


def is_workbook(data: bytes) -> bool:
    """Whether the bytes of a file are a workbook's."""
    return data.startswith(_SIGNATURES)


def read_workbook(path: Path, data: bytes) -> Iterator[list[tuple[int, tuple[str, ...]]]]:
    """The rows of each sheet with their numbers, from 1. A formula is read as the value that it last showed.

    Raises ReviewError if the workbook is damaged, encrypted or of another kind.
    """
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            if sheet.total_height * sheet.total_width > MAX_CELLS:
                raise ReviewError(f"{path}: sheet '{name}' is too large to be a review queue; remove what is not")
            first = sheet.start[0] if sheet.start else 0
            rows = sheet.to_python(skip_empty_area=True)
            yield [(first + number, tuple(map(_text, row))) for number, row in enumerate(rows, start=1)]
    except (CalamineError, OSError, ValueError) as fault:
        reason = " ".join(str(fault).split())
        raise ReviewError(f"{path}: not a workbook that can be read ({reason}); save it as 'CSV UTF-8'") from None


def _text(cell: Cell) -> str:
    """A cell as text: whole numbers without a fraction, dates as in ISO 8601."""
    if isinstance(cell, str):
        return unescape_csv_formula(cell)
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)
