"""An evaluation while it runs: one file a shard of pairs, trusted only where it is whole and of this very run.

A shard's rejected pairs are written before its scores, and its scores carry the hash of both and of the pairs that they
belong to. So a process that is killed at any moment leaves finished shards and nothing else that counts.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairwright.errors import StoreError
from pairwright.ids import digest, file_sha256
from pairwright.records import Record, Rejection
from pairwright.records.evaluation import ModelInfo, Score, ScoringPolicy
from pairwright.records.release import ReleasePair
from pairwright.store import atomic, write_jsonl, write_text

FOLDER, PLAN = "shards", "plan.json"


class Plan(Record):
    """What an evaluation scores and how. `what` is the hash of what decides its numbers, `how` that of all settings."""

    what: str
    how: str
    model: ModelInfo
    policy: ScoringPolicy
    first_token_scored: bool
    unigrams: str | None
    batch_size: int


class ShardFacts(Record):
    """What is known of a shard beside its scores. `pairs_sha256` is the hash of ids and sentences of its pairs."""

    how: str
    pairs_sha256: str
    rejected_sha256: str
    n_pairs: int
    n_sentences: int
    n_ties: int
    seconds: float
    route: str
    batch_tokens: int


@dataclass(frozen=True)
class Shard:
    """The scores of some pairs of a release, one after the other, as a file, and the file of what was rejected."""

    folder: Path
    number: int

    @property
    def scores(self) -> Path:
        return self.folder / f"{self.number:06d}.parquet"

    @property
    def rejected(self) -> Path:
        return self.folder / f"{self.number:06d}.rejected.jsonl"

    def write(self, scores: Sequence[Score], rejected: Sequence[Rejection], facts: ShardFacts) -> None:
        """Puts both files in place, the scores last."""
        import pyarrow.parquet as pq

        write_jsonl(self.rejected, rejected)
        whole = facts.model_copy(update={"rejected_sha256": file_sha256(self.rejected)})
        table = as_table(scores).replace_schema_metadata({"pairwright": whole.model_dump_json()})
        with atomic(self.scores, "wb") as handle:
            pq.write_table(table, handle, write_page_checksum=True)

    def read(self) -> tuple[Any, ShardFacts]:
        """The table of scores and its facts. Raises StoreError where a file is missing or damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(self.scores, page_checksum_verification=True) as file:
                table = file.read()
            facts = ShardFacts.model_validate_json((table.schema.metadata or {})[b"pairwright"])
            whole = file_sha256(self.rejected) == facts.rejected_sha256
        except (pa.ArrowException, OSError, KeyError, ValueError) as fault:
            reason = (str(fault).splitlines() or [type(fault).__name__])[0][:200]
            raise StoreError(f"{self.scores}: a damaged shard: {reason}; evaluate the release again") from None
        if not whole:
            raise StoreError(f"{self.rejected}: not the file that its shard names; evaluate the release again")
        return table, facts

    def is_finished(self, pairs: Sequence[ReleasePair], how: str, notice: Callable[[str], None]) -> bool:
        """Whether this shard is whole and holds these pairs of this run; a damaged one is named."""
        if not self.scores.exists():
            return False
        try:
            _, facts = self.read()
        except StoreError as fault:
            notice(f"{str(fault).removesuffix('; evaluate the release again')}; scored again")
            return False
        return (facts.how, facts.pairs_sha256) == (how, pairs_sha256(pairs))


def pairs_sha256(pairs: Iterable[ReleasePair]) -> str:
    return digest([[pair.id, pair.sentence_good, pair.sentence_bad] for pair in pairs])


def open_plan(directory: Path, plan: Plan) -> Path:
    """The folder of the shards of a plan. Shards of another plan are thrown away."""
    from filelock import FileLock

    folder = directory / FOLDER
    directory.mkdir(parents=True, exist_ok=True)
    # Several processes that share a plan start at the same time.
    with FileLock(directory / f".{FOLDER}.lock"):
        try:
            same = Plan.model_validate_json((folder / PLAN).read_bytes()).how == plan.how
        except (OSError, ValueError):
            same = False
        if not same:
            shutil.rmtree(folder, ignore_errors=True)
            write_text(folder / PLAN, plan.model_dump_json(indent=2) + "\n")
    return folder


def close_plan(directory: Path) -> None:
    """Takes away what only a running evaluation needs."""
    shutil.rmtree(directory / FOLDER, ignore_errors=True)
    (directory / f".{FOLDER}.lock").unlink(missing_ok=True)


def merge(shards: Iterable[Shard], scores: Path, rejected: Path) -> Iterator[ShardFacts]:
    """Joins shards in their order into one table and one file, one shard in memory at a time; yields their facts."""
    import pyarrow.parquet as pq

    with (
        atomic(scores, "wb") as table_file,
        atomic(rejected, "wb") as rejected_file,
        pq.ParquetWriter(table_file, schema()) as writer,
    ):
        for shard in shards:
            table, facts = shard.read()
            writer.write_table(table.replace_schema_metadata(None).cast(schema()))
            with shard.rejected.open("rb") as part:
                shutil.copyfileobj(part, rejected_file)
            yield facts


def schema() -> Any:
    """The columns of scores.parquet, with their units."""
    import pyarrow as pa

    nats, per_token = {"unit": "nats"}, {"unit": "nats per token"}
    word = pa.struct(
        [
            pa.field("text", pa.string()),
            pa.field("start", pa.int64()),
            pa.field("end", pa.int64()),
            pa.field("sum_logprob", pa.float64()),
            pa.field("corrected_logprob", pa.float64()),
        ]
    )
    return pa.schema(
        [
            pa.field("pair_id", pa.string(), nullable=False),
            pa.field("side", pa.string(), nullable=False),
            pa.field("sentence", pa.string(), nullable=False),
            pa.field("n_tokens", pa.int64(), nullable=False),
            pa.field("n_bytes", pa.int64(), nullable=False),
            pa.field("n_chars", pa.int64(), nullable=False),
            pa.field("sum_logprob", pa.float64(), nullable=False, metadata=nats),
            pa.field("unigram_sum_logprob", pa.float64(), metadata=nats),
            pa.field("token_logprobs", pa.list_(pa.float64()), metadata=nats),
            pa.field("words", pa.list_(word), metadata=nats),
            pa.field("mean_nll", pa.float64(), nullable=False, metadata=per_token),
            pa.field("slor", pa.float64(), metadata=per_token),
        ]
    )


def as_table(scores: Iterable[Score]) -> Any:
    """Scores as a table with the derived measures."""
    import pyarrow as pa

    rows = [{**score.model_dump(), "mean_nll": score.mean_nll, "slor": score.slor} for score in scores]
    return pa.Table.from_pylist(rows, schema=schema())
