"""An unfinished evaluation on disk: one file a shard of pairs, trusted only where it is whole and of this very run.

A shard's rejected pairs are written before its scores. Its scores carry the hash of the rejected ones, of their pairs
and of all that decides the numbers, down to the device. So a process that is killed at any moment leaves finished
shards, and shards of different runs are never joined.

One release scored by one model: scores.parquet, scores.rejected.jsonl and, last of all, run.json.

While a run is unfinished, its shards of pairs are kept in a folder of their own, and an interrupted run goes on after
them. Files whose hashes are not those of run.json are never read, and the next run writes them again.
"""

import itertools
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError, StoreError, counted, one_line
from pairwright.core.files import held, read_file
from pairwright.core.ids import digest, file_sha256
from pairwright.core.records import Record, Rejection, Side
from pairwright.core.records.evaluation import EvaluationRun, ModelInfo, RunPlan
from pairwright.core.records.release import ReleasePair, pairs_sha256
from pairwright.core.store import atomic, read_jsonl, read_record, write_jsonl, write_text
from pairwright.evaluate.scoring.inputs import Scorer, SentenceOutcome, SentenceScore, Unscorable
from pairwright.evaluate.scoring.scorers.registry import COMPUTATION

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


SCORES, REJECTED, RUN = "scores.parquet", "scores.rejected.jsonl", "run.json"
# The columns from which a model's preferences follow.
MEASURED = (
    *("pair_id", "side", "sentence", "n_tokens", "sum_logprob", "unigram_sum_logprob"),
    *("token_logprobs", "token_starts"),
)
Progress = Callable[[int], None]


def evaluate(
    pairs: Iterable[ReleasePair],
    scorer: Scorer,
    settings: ScoreSettings,
    directory: Path,
    *,
    release: str,
    release_sha256: str,
    request: str = "",
    progress: Progress = lambda done: None,
    notice: Notice = lambda text: None,
) -> EvaluationRun:
    """Scores both sentences of every pair and writes the evaluation into `directory`.

    `pairs` are read once, and those of a few shards stand in memory. A finished evaluation with the plan's key
    is returned as it is; shards of an interrupted run are kept where its `config_key` is the same. A pair with a
    sentence that can't be scored goes to scores.rejected.jsonl with the reason, both sides together. Where another run
    writes into `directory`, this one waits for its end.

    request   as in `RunPlan`
    progress  gets the number of pairs done; `notice` one line about shards that are damaged or of another run, and
              about a run that this one waits for

    Raises ModelError, also where no pair gets a score, and StoreError where the files can't be written or
    `finished_run` raises it.
    """
    plan = make_plan(scorer, settings, release, release_sha256, request)
    try:
        with held(directory, notice=notice) as started:
            finished = finished_run(directory, plan)
            if finished is not None:
                return finished
            shards = score_shards(pairs, scorer, settings, directory, plan, progress=progress, notice=notice)
            return join(directory, plan, shards, started)
    except OSError as error:
        path = error.filename2 or error.filename or directory
        raise StoreError(
            f"{path}: can't be written: {error.strerror or error}; fix this and run again: finished shards are kept"
        ) from None


def make_plan(scorer: Scorer, settings: ScoreSettings, release: str, release_sha256: str, request: str = "") -> RunPlan:
    """What will be scored, and how, before anything is."""
    policy, unigrams = scorer.policy, scorer.unigrams
    key = digest([release_sha256, _identity(scorer.info), policy.model_dump(), unigrams, settings.tokens])
    return RunPlan(
        release=release,
        release_sha256=release_sha256,
        key=key,
        request=request,
        config_key=digest([key, computed_on(scorer.info), settings.model_dump(include=COMPUTATION)]),
        model=scorer.info,
        policy=policy,
        first_token_scored=scorer.first_token_scored,
        unigrams=unigrams,
        batch_size=scorer.batch_size,
    )


def score_shards(
    pairs: Iterable[ReleasePair],
    scorer: Scorer,
    settings: ScoreSettings,
    directory: Path,
    plan: RunPlan,
    *,
    progress: Progress = lambda done: None,
    notice: Notice = lambda text: None,
) -> list[Shard]:
    """Scores the shards that are not finished, and returns all of them."""
    folder = open_plan(directory, plan, notice)
    remaining = iter(pairs)
    shards: list[Shard] = []
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        progress(done)

    def unfinished() -> Iterator[tuple[Shard, Sequence[ReleasePair]]]:
        while chunk := list(itertools.islice(remaining, settings.shard_pairs)):
            shard = Shard(folder, len(shards))
            shards.append(shard)
            if shard.is_finished(chunk, plan.config_key, notice):
                advance(len(chunk))
            else:
                yield shard, chunk

    score_into(unfinished(), scorer, plan, advance)
    return shards


def join(directory: Path, plan: RunPlan, shards: Sequence[Shard], started: str, *, processes: int = 1) -> EvaluationRun:
    """Joins finished shards to an evaluation and deletes them.

    processes  how many scored shards at the same time, so that the run took less than the sum of their seconds

    Raises StoreError for a damaged shard or another run's, and ModelError where no pair has a score: nothing is kept.
    """
    facts = list(merge(shards, plan, directory / SCORES, directory / REJECTED))
    names = ("n_pairs", "n_scored", "n_ties", "n_sentences")
    counts: dict[str, Any] = {name: sum(getattr(fact, name) for fact in facts) for name in names}
    if counts["n_pairs"] and not counts["n_scored"]:
        reason = next(read_jsonl(directory / REJECTED, Rejection)).reason
        for name in (SCORES, REJECTED, RUN):
            (directory / name).unlink(missing_ok=True)
        close_plan(directory)
        with suppress(OSError):  # what the model answered to tasks may be in it
            directory.rmdir()
        raise ModelError(f"{plan.model.name}: none of the {counted(counts['n_pairs'], 'pair')} got a score; {reason}")
    seconds = sum(fact.seconds for fact in facts) / processes
    run = EvaluationRun(
        **dict(plan),
        route=", ".join(sorted({fact.route for fact in facts})),
        batch_tokens=min((fact.batch_tokens for fact in facts), default=0),
        **counts,
        n_rejected=counts["n_pairs"] - counts["n_scored"],
        seconds=round(seconds, 3),
        sentences_per_second=round(counts["n_sentences"] / seconds, 3) if seconds else 0.0,
        started_at=started,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        files={name: file_sha256(directory / name) for name in (SCORES, REJECTED)},
    )
    write_text(directory / RUN, run.model_dump_json(indent=2) + "\n")
    close_plan(directory)
    return run


def finished_run(directory: Path, plan: RunPlan) -> EvaluationRun | None:
    """The evaluation in `directory` where it is finished, undamaged, of the plan's release and with its key.

    Raises StoreError where it has another policy or other weights: scores are not overwritten.
    """
    try:
        run = read_run(directory)
    except StoreError:
        return None
    if run.n_pairs and not run.n_scored:
        return None
    if (run.release, run.key) == (plan.release, plan.key):
        if plan.request not in ("", run.request):
            run = run.model_copy(update={"request": plan.request})
            write_text(directory / RUN, run.model_dump_json(indent=2) + "\n")
        return run
    before = run.policy.model_dump()
    other = [name for name, value in plan.policy.model_dump().items() if before[name] != value]
    if _identity(run.model) != _identity(plan.model):
        other.append("weights")
    if run.release_sha256 == plan.release_sha256 and other:
        raise StoreError(
            f"{directory}: holds the scores of {run.model.name} with other {', '.join(other)}; to keep both, give this "
            "one a label in models.toml; to score anew, take the folder away"
        )
    return None


def answered_run(evaluations: Path, request: str | None, label: str | None = None) -> EvaluationRun | None:
    """The finished, undamaged evaluation below a folder that a request asks for; None where there is none.

    label  of the model that is asked for; without one, an evaluation under any label will do
    """
    for path in sorted(evaluations.glob(f"*/{RUN}")) if request else ():
        with suppress(StoreError):
            # Only the one that is meant is checked with its files, whose hashes take time.
            if f'"request": "{request}"'.encode() in read_file(path, error=StoreError):
                run = read_run(path.parent)
                if label in (None, run.model.name):
                    return run
    return None


def read_table(directory: Path) -> tuple[Any, EvaluationRun]:
    """The columns `MEASURED` of a finished evaluation as a pyarrow table, and its run record. Raises StoreError."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    run = read_run(directory)
    path = directory / SCORES
    try:
        fields = [schema().field(name) for name in MEASURED]
        table = pq.read_table(path, columns=list(MEASURED)).select(MEASURED).cast(pa.schema(fields))
        table.validate(full=True)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise _no_table(path, error) from None
    if empty := [field.name for field in fields if not field.nullable and table[field.name].null_count]:
        raise _no_table(path, ValueError(f"{empty[0]} is missing in some rows"))
    fewest = pc.min(table["n_tokens"]).as_py()
    if (fewest is not None and fewest < 1) or not set(table["side"].unique().to_pylist()) <= {"good", "bad"}:
        raise _no_table(path, ValueError("a sentence without tokens, or of no side"))
    if table.num_rows != 2 * run.n_scored:
        raise StoreError(f"{path}: {table.num_rows} rows for {run.n_scored} scored pairs in {RUN}; {REMEDY}")
    return table, run


def _no_table(path: Path, error: Exception) -> StoreError:
    return StoreError(f"{path}: not a table of scores: {one_line(error)}; {REMEDY}")


def read_run(directory: Path) -> EvaluationRun:
    """The run record of a finished evaluation whose files are as they were written. Raises StoreError for others."""
    path = directory / RUN
    if not path.exists():
        raise StoreError(f"{directory}: no finished evaluation there; evaluate the release first")
    run = read_record(path, EvaluationRun, "a run record", REMEDY)
    if run.n_pairs != run.n_scored + run.n_rejected:
        raise StoreError(f"{path}: its pairs are not those that were scored and rejected; {REMEDY}")
    for name in (SCORES, REJECTED):
        if not (directory / name).is_file():
            raise StoreError(f"{directory / name}: missing; {REMEDY}")
        if file_sha256(directory / name, StoreError) != run.files.get(name):
            raise StoreError(f"{directory / name}: changed since {RUN} was written; {REMEDY}")
    return run


def _identity(model: ModelInfo) -> tuple[str | None, ...]:
    revision, weights_sha256, served = model.weights
    return revision, weights_sha256, model.tokenizer_sha256, model.dtype, model.quantisation, served


def score_into(
    shards: Iterable[tuple[Shard, Sequence[ReleasePair]]],
    scorer: Scorer,
    plan: RunPlan,
    advance: Callable[[int], None] = lambda more: None,
) -> None:
    """Scores the pairs of shards, and writes each shard as soon as its sentences have outcomes. Raises ModelError.

    advance  gets the number of pairs just done
    """
    open_shards: dict[int, tuple[Shard, Sequence[ReleasePair], int]] = {}
    outcomes: dict[int, dict[str, SentenceOutcome]] = {}

    def parts() -> Iterator[list[str]]:
        for number, (shard, pairs) in enumerate(shards):
            sentences = list(dict.fromkeys(text for pair in pairs for text in (pair.sentence_good, pair.sentence_bad)))
            open_shards[number], outcomes[number] = (shard, pairs, len(sentences)), {}
            yield sentences

    clock = time.perf_counter()
    for number, outcome in scorer.score_parts(parts()):
        (shard, pairs, n_sentences), found = open_shards[number], outcomes[number]
        n_before = len(found)
        found[outcome.sentence] = outcome
        advance(len(pairs) * len(found) // n_sentences - len(pairs) * n_before // n_sentences)
        if len(found) == n_sentences:
            seconds, clock = time.perf_counter() - clock, time.perf_counter()
            _write_shard(shard, pairs, outcomes.pop(number), scorer, plan, seconds)
            del open_shards[number]


def _write_shard(
    shard: Shard,
    pairs: Sequence[ReleasePair],
    outcomes: dict[str, SentenceOutcome],
    scorer: Scorer,
    plan: RunPlan,
    seconds: float,
) -> None:
    scores, rejected = _by_pair(pairs, outcomes, plan.release)
    facts = ShardFacts(
        config_key=plan.config_key,
        computed_on=computed_on(scorer.info),
        pairs_sha256=pairs_sha256(pairs),
        rejected_sha256="",
        n_pairs=len(pairs),
        n_scored=len(scores) // 2,
        n_sentences=sum(isinstance(outcome, SentenceScore) for outcome in outcomes.values()),
        n_ties=sum(
            good.sum_logprob == bad.sum_logprob for (*_, good), (*_, bad) in zip(scores[::2], scores[1::2], strict=True)
        ),
        seconds=seconds,
        route=scorer.route,
        batch_tokens=scorer.batch_tokens,
    )
    shard.write(scores, rejected, facts)


def _by_pair(
    pairs: Iterable[ReleasePair], outcomes: dict[str, SentenceOutcome], release: str
) -> tuple[list[ScoreRow], list[Rejection]]:
    """The scores of pairs whose sentences both have one, good before bad, and what was rejected."""
    scores: list[ScoreRow] = []
    rejected: list[Rejection] = []
    for pair in pairs:
        sides: tuple[tuple[Side, SentenceOutcome], ...] = (
            ("good", outcomes[pair.sentence_good]),
            ("bad", outcomes[pair.sentence_bad]),
        )
        found = [(pair.id, side, outcome) for side, outcome in sides if isinstance(outcome, SentenceScore)]
        scores += found if len(found) == len(sides) else []
        for side, outcome in sides:
            if isinstance(outcome, Unscorable):
                reason = f"{pair.id}, {side} sentence: {outcome.reason}"
                place = {"source_id": pair.source_id, "file": release}
                rejected.append(Rejection(stage="score", reason=reason, text=outcome.sentence, **place))
    return scores, rejected
