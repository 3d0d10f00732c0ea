"""Log-sum-exps over a large vocabulary, most of it in 8 bits, beside the sums in float64."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairwright.config import ScoreSettings
from pairwright.lm.models import LoadedModel
from pairwright.score.cpu.quantized_logsumexp import MOST, NOISE, ROWS, SHARE, VOCABULARY, Screen, can_screen
from pairwright.score.forward import head
from pairwright.score.forward.head import Head
from pairwright.score.inputs.outcomes import SentenceScore
from pairwright.score.scorers.causal import SCREENED, CausalScorer

TOKENS, WIDTH = VOCABULARY + 1000, 96


@pytest.fixture(scope="module", autouse=True)
def _processor() -> None:
    import torch

    if not can_screen(torch.zeros(VOCABULARY, 1)):
        pytest.skip("this processor has no fast products of 8 bits")


def layer(*, seed: int = 3, outlier: float = 1.0) -> Any:
    """Weights (TOKENS, WIDTH) around a mean that is far from 0, some dimensions larger than the others."""
    import torch

    made = torch.randn(TOKENS, WIDTH, generator=torch.Generator().manual_seed(seed)) + 2
    made[:, ::17] *= outlier
    return made


def states(count: int, *, spread: float, seed: int = 5) -> Any:
    """Hidden states (count, WIDTH) whose logits spread by about this many nats around their mean."""
    import torch

    made = torch.randn(count, WIDTH, generator=torch.Generator().manual_seed(seed))
    return made * spread / math.sqrt(WIDTH)


def log_sums(weight: Any, hidden: Any) -> Any:
    return (hidden.double() @ weight.double().T).logsumexp(dim=1)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**16),
    spread=st.floats(0.01, 6),
    outlier=st.sampled_from([1.0, 5.0, 30.0]),
    count=st.integers(ROWS, 300),
)
def test_the_sums_are_those_of_float64(seed: int, spread: float, outlier: float, count: int) -> None:
    weight, hidden = (
        layer(seed=seed, outlier=outlier),
        states(count, spread=spread / math.hypot(1, outlier / 4), seed=seed),
    )
    wanted = log_sums(weight, hidden)
    found, rough = Screen(weight).log_sums(hidden)
    within = rough <= MOST
    assert ((found - wanted).abs()[within] < 1e-3).all()
    assert float((found - wanted).abs()[within].mean()) < NOISE / 2
    assert float(rough.mean()) <= 2 * SHARE


def test_a_token_that_is_likely_at_one_place_alone_is_taken_in_full() -> None:
    import torch

    weight, hidden = layer(), states(2 * ROWS, spread=3.0)
    rare = range(7, TOKENS, 4001)
    for row, token in enumerate(rare):
        hidden[row] = 20 * torch.nn.functional.normalize(weight[token] - weight.mean(0), dim=0)
    wanted = log_sums(weight, hidden)
    found, _ = Screen(weight).log_sums(hidden)
    assert torch.allclose(found.double(), wanted, atol=5e-4, rtol=0)


def test_a_place_that_stays_in_8_bits_for_a_large_part_is_taken_in_full() -> None:
    import torch

    class Doubtful(Screen):
        def log_sums(self, hidden: Any) -> Any:
            sums, shares = super().log_sums(hidden)
            sums[3], shares[3] = 99.0, 2 * MOST
            return sums, shares

    weight, hidden = layer(), states(ROWS, spread=3.0)
    head = Head(weight, None, None, Doubtful(weight))
    rows, targets = torch.arange(ROWS), torch.arange(ROWS) * 7
    logits = hidden.double() @ weight.double().T
    wanted = logits[rows, targets] - logits.logsumexp(dim=1)
    assert torch.allclose(head.logprobs(hidden, rows, targets)[0].double(), wanted, atol=5e-4, rtol=0)


def test_states_for_which_8_bits_are_too_few_leave_the_head_as_it_is() -> None:
    import torch

    weight = layer()
    # One dimension decides all, so that the others, which part the likely tokens, are lost in 8 bits.
    hidden = states(ROWS, spread=3.0)
    head = Head(weight, None, None)
    assert head.screened(hidden).screen is not None
    weight[:, 0] *= 1e-6
    hidden[:, 0] = 3e9 * torch.linspace(-1, 1, ROWS)
    assert head.screened(hidden).screen is None


@pytest.mark.parametrize(
    ("tokens", "bits", "screens"), [(VOCABULARY - 1, 32, False), (TOKENS, 64, False), (TOKENS, 32, True)]
)
def test_only_large_vocabularies_in_float32_are_screened(tokens: int, bits: int, screens: bool) -> None:
    import torch

    assert can_screen(torch.zeros(tokens, 1, dtype={32: torch.float32, 64: torch.float64}[bits])) is screens


def scores(scorer: CausalScorer, sentences: list[str]) -> dict[str, float]:
    return {one.sentence: one.sum_logprob for one in scorer.score(sentences) if isinstance(one, SentenceScore)}


def test_scores_are_the_same_with_a_screen_and_without(tiny_model: Callable[[str], LoadedModel]) -> None:
    sentences = [
        f"Mums jau {number} dienas {verb} laiko ir noro." for number in range(150) for verb in ("trūksta", "laukia")
    ]
    model = tiny_model("Llama vast")
    screened, plain = CausalScorer(model, ScoreSettings()), CausalScorer(model, ScoreSettings(screening="never"))
    found, wanted = scores(screened, sentences), scores(plain, sentences)
    assert (screened.route, plain.route) == ("packed and screened", "packed")
    assert found == pytest.approx(wanted, abs=1e-3)
    assert found != wanted
    # A call gives the same numbers whatever came before it, and few sentences go without a screen.
    assert scores(CausalScorer(model, ScoreSettings()), sentences) == found
    assert scores(screened, sentences) == found
    few = sentences[:4]
    assert sum(map(len, few)) < SCREENED
    assert scores(screened, few) == scores(plain, few)
    assert screened.route == "packed"


def test_where_memory_lacks_for_a_screen_all_is_taken_in_full(
    tiny_model: Callable[[str], LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Any] = []

    def too_large(weight: Any) -> Screen:
        tried.append(weight)
        raise RuntimeError(f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {weight.numel()} bytes")

    monkeypatch.setattr(head, "Screen", too_large)
    sentences = [f"Mums jau {number} dienas trūksta laiko ir noro." for number in range(300)]
    model = tiny_model("Llama vast")
    without, plain = CausalScorer(model, ScoreSettings()), CausalScorer(model, ScoreSettings(screening="never"))
    assert scores(without, sentences) == scores(plain, sentences)
    assert tried
    assert without.route == "packed"


def test_a_state_that_is_no_number_leaves_the_others_as_they_are() -> None:
    import torch

    weight, hidden = layer(), states(2 * ROWS, spread=3.0)
    wanted = log_sums(weight, hidden)
    hidden[5] = math.nan
    hidden[6, 0] = math.inf
    found, _ = Screen(weight).log_sums(hidden)
    assert not torch.isfinite(found[5:7]).any()
    others = [row for row in range(2 * ROWS) if row not in (5, 6)]
    assert torch.allclose(found[others].double(), wanted[others], atol=5e-4, rtol=0)


def test_two_threads_at_once_get_the_sums_of_one() -> None:
    from concurrent.futures import ThreadPoolExecutor

    screen = Screen(layer())
    hidden = [states(count, spread=2, seed=count) for count in range(ROWS, ROWS + 120, 10)]
    wanted = [screen.log_sums(one)[0] for one in hidden]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda one: screen.log_sums(one)[0], hidden))
    for one, other in zip(found, wanted, strict=True):
        assert (one - other).abs().max() < 1e-5
