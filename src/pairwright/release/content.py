"""Does a release keep its promises? Its files agree with each other, and no pair is double, empty or in two splits.

`verify.verify` says whether the bytes are those that were frozen; this says whether they should have been.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import ReleaseError, StoreError, at
from pairwright.records import Rule
from pairwright.release.verify import PAIRS, read_release
from pairwright.releases import SPLITS, Release, ReleasePair
from pairwright.store import read_jsonl
from pairwright.text import restore, sentence_key


def check_release(directory: Path) -> Release:
    """A release whose bytes, pairs and tables were all checked.

    Raises ReleaseError with the file, the line and the reason: as `read_release` does, and where two pairs have one id
    or the same sentences, a pair's sentences are the same, a sentence stands in two splits, or a file says something
    else than pairs.jsonl.
    """
    release = read_release(directory)
    path = directory / PAIRS
    info = release.info
    _refuse_count(path, len(release.pairs), info.n_pairs)
    _refuse_doubles(path, release.pairs, one_split=info.format > 1)
    if info.format > 1:
        _refuse_unknown_rules(directory, release.pairs)
        _refuse_other_tables(directory, release.pairs)
        _refuse_other_provenance(directory, release.pairs)
    return release


def _refuse_count(path: Path, found: int, told: int) -> None:
    if found != told:
        raise ReleaseError(
            f"{path}: {found} pairs, but release.json says {told}; the release was not made by pairwright"
        )


def _refuse_doubles(path: Path, pairs: tuple[ReleasePair, ...], *, one_split: bool) -> None:
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


def _refuse_unknown_rules(directory: Path, pairs: tuple[ReleasePair, ...]) -> None:
    path = directory / "rules.jsonl"
    try:
        known = {rule.id for rule in read_jsonl(path, Rule)}
    except StoreError as fault:
        raise ReleaseError(str(fault)) from None
    for line, pair in enumerate(pairs, start=1):
        if pair.rule_id not in known:
            raise ReleaseError(
                f"{at(directory / PAIRS, line)}: {pair.id}: its rule {pair.rule_id} is not in {path.name}"
            )


Row = tuple[str, str, str, str]
COLUMNS = ("id", "sentence_good", "sentence_bad", "split")


def _refuse_other_tables(directory: Path, pairs: tuple[ReleasePair, ...]) -> None:
    """The tables hold the same pairs in the same order."""
    rows = [(pair.id, pair.sentence_good, pair.sentence_bad, pair.split) for pair in pairs]
    tables = {"pairs.parquet": rows, "pairs.csv": rows}
    tables |= {f"data/{split}.parquet": own for split in SPLITS if (own := [row for row in rows if row[3] == split])}
    for name, expected in tables.items():
        found = _csv_rows(directory / name) if name.endswith(".csv") else _parquet_rows(directory / name)
        for number, (row, wanted) in enumerate(zip(found, expected, strict=False), start=1):
            if row != wanted:
                raise ReleaseError(f"{directory / name}: row {number} is not {wanted[0]} as in {PAIRS}")
        if len(found) != len(expected):
            raise ReleaseError(f"{directory / name}: {len(found)} rows in place of {len(expected)}")


def _csv_rows(path: Path) -> list[Row]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            rows = csv.reader(handle)
            header = next(rows, [])
            at_id, at_good, at_bad, at_split = (header.index(name) for name in COLUMNS)
            return [(row[at_id], restore(row[at_good]), restore(row[at_bad]), row[at_split]) for row in rows]
    except (OSError, ValueError, IndexError, csv.Error) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {fault!r}") from None


def _parquet_rows(path: Path) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        table = parquet.read_table(path, columns=list(COLUMNS), partitioning=None)
        return list(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True))
    except (pa.ArrowException, OSError, KeyError) as fault:
        raise ReleaseError(f"{path}: not the table of the pairs: {str(fault).splitlines()[0]}") from None


def _refuse_other_provenance(directory: Path, pairs: tuple[ReleasePair, ...]) -> None:
    path = directory / "provenance.jsonl"
    told = list(_pair_ids(path))
    for line, (pair, identity) in enumerate(zip(pairs, told, strict=False), start=1):
        if pair.id != identity:
            raise ReleaseError(f"{at(path, line)}: {identity} in place of {pair.id}")
    if len(told) != len(pairs):
        raise ReleaseError(f"{path}: {len(told)} lines for {len(pairs)} pairs")


def _pair_ids(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)["pair_id"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ReleaseError(f"{path}: not the provenance of pairs: {fault!r}") from None
