"""On a GPU: the numbers of the float64 run on the processor, in float32 and, within its noise, in bfloat16."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.config import ScoreSettings
from pairwright.model_list import ModelSettings
from pairwright.score.opening import open_scorer
from pairwright.score.outcomes import SentenceScore

pytestmark = pytest.mark.gpu
ARCHITECTURES = ("GPT2", "Llama", "Gemma2 wide", "Gemma3Text wide", "Bloom", "Mixtral", "Bert", "T5")


@pytest.fixture(autouse=True)
def needs_cuda() -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")


def sums(directory: Path, sentences: tuple[str, ...], **options: str) -> dict[str, float]:
    scorer = open_scorer(ModelSettings(name=str(directory)), ScoreSettings.model_validate(options))
    found = list(scorer.score(sentences))
    return {one.sentence: one.sum_logprob for one in found if isinstance(one, SentenceScore)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_float32_gives_the_sums_of_the_processor(
    architecture: str, tiny_directory: Callable[[str], Path], sentences: tuple[str, ...]
) -> None:
    directory = tiny_directory(architecture)
    wanted = sums(directory, sentences, device="cpu")
    found = sums(directory, sentences, device="cuda", dtype="float32")
    assert found == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("architecture", ["GPT2", "Llama"])
def test_bfloat16_stays_within_its_noise(
    architecture: str, tiny_directory: Callable[[str], Path], sentences: tuple[str, ...]
) -> None:
    directory = tiny_directory(architecture)
    wanted = sums(directory, sentences, device="cpu")
    found = sums(directory, sentences, device="cuda")
    assert found == pytest.approx(wanted, rel=0.05)


def test_words_come_back_from_the_gpu(tiny_directory: Callable[[str], Path], sentences: tuple[str, ...]) -> None:
    scorer = open_scorer(
        ModelSettings(name=str(tiny_directory("Llama"))), ScoreSettings(device="cuda", dtype="float32", words=True)
    )
    for outcome in scorer.score(sentences):
        assert isinstance(outcome, SentenceScore)
        assert outcome.words
        assert all(word.corrected_logprob is not None for word in outcome.words)
