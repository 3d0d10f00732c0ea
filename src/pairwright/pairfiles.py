"""Reads files of minimal pairs that pairwright did not make, under the column names of published benchmarks.

CSV and other separated tables, JSON Lines, JSON and Parquet. Sentences are taken as they stand: white space, normal
form and odd characters are what the checks look for.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import SourceError, at, counted, one_line
from pairwright.core.files import read_file
from pairwright.core.ids import content_id, pair_id
from pairwright.core.packed import PARQUET, WORKBOOKS, packed_rows
from pairwright.core.records import Candidate, Evidence
from pairwright.core.tables import read_objects, read_table, refuse_doubled
from pairwright.core.text import decode, text_encoding
from pairwright.languages.linguistics.edits import changes

_GOOD = ("good", "correct", "acceptable", "grammatical", "right")
_BAD = ("bad", "incorrect", "unacceptable", "ungrammatical", "wrong")
# The names of each column in published benchmarks; the first one that a file has is taken. Case doesn't matter.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "good": ("sentence_good", *(f"{word}_sentence" for word in _GOOD), *_GOOD, "sen"),
    "bad": ("sentence_bad", *(f"{word}_sentence" for word in _BAD), *_BAD, "wrong_sen"),
    "rule": ("rule_code", "rule", "error_name", "uid", "phenomenon", "linguistic_phenomenon", "linguistics_term"),
    "id": ("id", "pair_id", "pairid"),
    "features": ("features", "demanded_features"),
}
SEPARATORS = ";,\t|"
MAX_SENTENCE = 10_000

_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_TABLE_SUFFIXES = (".csv", ".tsv", ".txt")


class PairRow(NamedTuple):
    """A row of pairs."""

    place: str  # where the row is, as messages name it: `pairs.csv:3`, or `pairs.parquet, row 3`
    line: int  # the first line of the row in a text file, else the number of the row; both count from 1
    quote: str  # the row's own words; "" where the file is no text
    cells: Mapping[str, Any]  # the values by column name
    columns: Mapping[str, str]  # for each field of `COLUMNS` that the file has, the name of its column

    def text(self, field: str) -> str:
        """The cell of a field of `COLUMNS` as text; "" where it is null or the file has no such column.

        Ids and rules may be whole numbers, features a list. Raises SourceError for any other value that is no text,
        half of a surrogate pair, a control character in an id, and more than `MAX_SENTENCE` characters.
        """
        column = self.columns.get(field)
        value = self.cells.get(column) if column else None
        if value is None:
            return ""
        if isinstance(value, list | tuple) and field == "features":
            return "; ".join(map(str, value))
        if isinstance(value, int) and field in ("id", "rule"):
            return str(value)
        if not isinstance(value, str):
            raise SourceError(f"{self.place}: '{column}' is not text; write it between quotation marks")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise SourceError(f"{self.place}: '{column}' has half of a surrogate pair; write the character itself")
        if field == "id" and not value.isprintable():
            raise SourceError(f"{self.place}: '{column}' has a line break or control character; take it out")
        if len(value) > MAX_SENTENCE:
            raise SourceError(
                f"{self.place}: '{column}' has {counted(len(value), 'character')} (limit {MAX_SENTENCE:,}); "
                "write one sentence a cell and look for an unclosed quotation mark"
            )
        return value


def read_pairs(path: Path, **options: Any) -> Iterator[Candidate]:
    """The pairs of a file, each with its line as evidence; `options` are those of `read_rows`. Raises SourceError."""
    return (pair_candidate(row, path.stem, str(path)) for row in read_rows(path, **options))


def pair_candidate(row: PairRow, source_id: str, file: str) -> Candidate:
    """A row as a candidate, so that the checks can look at it. Raises SourceError as `PairRow.text` does."""
    good, bad, rule = map(row.text, ("good", "bad", "rule"))
    block_id = content_id("block", Path(file).name, row.line)
    return Candidate(
        id=row.text("id") or pair_id(rule, good, bad),
        rule_id=rule,
        source_id=source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="manual",
        features=tuple(filter(None, map(str.strip, row.text("features").split(";")))),
        evidence=Evidence(block_id=block_id, file=file, page=1, line=row.line, quote=row.quote),
    )


def read_rows(
    path: Path,
    *,
    good: str | None = None,
    bad: str | None = None,
    encoding: str | None = None,
) -> list[PairRow]:
    """The rows of a file of pairs in their order; empty rows of a table are passed over.

    good, bad  the names of the sentence columns where they are none of `COLUMNS`
    encoding   of a text that is neither UTF-8 nor marked as UTF-16 or UTF-32, such as cp1257

    Raises SourceError, with the place and the remedy, for a file that is missing, empty, binary, too large, in another
    encoding, without the two columns, or damaged in a row.
    """
    data = read_file(path, error=SourceError)
    if data.startswith(WORKBOOKS):
        raise SourceError(f"{path}: an Excel workbook or ZIP archive; save the sheet as 'CSV UTF-8'")
    if data.startswith(PARQUET):
        rows = list(_parquet_rows(path, data, good, bad))
    else:
        text, suffix = _decode(path, data, encoding), path.suffix.lower()
        is_json = suffix not in _TABLE_SUFFIXES and text.lstrip().startswith(("{", "["))
        read = _json_rows if is_json or suffix in _JSON_SUFFIXES else _table_rows
        rows = list(read(path, text, good, bad))
    if not rows:
        raise SourceError(f"{path}: no pairs under the header; write one pair a line")
    return rows


def pair_columns(names: Iterable[str], place: str, good: str | None = None, bad: str | None = None) -> dict[str, str]:
    """For each field of `COLUMNS` the name of its column. Raises SourceError where one of the sentences has none."""
    names = tuple(names)
    asked = {"good": good, "bad": bad}
    columns = {field: column for field in COLUMNS if (column := _column(field, names, asked.get(field)))}
    for field, name in asked.items():
        if field not in columns:
            present = one_line(", ".join(filter(None, names)))
            remedy = "give one of these" if name else f"name one of: {', '.join(COLUMNS[field])}; or say --{field} NAME"
            missing = f"no column '{name}'" if name else f"no column for the {field} sentence"
            raise SourceError(f"{place}: {missing}; found: {present!r}; {remedy}")
    return columns


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


def _decode(path: Path, data: bytes, encoding: str | None) -> str:
    """The text of a file: by its byte-order mark, as UTF-8, or in the encoding that the user names."""
    # Wide characters of ASCII would pass as UTF-8 with NULs between.
    is_wide = encoding is not None and (text_encoding(encoding) or "").startswith(("utf-16", "utf-32"))
    encodings = [*(() if is_wide else ("UTF-8",)), *([encoding] if encoding else ())]
    return decode(path, data, encodings, " (in Excel: 'CSV UTF-8'), or name its encoding, such as cp1257")


def _json_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    for row in read_objects(path, text, SourceError):
        place = at(path, row.line)
        yield PairRow(place, row.line, row.quote, row.cells, pair_columns(row.cells, place, good, bad))


def _table_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    def has_both(names: tuple[str, ...]) -> bool:
        return bool(_column("good", names, good) and _column("bad", names, bad))

    titles, rows = read_table(path, text, SEPARATORS, SourceError, has_both)
    columns = pair_columns(titles, at(path, 1), good, bad)
    return (PairRow(at(path, row.line), row.line, row.quote, row.cells, columns) for row in rows)


def _parquet_rows(path: Path, data: bytes, good: str | None, bad: str | None) -> Iterator[PairRow]:
    (_, _, titles), *rows = packed_rows(path, data, SourceError)
    refuse_doubled(titles, str(path), SourceError)
    columns = pair_columns(titles, str(path), good, bad)
    for _, number, cells in rows:
        yield PairRow(f"{path}, row {number}", number, "", dict(zip(titles, cells, strict=True)), columns)
