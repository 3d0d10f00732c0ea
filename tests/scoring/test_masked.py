"""Pseudo-log-likelihoods, against one float64 pass a token that shares no code with the package."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from float64 import in_float64
from tiny_models import tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.scorers.masked import MaskedScorer
from pairwright.models.load.models import LoadedModel

ARCHITECTURES = ("Bert", "Roberta")
SENTENCES = ("Mums trūksta laiko.", "Mums trūksta laikas.", "Ne.", "The keys to the cabinet are on the table.")
MASK = 3


def reference(directory: Path, sentence: str, *, within_word: bool) -> list[float]:
    """log p of each token with itself hidden, and with what follows it in its word."""
    import torch

    network, core = in_float64(directory, "AutoModelForMaskedLM")
    encoding = core.encode(sentence)
    found = []
    for place in range(1, len(encoding.ids) - 1):
        hidden = list(encoding.ids)
        hidden[place] = MASK
        for later in range(place + 1, len(hidden) - 1):
            if within_word and encoding.word_ids[later] == encoding.word_ids[place]:
                hidden[later] = MASK
        with torch.no_grad():
            logits = network(torch.tensor([hidden])).logits[0, place]
        found.append(float(logits.log_softmax(-1)[encoding.ids[place]]))
    return found


def scored(model: LoadedModel, sentences: Sequence[str], **options: Any) -> dict[str, SentenceScore]:
    outcomes = list(MaskedScorer(model, ScoreSettings(tokens=True, **options)).score(sentences))
    assert all(isinstance(outcome, SentenceScore) for outcome in outcomes), outcomes
    return {outcome.sentence: outcome for outcome in outcomes if isinstance(outcome, SentenceScore)}


@pytest.mark.parametrize("form", ["pll", "within-word"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_sums_equal_the_float64_reference_at_every_batch_size(architecture: str, form: Any) -> None:
    directory = tiny_folder(architecture)
    wanted = {sentence: reference(directory, sentence, within_word=form == "within-word") for sentence in SENTENCES}
    other = reference(directory, SENTENCES[0], within_word=form != "within-word")
    assert math.fsum(other) != pytest.approx(math.fsum(wanted[SENTENCES[0]]), abs=1e-3)
    kind = MaskedScorer(tiny(architecture), ScoreSettings(masked=form)).policy.kind
    assert kind == ("masked-pll" if form == "pll" else "masked-pll-within-word")
    for batch_size, batch_tokens in ((1, 0), (8, 0), (64, 0), (64, 50)):
        found = scored(tiny(architecture), SENTENCES, batch_size=batch_size, batch_tokens=batch_tokens, masked=form)
        for sentence, logprobs in wanted.items():
            assert found[sentence].sum_logprob == pytest.approx(math.fsum(logprobs), abs=1e-3)
            assert found[sentence].token_logprobs == pytest.approx(logprobs, abs=1e-3)


def test_what_can_not_be_scored_is_named() -> None:
    outcomes = MaskedScorer(tiny("Roberta"), ScoreSettings()).score(["", "ne " * 400, "Ne."])
    reasons = {outcome.sentence: getattr(outcome, "reason", "") for outcome in outcomes}
    assert reasons["Ne."] == ""
    assert "no token" in reasons[""]
    # RoBERTa counts positions from after its padding token, whose number is 0 here.
    assert "longer than the model's context" in reasons["ne " * 400]
    assert "of 127" in reasons["ne " * 400]


def test_the_name_of_the_mask_in_a_sentence_is_text() -> None:
    assert scored(tiny("Bert"), ["<mask>"])["<mask>"].n_tokens > 1


def test_policies_that_have_no_place_here() -> None:
    for options in ({"bos": "never"}, {"eos": "scored"}, {"chat": "Ne?"}, {"prefix": "Ne. "}):
        settings = ScoreSettings.model_validate(options)
        with pytest.raises(ModelError, match=f"score.{next(iter(options))} can't be set for a masked model"):
            MaskedScorer(tiny("Bert"), settings)
