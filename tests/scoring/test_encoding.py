"""Scoring policies: each changes what is scored as it says, against sums taken by hand from the model's own logits."""

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs.encoding import policy_text
from pairwright.evaluate.scoring.inputs.outcomes import SentenceScore
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.models.load.models import LoadedModel, load_model

SENTENCE = "Mums trūksta laiko."


def ids_of(model: LoadedModel, text: str) -> list[int]:
    tokenizer: Any = model.tokenizer
    found: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return found


def by_hand(model: LoadedModel, given: Sequence[int], scored: Sequence[int]) -> float:
    """The sum of log p over `scored` after `given`, by the logits of one pass."""
    import torch

    network: Any = model.model
    ids = torch.tensor([[*given, *scored]])
    with torch.no_grad():
        logprobs = network(ids).logits[0].double().log_softmax(-1)
    places = range(len(given) - 1, ids.shape[1] - 1)
    return math.fsum(float(logprobs[place, ids[0, place + 1]]) for place in places)


def score(model: LoadedModel, sentence: str = SENTENCE, **settings: Any) -> SentenceScore:
    [outcome] = CausalScorer(model, ScoreSettings(**settings)).score([sentence])
    assert isinstance(outcome, SentenceScore), outcome
    return outcome


@pytest.fixture
def llama(tiny_model: Callable[[str], LoadedModel]) -> LoadedModel:
    return tiny_model("Llama")


def test_bos_is_put_or_left_out(llama: LoadedModel) -> None:
    ids = ids_of(llama, SENTENCE)
    assert score(llama, bos="auto").sum_logprob == pytest.approx(by_hand(llama, [2], ids), abs=1e-3)
    assert score(llama, bos="always") == score(llama, bos="auto")
    never = score(llama, bos="never")
    assert never.sum_logprob == pytest.approx(by_hand(llama, ids[:1], ids[1:]), abs=1e-3)
    assert never.n_tokens == len(ids) - 1
    assert not CausalScorer(llama, ScoreSettings(bos="never")).first_token_scored


def test_a_bos_that_does_not_exist(tiny_model: Callable[[str], LoadedModel]) -> None:
    qwen = tiny_model("Qwen2")
    with pytest.raises(ModelError, match=r"qwen2: its tokenizer has no BOS, and score\.bos = always asks for one"):
        CausalScorer(qwen, ScoreSettings(bos="always"))
    instead = score(qwen, bos="or-eos")
    assert instead.sum_logprob == pytest.approx(by_hand(qwen, [1], ids_of(qwen, SENTENCE)), abs=1e-3)


def test_the_first_token_can_be_left_out(llama: LoadedModel) -> None:
    ids = ids_of(llama, SENTENCE)
    found = score(llama, first_token="unscored")
    assert found.sum_logprob == pytest.approx(by_hand(llama, [2, ids[0]], ids[1:]), abs=1e-3)


def test_a_prefix_is_given_or_scored(llama: LoadedModel) -> None:
    whole, prefix = ids_of(llama, f"Ne. {SENTENCE}"), ids_of(llama, "Ne. ")
    assert whole[: len(prefix)] == prefix
    unscored = score(llama, prefix="Ne. ")
    assert unscored.sum_logprob == pytest.approx(by_hand(llama, [2, *prefix], whole[len(prefix) :]), abs=1e-3)
    scored = score(llama, prefix="Ne. ", prefix_scored=True)
    assert scored.sum_logprob == pytest.approx(by_hand(llama, [2], whole), abs=1e-3)
    assert scored.n_bytes == len(SENTENCE.encode())


def test_the_end_of_a_sentence_can_be_scored(llama: LoadedModel) -> None:
    found = score(llama, eos="scored")
    assert found.sum_logprob == pytest.approx(by_hand(llama, [2], [*ids_of(llama, SENTENCE), 1]), abs=1e-3)


def test_a_chat_template_puts_the_sentence_into_the_answer(
    tiny_directory: Callable[[str], Path], tmp_path: Path
) -> None:
    path = Path(shutil.copytree(tiny_directory("Llama"), tmp_path / "chat"))
    (path / "chat_template.jinja").write_text("<s>[{{ messages[0]['content'] }}]")
    model = load_model(str(path), device="cpu")
    found = score(model, chat="Ne?")
    before = [2, *ids_of(model, "[Ne?]")]
    assert found.sum_logprob == pytest.approx(by_hand(model, before, ids_of(model, SENTENCE)), abs=1e-3)
    assert found.n_tokens == len(ids_of(model, SENTENCE))


def test_a_chat_template_that_is_missing_or_broken(
    llama: LoadedModel, tiny_directory: Callable[[str], Path], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="no chat template"):
        CausalScorer(llama, ScoreSettings(chat="Ne?"))
    path = Path(shutil.copytree(tiny_directory("Llama"), tmp_path / "broken"))
    (path / "chat_template.jinja").write_text("{{ messages[0].content.nothing() }}")
    with pytest.raises(ModelError, match="its chat template can't be used"):
        CausalScorer(load_model(str(path), device="cpu"), ScoreSettings(chat="Ne?"))


@pytest.mark.parametrize(
    ("settings", "sentence", "text"),
    [
        ({"final_period": "removed"}, "Ne.", "Ne"),
        ({"final_period": "removed"}, "Ne...", "Ne..."),
        ({"final_period": "added"}, "Ne", "Ne."),
        ({"final_period": "added"}, "Ar ne?", "Ar ne?"),
        ({"final_period": "added"}, "„Ne!“", "„Ne!“"),
        ({"final_period": "added"}, "«Ne!»", "«Ne!»"),
        ({"case": "lower"}, "Žąsys ŠAUKĖ", "žąsys šaukė"),
        ({"normalisation": "NFD"}, "ė", "e\u0307"),
        ({"normalisation": "NFKC"}, "ﬁ", "fi"),
        ({"normalisation": "none"}, "e\u0307", "e\u0307"),
        ({}, "e\u0307", "ė"),
    ],
)
def test_the_text_that_is_scored(settings: dict[str, Any], sentence: str, text: str, llama: LoadedModel) -> None:
    assert policy_text(sentence, ScoringPolicy(**settings)) == text
    found = score(llama, sentence, **settings)
    assert found.sentence == sentence
    assert (found.n_chars, found.n_bytes) == (len(text), len(text.encode()))
    assert found.sum_logprob == pytest.approx(by_hand(llama, [2], ids_of(llama, text)), abs=1e-3)


def test_tokens_begin_where_they_say(llama: LoadedModel) -> None:
    text = "The keys  to the cabinet."
    found = score(llama, text, tokens=True)
    assert found.token_starts is not None
    ends = [*found.token_starts[1:], len(text)]
    pieces = [text[start:end] for start, end in zip(found.token_starts, ends, strict=True)]
    assert pieces == [llama.tokenizer.decode([token]) for token in ids_of(llama, text)]


def test_slor_takes_off_what_the_tokens_are_worth_alone(llama: LoadedModel, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Mums trūksta laiko.\nNe.\n\nNe.\n", encoding="utf-8")
    counted: list[int] = [number for line in (SENTENCE, "Ne.", "Ne.") for number in ids_of(llama, line)]
    total = len(counted) + llama.info.vocabulary_size
    wanted = math.fsum(math.log((counted.count(token) + 1) / total) for token in ids_of(llama, SENTENCE))
    scorer = CausalScorer(llama, ScoreSettings(unigrams=str(corpus)))
    [found] = scorer.score([SENTENCE])
    assert isinstance(found, SentenceScore)
    assert found.unigram_sum_logprob == pytest.approx(wanted)
    assert scorer.unigrams is not None
    assert scorer.unigrams.startswith("corpus.txt, SHA-256 ")
    assert score(llama).unigram_sum_logprob is None


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_a_corpus_that_can_not_be_counted(content: bytes | None, llama: LoadedModel, tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"corpus\.txt") as caught:
        CausalScorer(llama, ScoreSettings(unigrams=str(path)))
    assert "\n" not in str(caught.value)
