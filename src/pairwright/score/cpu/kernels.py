"""Matrix products on a processor by oneDNN, which torch carries and uses itself only for compiled code.

In float32 torch takes MKL, which on processors other than Intel's leaves a fifth of their speed unused. What follows a
product at once, as the activation of a gated feed-forward layer (Shazeer 2020, GLU Variants Improve Transformer,
section 2), oneDNN does while the numbers are still in a cache. The numbers differ by rounding alone.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


# Activations by oneDNN's names for them, with the form where there are several.
ACTIVATIONS = (("gelu", "tanh"), ("gelu", "none"), ("swish", ""), ("relu", ""))
# The relative difference of what two ways make of an input that is rounding.
ROUNDING = 1e-5


def product(inputs: "Tensor", weight: "Tensor", bias: "Tensor | None" = None) -> "Tensor":
    """`inputs` (..., in) by the transposed `weight` (out, in), with a bias (out)."""
    import torch

    if _has_onednn() and _suits(inputs) and _suits(weight):
        found: Tensor = torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "none", [], "")
        return found
    return torch.nn.functional.linear(inputs, weight, bias)


def speed_up(network: Any) -> None:
    """Lets the linear and the gated layers of a model on a processor take their products from oneDNN."""
    import torch

    if network.device.type != "cpu" or network.dtype != torch.float32 or not _has_onednn():
        return
    layers: Any = network.modules()
    for layer in layers:
        if type(layer) is torch.nn.Linear:
            vars(layer)["forward"] = _Product(layer)
        elif all(type(getattr(layer, name, None)) is torch.nn.Linear for name in ("gate_proj", "up_proj", "down_proj")):
            gated = _gated(layer)
            if gated:
                vars(layer)["forward"] = gated


class _Product:
    """The forward step of a linear layer, whose weights may still be put in place of each other."""

    def __init__(self, layer: Any) -> None:
        self._layer = layer

    def __call__(self, inputs: "Tensor") -> "Tensor":
        return product(inputs, self._layer.weight, self._layer.bias)


class _Gated:
    """The forward step of a gated feed-forward layer, with its activation and its gate as parts of the products."""

    def __init__(self, layer: Any, activation: tuple[str, str]) -> None:
        self._layer, self._plain, self._activation = layer, layer.forward, activation

    def __call__(self, inputs: "Tensor") -> "Tensor":
        import torch

        layer, (name, form) = self._layer, self._activation
        if not _suits(inputs):
            plain: Tensor = self._plain(inputs)
            return plain
        pointwise: Any = torch.ops.mkldnn._linear_pointwise
        gate = pointwise(inputs, layer.gate_proj.weight, layer.gate_proj.bias, name, [], form)
        gated = pointwise.binary(inputs, gate, layer.up_proj.weight, layer.up_proj.bias, "mul")
        return product(gated, layer.down_proj.weight, layer.down_proj.bias)


def _gated(layer: Any) -> _Gated | None:
    """The layer by oneDNN, with the activation that gives what the layer itself does; None where none does."""
    import torch

    weight = layer.gate_proj.weight
    if not all(_suits(part.weight) for part in (layer.gate_proj, layer.up_proj, layer.down_proj)):
        return None
    with torch.inference_mode():
        inputs = torch.randn(8, weight.shape[1], generator=torch.Generator().manual_seed(0))
        # Activations are all but linear close to zero and far from it; what parts them lies between.
        inputs *= torch.logspace(-1, 1, 8)[:, None] / product(inputs, weight).std()
        try:
            wanted = layer(inputs)
        except (RuntimeError, TypeError, ValueError):
            return None  # It wants more than hidden states, or others.
        for activation in ACTIVATIONS:
            found = _Gated(layer, activation)
            if _same(found(inputs), wanted):
                return found
    return None


def _same(found: "Tensor", wanted: Any) -> bool:
    import torch

    if not isinstance(wanted, torch.Tensor) or wanted.shape != found.shape:
        return False
    return bool(((found - wanted).norm(dim=-1) <= ROUNDING * wanted.norm(dim=-1)).all())


def _has_onednn() -> bool:
    import torch

    onednn: Any = torch.backends.mkldnn
    return bool(onednn.is_available()) and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _suits(tensor: "Tensor") -> bool:
    import torch

    return tensor.device.type == "cpu" and tensor.dtype == torch.float32 and tensor.numel() > 0
