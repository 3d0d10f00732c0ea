"""Batches that fail: memory is freed before anything is tried again, batches are cut up, and nothing is lost."""

import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from tiny_models import SENTENCES, tiny

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.inputs import SentenceScore, Unscorable
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.kernels import BatchThreads, halves, run_batches
from pairwright.models.load.models import LoadedModel
from pairwright.models.load.settings import load_errors, out_of_memory

FULL = "CUDA out of memory. Tried to allocate 2.00 GiB"
CAPACITY = 40


class Intermediate:
    """What a batch makes on its way."""


class SmallMemory:
    """Adds up batches of numbers whose sum is within the capacity.

    left_from_failures  before each batch that runs on its own, how much of the failed ones is still in memory
    """

    def __init__(self) -> None:
        self.sums: list[int] = []
        self.left_from_failures: list[int] = []
        self._failed: list[weakref.ref[Intermediate]] = []

    def __call__(self, batch: list[int]) -> int:
        intermediate = Intermediate()
        self.sums.append(sum(batch))
        if threading.current_thread() is threading.main_thread():
            self.left_from_failures.append(sum(made() is not None for made in self._failed))
        if sum(batch) > CAPACITY:
            self._failed.append(weakref.ref(intermediate))
            raise MemoryError(FULL)
        return sum(batch)


@pytest.mark.parametrize(("n_threads", "ahead"), [(1, 0), (1, 4), (2, 1)])
def test_a_batch_that_memory_runs_out_on_is_cut_up_and_nothing_of_it_stays(n_threads: int, ahead: int) -> None:
    batches = [[1, 2], [30, 20, 10], [50, 1], [4], [41]]
    memory = SmallMemory()
    with closing(BatchThreads(n_threads)) as threads:
        results = list(run_batches(batches, memory, halves, threads=threads, ahead=ahead))
    assert [entry for batch, _ in results for entry in batch] == [entry for batch in batches for entry in batch]
    assert all(result == (sum(batch) if sum(batch) <= CAPACITY else None) for batch, result in results)
    assert [batch for batch, result in results if result is None] == [[50], [41]]
    assert set(memory.left_from_failures) == {0}


@contextmanager
def small_memory(model: LoadedModel) -> Iterator[list[int]]:
    """Lets a model hold forty tokens at a time; gives the sizes of the batches that it was asked for."""
    import torch

    sizes: list[int] = []

    def check(_module: Any, _args: Any, options: dict[str, Any]) -> None:
        sizes.append(options["input_ids"].numel())
        if sizes[-1] > CAPACITY:
            raise torch.OutOfMemoryError(FULL)

    body: Any = model.model.base_model
    handle = body.register_forward_pre_hook(check, with_kwargs=True)
    yield sizes
    handle.remove()


@pytest.mark.parametrize("packing", ["auto", "never"])
def test_memory_that_runs_out_halves_the_budget_and_loses_nothing(packing: str) -> None:
    model = tiny("Llama")
    scorer = CausalScorer(model, ScoreSettings(batch_tokens=100, packing=packing))
    expected = {outcome.sentence: outcome for outcome in scorer.score(SENTENCES)}
    with small_memory(model) as sizes:
        outcomes = list(scorer.score(SENTENCES))
    assert max(sizes) > CAPACITY
    assert {outcome.sentence for outcome in outcomes} == set(SENTENCES)
    assert scorer.batch_tokens < 100
    for outcome in outcomes:
        before = expected[outcome.sentence]
        assert isinstance(before, SentenceScore)
        if isinstance(outcome, Unscorable):
            assert before.n_tokens > CAPACITY
            assert outcome.reason == "memory ran out with this sentence alone"
        else:
            assert outcome.sum_logprob == pytest.approx(before.sum_logprob, abs=1e-3)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (RuntimeError(FULL), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), True),
        (RuntimeError("a tensor has the wrong shape"), False),
        (KeyError("memory"), False),
    ],
)
def test_errors_of_memory_are_told_from_others(error: Exception, is_memory: bool) -> None:
    assert out_of_memory(error) == is_memory


def test_a_model_that_memory_lacks_for_is_not_called_damaged() -> None:
    import torch

    with (
        pytest.raises(ModelError, match=r"^big: can't be loaded: CUDA out of memory.*smaller dtype") as caught,
        load_errors("big: can't be loaded", "download it again"),
    ):
        raise torch.OutOfMemoryError(FULL)
    assert "download" not in str(caught.value)
