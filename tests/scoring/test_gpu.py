"""On a GPU: the numbers of the processor in float32 and, within its noise, in bfloat16, whatever device and way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_scores import read_scores
from tiny_models import PAIRS, SENTENCES, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.store import write_jsonl
from pairwright.evaluate.scoring.forward import Head
from pairwright.evaluate.scoring.inputs import Scorer, SentenceScore
from pairwright.evaluate.scoring.runs.evaluation import evaluate
from pairwright.evaluate.scoring.runs.workers import EvaluationTask, evaluate_on
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.models import load_model
from pairwright.models.load.settings import ModelSettings, release_memory

pytestmark = pytest.mark.gpu
ARCHITECTURES = (
    *("GPT2", "Llama", "Gemma2 wide", "Gemma3Text", "Gemma3Text wide", "OPT", "Bloom", "Mamba", "Mixtral"),
    *("Bert", "T5"),
)
Directory = Callable[[str], Path]


@pytest.fixture(autouse=True)
def needs_cuda() -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")


def needs_two() -> None:
    import torch

    if torch.cuda.device_count() < 2:
        pytest.skip("one CUDA device")


def scorer_of(directory: Path, **options: Any) -> Scorer:
    return open_scorer(ModelSettings(name=str(directory)), ScoreSettings.model_validate(options))


def sums(directory: Path, **options: Any) -> dict[str, float]:
    found = list(scorer_of(directory, **options).score(SENTENCES))
    return {one.sentence: one.sum_logprob for one in found if isinstance(one, SentenceScore)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_float32_gives_the_sums_of_the_processor_and_bfloat16_stays_within_its_noise(architecture: str) -> None:
    directory = tiny_folder(architecture)
    wanted = sums(directory, device="cpu")
    for batch_tokens in (0, 64):
        found = sums(directory, device="cuda", dtype="float32", batch_tokens=batch_tokens)
        assert found == pytest.approx(wanted, abs=1e-3)
    assert sums(directory, device="cuda", dtype="bfloat16") == pytest.approx(wanted, rel=0.05)


def test_the_head_adds_up_blocks_of_rows_and_columns() -> None:
    import torch

    torch.manual_seed(5)
    states, weight = torch.randn(9000, 64), torch.randn(40_000, 64) / 4
    rows = torch.arange(0, 9000, 7)
    targets = (rows * 31) % 40_000
    for kind, error in ((torch.float32, 1e-4), (torch.bfloat16, 1e-3)):
        head = Head(weight.to("cuda", kind))
        found = head.logprobs(states.to("cuda", kind), rows.to("cuda"), targets.to("cuda"))
        logits = states[rows].to(kind).double() @ weight.to(kind).double().T
        wanted = logits.log_softmax(-1)
        assert torch.allclose(found.cpu().double(), wanted[torch.arange(len(rows)), targets], rtol=0, atol=error)


def test_memory_that_runs_out_for_good_loses_nothing_and_keeps_nothing() -> None:
    """What a full batch takes is measured first; then there is room for a third of it."""
    import torch

    sentences = [f"{'ne ' * (20 + number % 40)}{number}." for number in range(600)]
    scorer = scorer_of(tiny_folder("Llama"), device="cuda", dtype="float32", packing="never")
    wanted = {one.sentence: one.sum_logprob for one in scorer.score(sentences) if isinstance(one, SentenceScore)}
    release_memory()
    before, budget = torch.cuda.memory_allocated(), scorer.batch_tokens
    torch.cuda.reset_peak_memory_stats()
    list(scorer.score(sentences))
    needed = torch.cuda.max_memory_allocated() - before
    release_memory()
    room = torch.cuda.memory_reserved() + needed / 3
    torch.cuda.set_per_process_memory_fraction(room / torch.cuda.get_device_properties(0).total_memory)
    try:
        found = {one.sentence: one for one in scorer.score(sentences)}
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert set(found) == set(wanted)
    for sentence, one in found.items():
        assert isinstance(one, SentenceScore)
        assert one.sum_logprob == pytest.approx(wanted[sentence], abs=1e-3)
    assert budget / 16 <= scorer.batch_tokens < budget
    assert torch.cuda.memory_allocated() <= before


@pytest.mark.parametrize("architecture", ["Llama", "Bert", "T5"])
def test_any_gpu_and_all_of_them_give_the_same(architecture: str) -> None:
    needs_two()
    directory = tiny_folder(architecture)
    wanted = sums(directory, device="cpu")
    for device in ("cuda:1", "map"):
        found = sums(directory, device=device, dtype="float32", batch_tokens=64)
        assert found == pytest.approx(wanted, abs=1e-3)


def test_a_process_a_gpu_writes_what_one_writes(tmp_path: Path) -> None:
    needs_two()
    write_jsonl(tmp_path / "pairs.jsonl", PAIRS)
    model = ModelSettings(name=str(tiny_folder("GPT2")))
    settings = ScoreSettings(device="all", dtype="float32", shard_pairs=1)
    task = EvaluationTask(model, settings, tmp_path / "pairs.jsonl", tmp_path / "two", "own-1.0", "a" * 64)
    record = evaluate_on(["cuda:0", "cuda:1"], task, lambda done: None, lambda text: None)
    scorer = open_scorer(model, settings.model_copy(update={"device": "cpu"}))
    evaluate(PAIRS, scorer, settings, tmp_path / "one", release="own-1.0", release_sha256="a" * 64)
    there, here = read_scores(tmp_path / "two" / record.model.slug)[0], read_scores(tmp_path / "one")[0]
    assert [(one.pair_id, one.side) for one in there] == [(one.pair_id, one.side) for one in here]
    for one, same in zip(there, here, strict=True):
        assert one.sum_logprob == pytest.approx(same.sum_logprob, abs=1e-3)


@pytest.mark.parametrize("bits", ["8bit", "4bit"])
def test_a_quantised_model_is_scored_where_it_was_put(bits: str) -> None:
    import torch

    pytest.importorskip("bitsandbytes")
    device = f"cuda:{torch.cuda.device_count() - 1}"
    model = load_model(str(tiny_folder("Llama")), device=device, quantisation=bits)
    assert {str(part.device) for part in model.model.parameters()} == {device}
    found = list(CausalScorer(model, ScoreSettings()).score(SENTENCES))
    assert all(isinstance(one, SentenceScore) for one in found)
