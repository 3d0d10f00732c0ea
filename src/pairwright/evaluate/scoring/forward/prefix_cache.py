"""The keys and values of tokens that many sequences begin with, so that a model reads those tokens once."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


class PrefixCache:
    """What attention layers remember of a prefix, in the form in which models of transformers ask a cache for it.

    While it is being filled, it keeps what the layers give it. Once `complete`, it only lends what it has, to each row
    of a batch, and several batches may read it at the same time.
    """

    def __init__(self) -> None:
        self._layers: dict[int, tuple[Tensor, Tensor]] = {}
        self.length = 0  # in tokens
        self.complete = False

    def get_seq_length(self, layer_idx: int = 0) -> int:
        return self.length

    def update(
        self, keys: "Tensor", values: "Tensor", layer_idx: int, *_arguments: Any, **_options: Any
    ) -> "tuple[Tensor, Tensor]":
        """The keys and values (rows, heads, tokens, width) of a layer, those of the prefix before the new ones."""
        if layer_idx in self._layers:
            earlier_keys, earlier_values = self._layers[layer_idx]
            keys, values = _joined(earlier_keys, keys), _joined(earlier_values, values)
        if not self.complete:
            self._layers[layer_idx] = keys, values
        return keys, values


def _joined(earlier: "Tensor", new: "Tensor") -> "Tensor":
    import torch

    return torch.cat([earlier.expand(len(new), -1, -1, -1), new], dim=2)
