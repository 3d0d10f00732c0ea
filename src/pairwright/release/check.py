"""Does a release keep its promises? Its files agree with each other, and no pair is double, empty or in two splits.

`verify.verify` says whether the bytes are those that were frozen; this says whether they should have been. Every pair
is read as the record that it is, but only what the other files are compared with is kept.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from pairwright.errors import ReleaseError, StoreError, at
from pairwright.records import Record, Rule
from pairwright.records.release import SPLITS, FrozenRelease, Provenance, ReleasePair
from pairwright.release.verify import PAIRS, read_pairs, verified
from pairwright.store import read_jsonl
from pairwright.text import sentence_key, unescape_csv_formula

R = TypeVar("R", bound=Record)


class Row(NamedTuple):
    """The cells of a pair that every table of a release holds."""

    id: str
    sentence_good: str
    sentence_bad: str
    split: str


def check_release(directory: Path) -> FrozenRelease:
    """A release whose bytes, pairs and tables were all checked.

    Raises ReleaseError with the file, the line and the reason: as `read_release` does, and where two pairs have one id
    or the same sentences, a pair's sentences are the same, a sentence stands in two splits, or a file says something
    else than pairs.jsonl.
    """
    release = verified(directory)
    path, info = directory / PAIRS, release.info
    current = info.format > 1
    known = {rule.id for rule in _records(directory / "rules.jsonl", Rule)} if current else None
    rows = list(_checked_rows(path, read_pairs(directory), known, one_split=current))
    if len(rows) != info.n_pairs:
        raise ReleaseError(
            f"{path}: {len(rows)} pairs, but release.json says {info.n_pairs}; the release was not made by pairwright"
        )
    if current:
        _refuse_other_tables(directory, rows)
        _refuse_other_provenance(directory / "provenance.jsonl", rows)
    return release


def _records(path: Path, kind: type[R]) -> Iterator[R]:
    try:
        yield from read_jsonl(path, kind)
    except StoreError as fault:
        raise ReleaseError(str(fault)) from None


def _checked_rows(
    path: Path, pairs: Iterable[ReleasePair], rules: set[str] | None, *, one_split: bool
) -> Iterator[Row]:
    """The rows of the pairs. `rules` are the ids of the rules that pairs may have; None where they are not listed."""
    lines: dict[str, int] = {}
    couples: dict[tuple[str, str], int] = {}
    held: dict[str, tuple[str, int]] = {}
    for line, pair in enumerate(pairs, start=1):
        if lines.setdefault(pair.id, line) != line:
            raise ReleaseError(f"{at(path, line)}: the id {pair.id} stands in line {lines[pair.id]} already")
        good, bad = sentence_key(pair.sentence_good), sentence_key(pair.sentence_bad)
        if good == bad:
            raise ReleaseError(f"{at(path, line)}: {pair.id}: the good and the bad sentence are the same")
        if couples.setdefault((good, bad), line) != line:
            raise ReleaseError(f"{at(path, line)}: {pair.id}: the same sentences as in line {couples[good, bad]}")
        if (bad, good) in couples:
            raise ReleaseError(f"{at(path, line)}: {pair.id}: line {couples[bad, good]} the other way round")
        for sentence in (good, bad) if one_split else ():
            split, first = held.setdefault(sentence, (pair.split, line))
            if split != pair.split:
                raise ReleaseError(
                    f"{at(path, line)}: {pair.id}: a sentence of {pair.split} stands in {split}, too, in line {first}"
                )
        if rules is not None and pair.rule_id not in rules:
            raise ReleaseError(f"{at(path, line)}: {pair.id}: its rule {pair.rule_id} is not in rules.jsonl")
        yield Row(pair.id, pair.sentence_good, pair.sentence_bad, pair.split)


def _refuse_other_tables(directory: Path, rows: Sequence[Row]) -> None:
    """The tables hold the same pairs in the same order."""
    _refuse_other_rows(directory / "pairs.parquet", _parquet_rows(directory / "pairs.parquet"), rows)
    _refuse_other_rows(directory / "pairs.csv", _csv_rows(directory / "pairs.csv"), rows)
    for path, split in ((directory / "data" / f"{split}.parquet", split) for split in SPLITS):
        own = [row for row in rows if row.split == split]
        if own:
            _refuse_other_rows(path, _parquet_rows(path), own)


Cells = tuple[str, ...]


def _refuse_other_rows(path: Path, found: Sequence[Cells], expected: Sequence[Row]) -> None:
    for number, (row, wanted) in enumerate(zip(found, expected, strict=False), start=1):
        if row != wanted:
            raise ReleaseError(f"{path}: row {number} is not {wanted.id} as in {PAIRS}")
    if len(found) != len(expected):
        raise ReleaseError(f"{path}: {len(found)} rows in place of {len(expected)}")


def _csv_rows(path: Path) -> list[Cells]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            rows = csv.reader(handle)
            header = next(rows, [])
            cells = itemgetter(*(header.index(name) for name in Row._fields))
            return [
                (key, unescape_csv_formula(good), unescape_csv_formula(bad), split)
                for key, good, bad, split in map(cells, rows)
            ]
    except (OSError, ValueError, IndexError, csv.Error) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {fault!r}") from None


def _parquet_rows(path: Path) -> list[Cells]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        # A reader of the file alone: `read_table` would import what reads folders of files, which takes longer.
        with parquet.ParquetFile(path) as file:
            table = file.read(columns=list(Row._fields))
        return list(zip(*(table.column(name).to_pylist() for name in Row._fields), strict=True))
    except (pa.ArrowException, OSError, KeyError) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {str(fault).splitlines()[0]}") from None


def _refuse_other_provenance(path: Path, rows: Sequence[Row]) -> None:
    line = 0
    for line, told in enumerate(_records(path, Provenance), start=1):
        if line <= len(rows) and told.pair_id != rows[line - 1].id:
            raise ReleaseError(f"{at(path, line)}: {told.pair_id} in place of {rows[line - 1].id}")
    if line != len(rows):
        raise ReleaseError(f"{path}: {line} lines for {len(rows)} pairs")
