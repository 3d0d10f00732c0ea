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
from pairwright.release.material import Material
from pairwright.releases import SPLITS, ReleasePair
from pairwright.text import neutralise

if TYPE_CHECKING:
    import pyarrow

PARQUET = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "NONE",
    "use_dictionary": True,
    "write_statistics": True,
    "store_schema": False,
    "row_group_size": 100_000,
}


def write_pairs(directory: Path, material: Material) -> int:
    """Writes all tables of pairs; returns how many cells of pairs.csv carry an apostrophe against formulas."""
    import pyarrow.parquet as parquet

    rows = [pair.model_dump(mode="json") for pair in material.pairs]
    with store.atomic(directory / "pairs.parquet", "wb") as handle:
        parquet.write_table(_table(rows), handle, **PARQUET)
    for split in SPLITS:
        own = [row for row in rows if row["split"] == split]
        if own:
            with store.atomic(directory / "data" / f"{split}.parquet", "wb") as handle:
                parquet.write_table(_table(own), handle, **PARQUET)
    return _write_csv(directory / "pairs.csv", rows)


def _table(rows: list[dict[str, object]]) -> "pyarrow.Table":
    import pyarrow as pa

    change = pa.struct(
        [("good", pa.string()), ("bad", pa.string()), ("good_at", pa.int32()), ("bad_at", pa.int32())]
    )
    vote = pa.struct([("reviewer", pa.string()), ("decision", pa.string())])
    kinds = {
        "exception": pa.bool_(),
        "changes": pa.list_(change),
        "votes": pa.list_(vote),
        "agreement": pa.float64(),
        "features": pa.list_(pa.string()),
        "published_source": pa.bool_(),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in ReleasePair.model_fields])
    return pa.Table.from_pylist(rows, schema=schema)


def _write_csv(path: Path, rows: Iterable[dict[str, object]]) -> int:
    marked = 0

    def cells() -> Iterable[list[str]]:
        nonlocal marked
        for row in rows:
            plain = [_cell(value) for value in row.values()]
            safe = [neutralise(cell) for cell in plain]
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
    given = [
        (pair.id, vote.reviewer, vote.decision, str(isinstance(pair, ReleasePair)).lower())
        for pair in (*material.pairs, *material.excluded)
        for vote in pair.votes
    ]
    write_csv(path, ("pair_id", "reviewer", "decision", "released"), given)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with commas, every cell quoted."""
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)
