"""How much of a GPU's time scoring uses, on a simulated one: it shows whether the program keeps it waiting."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from common import apart
from made_records import make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.records.release import ReleasePair

# Pairs of ten tokens that are scored, a part of the million that the rates hold for.
N_PAIRS = int(os.environ.get("PAIRS", "50000"))
# Microseconds a token: half the peak of a GPU of 1,000 TFLOP/s, for models of so many billions of weights.
TIMES = {"1.5B": 6, "3B": 12, "8B": 32}


def simulated(data: Path) -> pd.DataFrame:
    """The share of the time that the GPU works, from the first pair to the last shard on disk."""
    rows = []
    for model, microseconds in TIMES.items():
        busy, whole, host, tokens = apart(score_on_gpu, microseconds)
        row = {"model": model, "µs a token": str(microseconds), "pairs": f"{N_PAIRS:,}", "tokens read": f"{tokens:,}"}
        row |= {"GPU works, s": f"{busy:.1f}", "run, s": f"{whole:.1f}", "share": f"{busy / whole:.1%}"}
        rows.append(row | {"processor, µs a sentence": f"{host / N_PAIRS / 2 * 1e6:.0f}"})
    return pd.DataFrame(rows)


def pairs() -> Iterator[ReleasePair]:
    for number in range(N_PAIRS):
        good, bad = (f"{number % 1000:03d} {verb} {number // 1000:03d}" for verb in ("is", "am"))
        yield make_released(good, bad, id=f"pair-{number:07d}", method="manual", changes=())


def score_on_gpu(microseconds: int) -> tuple[float, float, float, int]:
    """Seconds that the GPU works, that the run takes and that the processor works, and tokens read.

    A tiny model gives the numbers, and its time on the processor stands for that of launching kernels. Whoever waits
    for the GPU waits on a clock that adds the waits to the processor's time, so that other programs change nothing.
    """
    import torch
    from tiny_model import save_tiny_model

    from pairwright.evaluate.scoring.runs.evaluation import evaluate
    from pairwright.evaluate.scoring.scorers.causal import GPU_AHEAD, Batch, BatchResult, CausalScorer
    from pairwright.models.load.models import load_model

    class Simulated(CausalScorer):
        waited, free_at, tokens = 0.0, 0.0, 0

        def now(self) -> float:
            return time.process_time() + self.waited

        def _start(self, batch: Batch) -> BatchResult:
            result = super()._start(batch)
            n_tokens = sum(map(len, batch.rows))
            done = self.free_at = max(self.now(), self.free_at) + n_tokens * microseconds / 1e6
            self.tokens += n_tokens

            def wait() -> torch.Tensor:
                self.waited += max(0.0, done - self.now())
                return result.wait()

            return result._replace(wait=wait)

    torch.set_num_threads(1)
    settings = ScoreSettings(batch_tokens=32768, cpu_kernels="off", device="cpu")
    made = list(pairs())
    with tempfile.TemporaryDirectory() as folder:
        save_tiny_model(Path(folder) / "model")
        scorer = Simulated(load_model(f"{folder}/model", device="cpu"), settings)
        scorer._ahead = GPU_AHEAD
        list(scorer.score(["a warm start"]))
        started, scorer.waited, scorer.tokens = time.process_time(), 0.0, 0
        evaluate(made, scorer, settings, Path(folder, "scores"), release="made-1.0", release_sha256="a" * 64)
        host = time.process_time() - started
    return scorer.tokens * microseconds / 1e6, host + scorer.waited, host, scorer.tokens
