"""Words that a masked model puts into a gap."""

from collections.abc import Callable

import pytest

from pairwright.core.errors import ModelError
from pairwright.core.text import TOKEN
from pairwright.models.load.fill_mask import MaskFiller
from pairwright.models.load.models import LoadedModel


@pytest.mark.parametrize("architecture", ["Bert", "Roberta"])
def test_gaps_are_filled_with_whole_words_the_best_first(
    architecture: str, tiny_model: Callable[[str], LoadedModel]
) -> None:
    filler = MaskFiller(tiny_model(architecture))
    words = filler.fill("Mums trūksta ", ".", 20)
    assert words
    assert all(TOKEN.fullmatch(word) and word[0].isalpha() for word in words)
    assert len(set(words)) == len(words) <= 20
    assert filler.fill("Mums trūksta ", ".", 3) == words[:3]


def test_a_single_piece_is_ranked_by_the_model_s_own_logits(tiny_model: Callable[[str], LoadedModel]) -> None:
    import torch

    loaded = tiny_model("Bert")
    filler = MaskFiller(loaded)
    ((ids, score), *_) = filler._beams("Mums trūksta ", ".", 1)
    encoded = loaded.tokenizer(f"Mums trūksta {loaded.tokenizer.mask_token}.", return_tensors="pt")
    place = int((encoded["input_ids"][0] == loaded.tokenizer.mask_token_id).nonzero()[0])
    with torch.no_grad():
        logits = loaded.model(**encoded).logits[0, place]
    logits[loaded.tokenizer.all_special_ids] = float("-inf")
    assert ids == [int(logits.argmax())]
    assert score == pytest.approx(float(logits.log_softmax(-1).max()), abs=1e-4)


def test_a_causal_model_is_refused_in_one_line(tiny_model: Callable[[str], LoadedModel]) -> None:
    with pytest.raises(ModelError, match="a causal model, which fills no gaps; give a fill-mask model"):
        MaskFiller(tiny_model("GPT2"))
