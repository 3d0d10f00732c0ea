"""Tables that people and other tools write: rows by column title, read strictly; and cells that are no formulas."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import PairwrightError, at
from pairwright.core.files import bounded, refuse_long
from pairwright.core.text import escape_csv_formula

_JSON_VALUE = re.compile(r"[^ \t\r\n,\]]")


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
