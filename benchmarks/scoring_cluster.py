"""How much faster two Dask workers score a release than one.

    python benchmarks/scoring_cluster.py [--shards 20] [--seconds 4]

The workers are processes of this machine. Their model sleeps for so many seconds a shard in place of computing, so the
figure is of the work around a model (the scheduler, shards, locks, files) and needs no core for each worker.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import distributed

from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.records.evaluation import EvaluationRun, ModelInfo, ScoringPolicy
from pairwright.core.store import write_jsonl
from pairwright.evaluate.scoring.inputs.outcomes import SentenceOutcome, SentenceScore
from pairwright.evaluate.scoring.runs import cluster as work
from pairwright.evaluate.scoring.runs.parallel import EvaluationTask
from pairwright.models.load.settings import ModelSettings

SHARD_PAIRS = 10


class SleepingScorer:
    """A model that takes a given time for the sentences of a shard."""

    policy = ScoringPolicy()
    first_token_scored = True
    route = "none"
    batch_size, batch_tokens = 1, 0
    unigrams: str | None = None

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.info = ModelInfo(
            name="sleeping",
            requested="sleeping",
            slug="sleeping",
            architecture="none",
            n_parameters=0,
            revision=None,
            weights_sha256="0" * 64,
            tokenizer_sha256="0" * 64,
            dtype="float32",
            device="cpu",
            context_length=None,
            vocabulary_size=0,
            bos_token_id=None,
            packages={},
            torch_threads=1,
            hardware="none",
        )

    def score(self, sentences: Sequence[str]) -> Iterator[SentenceOutcome]:
        time.sleep(self._seconds)
        for text in sentences:
            yield SentenceScore(text, 1, len(text.encode()), len(text), -float(len(text)))


def keep_model(task: EvaluationTask, seconds: float) -> None:
    """On a worker: the model is loaded already."""
    work._kept[task] = SleepingScorer(seconds)


def seconds_with(workers: int, folder: Path, shards: int, seconds: float) -> float:
    """The time that a release of so many shards takes."""
    pairs = folder / "pairs.jsonl"
    write_jsonl(pairs, (make_released(f"Good {n}.", f"Bad {n}!.", id=f"p-{n}") for n in range(shards * SHARD_PAIRS)))
    settings = ScoreSettings(shard_pairs=SHARD_PAIRS)
    task = EvaluationTask(ModelSettings(name="sleeping"), settings, pairs, folder / str(workers), "made", "a" * 64)
    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
    dask: Any = distributed
    with dask.LocalCluster(n_workers=workers, **options) as cluster, dask.Client(cluster) as client:
        client.run(keep_model, task, seconds)

        def spread(_: str, part: Callable[..., Any], items: Iterable[Any]) -> Iterator[Any]:
            return (it.result() for it in dask.as_completed([client.submit(part, *item, pure=False) for item in items]))

        begun = time.perf_counter()
        outcome = work.evaluate_on_cluster([task], spread, lambda done: None, print)[0].result
        elapsed = time.perf_counter() - begun
    assert isinstance(outcome, EvaluationRun), outcome
    print(f"{workers} workers: {elapsed:6.1f} s for {shards} shards of {seconds} s")
    return elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=4.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        one, two = (seconds_with(n, Path(folder), arguments.shards, arguments.seconds) for n in (1, 2))
    print(f"two workers are {one / two:.2f} times as fast as one")


if __name__ == "__main__":
    main()
