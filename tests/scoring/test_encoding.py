"""Scoring policies: each changes what is scored as it says, against sums taken by hand from the model's own logits."""

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_models import tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs import SentenceScore, policy_text
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
def llama() -> LoadedModel:
    return tiny("Llama")


@pytest.mark.parametrize(
    ("architecture", "settings", "given", "scored"),
    [
        ("Llama", {"bos": "auto"}, [2], SENTENCE),
        ("Llama", {"bos": "never"}, [], SENTENCE),
        ("Qwen2", {"bos": "or-eos"}, [1], SENTENCE),
        ("Llama", {"prefix": "Ne. "}, [2, "Ne. "], SENTENCE),
        ("Llama", {"prefix": "Ne. ", "prefix_scored": True}, [2], f"Ne. {SENTENCE}"),
        ("Llama", {"eos": "scored"}, [2], [SENTENCE, 1]),
        ("Llama", {"first_token": "unscored"}, [2], SENTENCE),
    ],
)
def test_a_policy_says_what_is_scored_and_what_stands_before(
    architecture: str, settings: dict[str, Any], given: list[Any], scored: Any
) -> None:
    model = tiny(architecture)
    before, own = (
        [token for part in parts for token in (ids_of(model, part) if isinstance(part, str) else [part])]
        for parts in (given, [scored] if isinstance(scored, str) else scored)
    )
    if not before or "first_token" in settings:
        before, own = [*before, own[0]], own[1:]  # with nothing before it, a token has no probability
    found = score(model, **settings)
    assert found.sum_logprob == pytest.approx(by_hand(model, before, own), abs=1e-3)
    assert (found.n_tokens, found.n_bytes) == (len(own), len(SENTENCE.encode()))
    first_scored = CausalScorer(model, ScoreSettings(**settings)).first_token_scored
    assert first_scored == (bool(given) and "first_token" not in settings)


def test_a_chat_template_puts_the_sentence_into_the_answer(tmp_path: Path) -> None:
    path = Path(shutil.copytree(tiny_folder("Llama"), tmp_path / "chat"))
    (path / "chat_template.jinja").write_text("<s>[{{ messages[0]['content'] }}]")
    model = load_model(str(path), device="cpu")
    found = score(model, chat="Ne?")
    before = [2, *ids_of(model, "[Ne?]")]
    assert found.sum_logprob == pytest.approx(by_hand(model, before, ids_of(model, SENTENCE)), abs=1e-3)
    assert found.n_tokens == len(ids_of(model, SENTENCE))
    model.tokenizer.chat_template = "{{ messages[0].content.nothing() }}"
    with pytest.raises(ModelError, match="its chat template can't be used"):
        CausalScorer(model, ScoreSettings(chat="Ne?"))


def test_a_policy_that_the_tokenizer_lacks_the_means_for() -> None:
    with pytest.raises(ModelError, match="no chat template"):
        CausalScorer(tiny("Llama"), ScoreSettings(chat="Ne?"))
    with pytest.raises(ModelError, match=r"qwen2: its tokenizer has no BOS, and score\.bos = always asks for one"):
        CausalScorer(tiny("Qwen2"), ScoreSettings(bos="always"))


@pytest.mark.parametrize(
    ("settings", "sentence", "text"),
    [
        ({"final_period": "removed"}, "Ne.", "Ne"),
        ({"final_period": "removed"}, "Ne...", "Ne..."),
        ({"final_period": "added"}, "Ne", "Ne."),
        ({"final_period": "added"}, "Ar ne?", "Ar ne?"),
        ({"final_period": "added"}, "„Ne!“", "„Ne!“"),
        ({"case": "lower"}, "Žąsys ŠAUKĖ", "žąsys šaukė"),
        ({"normalisation": "NFD"}, "ė", "e\u0307"),
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
