"""Matrix products on a processor by oneDNN, which torch carries and uses itself only for compiled code.

In float32 torch takes MKL, which on processors other than Intel's leaves a fifth of their speed unused. The numbers
differ by rounding alone.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def product(inputs: "Tensor", weight: "Tensor", bias: "Tensor | None" = None) -> "Tensor":
    """`inputs` (..., in) by the transposed `weight` (out, in), with a bias (out)."""
    import torch

    if _has_onednn() and _suits(inputs) and _suits(weight):
        found: Tensor = torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "none", [], "")
        return found
    return torch.nn.functional.linear(inputs, weight, bias)


def speed_up(network: Any) -> None:
    """Lets the linear layers of a model on a processor take their products from oneDNN."""
    import torch

    if network.device.type != "cpu" or network.dtype != torch.float32 or not _has_onednn():
        return
    layers: Any = network.modules()
    for layer in layers:
        if type(layer) is torch.nn.Linear:
            vars(layer)["forward"] = _Product(layer)


class _Product:
    """The forward step of a linear layer, whose weights may still be put in place of each other."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer

    def __call__(self, inputs: "Tensor") -> "Tensor":
        return product(inputs, self._layer.weight, self._layer.bias)


def _has_onednn() -> bool:
    import torch

    onednn: Any = torch.backends.mkldnn
    return bool(onednn.is_available()) and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _suits(tensor: "Tensor") -> bool:
    import torch

    return tensor.device.type == "cpu" and tensor.dtype == torch.float32 and tensor.numel() > 0
