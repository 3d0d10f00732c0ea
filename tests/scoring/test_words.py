"""Words: which tokens are whose, and the white space that belongs to the word it ends."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from pairwright.core.config import ScoreSettings
from pairwright.core.records.evaluation import WordScore
from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel

SENTENCE = "Mums  trūksta laiko ."


@pytest.fixture
def scored(tiny_model: Callable[[str], LoadedModel]) -> SentenceScore:
    [outcome] = CausalScorer(tiny_model("Llama"), ScoreSettings(words=True)).score([SENTENCE])
    assert isinstance(outcome, SentenceScore)
    return outcome


def words_of(outcome: SentenceScore) -> tuple[WordScore, ...]:
    assert outcome.words is not None
    return outcome.words


def test_words_stand_where_they_say_and_add_up_to_the_sentence(scored: SentenceScore) -> None:
    words = words_of(scored)
    assert [word.text for word in words] == ["Mums", "trūksta", "laiko", "."]
    assert all(SENTENCE[word.start : word.end] == word.text for word in words)
    assert math.fsum(word.sum_logprob for word in words) == pytest.approx(scored.sum_logprob)


def test_tokens_begin_where_they_say_and_add_up_to_their_words(scored: SentenceScore) -> None:
    assert scored.token_starts is not None
    assert scored.token_logprobs is not None
    assert scored.token_starts[0] == 0
    for word in words_of(scored):
        # The spaces before a word may be tokens of it, or the beginning of its first one.
        first = word.start - (len(before := SENTENCE[: word.start]) - len(before.rstrip()))
        own = [p for at, p in zip(scored.token_starts, scored.token_logprobs, strict=True) if first <= at < word.end]
        assert math.fsum(own) == pytest.approx(word.sum_logprob)


def test_the_correction_counts_the_space_to_the_word_before(
    scored: SentenceScore, tiny_model: Callable[[str], LoadedModel]
) -> None:
    """Against B taken by hand: the probability of a token that begins with white space, or of the end."""
    import torch

    model = tiny_model("Llama")
    tokenizer, network = model.tokenizer, model.model
    ids = [2, *tokenizer(SENTENCE, add_special_tokens=False)["input_ids"]]
    begins = [tokenizer.convert_ids_to_tokens(n)[:1] in ("Ġ", "Ċ") or n == 1 for n in range(len(tokenizer))]
    with torch.no_grad():
        any_network: Any = network
        probabilities = any_network(torch.tensor([ids])).logits[0].double().softmax(-1)
    mass = [math.log(float(row[torch.tensor(begins)].sum())) for row in probabilities]
    ends = [1]
    for word in words_of(scored):
        text = SENTENCE[: word.end]
        ends.append(len(tokenizer(text, add_special_tokens=False)["input_ids"]) + 1)
    for place, word in enumerate(words_of(scored)):
        before = 0.0 if place == 0 else mass[ends[place] - 1]
        wanted = word.sum_logprob + mass[ends[place + 1] - 1] - before
        assert word.corrected_logprob == pytest.approx(wanted, abs=1e-3)


def test_corrected_words_still_add_up_but_for_the_end(scored: SentenceScore) -> None:
    """What one word loses the word before it gains: the sum changes by log B after the last word alone."""
    words = words_of(scored)
    corrected = math.fsum(word.corrected_logprob or math.nan for word in words)
    assert corrected <= scored.sum_logprob


def test_a_first_word_that_is_not_scored_whole_is_left_out(tiny_model: Callable[[str], LoadedModel]) -> None:
    for sentence in ("S ne.", "Kuosa ne."):
        [outcome] = CausalScorer(tiny_model("Qwen2"), ScoreSettings(words=True)).score([sentence])
        assert isinstance(outcome, SentenceScore)
        assert [word.text for word in words_of(outcome)] == ["ne."]
