"""The words that a masked language model puts into a gap of a sentence, also words of several pieces."""

from typing import TYPE_CHECKING, Any

from pairwright.core.errors import ModelError, one_line
from pairwright.core.text import TOKEN
from pairwright.models.load.models import LoadedModel

if TYPE_CHECKING:
    from torch import Tensor

MOST_PIECES = 3
_BEAMS = 48


class MaskFiller:
    """Fills gaps with a masked model. Raises ModelError for a model of another kind.

    A gap is tried with one mask, with two and with three, which are filled from left to right, each given the pieces
    before it. Words of different lengths are compared by the mean log-probability of their pieces.
    """

    def __init__(self, model: LoadedModel) -> None:
        if model.kind != "masked" or model.tokenizer.mask_token_id is None:
            raise ModelError(
                f"{model.info.name}: a {model.kind} model, which fills no gaps; give a fill-mask model, such as a BERT "
                "or RoBERTa of the language, or take --method lexicon"
            )
        self.name = model.info.name
        self._network: Any = model.model
        self._tokenizer: Any = model.tokenizer

    def fill(self, before: str, after: str, most: int) -> list[str]:
        """The most probable words between two pieces of a sentence, the best first. Raises ModelError."""
        try:
            found: dict[str, float] = {}
            for pieces in range(1, MOST_PIECES + 1):
                for ids, score in self._beams(before, after, pieces):
                    word = self._word(ids, before, after)
                    if word and score > found.get(word, float("-inf")):
                        found[word] = score
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise ModelError(f"{self.name}: the model failed while filling a gap: {one_line(error)}") from None
        return sorted(found, key=lambda word: (-found[word], word))[:most]

    def _beams(self, before: str, after: str, pieces: int) -> list[tuple[list[int], float]]:
        """The best fillings of so many masks, with the mean log-probability of their pieces."""
        import torch

        mask = self._tokenizer.mask_token_id
        text = f"{before}{self._tokenizer.mask_token * pieces}{after}"
        ids: list[int] = self._tokenizer(text)["input_ids"]
        places = [index for index, token in enumerate(ids) if token == mask]
        if len(places) != pieces:
            return []
        rows, totals = torch.tensor([ids], device=self._network.device), torch.zeros(1)
        for place in places:
            logprobs = self._logprobs(rows, place) + totals[:, None]
            totals, best = logprobs.flatten().topk(min(_BEAMS, logprobs.numel()))
            size = logprobs.shape[1]
            rows = rows[(best // size).to(rows.device)].clone()
            rows[:, place] = (best % size).to(rows.device)
        return [(filled, float(total) / pieces) for filled, total in zip(rows[:, places].tolist(), totals, strict=True)]

    def _logprobs(self, rows: "Tensor", place: int) -> "Tensor":
        import torch

        with torch.inference_mode():
            logits = self._network(input_ids=rows, attention_mask=torch.ones_like(rows)).logits[:, place].float()
            logits[:, self._tokenizer.all_special_ids] = float("-inf")
            logprobs: Tensor = logits.log_softmax(-1).cpu()
        return logprobs

    def _word(self, ids: list[int], before: str, after: str) -> str | None:
        """The word that pieces make, where they make one and the tokenizer would cut it so in the sentence."""
        word = self._tokenizer.decode(ids).strip()
        if not TOKEN.fullmatch(word) or not word[0].isalpha():
            return None
        mask = self._tokenizer.mask_token_id
        around: list[int] = self._tokenizer(f"{before}{self._tokenizer.mask_token}{after}")["input_ids"]
        gap = around.index(mask)
        whole: list[int] = self._tokenizer(f"{before}{word}{after}")["input_ids"]
        return word if whole[gap : gap + len(ids)] == ids and len(whole) == len(around) - 1 + len(ids) else None
