"""Sentence log-probabilities, against a float64 run of one sentence at a time that shares no code with the package."""

import math
import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from float64 import Reference
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_models import SENTENCES, tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring import forward
from pairwright.evaluate.scoring.inputs import SentenceOutcome, SentenceScore, Unscorable
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel, load_model

TOLERANCE = 1e-3
# Which of them can be packed is told here by hand, from what their authors write of masks and positions.
PACKED = ("GPT2", "Llama", "Qwen2", "Gemma2 wide", "Gemma3Text wide", "Granite", "OPT", "GPTNeoX", "Mixtral")
# Short sliding windows, ALiBi, a state space.
FALLING_BACK = ("Gemma2", "Gemma3Text", "Mistral", "Bloom", "Mamba")
ARCHITECTURES = (*PACKED, *FALLING_BACK)


def reference(directory: Path, sentences: Sequence[str]) -> dict[str, list[float]]:
    """The log-probability of each token, one sentence at a time."""
    model = Reference(directory)
    return {sentence: model.logprobs(unicodedata.normalize("NFC", sentence)) for sentence in sentences}


def outcomes_of(model: LoadedModel, sentences: Sequence[str], **options: Any) -> list[SentenceOutcome]:
    return list(CausalScorer(model, ScoreSettings(**options)).score(sentences))


def scored(model: LoadedModel, sentences: Sequence[str], **options: Any) -> dict[str, SentenceScore]:
    outcomes = outcomes_of(model, sentences, tokens=True, **options)
    assert all(isinstance(outcome, SentenceScore) for outcome in outcomes), outcomes
    return {outcome.sentence: outcome for outcome in outcomes if isinstance(outcome, SentenceScore)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_sums_equal_the_float64_reference_at_every_batch_size(architecture: str) -> None:
    wanted = reference(tiny_folder(architecture), SENTENCES)
    model = tiny(architecture)
    for batch_size, packing in ((1, "never"), (8, "auto"), (64, "auto"), (64, "never")):
        scorer = CausalScorer(model, ScoreSettings(tokens=True, batch_size=batch_size, packing=packing))
        found = {it.sentence: it for it in scorer.score(SENTENCES) if isinstance(it, SentenceScore)}
        packs = packing == "auto" and architecture not in ("Bloom", "Mamba")
        assert scorer.route.split()[0] == ("packed" if packs else "padded")
        assert "whole logits" not in scorer.route
        assert set(found) == set(SENTENCES)
        for sentence, logprobs in wanted.items():
            score = found[sentence]
            assert score.sum_logprob == pytest.approx(math.fsum(logprobs), abs=TOLERANCE)
            assert score.n_tokens == len(logprobs)
            assert score.token_logprobs == pytest.approx(logprobs, abs=TOLERANCE)


def test_bfloat16_rounds_the_model_and_not_its_logits() -> None:
    import torch

    model = load_model(str(tiny_folder("Llama")), dtype="bfloat16", device="cpu")
    network: Any = model.model
    assert (model.info.dtype, network.dtype) == ("bfloat16", torch.bfloat16)
    assert model.info.slug.endswith("-bfloat16")
    found = scored(model, SENTENCES, batch_size=1, packing="never")
    for sentence, score in found.items():
        text = unicodedata.normalize("NFC", sentence)
        read = model.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        ids = [network.config.bos_token_id, *read]
        with torch.no_grad():
            states = network.model(torch.tensor([ids])).last_hidden_state[0, :-1]
            logits = states.float() @ network.lm_head.weight.float().T
        wanted = logits.log_softmax(-1)[range(len(ids) - 1), ids[1:]].sum().item()
        assert score.sum_logprob == pytest.approx(wanted, abs=TOLERANCE)


@pytest.mark.parametrize("architecture", ["Gemma2", "Granite"])
def test_the_size_of_the_logit_blocks_changes_no_sum(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny(architecture)
    whole = scored(model, SENTENCES)
    for block in ((1, 1000), (7, 13), (1000, 64)):
        monkeypatch.setattr(forward, "CPU_BLOCK", block)
        for sentence, score in scored(model, SENTENCES).items():
            assert score.sum_logprob == pytest.approx(whole[sentence].sum_logprob, abs=1e-4)


def test_a_head_reads_states_in_the_numbers_of_its_weights() -> None:
    """As models do that keep their last states in float32 whatever they are loaded in."""
    import torch

    torch.manual_seed(3)
    states, weight = torch.randn(5, 16), torch.randn(40, 16).bfloat16()
    rows, targets = torch.arange(5), torch.arange(5) * 7
    wanted = (states.bfloat16().float() @ weight.float().T).log_softmax(-1)[rows, targets]
    found = forward.Head(weight).logprobs(states, rows, targets)
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-5)


def test_an_output_layer_that_did_not_fit_on_a_device_is_left_to_the_model() -> None:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    with torch.device("meta"):
        loader: Any = AutoModelForCausalLM
        network = loader.from_config(AutoConfig.from_pretrained(tiny_folder("Llama")))
    assert forward.head_of(network) is None


@pytest.mark.parametrize(
    ("architecture", "sentence", "found"),
    [
        ("Llama", "a", 1),
        ("Qwen2", "a", "one with nothing before it"),
        ("Llama", "\x01\x01", 2),
        ("Qwen2", "\x01\x01", 1),
        ("Llama", "<s>", 3),
        ("Llama", "", "no token can be scored"),
        ("Llama", "\u200b", 3),
        ("GPT2", "\x01" * 255, 255),
        ("GPT2", "\x01" * 256, "longer than the model's context: 257 tokens of 256"),
        ("Bloom", "\x01" * 400, 400),
    ],
)
def test_a_sentence_has_so_many_scored_tokens_or_a_reason_beside_any_other(
    architecture: str, sentence: str, found: int | str
) -> None:
    outcomes = {it.sentence: it for it in outcomes_of(tiny(architecture), [sentence, "Sniegas."], batch_size=4)}
    outcome = outcomes[sentence]
    assert isinstance(outcomes["Sniegas."], SentenceScore)
    if isinstance(found, int):
        assert isinstance(outcome, SentenceScore)
        assert outcome.n_tokens == found
        assert outcome.sum_logprob < 0
    else:
        assert isinstance(outcome, Unscorable)
        assert found in outcome.reason


@pytest.mark.parametrize("kind", ["of no setting", "minus infinity"])
def test_a_model_that_gives_logits_only_whole_is_scored_and_says_so(kind: str) -> None:
    """The numbers are those of the model itself. A token that it rules out says nothing of how others are rounded."""
    import torch

    model = load_model(str(tiny_folder("Llama")), device="cpu")
    network: Any = model.model
    layer, size = network.lm_head.forward, network.config.vocab_size
    tried = torch.linspace(0, size - 1, 64).long().tolist()
    ruled = torch.tensor([token for token in range(size) if token not in tried and token % 2])
    of_no_setting = kind == "of no setting"
    network.lm_head.forward = lambda states: (
        layer(states).tanh().mul(5) if of_no_setting else layer(states).index_fill(-1, ruled, -math.inf)
    )
    scorer = CausalScorer(model, ScoreSettings())
    found = list(scorer.score(SENTENCES))
    assert {outcome.sentence for outcome in found} == set(SENTENCES)
    assert scorer.route == "packed with whole logits"
    if of_no_setting:
        alone = scored(model, SENTENCES, packing="never", batch_size=1)
        sums = {one.sentence: one.sum_logprob for one in found if isinstance(one, SentenceScore)}
        assert sums == pytest.approx({one: score.sum_logprob for one, score in alone.items()}, abs=TOLERANCE)


def test_nan_and_a_token_without_a_row_are_errors_of_their_sentences() -> None:
    import torch

    model = load_model(str(tiny_folder("Llama")), device="cpu")
    broken = model.tokenizer.convert_tokens_to_ids("S")
    with torch.no_grad():
        model.model.get_input_embeddings().weight[broken] = math.nan  # type: ignore[operator]
    outcomes = {o.sentence: o for o in outcomes_of(model, ["S ne.", "Ne."])}
    assert "not a finite number" in getattr(outcomes["S ne."], "reason", "")
    assert isinstance(outcomes["Ne."], SentenceScore)
    smaller = replace(model, info=model.info.model_copy(update={"vocabulary_size": 100}))
    [outcome] = outcomes_of(smaller, ["Sniegas."])
    assert "not in the model's vocabulary of 100" in getattr(outcome, "reason", "")


def test_a_model_that_fails_is_one_line() -> None:
    model = tiny("GPT2")
    boundless = replace(model, info=model.info.model_copy(update={"context_length": None}))
    with pytest.raises(ModelError, match="gpt2: the model failed while scoring") as caught:
        outcomes_of(boundless, ["ne " * 400])
    assert "\n" not in str(caught.value)


@given(texts=st.lists(st.text(max_size=40), max_size=6), batch_size=st.integers(1, 5), data=st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_scores_alike_in_any_order_and_batch(texts: list[str], batch_size: int, data: st.DataObject) -> None:
    one = CausalScorer(tiny("Llama"), ScoreSettings(batch_size=1))
    wanted = {text: next(iter(one.score([text]))) for text in texts}
    shuffled = data.draw(st.permutations(texts))
    outcomes = outcomes_of(tiny("Llama"), shuffled, batch_size=batch_size, tokens=True)
    assert sorted(outcome.sentence for outcome in outcomes) == sorted(wanted)
    for outcome in outcomes:
        alone = wanted[outcome.sentence]
        if isinstance(alone, Unscorable):
            assert outcome == alone
            continue
        assert isinstance(outcome, SentenceScore)
        assert outcome.token_logprobs is not None
        assert outcome.sum_logprob == pytest.approx(alone.sum_logprob, abs=TOLERANCE)
        assert outcome.sum_logprob == math.fsum(outcome.token_logprobs)
        assert outcome.n_tokens == alone.n_tokens == len(outcome.token_logprobs)
        assert all(logprob <= 0 for logprob in outcome.token_logprobs)
        assert outcome.token_starts is not None
        assert list(outcome.token_starts) == sorted(outcome.token_starts)
        assert len(outcome.token_starts) == outcome.n_tokens


@pytest.mark.slow
def test_the_embedded_model_equals_the_float64_reference() -> None:
    from pairwright.models.load.embedded import embedded_model

    wanted = reference(embedded_model().directory, SENTENCES)
    model = load_model("embedded", device="cpu")
    assert model.info.architecture == "Gemma3ForCausalLM"
    assert (model.info.vocabulary_size, model.info.bos_token_id, model.info.slug) == (262_144, 2, "gemma-3-270m-q4_k_m")
    for batch_size in (1, 64):
        for sentence, score in scored(model, SENTENCES, batch_size=batch_size).items():
            assert score.sum_logprob == pytest.approx(math.fsum(wanted[sentence]), abs=TOLERANCE)


@pytest.mark.parametrize("bias", [0.0, 400.0])
def test_only_a_model_whose_keys_are_too_large_for_float32_pays_for_float64(bias: float, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    directory = Path(shutil.copytree(tiny_folder("Qwen2"), tmp_path / "qwen"))
    weights = load_file(directory / "model.safetensors")
    for name, tensor in weights.items():
        if "k_proj" in name:
            tensor *= 0.1
        if name.endswith("k_proj.bias"):
            tensor += bias
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    model = load_model(str(directory), device="cpu")
    assert (getattr(model.model.config, "_attn_implementation", "") == "sdpa") == (not bias)
    wanted = reference(directory, SENTENCES)
    for outcome in CausalScorer(model, ScoreSettings()).score(SENTENCES):
        assert isinstance(outcome, SentenceScore)
        assert outcome.sum_logprob == pytest.approx(math.fsum(wanted[outcome.sentence]), abs=1e-3)
