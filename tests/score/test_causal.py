"""Sentence log-probabilities, against a float64 run of one sentence at a time that shares no code with the package."""

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.errors import ModelError
from pairwright.score import causal
from pairwright.score.causal import SentenceScore, Unscorable, score_sentences
from pairwright.score.models import LoadedModel, load_model

TOLERANCE = 1e-3
ARCHITECTURES = ("GPT2", "Llama", "Qwen2", "Gemma2", "Gemma3Text", "Granite", "OPT", "Bloom")


def reference(directory: Path, sentences: Sequence[str]) -> dict[str, list[float]]:
    """The log-probability of each token by float64 log-softmax over the model's own logits, one sentence at a time."""
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loader: Any = AutoModelForCausalLM
    network = loader.from_pretrained(directory, dtype=torch.float64, attn_implementation="eager").eval()
    bos_id = AutoTokenizer.from_pretrained(directory).bos_token_id
    core = Tokenizer.from_file(str(directory / "tokenizer.json"))
    core.encode_special_tokens = True
    found = {}
    for sentence in sentences:
        ids = core.encode(unicodedata.normalize("NFC", sentence), add_special_tokens=False).ids
        ids = ids if bos_id is None else [bos_id, *ids]
        with torch.no_grad():
            logits = network(torch.tensor([ids])).logits[0, :-1]
        found[sentence] = logits.log_softmax(-1)[range(len(ids) - 1), ids[1:]].tolist()
    return found


def scored(model: LoadedModel, sentences: Sequence[str], batch_size: int = 8) -> dict[str, SentenceScore]:
    outcomes = list(score_sentences(model, sentences, batch_size=batch_size, token_logprobs=True))
    assert all(isinstance(outcome, SentenceScore) for outcome in outcomes), outcomes
    return {outcome.sentence: outcome for outcome in outcomes if isinstance(outcome, SentenceScore)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_sums_equal_the_float64_reference_at_every_batch_size(
    architecture: str,
    tiny_directory: Callable[[str], Path],
    tiny_model: Callable[[str], LoadedModel],
    sentences: tuple[str, ...],
) -> None:
    wanted = reference(tiny_directory(architecture), sentences)
    model = tiny_model(architecture)
    for batch_size in (1, 8, 64):
        found = scored(model, sentences, batch_size)
        assert set(found) == set(sentences)
        for sentence, logprobs in wanted.items():
            score = found[sentence]
            assert score.sum_logprob == pytest.approx(math.fsum(logprobs), abs=TOLERANCE)
            assert score.n_tokens == len(logprobs)
            assert score.token_logprobs == pytest.approx(logprobs, abs=TOLERANCE)


@pytest.mark.parametrize("architecture", ["Llama", "Gemma2", "Granite"])
def test_the_size_of_the_logit_chunks_changes_no_sum(
    architecture: str,
    tiny_model: Callable[[str], LoadedModel],
    sentences: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_model(architecture)
    whole = scored(model, sentences)
    for rows in (1, 7):
        monkeypatch.setattr(causal, "CHUNK_LOGITS", rows * model.info.vocabulary_size)
        for sentence, score in scored(model, sentences).items():
            assert score.sum_logprob == pytest.approx(whole[sentence].sum_logprob, abs=1e-4)


def test_without_a_bos_the_first_token_is_left_out(tiny_model: Callable[[str], LoadedModel]) -> None:
    sentence = "Mums trūksta laiko."
    with_bos, without = tiny_model("Llama"), tiny_model("Qwen2")
    assert with_bos.info.bos_token_id == 2
    assert without.info.bos_token_id is None
    n_with = scored(with_bos, [sentence])[sentence].n_tokens
    assert scored(without, [sentence])[sentence].n_tokens == n_with - 1


def test_a_sentence_of_one_token_needs_a_bos(tiny_model: Callable[[str], LoadedModel]) -> None:
    assert scored(tiny_model("Llama"), ["a"])["a"].n_tokens == 1
    [outcome] = score_sentences(tiny_model("Qwen2"), ["a"], batch_size=4)
    assert isinstance(outcome, Unscorable)
    assert "the model has no BOS" in outcome.reason


def test_identical_sentences_are_scored_once(tiny_model: Callable[[str], LoadedModel]) -> None:
    outcomes = list(score_sentences(tiny_model("GPT2"), ["Ne.", "Sniegas.", "Ne.", "Ne."], batch_size=2))
    assert sorted(outcome.sentence for outcome in outcomes) == ["Ne.", "Sniegas."]


def test_composed_and_decomposed_letters_score_alike(tiny_model: Callable[[str], LoadedModel]) -> None:
    composed = "Žąsys šaukė."
    decomposed = unicodedata.normalize("NFD", composed)
    found = scored(tiny_model("Llama"), [composed, decomposed])
    assert found[composed].sum_logprob == pytest.approx(found[decomposed].sum_logprob, abs=1e-5)
    assert found[decomposed].n_bytes == len(composed.encode())


def test_the_name_of_a_special_token_in_a_sentence_is_text(tiny_model: Callable[[str], LoadedModel]) -> None:
    found = scored(tiny_model("Llama"), ["<s>"])
    assert found["<s>"].n_tokens == 3


def test_a_sentence_longer_than_the_context_is_named(tiny_model: Callable[[str], LoadedModel]) -> None:
    long = "ne " * 400
    outcomes = {o.sentence: o for o in score_sentences(tiny_model("GPT2"), [long, "Sniegas."], batch_size=4)}
    refused = outcomes[long]
    assert isinstance(refused, Unscorable)
    assert "longer than the model's context" in refused.reason
    assert "of 256" in refused.reason
    assert isinstance(outcomes["Sniegas."], SentenceScore)


def test_a_sentence_that_fills_the_context_is_scored(tiny_model: Callable[[str], LoadedModel]) -> None:
    model = tiny_model("GPT2")
    assert scored(model, ["\x01" * 255])["\x01" * 255].n_tokens == 255
    [outcome] = score_sentences(model, ["\x01" * 256], batch_size=1)
    assert isinstance(outcome, Unscorable)


def test_an_architecture_without_a_limit_takes_long_sentences(tiny_model: Callable[[str], LoadedModel]) -> None:
    model = tiny_model("Bloom")
    assert model.info.context_length is None
    assert scored(model, ["ne " * 400])["ne " * 400].n_tokens > 256


@pytest.mark.parametrize("sentence", ["", "\u200b"])
def test_an_empty_sentence_never_scores_zero(sentence: str, tiny_model: Callable[[str], LoadedModel]) -> None:
    [outcome] = score_sentences(tiny_model("Llama"), [sentence], batch_size=4)
    if sentence:
        assert isinstance(outcome, SentenceScore)
        assert outcome.sum_logprob < 0
    else:
        assert isinstance(outcome, Unscorable)
        assert "no token" in outcome.reason


def test_nan_is_an_error_of_the_sentence_that_meets_it(tiny_directory: Callable[[str], Path]) -> None:
    import torch

    model = load_model(str(tiny_directory("Llama")), device="cpu")
    broken = model.tokenizer.convert_tokens_to_ids("S")
    with torch.no_grad():
        model.model.get_input_embeddings().weight[broken] = math.nan  # type: ignore[operator]
    outcomes = {o.sentence: o for o in score_sentences(model, ["S ne.", "Ne."], batch_size=2)}
    assert isinstance(outcomes["S ne."], Unscorable)
    assert "not a finite number" in outcomes["S ne."].reason
    assert isinstance(outcomes["Ne."], SentenceScore)


def test_a_token_that_the_model_has_no_row_for_is_named(tiny_model: Callable[[str], LoadedModel]) -> None:
    model = tiny_model("Llama")
    smaller = replace(model, info=model.info.model_copy(update={"vocabulary_size": 100}))
    [outcome] = score_sentences(smaller, ["Sniegas."], batch_size=1)
    assert isinstance(outcome, Unscorable)
    assert "not in the model's vocabulary of 100" in outcome.reason


def test_a_model_that_fails_is_one_line(tiny_model: Callable[[str], LoadedModel]) -> None:
    model = tiny_model("GPT2")
    boundless = replace(model, info=model.info.model_copy(update={"context_length": None}))
    with pytest.raises(ModelError, match="gpt2: the model failed while scoring") as caught:
        list(score_sentences(boundless, ["ne " * 400], batch_size=1))
    assert "\n" not in str(caught.value)


def test_no_sentences_give_no_scores(tiny_model: Callable[[str], LoadedModel]) -> None:
    assert list(score_sentences(tiny_model("Llama"), [], batch_size=4)) == []


@given(texts=st.lists(st.text(max_size=40), max_size=6), batch_size=st.integers(1, 5), data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_scores_alike_in_any_order_and_batch(
    tiny_model: Callable[[str], LoadedModel], texts: list[str], batch_size: int, data: st.DataObject
) -> None:
    model = tiny_model("Llama")
    wanted = {text: next(score_sentences(model, [text], batch_size=1)) for text in texts}
    shuffled = data.draw(st.permutations(texts))
    outcomes = list(score_sentences(model, shuffled, batch_size=batch_size, token_logprobs=True))
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


@pytest.mark.slow
def test_the_embedded_model_equals_the_float64_reference(sentences: tuple[str, ...]) -> None:
    from pairwright.score.embedded import embedded_model

    wanted = reference(embedded_model().directory, sentences)
    model = load_model("embedded", device="cpu")
    for batch_size in (1, 8, 64):
        for sentence, score in scored(model, sentences, batch_size).items():
            assert score.sum_logprob == pytest.approx(math.fsum(wanted[sentence]), abs=TOLERANCE)
