"""Encoder-decoder models, against one float64 pass a sentence that shares no code with the package."""

import math
from pathlib import Path

import pytest
from float64 import in_float64
from tiny_models import SENTENCES, tiny, tiny_folder

from pairwright.core.config import ScoreSettings
from pairwright.core.errors import ModelError
from pairwright.evaluate.scoring.inputs import SentenceScore
from pairwright.evaluate.scoring.scorers.masked import Seq2SeqScorer


def reference(directory: Path, sentence: str, prefix: str, *, end: bool) -> float:
    import torch

    network, core = in_float64(directory, "AutoModelForSeq2SeqLM")
    ids = [*core.encode(sentence, add_special_tokens=False).ids, *([1] if end else [])]
    with torch.no_grad():
        logits = network(
            input_ids=torch.tensor([core.encode(prefix).ids]), decoder_input_ids=torch.tensor([[0, *ids[:-1]]])
        ).logits[0]
    return math.fsum(logits.log_softmax(-1)[range(len(ids)), ids].tolist())


@pytest.mark.parametrize(("prefix", "end"), [("", False), ("Ne. ", True)])
def test_sums_equal_the_float64_reference_at_every_batch_size(prefix: str, end: bool) -> None:
    plain = [sentence for sentence in SENTENCES if sentence.isascii() or "š" in sentence][:6]
    wanted = {sentence: reference(tiny_folder("T5"), sentence, prefix, end=end) for sentence in plain}
    for batch_size in (1, 8, 64):
        settings = ScoreSettings(batch_size=batch_size, prefix=prefix, eos="scored" if end else "unscored")
        scorer = Seq2SeqScorer(tiny("T5"), settings)
        assert (scorer.policy.kind, scorer.first_token_scored) == ("seq2seq", True)
        for outcome in scorer.score(plain):
            assert isinstance(outcome, SentenceScore)
            assert outcome.sum_logprob == pytest.approx(wanted[outcome.sentence], abs=1e-3)


def test_policies_that_have_no_place_here() -> None:
    with pytest.raises(ModelError, match=r"score\.bos can't be set for an encoder-decoder model"):
        Seq2SeqScorer(tiny("T5"), ScoreSettings(bos="never"))
