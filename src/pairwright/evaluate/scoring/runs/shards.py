"""An unfinished evaluation on disk: one file a shard of pairs, trusted only where it is whole and of this very run.

A shard's rejected pairs are written before its scores. Its scores carry the hash of the rejected ones, of their pairs
and of all that decides the numbers, down to the device. So a process that is killed at any moment leaves finished
shards, and shards of different runs are never joined.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairwright.core.errors import StoreError, one_line
from pairwright.core.ids import file_sha256
from pairwright.core.records import Record, Rejection, Side
from pairwright.core.records.evaluation import ModelInfo, RunPlan
from pairwright.core.records.release import ReleasePair, pairs_sha256
from pairwright.core.store import atomic, write_jsonl, write_text
from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore

FOLDER, PLAN = "shards", "plan.json"
REMEDY = "evaluate the release again"
Notice = Callable[[str], None]
ScoreRow = tuple[str, Side, SentenceScore]
"""The score of one sentence of the pair with this id."""


class ShardFacts(Record):
    """A shard's record beside its scores; what it counts is as in `EvaluationRun`."""

    config_key: str  # as in the plan by which it was scored; `computed_on` says on what, for people
    computed_on: str
    pairs_sha256: str  # the hash of the ids and sentences of its pairs
    rejected_sha256: str
    n_pairs: int
    n_scored: int
    n_ties: int
    n_sentences: int
    seconds: float
    route: str
    batch_tokens: int


@dataclass(frozen=True)
class Shard:
    """The scores of some successive pairs of a release as a file, and the file of its rejected pairs."""

    folder: Path
    number: int

    @property
    def scores(self) -> Path:
        return self.folder / f"{self.number:06d}.parquet"

    @property
    def rejected(self) -> Path:
        return self.folder / f"{self.number:06d}.rejected.jsonl"

    def write(self, scores: Sequence[ScoreRow], rejected: Sequence[Rejection], facts: ShardFacts) -> None:
        """Puts both files in place, the scores last."""
        import pyarrow.parquet as pq

        write_jsonl(self.rejected, rejected)
        complete = facts.model_copy(update={"rejected_sha256": file_sha256(self.rejected)})
        table = as_table(scores).replace_schema_metadata({"pairwright": complete.model_dump_json()})
        with atomic(self.scores, "wb") as handle:
            pq.write_table(table, handle, write_page_checksum=True)

    def read(self) -> tuple[Any, ShardFacts]:
        """The table of scores and its facts. Raises StoreError where a file is missing or damaged."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            if not self.scores.is_file():
                raise ValueError("no file")
            with pq.ParquetFile(self.scores, page_checksum_verification=True) as file:
                table = file.read()
            # The facts stand in the metadata of the file, not of its columns.
            metadata, table = table.schema.metadata or {}, table.replace_schema_metadata(None).cast(schema())
            table.validate(full=True)
            facts = ShardFacts.model_validate_json(metadata[b"pairwright"])
            is_whole = file_sha256(self.rejected, StoreError) == facts.rejected_sha256
        except (pa.ArrowException, OSError, KeyError, ValueError, StoreError) as error:
            raise StoreError(f"{self.scores}: a damaged shard: {one_line(error)}; {REMEDY}") from None
        if not is_whole:
            raise StoreError(f"{self.rejected}: not the file that its shard names; {REMEDY}")
        return table, facts

    def is_finished(self, pairs: Sequence[ReleasePair], config_key: str, notice: Notice) -> bool:
        """Whether this shard is whole and holds these pairs of this run; a damaged one is named to `notice`."""
        if not self.scores.exists():
            return False
        try:
            _, facts = self.read()
        except StoreError as error:
            notice(f"{str(error).removesuffix(f'; {REMEDY}')}; scored again")
            for path in (self.scores, self.rejected):
                if path.is_dir():
                    shutil.rmtree(path)
            return False
        return (facts.config_key, facts.pairs_sha256) == (config_key, pairs_sha256(pairs))


def computed_on(model: ModelInfo) -> str:
    """The device, dtype, threads and libraries by which a model's numbers are computed, for people.

    GPUs of a kind give the same numbers, so they are not told apart.
    """
    device = model.device.partition(":")[0]
    threads = f", {model.torch_threads} threads" if device == "cpu" else ""
    versions = ", ".join(f"{name} {version}" for name, version in sorted(model.packages.items()))
    return f"{model.dtype} on {device} ({model.hardware}{threads}), {versions}"


def open_plan(directory: Path, plan: RunPlan, notice: Notice) -> Path:
    """The folder of the shards of a plan. Shards of another plan are thrown away, and `notice` is told why.

    Whoever calls this is the sole writer of `directory`, or works for it.
    """
    folder = directory / FOLDER
    try:
        previous = RunPlan.model_validate_json((folder / PLAN).read_bytes())
    except (OSError, ValueError):
        previous = None
    if previous is None or previous.config_key != plan.config_key:
        if any(folder.glob("*.parquet")):
            notice(f"{folder}: the interrupted run {_difference(previous, plan)}; its shards are scored again")
        shutil.rmtree(folder, ignore_errors=True)
        write_text(folder / PLAN, plan.model_dump_json(indent=2) + "\n")
    return folder


def _difference(previous: RunPlan | None, plan: RunPlan) -> str:
    if previous is not None and previous.key == plan.key:
        before, now = computed_on(previous.model), computed_on(plan.model)
        return f"was computed in {before}, this one is in {now}" if before != now else "had other settings"
    return "was of another release, model or policy"


def close_plan(directory: Path) -> None:
    """Takes away what only an unfinished evaluation needs."""
    shutil.rmtree(directory / FOLDER, ignore_errors=True)


def merge(shards: Iterable[Shard], plan: RunPlan, scores: Path, rejected: Path) -> Iterator[ShardFacts]:
    """Joins shards in their order into one table and one file, one shard in memory at a time; yields their facts.

    Raises StoreError where a shard is damaged, or was not scored by this plan.
    """
    import pyarrow.parquet as pq

    with (
        atomic(scores, "wb") as table_file,
        atomic(rejected, "wb") as rejected_file,
        pq.ParquetWriter(table_file, schema()) as writer,
    ):
        for shard in shards:
            table, facts = shard.read()
            if facts.config_key != plan.config_key:
                raise StoreError(f"{shard.scores}: computed in {facts.computed_on}, other than the rest; {REMEDY}")
            writer.write_table(table)
            with shard.rejected.open("rb") as part:
                shutil.copyfileobj(part, rejected_file)
            yield facts


def schema() -> Any:
    """The columns of scores.parquet, with their units."""
    import pyarrow as pa

    text, count, number = pa.string(), pa.int64(), pa.float64()
    nats, per_token = {"unit": "nats"}, {"unit": "nats per token"}
    columns = [
        *(pa.field(name, text, nullable=False) for name in ("pair_id", "side", "sentence")),
        *(pa.field(name, count, nullable=False) for name in ("n_tokens", "n_bytes", "n_chars")),
        pa.field("sum_logprob", number, nullable=False, metadata=nats),
        pa.field("unigram_sum_logprob", number, metadata=nats),
        pa.field("token_logprobs", pa.list_(number), metadata=nats),
        pa.field("token_starts", pa.list_(count)),
        pa.field("mean_nll", number, nullable=False, metadata=per_token),
        pa.field("slor", number, metadata=per_token),
    ]
    return pa.schema(columns)


def as_table(scores: Iterable[ScoreRow]) -> Any:
    """Scores as a pyarrow table with the derived measures."""
    import pyarrow as pa

    rows = [
        {"pair_id": pair_id, "side": side, **vars(score), "mean_nll": score.mean_nll, "slor": score.slor}
        for pair_id, side, score in scores
    ]
    return pa.Table.from_pylist(rows, schema=schema())
