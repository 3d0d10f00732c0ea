"""The pairs as tables: pairs.csv, pairs.parquet, one Parquet file a split, and the votes.

Parquet is written without compression and without what a writer adds of its own, so that one version of pyarrow gives
the same bytes on every machine; release.json names that version.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright import store
from pairwright.records.release import SPLITS, ExcludedPair, ReleasePair
from pairwright.release.contents.contents import Material
from pairwright.text import escape_csv_formula

if TYPE_CHECKING:
    import pyarrow

PARQUET = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "NONE",
    "use_dictionary": True,
    "write_statistics": True,
    "store_schema": False,
}
ROW_GROUP = 10_000


def write_pairs(directory: Path, material: Material) -> int:
    """Writes all tables of pairs; returns how many cells of pairs.csv carry an apostrophe against formulas."""
    _write_parquet(directory / "pairs.parquet", material.pairs)
    for split in SPLITS:
        own = [pair for pair in material.pairs if pair.split == split]
        if own:
            _write_parquet(directory / "data" / f"{split}.parquet", own)
    return _write_csv(directory / "pairs.csv", material.pairs)


def _write_parquet(path: Path, pairs: Sequence[ReleasePair]) -> None:
    import pyarrow.parquet as parquet

    with store.atomic(path, "wb") as handle, parquet.ParquetWriter(handle, _schema(), **PARQUET) as writer:
        # In pieces: the rows of 100,000 pairs as dictionaries take a quarter of a gigabyte.
        for start in range(0, len(pairs), ROW_GROUP):
            writer.write_table(_table(pairs[start : start + ROW_GROUP]))


def _schema() -> "pyarrow.Schema":
    import pyarrow as pa

    change = pa.struct([("good", pa.string()), ("bad", pa.string()), ("good_at", pa.int32()), ("bad_at", pa.int32())])
    vote = pa.struct([("reviewer", pa.string()), ("decision", pa.string())])
    kinds = {
        "exception": pa.bool_(),
        "changes": pa.list_(change),
        "votes": pa.list_(vote),
        "agreement": pa.float64(),
        "features": pa.list_(pa.string()),
        "published_source": pa.bool_(),
    }
    return pa.schema([(name, kinds.get(name, pa.string())) for name in ReleasePair.model_fields])


def _table(pairs: Sequence[ReleasePair]) -> "pyarrow.Table":
    import pyarrow as pa

    schema = _schema()
    nested = {
        "changes": [[change.model_dump() for change in pair.changes] for pair in pairs],
        "votes": [[vote.model_dump() for vote in pair.votes] for pair in pairs],
    }
    columns = [
        pa.array(nested.get(name) or [getattr(pair, name) for pair in pairs], type=schema.field(name).type)
        for name in schema.names
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _write_csv(path: Path, pairs: Iterable[ReleasePair]) -> int:
    marked = 0

    def cells() -> Iterable[list[str]]:
        nonlocal marked
        for pair in pairs:
            plain = [_cell(value) for value in pair.model_dump(mode="json").values()]
            safe = [escape_csv_formula(cell) for cell in plain]
            marked += sum(cell != text for cell, text in zip(safe, plain, strict=True))
            yield safe

    write_csv(path, tuple(ReleasePair.model_fields), cells())
    return marked


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write_votes(path: Path, material: Material) -> None:
    """Every vote on every pair, released or not: what agreement is computed from. Reviewers stand by pseudonym."""
    both: tuple[tuple[Iterable[ReleasePair | ExcludedPair], str], ...]
    both = ((material.pairs, "true"), (material.excluded, "false"))
    given = (
        (pair.id, vote.reviewer, vote.decision, released)
        for pairs, released in both
        for pair in pairs
        for vote in pair.votes
    )
    write_csv(path, ("pair_id", "reviewer", "decision", "released"), given)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with commas, every cell quoted."""
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)
