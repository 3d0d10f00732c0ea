"""Reads files of minimal pairs that pairwright did not make, under the column names of published benchmarks.

CSV and other separated tables, JSON Lines, JSON and Parquet. Sentences are taken as they stand: white space, normal
form and odd characters are what the checks look for.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.config import IngestSettings
from pairwright.errors import SourceError, at
from pairwright.ids import content_id, pair_id
from pairwright.records import Candidate, Evidence
from pairwright.text import changes

# The names of each column in published benchmarks; the first one that a file has is taken. Case doesn't matter.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "good": (
        "sentence_good",
        "good_sentence",
        "correct_sentence",
        "acceptable_sentence",
        "grammatical_sentence",
        "good",
        "correct",
        "acceptable",
        "grammatical",
        "sen",
    ),
    "bad": (
        "sentence_bad",
        "bad_sentence",
        "incorrect_sentence",
        "unacceptable_sentence",
        "ungrammatical_sentence",
        "wrong_sentence",
        "bad",
        "incorrect",
        "unacceptable",
        "ungrammatical",
        "wrong",
        "wrong_sen",
    ),
    "rule": ("rule_code", "rule", "error_name", "uid", "phenomenon", "linguistic_phenomenon", "linguistics_term"),
    "id": ("id", "pair_id", "pairid"),
    "features": ("features", "demanded_features"),
}
SEPARATORS = (";", ",", "\t", "|")
MAX_SENTENCE = 10_000

_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_TABLE_SUFFIXES = (".csv", ".tsv", ".txt")
# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BETWEEN_VALUES = re.compile(r"[ \t\r\n,\]]*")


class PairColumns(NamedTuple):
    """The columns of a file that hold what a pair is made of; None where the file has no such column."""

    good: str
    bad: str
    rule: str | None
    id: str | None
    features: str | None


class PairRow(NamedTuple):
    """A row of pairs.

    place    where the row is, as messages name it: `pairs.csv:3`, or `pairs.parquet, row 3`
    line     the first line of the row in a text file, else the number of the row; both count from 1
    quote    the row's own words; "" where the file is no text
    cells    the values by column name
    """

    place: str
    line: int
    quote: str
    cells: Mapping[str, Any]
    columns: PairColumns

    def text(self, column: str | None) -> str:
        """The cell of a column as text; "" where it is null or there is no such column.

        Ids and rules may be whole numbers, features a list. Raises SourceError for any other value that is no text,
        half of a surrogate pair, a control character in an id, and more than `MAX_SENTENCE` characters.
        """
        value = None if column is None else self.cells.get(column)
        if value is None:
            return ""
        if isinstance(value, list | tuple) and column == self.columns.features:
            return "; ".join(map(str, value))
        if isinstance(value, int) and column in (self.columns.id, self.columns.rule):
            return str(value)
        if not isinstance(value, str):
            raise SourceError(f"{self.place}: '{column}' is not text; write it between quotation marks")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise SourceError(f"{self.place}: '{column}' has half of a surrogate pair; write the character itself")
        if column == self.columns.id and not value.isprintable():
            raise SourceError(f"{self.place}: '{column}' has a line break or control character; take it out")
        if len(value) > MAX_SENTENCE:
            raise SourceError(
                f"{self.place}: '{column}' has {len(value):,} characters (limit {MAX_SENTENCE:,}); "
                "write one sentence a cell and look for an unclosed quotation mark"
            )
        return value


def read_pairs(path: Path, max_bytes: int = IngestSettings().max_bytes) -> Iterator[Candidate]:
    """The pairs of a file, each with its line as evidence; a row without an id gets one from its rule and sentences.

    An empty sentence is kept: the checks report it. Raises SourceError as `read_rows` and `PairRow.text` do.
    """
    return (pair_candidate(row, path.stem, str(path)) for row in read_rows(path, max_bytes=max_bytes))


def pair_candidate(row: PairRow, source_id: str, file: str) -> Candidate:
    """A row as a candidate, so that the checks can look at it. Raises SourceError as `PairRow.text` does."""
    columns = row.columns
    good, bad, rule = row.text(columns.good), row.text(columns.bad), row.text(columns.rule)
    block_id = content_id("block", Path(file).name, row.line)
    return Candidate(
        id=row.text(columns.id) or pair_id(rule, good, bad),
        rule_id=rule,
        source_id=source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="manual",
        features=tuple(filter(None, map(str.strip, row.text(columns.features).split(";")))),
        evidence=Evidence(block_id=block_id, file=file, page=1, line=row.line, quote=row.quote),
    )


def read_rows(
    path: Path,
    *,
    good: str | None = None,
    bad: str | None = None,
    encoding: str | None = None,
    max_bytes: int = IngestSettings().max_bytes,
) -> Iterator[PairRow]:
    """The rows of a file of pairs in their order; empty rows of a table are passed over.

    good, bad  the names of the sentence columns where they are none of `COLUMNS`
    encoding   of a text that is neither UTF-8 nor marked as UTF-16 or UTF-32, such as cp1257

    Raises SourceError, with the place and the remedy, for a file that is missing, empty, binary, too large, in another
    encoding, without the two columns, or damaged in a row.
    """
    data = _read(path, max_bytes)
    if data.startswith(b"PAR1"):
        rows = _parquet_rows(path, good, bad)
    else:
        text = _decode(path, data, encoding)
        rows = _json_rows(path, text, good, bad) if _is_json(path, text) else _table_rows(path, text, good, bad)
    empty = True
    for row in rows:
        empty = False
        yield row
    if empty:
        raise SourceError(f"{path}: no pairs under the header; write one pair a line")


def pair_columns(names: Iterable[str], place: str, good: str | None = None, bad: str | None = None) -> PairColumns:
    """Which columns hold the parts of a pair. Raises SourceError, which names the columns there are."""
    names = tuple(names)
    columns = {field: _column(field, names, asked) for field, asked in zip(COLUMNS, (good, bad), strict=False)}
    if columns["good"] and columns["bad"]:
        return PairColumns(
            columns["good"], columns["bad"], *(_column(field, names) for field in ("rule", "id", "features"))
        )
    field, asked = ("bad", bad) if columns["good"] else ("good", good)
    present = ", ".join(filter(None, names))
    present = present if len(present) <= 200 else present[:199] + "…"
    if asked is not None:
        raise SourceError(f"{place}: no column '{asked}'; found: {present!r}; give one of these")
    raise SourceError(
        f"{place}: no column for the {field} sentence; found: {present!r}; name one of: {', '.join(COLUMNS[field])}"
    )


@lru_cache(maxsize=1000)
def _column(field: str, names: tuple[str, ...], asked: str | None = None) -> str | None:
    """The column that a user asked for, else the first that has one of the usual names."""
    if asked in names:
        return asked
    by_key = {_key(name): name for name in reversed(names)}
    usual = COLUMNS[field] if asked is None else (_key(asked),)
    return next((by_key[key] for key in usual if key in by_key), None)


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _read(path: Path, max_bytes: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise SourceError(f"{path}: {size:,} bytes, more than the {max_bytes:,} of a pair file; split it")
        data = path.read_bytes()
    except OSError as fault:
        raise SourceError(f"{path}: {(fault.strerror or 'cannot be read').lower()}; give a file of pairs") from None
    if data.startswith(b"PK\x03\x04"):
        raise SourceError(f"{path}: an Excel workbook or ZIP archive; save the sheet as 'CSV UTF-8'")
    return data


def _decode(path: Path, data: bytes, encoding: str | None) -> str:
    """The text of a file: by its byte-order mark, as UTF-8, or in the encoding that the user names."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked is None and b"\x00" in data:
        raise SourceError(f"{path}: a binary file, not a text; give pairs as JSONL, JSON, CSV, TSV or Parquet")
    for name in [marked] if marked else filter(None, ["utf-8-sig", encoding]):
        try:
            text = data.decode(name)
            break
        except LookupError:
            raise SourceError(f"{path}: '{name}' is no encoding; give one such as utf-8, cp1252 or cp1257") from None
        except UnicodeDecodeError as error:
            fault = error
    else:
        # The codec counts bytes after the byte-order mark.
        body = data.removeprefix(codecs.BOM_UTF8)
        line = body.count(b"\n", 0, fault.start) + 1
        before = body[body.rfind(b"\n", 0, fault.start) + 1 : fault.start].decode(fault.encoding, "replace")
        tried = f"not UTF-8 nor {encoding}" if encoding and not marked else f"not {fault.encoding.upper()}"
        raise SourceError(
            f"{at(path, line, len(before) + 1)}: byte 0x{body[fault.start]:02x} is {tried}; save the file as UTF-8 "
            "(in Excel: 'CSV UTF-8'), or name its encoding, such as cp1257"
        )
    if not text.strip():
        raise SourceError(f"{path}: the file is empty")
    return text


def _is_json(path: Path, text: str) -> bool:
    suffix = path.suffix.lower()
    if suffix in _JSON_SUFFIXES or suffix in _TABLE_SUFFIXES:
        return suffix in _JSON_SUFFIXES
    return text.lstrip().startswith(("{", "["))


def _json_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    """The objects of JSON Lines, or of one JSON array, whatever white space stands between them."""
    decoder = json.JSONDecoder()
    start = len(text) - len(text.lstrip())
    if text.startswith("[", start):
        if not text.rstrip().endswith("]"):
            raise SourceError(f"{path}: not JSON: the array has no end; get the whole file")
        start = _after_comma(text, start + 1)
    line, counted = 1, 0
    while start < len(text):
        # Not splitlines(): JSON strings may hold U+2028, which it takes for a line's end.
        line, counted = line + text.count("\n", counted, start), start
        place = at(path, line)
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as fault:
            raise SourceError(f"{at(path, fault.lineno, fault.colno)}: not JSON: {fault.msg}") from None
        except (RecursionError, ValueError):
            raise SourceError(f"{place}: not JSON that can be read; write one flat object a line") from None
        if not isinstance(value, dict):
            raise SourceError(f"{place}: not a JSON object; write one object a line, or one array of objects")
        yield PairRow(place, line, text[start:end], value, pair_columns(value, place, good, bad))
        start = _after_comma(text, end)


def _after_comma(text: str, start: int) -> int:
    """Where the next value of an array or of JSON Lines begins."""
    match = _BETWEEN_VALUES.match(text, start)
    return match.end() if match else start


def _table_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    separator, header, columns = _header(path, text, good, bad)
    # The csv module ends lines where StringIO does, str.splitlines() at U+2028 and other characters too.
    lines = list(io.StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    end = 0
    while True:
        start, end = end + 1, end
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as fault:
            raise SourceError(
                f"{at(path, start)}: {fault}; put a cell that contains quotation marks into quotation marks and "
                "double those inside"
            ) from None
        end = reader.line_num
        if start == 1 or not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(header) :]):
            raise SourceError(
                f"{at(path, start)}: {len(cells)} cells under {len(header)} columns; put cells that contain "
                f"{separator!r} into quotation marks"
            )
        quote = "".join(lines[start - 1 : end]).strip()
        row = dict(zip_longest(header, cells[: len(header)], fillvalue=""))
        yield PairRow(at(path, start), start, quote, row, columns)


def _header(path: Path, text: str, good: str | None, bad: str | None) -> tuple[str, list[str], PairColumns]:
    """The separator under which the first line has both sentence columns, the columns, and what they hold."""
    first = io.StringIO(text, newline=None).readline().rstrip("\n")
    splits = {separator: _cells(first, separator) for separator in SEPARATORS}
    for separator, names in splits.items():
        if _column("good", tuple(names), good) and _column("bad", tuple(names), bad):
            return separator, names, pair_columns(names, at(path, 1), good, bad)
    most = max(splits.values(), key=len)
    # Raises: no separator gives both columns, and the one that gives most is the likeliest.
    return "", most, pair_columns(most, at(path, 1), good, bad)


def _cells(line: str, separator: str) -> list[str]:
    try:
        row = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        row = line.split(separator)
    return [cell.strip() for cell in row]


def _parquet_rows(path: Path, good: str | None, bad: str | None) -> Iterator[PairRow]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(f"{path}: not a Parquet file that can be read: {str(fault).splitlines()[0]}") from None
    columns = pair_columns(table.column_names, str(path), good, bad)
    for number, cells in enumerate(table.to_pylist(), start=1):
        yield PairRow(f"{path}, row {number}", number, "", cells, columns)
