"""Batches that go through a model side by side, each on threads of its own: the same numbers, nothing left behind."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from tiny_models import SENTENCES, tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.kernels import BatchThreads, batches_at_once
from pairwright.models.load.models import LoadedModel
from pairwright.models.load.settings import ModelSettings

TIMEOUT = 30.0


@pytest.fixture(autouse=True)
def _three_threads() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def scorer_of_many_batches(model: LoadedModel, **settings: Any) -> CausalScorer:
    return CausalScorer(model, ScoreSettings(batch_tokens=40, batch_size=2, **settings))


@contextmanager
def before_each_pass(model: LoadedModel, hook: Callable[[], None]) -> Iterator[None]:
    """Calls `hook` in the thread that takes a batch through the model."""
    body: Any = model.model.base_model
    handle = body.register_forward_pre_hook(lambda *_: hook())
    yield
    handle.remove()


@pytest.mark.parametrize("architecture", ["Llama", "Gemma3Text", "Mixtral", "Mamba", "Bert", "T5"])
def test_numbers_are_those_of_plain_products_and_of_one_batch_after_the_other(architecture: str) -> None:
    model, sums = ModelSettings(name=str(tiny_folder(architecture))), []
    for setting in ("auto", "off"):
        settings = ScoreSettings(device="cpu", batch_tokens=40, batch_size=2, cpu_kernels=setting)
        outcomes = list(open_scorer(model, settings).score(SENTENCES))
        sums.append([(it.sentence, it.sum_logprob) for it in outcomes if isinstance(it, SentenceScore)])
    assert sorted(sentence for sentence, _ in sums[0]) == sorted(SENTENCES)
    for one, other in zip(*sums, strict=True):
        assert one == (other[0], pytest.approx(other[1], abs=1e-3))


@pytest.mark.parametrize(("setting", "alone"), [("auto", False), ("off", True)])
def test_the_setting_says_whether_batches_run_side_by_side(setting: str, alone: bool) -> None:
    model = tiny("Llama")
    threads: set[threading.Thread] = set()
    with before_each_pass(model, lambda: threads.add(threading.current_thread())):
        list(scorer_of_many_batches(model, cpu_kernels=setting).score(SENTENCES))
    assert (threads == {threading.main_thread()}) == alone


def test_the_rest_of_the_program_keeps_its_threads() -> None:
    import torch

    with closing(BatchThreads(2)) as threads:
        threads.submit(int).result(TIMEOUT)
    assert torch.get_num_threads() == 3
    of_a_new_thread: Future[int] = Future()
    thread = threading.Thread(target=lambda: of_a_new_thread.set_result(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert of_a_new_thread.result() == 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("scoring")]


def test_a_model_that_two_batches_disturb_gets_one_at_a_time(caplog: pytest.LogCaptureFixture) -> None:
    assert batches_at_once(tiny("Llama").model, lambda: False) == 1
    assert len(caplog.records) == 1


def test_a_model_that_fails_in_other_threads_is_scored_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    def refuse() -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("not in this thread")

    model = tiny("Llama")
    with before_each_pass(model, refuse):
        outcomes = list(scorer_of_many_batches(model).score(SENTENCES))
    assert outcomes == list(scorer_of_many_batches(model, cpu_kernels="off").score(SENTENCES))
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("name", "count"), [("Llama", 2), ("Llama dynamic", 1)])
def test_a_model_that_keeps_positions_from_batch_to_batch_gets_one_at_a_time(name: str, count: int) -> None:
    import torch

    network = tiny(name).model
    assert batches_at_once(network, lambda: True) == count
    of_own_code = SimpleNamespace(device=torch.device("cpu"))
    assert batches_at_once(of_own_code, lambda: True) == 1
    torch.set_num_threads(1)
    assert batches_at_once(network, lambda: True) == 1
