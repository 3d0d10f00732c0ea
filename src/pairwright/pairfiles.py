"""Reads files of minimal pairs that pairwright did not make, under the column names of published benchmarks.

CSV and other separated tables, JSON Lines, JSON and Parquet, with both sentences in a row or one (with a label and the
id of its pair). Sentences are taken as they stand: white space, normal form and odd characters are what the checks look
for.
"""

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import SourceError, at, counted, one_line
from pairwright.core.files import read_file
from pairwright.core.ids import content_id, pair_id
from pairwright.core.records import Candidate, Evidence
from pairwright.core.tables import PARQUET, WORKBOOKS, packed_rows, read_objects, read_table, refuse_doubled
from pairwright.core.text import decode, text_encoding
from pairwright.languages.linguistics.sentences import changes

_GOOD = ("good", "correct", "acceptable", "grammatical", "right")
_BAD = ("bad", "incorrect", "unacceptable", "ungrammatical", "wrong")
# The names of each column in published benchmarks; the first one that a file has is taken. Case doesn't matter.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "good": ("sentence_good", *(f"{word}_sentence" for word in _GOOD), *_GOOD, "sen"),
    "bad": ("sentence_bad", *(f"{word}_sentence" for word in _BAD), *_BAD, "wrong_sen"),
    "rule": ("rule_code", "rule", "error_name", "uid", "phenomenon", "linguistic_phenomenon", "linguistics_term"),
    "id": ("id", "pair_id", "pairid"),
    "features": ("features", "demanded_features"),
    "sentence": ("sentence", "text"),
    "label": ("label", "acceptability", "acceptable", "grammatical", "is_acceptable", "is_grammatical"),
}
# What a label says of a sentence.
_LABELS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", *_GOOD), "good"),
    **dict.fromkeys(("0", "0.0", "false", "no", *_BAD), "bad"),
}
SEPARATORS = ";,\t|"
MAX_SENTENCE = 10_000

_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_TABLE_SUFFIXES = (".csv", ".tsv", ".txt")
SUFFIXES = (*_JSON_SUFFIXES, *_TABLE_SUFFIXES, ".parquet")
# Deeper objects are no rows of pairs.
_MOST_NESTED = 8


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


def pair_files(places: Sequence[str | Path]) -> list[Path]:
    """The files that paths, folders and patterns such as `blimp/*.jsonl` stand for, each once.

    Raises SourceError where a folder has no file of pairs, or nothing matches a pattern.
    """
    files: list[Path] = []
    for place in map(str, places):
        found = [Path(place)]
        if found[0].is_dir():
            found = sorted(it for it in found[0].glob("[!.]*") if it.suffix.lower() in SUFFIXES and it.is_file())
            if not found:
                raise SourceError(f"{place}: no file of pairs in this folder; they end in {', '.join(SUFFIXES)}")
        elif not found[0].exists() and glob.has_magic(place):
            found = sorted(map(Path, glob.glob(place, recursive=True)))
            if not found:
                raise SourceError(f"{place}: no file matches; check the pattern")
        files += found
    return list(dict.fromkeys(files))


def read_rows(
    path: Path,
    *,
    good: str | None = None,
    bad: str | None = None,
    encoding: str | None = None,
) -> list[PairRow]:
    """The rows of a file of pairs in their order, a row a pair; empty rows of a table are passed over.

    good, bad  the names of the sentence columns where they are none of `COLUMNS`; fields of nested objects have dotted
               names, such as `pair.good`
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
    return paired(rows)


def paired(rows: Iterable[PairRow]) -> list[PairRow]:
    """The rows as pairs: those of a sentence with a label are joined by the id of their pair.

    Raises SourceError for a label that says neither good nor bad, and a pair with two sentences of a kind. A pair that
    lacks one has an empty sentence.
    """
    pairs: dict[object, PairRow] = {}
    for number, row in enumerate(rows):
        if "good" in row.columns:
            pairs[number] = row
            continue
        label, pair = row.cells[row.columns["label"]], row.text("id")
        side = _LABELS.get(str(label).strip().lower())
        if side is None:
            name = row.columns["label"]
            raise SourceError(f"{row.place}: '{name}' is {one_line(label, 40)!r}; write 1 (acceptable) or 0 (not)")
        cells = pairs[pair].cells if pair in pairs else {}
        if side in cells:
            raise SourceError(f"{row.place}: pair {pair} has a second {side} sentence; keep one of them")
        columns = {**row.columns, "good": "good", "bad": "bad"}
        sentence = {side: row.cells[row.columns["sentence"]]}
        taken = (columns["sentence"], columns["label"], "good", "bad")
        others = {name: it for name, it in row.cells.items() if name not in taken}
        first = pairs.get(pair, row)
        pairs[pair] = PairRow(first.place, first.line, first.quote, {**others, **cells, **sentence}, columns)
    return list(pairs.values())


def pair_columns(names: Iterable[str], place: str, good: str | None = None, bad: str | None = None) -> dict[str, str]:
    """For each field of `COLUMNS` the name of its column.

    Raises SourceError where one of the sentences has none, unless rows have a sentence, a label and the id of a pair.
    """
    names = tuple(names)
    asked = {"good": good, "bad": bad}
    columns = {field: column for field in COLUMNS if (column := _column(field, names, asked.get(field)))}
    if not (good or bad or {"good", "bad"} <= columns.keys()) and {"sentence", "label", "id"} <= columns.keys():
        return {field: name for field, name in columns.items() if field not in asked}
    for field, name in asked.items():
        if field not in columns:
            present = one_line(", ".join(filter(None, names)))
            remedy = (
                "give one of these"
                if name
                else f"name one of: {', '.join(COLUMNS[field])}; or say --{field} NAME, in Python {field}=NAME"
            )
            missing = f"no column '{name}'" if name else f"no column for the {field} sentence"
            raise SourceError(f"{place}: {missing}; found: {present!r}; {remedy}")
    return columns


@lru_cache(maxsize=1000)
def _column(field: str, names: tuple[str, ...], asked: str | None = None) -> str | None:
    """The column that a user asked for, else the first that has one of the usual names."""
    if asked in names:
        return asked
    # The fields of nested objects also go by the last part of their names.
    by_key = {_key(name.rpartition(".")[2]): name for name in reversed(names)}
    by_key |= {_key(name): name for name in reversed(names)}
    usual = COLUMNS[field] if asked is None else (_key(asked),)
    return next((by_key[key] for key in usual if key in by_key), None)


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _decode(path: Path, data: bytes, encoding: str | None) -> str:
    """The text of a file: by its byte-order mark, as UTF-8, or in the encoding that the user names."""
    # Wide characters of ASCII would pass as UTF-8 with NULs between.
    is_wide = encoding is not None and (text_encoding(encoding) or "").startswith(("utf-16", "utf-32"))
    encodings = [*(() if is_wide else ("UTF-8",)), *([encoding] if encoding else ())]
    remedy = " (in Excel: 'CSV UTF-8'), or say its language, as --language lt, or in Python its encoding"
    return decode(path, data, encodings, remedy)


def _json_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    for row in read_objects(path, text, SourceError):
        place, cells = at(path, row.line), dict(_flat(row.cells))
        yield PairRow(place, row.line, row.quote, cells, pair_columns(cells, place, good, bad))


def _flat(cells: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[str, Any]]:
    """The cells of an object and of those in it, by dotted names."""
    for name, value in cells.items():
        if isinstance(value, dict) and depth < _MOST_NESTED:
            yield from ((f"{name}.{inner}", it) for inner, it in _flat(value, depth + 1))
        else:
            yield name, value


def _table_rows(path: Path, text: str, good: str | None, bad: str | None) -> Iterator[PairRow]:
    def suits(names: tuple[str, ...]) -> bool:
        both = _column("good", names, good) and _column("bad", names, bad)
        return bool(both) or all(_column(field, names) for field in ("sentence", "label", "id"))

    titles, rows = read_table(path, text, SEPARATORS, SourceError, suits)
    columns = pair_columns(titles, at(path, 1), good, bad)
    return (PairRow(at(path, row.line), row.line, row.quote, row.cells, columns) for row in rows)


def _parquet_rows(path: Path, data: bytes, good: str | None, bad: str | None) -> Iterator[PairRow]:
    (_, _, titles), *rows = packed_rows(path, data, SourceError)
    refuse_doubled(titles, str(path), SourceError)
    for _, number, values in rows:
        cells = dict(_flat(dict(zip(titles, values, strict=True))))
        yield PairRow(f"{path}, row {number}", number, "", cells, pair_columns(cells, str(path), good, bad))
