"""The pairs as tables: pairs.csv, pairs.parquet, one Parquet file a split, and the votes.

Parquet is written without compression and without what a writer adds of its own, so that one version of pyarrow gives
the same bytes on every machine; release.json names that version.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.core import store
from pairwright.core.records.release import SPLITS, ExcludedPair, ReleasePair
from pairwright.core.text import escape_csv_formula
from pairwright.release.contents.contents import COLUMNS, NESTED, ColumnType, Fields, ReleaseContents
from pairwright.release.exports.files import write_csv

if TYPE_CHECKING:
    import pyarrow

PARQUET = {"version": "2.6", "data_page_version": "1.0", "compression": "NONE", "store_schema": False}
ROW_GROUP = 10_000


def write_pairs(directory: Path, pairs: Sequence[ReleasePair]) -> int:
    """Writes all tables of pairs; returns how many cells of pairs.csv carry an apostrophe against formulas."""
    _write_parquet(directory / "pairs.parquet", pairs)
    for split in SPLITS:
        if own := [pair for pair in pairs if pair.split == split]:
            _write_parquet(directory / "data" / f"{split}.parquet", own)
    return _write_csv(directory / "pairs.csv", pairs)


def _write_parquet(path: Path, pairs: Sequence[ReleasePair]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    schema = pa.schema([(name, _arrow_type(kind)) for name, kind in COLUMNS.items()])
    with store.atomic(path, "wb") as handle, parquet.ParquetWriter(handle, schema, **PARQUET) as writer:
        # In pieces: the rows of 100,000 pairs as dictionaries take a quarter of a gigabyte.
        for start in range(0, len(pairs), ROW_GROUP):
            rows = pairs[start : start + ROW_GROUP]
            columns = {name: [getattr(pair, name) for pair in rows] for name in COLUMNS}
            for name in NESTED:
                columns[name] = [[record.model_dump() for record in records] for records in columns[name]]
            writer.write_table(pa.table(columns, schema=schema))


def _arrow_type(kind: ColumnType | Fields) -> "pyarrow.DataType":
    import pyarrow as pa

    if isinstance(kind, str):
        return pa.type_for_alias(kind)
    if isinstance(kind, list):
        return pa.list_(_arrow_type(kind[0]))
    return pa.struct([(name, pa.type_for_alias(alias)) for name, alias in kind.items()])


def _write_csv(path: Path, pairs: Iterable[ReleasePair]) -> int:
    n_marked = 0

    def rows() -> Iterator[list[str]]:
        nonlocal n_marked
        for pair in pairs:
            plain = [_cell(value) for value in pair.model_dump(mode="json").values()]
            safe = [escape_csv_formula(cell) for cell in plain]
            n_marked += sum(cell != text for cell, text in zip(safe, plain, strict=True))
            yield safe

    write_csv(path, tuple(COLUMNS), rows())
    return n_marked


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def write_votes(path: Path, contents: ReleaseContents) -> None:
    """Every vote on every pair, released or not: what agreement is computed from. Reviewers stand by pseudonym."""
    pairs: list[ReleasePair | ExcludedPair] = [*contents.pairs, *contents.excluded]
    rows = (
        (
            escape_csv_formula(pair.id),
            escape_csv_formula(vote.reviewer),
            vote.decision,
            vote.basis,
            str(isinstance(pair, ReleasePair)).lower(),
        )
        for pair in pairs
        for vote in pair.votes
    )
    write_csv(path, ("pair_id", "reviewer", "decision", "basis", "released"), rows)
