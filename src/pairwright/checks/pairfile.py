"""Reading a file of minimal pairs that pairwright did not make, for `pairwright check FILE`.

JSON Lines, CSV and TSV, under the column names that published benchmarks use. The text is taken as it stands: white
space, normal form and odd characters are what the checks look for.
"""

import codecs
import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pairwright.checks.registry import check_pairs
from pairwright.config import CheckSettings, IngestSettings
from pairwright.errors import SourceError, at
from pairwright.ids import content_id, pair_id
from pairwright.languages import Language
from pairwright.records import Candidate, CheckedPair, Evidence
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
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _Row(NamedTuple):
    """A row of the file: its first line, its own words, and its cells by column name in small letters."""

    line: int
    quote: str
    cells: Mapping[str, object]


def check_file(path: Path, language: Language, settings: CheckSettings) -> Iterator[CheckedPair]:
    """The pairs of a user's file with what the checks found, in the order of the file.

    Limits under `settings.limits` go by the file's name without its suffix, and by that name and the rule column.
    Raises SourceError as `read_pairs` does.
    """
    return check_pairs(read_pairs(path), {}, language, settings)


def read_pairs(path: Path, max_bytes: int = IngestSettings().max_bytes) -> Iterator[Candidate]:
    """The pairs of a JSONL, CSV or TSV file in UTF-8, each with its line as evidence.

    A row without an id gets one from its rule and its sentences. Raises SourceError, with the place and the remedy,
    for a file that is missing, empty, binary, too large, not UTF-8, without the two columns, or damaged in a row.
    """
    text = _read(path, max_bytes)
    rows = _json_rows(path, text) if _is_json(path, text) else _table_rows(path, text)
    found = False
    for row in rows:
        found = True
        yield _candidate(path, row)
    if not found:
        raise SourceError(f"{path}: no pairs under the header; write one pair a line")


def _read(path: Path, max_bytes: int) -> str:
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise SourceError(f"{path}: {size:,} bytes, more than the {max_bytes:,} of a pair file; split it")
        data = path.read_bytes()
    except OSError as fault:
        raise SourceError(f"{path}: {(fault.strerror or 'cannot be read').lower()}; give a file of pairs") from None
    if data.startswith(b"PK\x03\x04"):
        raise SourceError(f"{path}: an Excel workbook or ZIP archive; save the sheet as 'CSV UTF-8'")
    if data.startswith(_UTF16):
        raise SourceError(f"{path}: UTF-16; save the file as UTF-8 (in Excel: 'CSV UTF-8')")
    if b"\x00" in data:
        raise SourceError(f"{path}: a binary file, not a text; give pairs as JSONL, CSV or TSV")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        # The codec counts bytes after the byte-order mark.
        body = data.removeprefix(codecs.BOM_UTF8)
        line = body.count(b"\n", 0, fault.start) + 1
        column = len(body[body.rfind(b"\n", 0, fault.start) + 1 : fault.start].decode()) + 1
        raise SourceError(
            f"{at(path, line, column)}: byte 0x{body[fault.start]:02x} is not UTF-8; save the file as UTF-8 "
            "(in Excel: 'CSV UTF-8')"
        ) from None
    if not text.strip():
        raise SourceError(f"{path}: the file is empty")
    return text


def _is_json(path: Path, text: str) -> bool:
    suffix = path.suffix.lower()
    if suffix in _JSON_SUFFIXES or suffix in _TABLE_SUFFIXES:
        return suffix in _JSON_SUFFIXES
    return text.lstrip().startswith(("{", "["))


def _json_rows(path: Path, text: str) -> Iterator[_Row]:
    # Not splitlines(): JSON strings may hold U+2028, which it takes for a line's end.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as fault:
            hint = "; write one object a line: jq -c '.[]' FILE" if line.lstrip().startswith("[") else ""
            raise SourceError(f"{at(path, number, fault.colno)}: not JSON: {fault.msg}{hint}") from None
        except (RecursionError, ValueError):
            raise SourceError(f"{at(path, number)}: not JSON that can be read; write one flat object a line") from None
        if not isinstance(value, dict):
            hint = ": jq -c '.[]' FILE" if isinstance(value, list) else ""
            raise SourceError(f"{at(path, number)}: not a JSON object; write one object a line{hint}")
        yield _Row(number, line.strip(), {key.strip().lower(): cell for key, cell in value.items()})


def _table_rows(path: Path, text: str) -> Iterator[_Row]:
    separator, header = _header(path, text)
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
        yield _Row(start, quote, dict(zip_longest(header, cells[: len(header)], fillvalue="")))


def _header(path: Path, text: str) -> tuple[str, list[str]]:
    """The separator under which the first line has both sentence columns, and the column names."""
    first = io.StringIO(text, newline=None).readline().rstrip("\n")
    splits = {separator: _cells(first, separator) for separator in SEPARATORS}
    for separator, names in splits.items():
        if _named("good", names) and _named("bad", names):
            return separator, names
    names = max(splits.values(), key=len)
    raise _missing(path, 1, names)


def _cells(line: str, separator: str) -> list[str]:
    try:
        row = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        row = line.split(separator)
    return [cell.strip().lower().replace(" ", "_") for cell in row]


def _named(field: str, names: Iterable[str]) -> str | None:
    present = set(names)
    return next((name for name in COLUMNS[field] if name in present), None)


def _missing(path: Path, line: int, names: Iterable[str]) -> SourceError:
    names = list(names)
    lacking = next(field for field in ("good", "bad") if not _named(field, names))
    found = ", ".join(name for name in names if name)
    short = found if len(found) <= 200 else found[:199] + "…"
    known = ", ".join(COLUMNS[lacking])
    return SourceError(
        f"{at(path, line)}: no column for the {lacking} sentence; found: {short!r}; name one of: {known}"
    )


def _candidate(path: Path, row: _Row) -> Candidate:
    if not (_named("good", row.cells) and _named("bad", row.cells)):
        raise _missing(path, row.line, row.cells)
    good, bad = _text(path, row, "good"), _text(path, row, "bad")
    rule = _text(path, row, "rule")
    return Candidate(
        id=_text(path, row, "id") or pair_id(rule, good, bad),
        rule_id=rule,
        source_id=path.stem,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="manual",
        features=tuple(filter(None, map(str.strip, _text(path, row, "features").split(";")))),
        evidence=Evidence(
            block_id=content_id("block", path.name, row.line), file=str(path), page=1, line=row.line, quote=row.quote
        ),
    )


def _text(path: Path, row: _Row, field: str) -> str:
    """The cell of a field as text; an absent or null one is empty. Ids and rules may be numbers, sentences may not."""
    name = _named(field, row.cells)
    value = row.cells[name] if name else None
    if value is None:
        return ""
    if isinstance(value, int) and field in ("id", "rule"):
        return str(value)
    if not isinstance(value, str):
        raise SourceError(f"{at(path, row.line)}: '{name}' is not text; write it between quotation marks")
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise SourceError(f"{at(path, row.line)}: '{name}' has half of a surrogate pair; write the character itself")
    if field == "id" and not value.isprintable():
        raise SourceError(f"{at(path, row.line)}: '{name}' has a line break or control character; take it out")
    if len(value) > MAX_SENTENCE:
        raise SourceError(
            f"{at(path, row.line)}: '{name}' has {len(value):,} characters (limit {MAX_SENTENCE:,}); "
            "write one sentence a cell and look for an unclosed quotation mark"
        )
    return value
