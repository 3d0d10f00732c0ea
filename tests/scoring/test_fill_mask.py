"""Words that a masked model puts into a gap."""

import pytest
from tiny_models import tiny

from pairwright.core.text import TOKEN
from pairwright.models.load.encoders import MaskFiller


@pytest.mark.parametrize("architecture", ["Bert", "Roberta"])
def test_gaps_are_filled_with_whole_words_the_best_first(architecture: str) -> None:
    filler = MaskFiller(tiny(architecture))
    words = filler.fill("Mums trūksta ", ".", 20)
    assert words
    assert all(TOKEN.fullmatch(word) and word[0].isalpha() for word in words)
    assert len(set(words)) == len(words) <= 20
    assert filler.fill("Mums trūksta ", ".", 3) == words[:3]


def test_a_single_piece_is_ranked_by_the_model_s_own_logits() -> None:
    import torch

    loaded = tiny("Bert")
    filler = MaskFiller(loaded)
    ((ids, score), *_) = filler._beams("Mums trūksta ", ".", 1)
    encoded = loaded.tokenizer(f"Mums trūksta {loaded.tokenizer.mask_token}.", return_tensors="pt")
    place = int((encoded["input_ids"][0] == loaded.tokenizer.mask_token_id).nonzero()[0])
    with torch.no_grad():
        logits = loaded.model(**encoded).logits[0, place]
    logits[loaded.tokenizer.all_special_ids] = float("-inf")
    assert ids == [int(logits.argmax())]
    assert score == pytest.approx(float(logits.log_softmax(-1).max()), abs=1e-4)
