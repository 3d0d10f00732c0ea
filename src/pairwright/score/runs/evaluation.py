"""One release scored by one model: scores.parquet, scores.rejected.jsonl and, last of all, run.json.

While it runs, finished shards of pairs stand in a folder of their own, and a run that was stopped goes on after them.
Files whose hashes are not those of run.json are never read, and the next run writes them again.
"""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pairwright.config import ScoreSettings
from pairwright.errors import StoreError
from pairwright.ids import digest, file_sha256
from pairwright.records import Rejection, Side
from pairwright.records.evaluation import EvaluationRun, ModelInfo, Score
from pairwright.records.release import ReleasePair
from pairwright.score.inputs.outcomes import Outcome, Scorer, SentenceScore
from pairwright.score.runs.shards import Plan, Shard, ShardFacts, close_plan, merge, open_plan, pairs_sha256, schema
from pairwright.store import write_text

SCORES, REJECTED, RUN = "scores.parquet", "scores.rejected.jsonl", "run.json"
# What a model's preferences follow from.
MEASURED = ("pair_id", "side", "sentence", "n_tokens", "sum_logprob", "unigram_sum_logprob")
Progress = Callable[[int], None]
Notice = Callable[[str], None]
# What decides how a run is cut up and computed, and not what it computes.
HOW = ("batch_size", "batch_tokens", "packing", "screening", "shard_pairs")


def evaluate(
    pairs: Iterable[ReleasePair],
    scorer: Scorer,
    settings: ScoreSettings,
    directory: Path,
    *,
    release: str,
    release_sha256: str,
    progress: Progress = lambda done: None,
    notice: Notice = lambda text: None,
) -> EvaluationRun:
    """Scores both sentences of every pair and writes the evaluation into `directory`.

    `pairs` are read once, `settings.shard_pairs` at a time, and only so many stand in memory. A finished evaluation
    there of the same release hash, weights, tokenizer, policy and dtype is returned as it is; shards that a stopped run
    left are kept. A pair with a sentence that can't be scored goes to scores.rejected.jsonl with the reason, both sides
    together. `progress` gets the pairs done, `notice` what was found damaged. Raises ModelError, and StoreError where
    the files can't be written or `finished_run` raises it.
    """
    plan = make_plan(scorer, settings, release_sha256)
    known = finished_run(directory, plan, release, release_sha256)
    if known is not None:
        return known
    started = _now()
    with _writing(directory):
        shards = score_shards(pairs, scorer, settings, directory, plan, release, progress=progress, notice=notice)
        return join(directory, plan, shards, release=release, release_sha256=release_sha256, started=started)


def make_plan(scorer: Scorer, settings: ScoreSettings, release_sha256: str) -> Plan:
    """What will be scored, and how, before anything is."""
    what = digest([release_sha256, _identity(scorer.info), scorer.policy.model_dump(), scorer.unigrams, settings.words])
    return Plan(
        what=what,
        how=digest([what, settings.model_dump(include=set(HOW))]),
        model=scorer.info,
        policy=scorer.policy,
        first_token_scored=scorer.first_token_scored,
        unigrams=scorer.unigrams,
        batch_size=scorer.batch_size,
    )


def score_shards(
    pairs: Iterable[ReleasePair],
    scorer: Scorer,
    settings: ScoreSettings,
    directory: Path,
    plan: Plan,
    release: str,
    *,
    part: tuple[int, int] = (0, 1),
    progress: Progress = lambda done: None,
    notice: Notice = lambda text: None,
) -> list[Shard]:
    """Scores the shards that are not finished, and gives all of them; of several processes each takes its own `part`.

    part  (n, of): every `of`-th shard from the n-th on
    """
    folder = open_plan(directory, plan)
    remaining = iter(pairs)
    shards: list[Shard] = []
    done = 0
    while chunk := list(itertools.islice(remaining, settings.shard_pairs)):
        shard = Shard(folder, len(shards))
        shards.append(shard)
        own = shard.number % part[1] == part[0]
        if own and not shard.is_finished(chunk, plan.how, notice):
            _score_shard(chunk, scorer, shard, plan, release, partial(_further, progress, done))
        if own:
            done += len(chunk)
            progress(done)
    return shards


def join(
    directory: Path,
    plan: Plan,
    shards: Sequence[Shard],
    *,
    release: str,
    release_sha256: str,
    started: str,
    processes: int = 1,
) -> EvaluationRun:
    """Puts finished shards together to an evaluation, and takes them away. Raises StoreError for a damaged one.

    processes  how many scored shards at the same time, so that the seconds of the shards are no seconds of the run
    """
    facts = list(merge(shards, directory / SCORES, directory / REJECTED))
    n_pairs, n_scored = sum(fact.n_pairs for fact in facts), _n_rows(directory / SCORES) // 2
    n_sentences, seconds = sum(fact.n_sentences for fact in facts), sum(fact.seconds for fact in facts) / processes
    run = EvaluationRun(
        release=release,
        release_sha256=release_sha256,
        key=plan.what,
        model=plan.model,
        policy=plan.policy,
        first_token_scored=plan.first_token_scored,
        unigrams=plan.unigrams,
        route=", ".join(sorted({fact.route for fact in facts})),
        batch_size=plan.batch_size,
        batch_tokens=min((fact.batch_tokens for fact in facts), default=0),
        n_pairs=n_pairs,
        n_scored=n_scored,
        n_rejected=n_pairs - n_scored,
        n_ties=sum(fact.n_ties for fact in facts),
        n_sentences=n_sentences,
        seconds=round(seconds, 3),
        sentences_per_second=round(n_sentences / seconds, 3) if seconds else 0.0,
        started_at=started,
        finished_at=_now(),
        files={name: file_sha256(directory / name) for name in (SCORES, REJECTED)},
    )
    write_text(directory / RUN, run.model_dump_json(indent=2) + "\n")
    close_plan(directory)
    return run


def finished_run(directory: Path, plan: Plan, release: str, release_sha256: str) -> EvaluationRun | None:
    """The evaluation in `directory` where it is finished, undamaged, of this release and with this plan's `what`.

    Raises StoreError where it is one of the same release under another policy or of other weights: what was measured
    is not written over.
    """
    try:
        run = _read_run(directory)
    except StoreError:
        return None
    if (run.release, run.key) == (release, plan.what):
        return run
    other = [name for name, value in plan.policy.model_dump().items() if run.policy.model_dump()[name] != value]
    if _identity(run.model) != _identity(plan.model):
        other.append("weights")
    if run.release_sha256 == release_sha256 and other:
        raise StoreError(
            f"{directory}: holds the scores of {run.model.name} with other {', '.join(other)}; to keep both, give this "
            "one a label in models.toml; to score anew, take the folder away"
        )
    return None


def read_scores(directory: Path) -> tuple[list[Score], EvaluationRun]:
    """The scores of a finished evaluation, pair by pair and good before bad, and its run record.

    Raises StoreError where a file is missing, damaged, or not the one that run.json names.
    """
    table, run = _read_columns(directory, tuple(Score.model_fields))
    try:
        return [Score.model_validate(row) for row in table.to_pylist()], run
    except ValidationError as fault:
        raise _no_table(directory / SCORES, fault) from None


def read_table(directory: Path) -> tuple[Any, EvaluationRun]:
    """The scores of a finished evaluation as a pyarrow table, and its run record; a large release takes little memory.

    The columns are those of `MEASURED`, as `Score` has them. Raises StoreError as `read_scores` does.
    """
    import pyarrow.compute as pc

    table, run = _read_columns(directory, MEASURED)
    if (pc.min(table["n_tokens"]).as_py() or 1) < 1 or not set(table["side"].unique().to_pylist()) <= {"good", "bad"}:
        raise _no_table(directory / SCORES, ValueError("a sentence without tokens, or of no side"))
    return table, run


def _read_columns(directory: Path, names: Sequence[str]) -> tuple[Any, EvaluationRun]:
    """Some columns of a table of scores; `unigram_sum_logprob` need not be in the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    run = _read_run(directory)
    path = directory / SCORES
    try:
        there = pq.read_schema(path).names
        table = pq.read_table(path, columns=[name for name in names if name in there or name != "unigram_sum_logprob"])
        missing = [schema().field(name) for name in names if name not in table.column_names]
        for field in missing:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
        return table.select(names).cast(pa.schema([schema().field(name) for name in names])), run
    except (pa.ArrowException, OSError, KeyError) as fault:
        raise _no_table(path, fault) from None


def _no_table(path: Path, fault: Exception) -> StoreError:
    return StoreError(f"{path}: not a table of scores: {str(fault).splitlines()[0]}; evaluate the release again")


def _read_run(directory: Path) -> EvaluationRun:
    path = directory / RUN
    try:
        run = EvaluationRun.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise StoreError(f"{directory}: no finished evaluation there; evaluate the release first") from None
    except (OSError, ValidationError) as fault:
        reason = fault.errors(include_url=False)[0]["msg"] if isinstance(fault, ValidationError) else fault.strerror
        raise StoreError(f"{path}: not a run record: {reason}; evaluate the release again") from None
    for name in (SCORES, REJECTED):
        if not (directory / name).is_file():
            raise StoreError(f"{directory / name}: missing; evaluate the release again")
        if file_sha256(directory / name) != run.files.get(name):
            raise StoreError(f"{directory / name}: changed since {RUN} was written; evaluate the release again")
    return run


def _identity(model: ModelInfo) -> tuple[str | None, ...]:
    served = model.requested if model.revision is None and model.weights_sha256 is None else None
    return model.revision, model.weights_sha256, model.tokenizer_sha256, model.dtype, model.quantisation, served


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _further(progress: Progress, before: int, more: int) -> None:
    progress(before + more)


def _n_rows(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.read_metadata(path).num_rows)


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise StoreError(
            f"{directory}: can't be written: {fault.strerror or fault}; "
            "make room and run again, finished shards are kept"
        ) from None


def _score_shard(
    pairs: Sequence[ReleasePair], scorer: Scorer, shard: Shard, plan: Plan, release: str, progress: Progress
) -> None:
    clock = time.perf_counter()
    sentences = list(dict.fromkeys(text for pair in pairs for text in (pair.sentence_good, pair.sentence_bad)))
    outcomes: dict[str, Outcome] = {}
    for outcome in scorer.score(sentences):
        outcomes[outcome.sentence] = outcome
        progress(len(pairs) * len(outcomes) // len(sentences))
    seconds = time.perf_counter() - clock
    scores, rejected = _by_pair(pairs, outcomes, release)
    goods, bads = scores[::2], scores[1::2]
    facts = ShardFacts(
        how=plan.how,
        pairs_sha256=pairs_sha256(pairs),
        rejected_sha256="",
        n_pairs=len(pairs),
        n_sentences=sum(isinstance(outcome, SentenceScore) for outcome in outcomes.values()),
        n_ties=sum(good.sum_logprob == bad.sum_logprob for good, bad in zip(goods, bads, strict=True)),
        seconds=seconds,
        route=scorer.route,
        batch_tokens=scorer.batch_tokens,
    )
    shard.write(scores, rejected, facts)


def _by_pair(
    pairs: Iterable[ReleasePair], outcomes: dict[str, Outcome], release: str
) -> tuple[list[Score], list[Rejection]]:
    scores: list[Score] = []
    rejected: list[Rejection] = []
    for pair in pairs:
        sides: list[tuple[Side, str]] = [("good", pair.sentence_good), ("bad", pair.sentence_bad)]
        found: list[Score] = []
        for side, sentence in sides:
            outcome = outcomes[sentence]
            if isinstance(outcome, SentenceScore):
                found.append(_score(pair.id, side, outcome))
            else:
                rejected.append(
                    Rejection(
                        stage="score",
                        source_id=pair.source_id,
                        reason=f"{pair.id}, {side} sentence: {outcome.reason}",
                        text=sentence,
                        file=release,
                    )
                )
        if len(found) == len(sides):
            scores += found
    return scores, rejected


def _score(pair_id: str, side: Side, outcome: SentenceScore) -> Score:
    return Score(
        pair_id=pair_id,
        side=side,
        sentence=outcome.sentence,
        n_tokens=outcome.n_tokens,
        n_bytes=outcome.n_bytes,
        n_chars=outcome.n_chars,
        sum_logprob=outcome.sum_logprob,
        unigram_sum_logprob=outcome.unigram_sum_logprob,
        token_logprobs=outcome.token_logprobs,
        words=outcome.words,
    )
