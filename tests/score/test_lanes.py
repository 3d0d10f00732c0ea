"""Batches that go through a model side by side, each on threads of its own: the same numbers, nothing left behind."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import pytest

from pairwright.config import ScoreSettings
from pairwright.errors import ModelError
from pairwright.lm.models import LoadedModel
from pairwright.score.cpu.parallel_batches import Lanes, lanes_for
from pairwright.score.inputs.outcomes import SentenceScore
from pairwright.score.scorers.causal import CausalScorer

PATIENCE = 30.0


@pytest.fixture(autouse=True)
def _three_threads() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def scorer_of_many_batches(model: LoadedModel) -> CausalScorer:
    return CausalScorer(model, ScoreSettings(batch_tokens=40, batch_size=2))


@pytest.mark.parametrize("architecture", ["Llama", "Gemma3Text", "Mixtral", "Mamba"])
def test_numbers_and_their_order_are_those_of_one_batch_after_the_other(
    architecture: str, tiny_model: Callable[[str], LoadedModel], sentences: tuple[str, ...]
) -> None:
    import torch

    model = tiny_model(architecture)
    found = list(scorer_of_many_batches(model).score(sentences))
    torch.set_num_threads(1)
    wanted = list(scorer_of_many_batches(model).score(sentences))
    assert [outcome.sentence for outcome in found] == [outcome.sentence for outcome in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert isinstance(one, SentenceScore)
        assert isinstance(other, SentenceScore)
        assert one.sum_logprob == pytest.approx(other.sum_logprob, abs=1e-4)


def test_two_run_at_the_same_time_and_share_the_threads() -> None:
    import torch

    both = threading.Barrier(2)

    def threads() -> int:
        both.wait(PATIENCE)
        return torch.get_num_threads()

    with closing(Lanes(2)) as lanes:
        shares = [lanes.submit(threads) for _ in range(2)]
        assert sorted(share.result(PATIENCE) for share in shares) == [1, 2]


def test_the_rest_of_the_program_keeps_its_threads() -> None:
    import torch

    with closing(Lanes(2)) as lanes:
        lanes.submit(int).result(PATIENCE)
    assert torch.get_num_threads() == 3
    of_a_new_thread: Future[int] = Future()
    thread = threading.Thread(target=lambda: of_a_new_thread.set_result(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert of_a_new_thread.result() == 3


def test_one_lane_takes_no_threads_of_its_own() -> None:
    lanes = Lanes(1)
    assert lanes.submit(threading.get_ident).result() == threading.get_ident()
    assert isinstance(lanes.submit(int, "x").exception(), ValueError)
    lanes.close()


def test_memory_that_suffices_for_one_batch_alone_suffices(
    tiny_model: Callable[[str], LoadedModel], sentences: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model("Llama")
    body: Any = model.model.base_model
    forward = body.forward
    inside: list[int] = []
    crowds: list[int] = []

    def crowded(*args: Any, **options: Any) -> Any:
        inside.append(1)
        try:
            time.sleep(0.02)
            if len(inside) > 1:
                crowds.append(len(inside))
                raise MemoryError
            return forward(*args, **options)
        finally:
            inside.pop()

    monkeypatch.setattr(body, "forward", crowded)
    scorer = scorer_of_many_batches(model)
    before = scorer.batch_tokens
    found = list(scorer.score(sentences))
    assert crowds
    assert {outcome.sentence for outcome in found} == set(sentences)
    assert all(isinstance(outcome, SentenceScore) for outcome in found)
    assert scorer.batch_tokens == before


def test_a_fault_of_the_model_in_a_lane_is_its_fault(
    tiny_model: Callable[[str], LoadedModel], sentences: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_model("Llama")
    scorer = scorer_of_many_batches(model)
    list(scorer.score(sentences[:2]))
    body: Any = model.model.base_model
    forward = body.forward

    def broken(*args: Any, **options: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("a tensor has the wrong shape")
        return forward(*args, **options)

    monkeypatch.setattr(body, "forward", broken)
    with pytest.raises(ModelError, match="wrong shape"):
        list(scorer.score(sentences))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("scoring")]


def test_a_model_that_keeps_something_from_batch_to_batch_has_one_lane(
    tiny_model: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    network: Any = tiny_model("Llama").model
    assert lanes_for(network) == 2
    for kind in ("dynamic", "longrope", {"full_attention": "dynamic", "sliding_attention": "default"}):
        with monkeypatch.context() as patch:
            patch.setattr(network.model.rotary_emb, "rope_type", kind)
            assert lanes_for(network) == 1

    class Stranger(torch.nn.Module):
        device = torch.device("cpu")

    assert lanes_for(Stranger()) == 1
    torch.set_num_threads(1)
    assert lanes_for(network) == 1
