"""When memory runs out: it is noticed, nothing of what failed stays, and no batch fails beside another."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.hf_errors import reading
from pairwright.lm.memory import out_of_memory
from pairwright.lm.models import LoadedModel
from pairwright.score.inputs.outcomes import SentenceScore, Unscorable
from pairwright.score.scorers.causal import CausalScorer

FULL = "CUDA out of memory. Tried to allocate 2.00 GiB"


class SmallMemory:
    """The body of a model that can hold forty tokens at a time; what it was at when it failed is followed."""

    def __init__(self, body: Any) -> None:
        self._forward = body.forward
        self.sizes: list[int] = []
        self.left: list[int] = []
        self._held: list[Any] = []

    def __call__(self, *args: Any, input_ids: Any, **options: Any) -> Any:
        import torch

        self.sizes.append(input_ids.numel())
        self.left.append(sum(held() is not None for held in self._held))
        states = torch.zeros(input_ids.shape)
        if input_ids.numel() > 40:
            self._held.append(weakref.ref(states))
            raise torch.OutOfMemoryError(FULL)
        return self._forward(*args, input_ids=input_ids, **options)


@pytest.mark.parametrize("ahead", [0, 4])
def test_what_failed_is_gone_before_anything_is_tried_again(
    ahead: int, tiny_model: Callable[[str], LoadedModel], sentences: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model("Llama")
    scorer = CausalScorer(model, ScoreSettings(batch_tokens=100))
    list(scorer.score(sentences[:2]))
    monkeypatch.setattr(scorer, "_ahead", ahead)
    small = SmallMemory(model.model.base_model)
    monkeypatch.setattr(model.model.base_model, "forward", small)
    found = list(scorer.score(sentences))
    assert {outcome.sentence for outcome in found} == set(sentences)
    assert max(small.sizes) > 40
    assert set(small.left) == {0}


def test_batches_that_are_begun_ahead_wait_for_one_that_failed(
    tiny_model: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a GPU, where several batches are under way."""
    sentences = [f"{number}. Mums trūksta laiko." for number in range(40)]
    model = tiny_model("Llama")
    scorer = CausalScorer(model, ScoreSettings(batch_tokens=100, packing="never"))
    list(scorer.score(sentences[:2]))
    monkeypatch.setattr(scorer, "_ahead", 4)
    small = SmallMemory(model.model.base_model)
    monkeypatch.setattr(model.model.base_model, "forward", small)
    found = list(scorer.score(sentences))
    assert all(isinstance(outcome, SentenceScore) for outcome in found)
    failed = [(size, after) for size, after in zip(small.sizes, small.sizes[1:], strict=False) if size > 40]
    assert len(failed) > 2
    assert all(after < size for size, after in failed)


@pytest.mark.parametrize(
    ("fault", "is_memory"),
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
def test_faults_of_memory_are_told_from_others(fault: Exception, is_memory: bool) -> None:
    assert out_of_memory(fault) == is_memory


def test_a_model_that_memory_lacks_for_is_not_called_damaged() -> None:
    import torch

    with (
        pytest.raises(ModelError, match=r"^big: can't be loaded: CUDA out of memory.*smaller dtype") as caught,
        reading("big: can't be loaded", "download it again"),
    ):
        raise torch.OutOfMemoryError(FULL)
    assert "download" not in str(caught.value)


def test_memory_that_runs_out_halves_the_budget_and_loses_nothing(
    tiny_model: Callable[[str], LoadedModel], sentences: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model("Llama")
    scorer = CausalScorer(model, ScoreSettings(batch_tokens=100))
    wanted = {outcome.sentence: outcome for outcome in scorer.score(sentences)}
    budget = scorer.batch_tokens
    monkeypatch.setattr(model.model.base_model, "forward", SmallMemory(model.model.base_model))
    found = list(scorer.score(sentences))
    assert {outcome.sentence for outcome in found} == set(sentences)
    assert scorer.batch_tokens < budget
    for outcome in found:
        before = wanted[outcome.sentence]
        assert isinstance(before, SentenceScore)
        if isinstance(outcome, Unscorable):
            assert before.n_tokens > 40
            assert outcome.reason == "memory ran out with this sentence alone"
        else:
            assert outcome.sum_logprob == pytest.approx(before.sum_logprob, abs=1e-3)
