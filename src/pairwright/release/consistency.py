"""Does a release keep its promises? Its files agree with each other; no pair is double, empty or in two splits.

`verify` compares the bytes with those that were frozen; this asks whether they should have been. Every pair is read as
a record, but only what the other files are compared with is kept.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import ReleaseError, at
from pairwright.records import Rule
from pairwright.records.release import SPLITS, FrozenRelease, PairOrigin, ReleasePair
from pairwright.release.verify import ORIGINS, PAIRS, RULES, read_pairs, read_records, verified
from pairwright.text import sentence_key, unescape_csv_formula


class Row(NamedTuple):
    """The cells of a pair that every table of a release holds."""

    id: str
    sentence_good: str
    sentence_bad: str
    split: str


def verify_contents(directory: Path) -> FrozenRelease:
    """A release whose bytes, pairs and tables were all checked.

    Raises ReleaseError with the file, the line and the reason: as `verified` and `read_pairs` do, and where two pairs
    have one id or the same sentences, a pair's two sentences are the same, a sentence stands in two splits, or a file
    says something else than pairs.jsonl. Of releases of format 1, the pairs alone are checked.
    """
    release = verified(directory)
    path, n_pairs = directory / PAIRS, release.info.n_pairs
    current = release.info.format > 1
    rule_ids = {rule.id for rule in read_records(directory / RULES, Rule)} if current else None
    rows = list(_checked_rows(path, read_pairs(directory), rule_ids))
    if len(rows) != n_pairs:
        raise ReleaseError(
            f"{path}: {len(rows)} pairs, but release.json says {n_pairs}; the release was not made by pairwright"
        )
    if current:
        _compare_rows(directory / "pairs.parquet", _parquet_rows, rows)
        _compare_rows(directory / "pairs.csv", _csv_rows, rows)
        for split in SPLITS:
            if own := [row for row in rows if row.split == split]:
                _compare_rows(directory / "data" / f"{split}.parquet", _parquet_rows, own)
        _compare_origins(directory / ORIGINS, rows)
    return release


def _checked_rows(path: Path, pairs: Iterable[ReleasePair], rule_ids: set[str] | None) -> Iterator[Row]:
    """The rows of the pairs. Their rules and splits are not checked where `rule_ids` is None."""
    lines: dict[str, int] = {}
    couples: dict[tuple[str, str], int] = {}
    splits: dict[str, tuple[str, int]] = {}
    for line, pair in enumerate(pairs, start=1):
        place = at(path, line)
        if lines.setdefault(pair.id, line) != line:
            raise ReleaseError(f"{place}: the id {pair.id} stands in line {lines[pair.id]} already")
        good, bad = sentence_key(pair.sentence_good), sentence_key(pair.sentence_bad)
        if good == bad:
            raise ReleaseError(f"{place}: {pair.id}: the good and the bad sentence are the same")
        if couples.setdefault((good, bad), line) != line:
            raise ReleaseError(f"{place}: {pair.id}: the same sentences as in line {couples[good, bad]}")
        if (bad, good) in couples:
            raise ReleaseError(f"{place}: {pair.id}: line {couples[bad, good]} the other way round")
        for sentence in () if rule_ids is None else (good, bad):
            split, first = splits.setdefault(sentence, (pair.split, line))
            if split != pair.split:
                raise ReleaseError(
                    f"{place}: {pair.id}: a sentence of {pair.split} stands in {split}, too, in line {first}"
                )
        if rule_ids is not None and pair.rule_id not in rule_ids:
            raise ReleaseError(f"{place}: {pair.id}: its rule {pair.rule_id} is not in {RULES}")
        yield Row(pair.id, pair.sentence_good, pair.sentence_bad, pair.split)


def _compare_rows(path: Path, read: Callable[[Path], list[tuple[str, ...]]], expected: Sequence[Row]) -> None:
    """Raises ReleaseError where a table doesn't hold the expected pairs in their order."""
    rows = read(path)
    for number, (row, pair) in enumerate(zip(rows, expected, strict=False), start=1):
        if row != pair:
            raise ReleaseError(f"{path}: row {number} is not {pair.id} as in {PAIRS}")
    if len(rows) != len(expected):
        raise ReleaseError(f"{path}: {len(rows)} rows in place of {len(expected)}")


def _csv_rows(path: Path) -> list[tuple[str, ...]]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            rows = csv.reader(handle)
            header = next(rows, [])
            cells = itemgetter(*(header.index(name) for name in Row._fields))
            return [tuple(map(unescape_csv_formula, cells(row))) for row in rows]
    except (OSError, ValueError, IndexError, csv.Error) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {fault!r}") from None


def _parquet_rows(path: Path) -> list[tuple[str, ...]]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        # A reader of the file alone: `read_table` would import what reads folders of files, which takes longer.
        with parquet.ParquetFile(path) as file:
            table = file.read(columns=list(Row._fields))
        return list(zip(*(table.column(name).to_pylist() for name in Row._fields), strict=True))
    except (pa.ArrowException, OSError, KeyError) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {str(fault).splitlines()[0]}") from None


def _compare_origins(path: Path, rows: Sequence[Row]) -> None:
    line = 0
    for line, origin in enumerate(read_records(path, PairOrigin), start=1):
        if line <= len(rows) and origin.pair_id != rows[line - 1].id:
            raise ReleaseError(f"{at(path, line)}: {origin.pair_id} in place of {rows[line - 1].id}")
    if line != len(rows):
        raise ReleaseError(f"{path}: {line} lines for {len(rows)} pairs")
