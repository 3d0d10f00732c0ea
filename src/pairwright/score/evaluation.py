"""One release scored by one model: scores.parquet, scores.rejected.jsonl and, last of all, run.json.

A process that is killed leaves files whose hashes are not those of run.json; they are never read, and the next run
writes them again.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from pairwright.config import ScoreSettings
from pairwright.errors import StoreError
from pairwright.ids import file_sha256
from pairwright.records import Rejection, Side
from pairwright.releases import ReleasePair
from pairwright.runs import EvaluationRun, ModelInfo, Score
from pairwright.score.causal import POLICY, SentenceScore, Unscorable, score_sentences
from pairwright.score.models import LoadedModel
from pairwright.store import atomic, write_jsonl, write_text

SCORES, REJECTED, RUN = "scores.parquet", "scores.rejected.jsonl", "run.json"
Outcome = SentenceScore | Unscorable


def evaluate(
    pairs: Sequence[ReleasePair],
    model: LoadedModel,
    settings: ScoreSettings,
    directory: Path,
    *,
    release: str,
    release_sha256: str,
    progress: Callable[[int, int], None] | None = None,
) -> EvaluationRun:
    """Scores both sentences of every pair and writes the evaluation into `directory`.

    A finished evaluation there of the same release hash, weights, tokenizer, policy and dtype is returned as it is.
    A pair with a sentence that can't be scored goes to scores.rejected.jsonl with the reason, both sides together.
    `progress` gets the distinct sentences done and in all. Raises ModelError.
    """
    known = finished_run(directory, model.info, release=release, release_sha256=release_sha256)
    if known is not None:
        return known
    started, clock = _now(), time.perf_counter()
    outcomes = _outcomes(pairs, model, settings.batch_size, progress)
    seconds = time.perf_counter() - clock
    scores, rejected = _by_pair(pairs, outcomes, release)
    n_sentences = sum(isinstance(outcome, SentenceScore) for outcome in outcomes.values())
    write_jsonl(directory / REJECTED, rejected)
    _write_scores(directory / SCORES, scores)
    run = EvaluationRun(
        release=release,
        release_sha256=release_sha256,
        model=model.info,
        policy=POLICY,
        first_token_scored=model.info.bos_token_id is not None,
        batch_size=settings.batch_size,
        n_pairs=len(pairs),
        n_scored=len(scores) // 2,
        n_rejected=len(pairs) - len(scores) // 2,
        n_sentences=n_sentences,
        seconds=round(seconds, 3),
        sentences_per_second=round(n_sentences / seconds, 3),
        started_at=started,
        finished_at=_now(),
        files={name: file_sha256(directory / name) for name in (SCORES, REJECTED)},
    )
    write_text(directory / RUN, run.model_dump_json(indent=2) + "\n")
    return run


def finished_run(directory: Path, model: ModelInfo, *, release: str, release_sha256: str) -> EvaluationRun | None:
    """The evaluation in `directory` where it is finished, undamaged and of this release, model and policy."""
    try:
        run = _read_run(directory)
    except StoreError:
        return None
    fresh = (
        (run.release, run.release_sha256) == (release, release_sha256)
        and _identity(run.model) == _identity(model)
        and run.policy == POLICY
    )
    return run if fresh else None


def read_scores(directory: Path) -> tuple[list[Score], EvaluationRun]:
    """The scores of a finished evaluation, pair by pair and good before bad, and its run record.

    Raises StoreError where a file is missing, damaged, or not the one that run.json names.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    run = _read_run(directory)
    path = directory / SCORES
    try:
        rows = pq.read_table(path, columns=_columns(pq.read_schema(path).names)).to_pylist()
        return [Score.model_validate(row) for row in rows], run
    except (pa.ArrowException, OSError, KeyError, ValidationError) as fault:
        reason = str(fault).splitlines()[0]
        raise StoreError(f"{path}: not a table of scores: {reason}; evaluate the release again") from None


def _columns(names: list[str]) -> list[str]:
    """The columns of a table of scores that a score is made of; `unigram_sum_logprob` need not be there."""
    return [name for name in Score.model_fields if name in names or name != "unigram_sum_logprob"]


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
    return model.revision, model.weights_sha256, model.tokenizer_sha256, model.dtype


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _outcomes(
    pairs: Iterable[ReleasePair],
    model: LoadedModel,
    batch_size: int,
    progress: Callable[[int, int], None] | None,
) -> dict[str, Outcome]:
    sentences = list(dict.fromkeys(text for pair in pairs for text in (pair.sentence_good, pair.sentence_bad)))
    outcomes: dict[str, Outcome] = {}
    for outcome in score_sentences(model, sentences, batch_size=batch_size):
        outcomes[outcome.sentence] = outcome
        if progress is not None:
            progress(len(outcomes), len(sentences))
    return outcomes


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
        sum_logprob=outcome.sum_logprob,
        token_logprobs=outcome.token_logprobs,
    )


def _write_scores(path: Path, scores: Iterable[Score]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [
            pa.field("pair_id", pa.string(), nullable=False),
            pa.field("side", pa.string(), nullable=False),
            pa.field("sentence", pa.string(), nullable=False),
            pa.field("n_tokens", pa.int64(), nullable=False),
            pa.field("n_bytes", pa.int64(), nullable=False),
            pa.field("sum_logprob", pa.float64(), nullable=False, metadata={"unit": "nats"}),
            pa.field("token_logprobs", pa.list_(pa.float64()), metadata={"unit": "nats"}),
            pa.field("mean_nll", pa.float64(), nullable=False, metadata={"unit": "nats per token"}),
        ]
    )
    rows = [{**score.model_dump(), "mean_nll": score.mean_nll} for score in scores]
    with atomic(path, "wb") as handle:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), handle)
