"""What lies damaged or misplaced in the folder of an evaluation is one line or scored again, never a wrong figure."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kept_scores import read_scores
from tiny_models import PAIRS

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import StoreError
from pairwright.core.ids import file_sha256
from pairwright.evaluate.scoring.runs.evaluation import evaluate, read_table
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel

SETTINGS = ScoreSettings(shard_pairs=1)
SHA256 = "a" * 64


@pytest.fixture
def run(model: LoadedModel, tmp_path: Path) -> Callable[..., list[int]]:
    """Scores the PAIRS into `tmp_path / "scored"`, and returns the progress."""

    def score(**options: Any) -> list[int]:
        seen: list[int] = []
        scorer, folder = CausalScorer(model, SETTINGS), tmp_path / "scored"
        options = {"release": "own-1.0", "release_sha256": SHA256, "progress": seen.append, **options}
        evaluate(PAIRS, scorer, SETTINGS, folder, **options)
        return seen

    return score


@pytest.fixture
def scored(run: Callable[..., list[int]], tmp_path: Path) -> Path:
    run()
    return tmp_path / "scored"


def set_run(folder: Path, **fields: object) -> None:
    """Changes run.json, with the hashes of the files as they are now."""
    path = folder / "run.json"
    files = {name: file_sha256(folder / name) for name in ("scores.parquet", "scores.rejected.jsonl")}
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"files": files} | fields), "utf-8")


def refused(folder: Path) -> str:
    with pytest.raises(StoreError) as by_table:
        read_table(folder)
    assert "\n" not in str(by_table.value)
    return str(by_table.value)


def without(column: str, value: object) -> Callable[[pa.Table], pa.Table]:
    """Makes the first cell of a column that value."""

    def change(table: pa.Table) -> pa.Table:
        place, kind = table.column_names.index(column), table.schema.field(column).type
        cells = pa.array([value, *table[column].to_pylist()[1:]], kind)
        return table.set_column(place, pa.field(column, kind), cells)

    return change


def broken_text(table: pa.Table) -> pa.Table:
    """Makes the first sentence bytes that are no UTF-8."""
    cells = [b"\xff\xfe", *(text.encode() for text in table["sentence"].to_pylist()[1:])]
    raw = pa.array(cells, pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    return table.set_column(table.column_names.index("sentence"), "sentence", text)


@pytest.mark.parametrize(
    "change",
    [
        *(without(column, None) for column in ("n_tokens", "sum_logprob", "sentence", "pair_id", "side")),
        *(without("side", "Good"), without("n_tokens", 0), without("n_tokens", -1), broken_text),
        lambda table: table.drop_columns("sum_logprob"),
        lambda table: table.slice(1),
        lambda table: pa.concat_tables([table, table]),
        lambda table: table.slice(0, 0),
        *(b"", b"PAR1", b"PAR1" * 100, os.urandom(300), b"{}"),
    ],
)
def test_what_is_no_sound_table_is_refused_though_its_hash_fits(
    scored: Path, change: bytes | Callable[[pa.Table], pa.Table]
) -> None:
    path = scored / "scores.parquet"
    if isinstance(change, bytes):
        path.write_bytes(change)
    else:
        pq.write_table(change(pq.ParquetFile(path).read()), path)
    set_run(scored)
    assert "scores.parquet: " in refused(scored)


@pytest.mark.parametrize(
    "fields",
    [
        *({"n_pairs": 7}, {"n_scored": 2, "n_pairs": 2}, {"n_rejected": 1}, {"model": {}}, {"release": 3}, {"more": 1}),
        *({"slug": slug} for slug in ("../../elsewhere", "/tmp/x", ".hidden", "a/b", "", "a\n")),
    ],
)
def test_a_record_that_lies_about_its_scores_or_whose_model_has_no_plain_name_is_refused(
    scored: Path, fields: dict[str, Any]
) -> None:
    record = json.loads((scored / "run.json").read_text(encoding="utf-8"))
    set_run(scored, **({"model": record["model"] | fields} if "slug" in fields else fields))
    assert refused(scored)


@pytest.mark.parametrize("name", ["run.json", "scores.parquet", "scores.rejected.jsonl"])
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_a_folder_or_pipe_in_place_of_a_file_is_one_line_and_never_waited_for(
    scored: Path, name: str, kind: str, run: Callable[..., list[int]]
) -> None:
    (scored / name).unlink()
    (scored / name).mkdir() if kind == "folder" else os.mkfifo(scored / name)
    assert name in refused(scored)
    if kind == "folder":
        with pytest.raises(StoreError, match=rf"{name}: can't be written: .*finished shards are kept"):
            run()
        (scored / name).rmdir()
    assert run()
    assert len(read_scores(scored)[0]) == 6


class Stopped(Exception):
    """Someone stops the run."""


@pytest.mark.parametrize("kind", ["folder", "pipe", "other table", "bit", "half", "gone"])
@pytest.mark.parametrize("name", ["000000.parquet", "000000.rejected.jsonl"])
def test_whatever_stands_in_place_of_a_shard_is_named_and_scored_again(
    run: Callable[..., list[int]], tmp_path: Path, kind: str, name: str
) -> None:
    def stop(done: int) -> None:
        if done > 1:
            raise Stopped

    run()
    whole = (tmp_path / "scored" / "scores.parquet").read_bytes()
    shutil.rmtree(tmp_path / "scored")
    with pytest.raises(Stopped):
        run(progress=stop)
    shard = tmp_path / "scored" / "shards" / name
    content = bytearray(shard.read_bytes() or b"\n\n")
    metadata = pq.ParquetFile(shard.with_name("000000.parquet")).schema_arrow.metadata
    shard.unlink()
    if kind == "folder":
        shard.mkdir()
        (shard / "x").touch()
    elif kind == "pipe":
        os.mkfifo(shard)
    elif kind == "bit":
        content[min(200, len(content) - 1)] ^= 1
        shard.write_bytes(content)
    elif kind == "half":
        shard.write_bytes(content[: len(content) // 2])
    elif kind == "other table":
        pq.write_table(pa.table({"x": [1]}).replace_schema_metadata(metadata), shard)
    notices: list[str] = []
    run(notice=notices.append)
    assert len(notices) == ((kind, name) != ("gone", "000000.parquet"))
    assert all("000000" in it and "scored again" in it and "\n" not in it for it in notices)
    assert (tmp_path / "scored" / "scores.parquet").read_bytes() == whole


@pytest.mark.parametrize("name", ["shards", "shards/plan.json", ".shards.lock", "."])
def test_what_lies_in_the_way_of_the_shards_is_one_line(
    run: Callable[..., list[int]], tmp_path: Path, name: str
) -> None:
    obstacle = tmp_path / "scored" / name
    obstacle.parent.mkdir(parents=True, exist_ok=True)
    obstacle.touch() if name in ("shards", ".") else obstacle.mkdir()
    message = ""
    try:
        run()
    except StoreError as fault:
        message = str(fault)
    assert re.fullmatch(".*can't be written.*", message) or len(read_scores(tmp_path / "scored")[0]) == 6
