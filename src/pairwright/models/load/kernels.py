"""Matrix products on a processor by oneDNN, through private operators of torch that are checked before they are used.

In float32 torch takes MKL, which on processors other than Intel's leaves a fifth of their speed unused. torch carries
oneDNN too, but uses it for compiled code only. oneDNN also applies what directly follows a product, such as the
activation of a gated feed-forward layer (Shazeer 2020, GLU Variants Improve Transformer, section 2), while the numbers
are in a cache. Results differ by rounding alone.
"""

import logging
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from pairwright.core.errors import one_line
from pairwright.models.load.faults import out_of_memory

if TYPE_CHECKING:
    from torch import Tensor

LOGGER = logging.getLogger(__name__)
# Activations by oneDNN's names for them, with the form where there are several.
ACTIVATIONS = (("gelu", "tanh"), ("gelu", "none"), ("swish", ""), ("relu", ""))
# The relative difference between two ways to compute the same that is rounding.
ROUNDING = 1e-5
# What an operator that is missing or has another signature raises.
FAILURES = (RuntimeError, TypeError, ValueError, AttributeError)


def onednn_linear() -> Any | None:
    """torch's operator for products by oneDNN; None where torch has no oneDNN. Raises AttributeError without it."""
    import torch

    onednn: Any = torch.backends.mkldnn
    return torch.ops.mkldnn._linear_pointwise if onednn.is_available() else None


@cache
def cpu_kernels(setting: Literal["auto", "off"]) -> "CpuKernels":
    """The kernels of this process, as `score.cpu_kernels` says."""
    return CpuKernels(onednn_linear if setting == "auto" else lambda: None)


class CpuKernels:
    """Products by an operator like `onednn_linear()`, and by torch's public operators once that one failed.

    An operator that is missing, takes other arguments, gives other numbers or raises later is named in one warning.
    """

    def __init__(self, find_operator: Callable[[], Any | None]) -> None:
        self._lock = threading.Lock()
        self._operator: Any | None = None
        try:
            operator = find_operator()
            if operator is not None:
                _check(operator)
        except FAILURES as error:
            LOGGER.warning("score.cpu_kernels: no oneDNN (%s); torch's own operators are used", one_line(error))
        else:
            self._operator = operator

    @property
    def active(self) -> bool:
        """Whether products are still taken from the operator."""
        return self._operator is not None

    def linear(self, inputs: "Tensor", weight: "Tensor", bias: "Tensor | None" = None) -> "Tensor":
        """`inputs` (..., in) by the transposed `weight` (out, in), plus `bias` (out)."""
        import torch

        operator = self._operator
        if operator is not None and _is_suitable(inputs) and _is_suitable(weight):
            try:
                product: Tensor = operator(inputs, weight, bias, "none", [], "")
                return product
            except FAILURES as error:
                self._fall_back(error)
        return torch.nn.functional.linear(inputs, weight, bias)

    def speed_up(self, network: Any) -> None:
        """Lets the linear and the gated layers of a float32 model on a processor take their products from here."""
        import torch

        if not self.active or network.device.type != "cpu" or network.dtype != torch.float32:
            return
        layers: Any = network.modules()
        for layer in layers:
            if type(layer) is torch.nn.Linear:
                vars(layer)["forward"] = partial(self._linear_forward, layer)
            elif all(
                type(getattr(layer, name, None)) is torch.nn.Linear for name in ("gate_proj", "up_proj", "down_proj")
            ):
                self._speed_up_gated(layer)

    def _linear_forward(self, layer: Any, inputs: "Tensor") -> "Tensor":
        # The layer's weights may be replaced later, so they are looked up at each call.
        return self.linear(inputs, layer.weight, layer.bias)

    def _speed_up_gated(self, layer: Any) -> None:
        """Replaces a gated layer's forward step, where an activation of oneDNN gives what the layer itself does."""
        import torch

        weight = layer.gate_proj.weight
        if not all(_is_suitable(part.weight) for part in (layer.gate_proj, layer.up_proj, layer.down_proj)):
            return
        with torch.inference_mode():
            inputs = torch.randn(8, weight.shape[1], generator=torch.Generator().manual_seed(0))
            # Activations are all but linear close to zero and far from it; they differ in between.
            inputs *= torch.logspace(-1, 1, 8)[:, None] / self.linear(inputs, weight).std()
            try:
                expected = layer(inputs)
            except FAILURES:
                return  # The layer takes more than hidden states, or something else.
            for activation in ACTIVATIONS:
                forward = partial(self._gated_forward, layer, layer.forward, activation)
                if _is_close(forward(inputs), expected):
                    vars(layer)["forward"] = forward
                    return

    def _gated_forward(
        self, layer: Any, plain: Callable[["Tensor"], "Tensor"], activation: tuple[str, str], inputs: "Tensor"
    ) -> "Tensor":
        operator, (name, form) = self._operator, activation
        if operator is None or not _is_suitable(inputs):
            return plain(inputs)
        try:
            gate = operator(inputs, layer.gate_proj.weight, layer.gate_proj.bias, name, [], form)
            gated = operator.binary(inputs, gate, layer.up_proj.weight, layer.up_proj.bias, "mul")
            product: Tensor = operator(gated, layer.down_proj.weight, layer.down_proj.bias, "none", [], "")
            return product
        except FAILURES as error:
            self._fall_back(error)
            return plain(inputs)

    def _fall_back(self, error: Exception) -> None:
        """Gives the operator up, unless memory ran out, which is no fault of the operator."""
        if out_of_memory(error):
            raise error
        with self._lock:
            if self._operator is not None:
                LOGGER.warning("score.cpu_kernels: oneDNN failed (%s); torch's own operators are used", one_line(error))
                self._operator = None


def _check(operator: Any) -> None:
    """Compares an operator with torch's product on a few random numbers. Raises ValueError where they differ."""
    import torch

    draw = torch.Generator().manual_seed(0)
    weight, bias = torch.randn(48, 96, generator=draw), torch.randn(48, generator=draw)
    with torch.inference_mode():
        for inputs in (torch.randn(5, 96, generator=draw), torch.randn(3, 7, 96, generator=draw)):
            for added in (bias, None):
                product = operator(inputs, weight, added, "none", [], "")
                if not _is_close(product, torch.nn.functional.linear(inputs, weight, added)):
                    raise ValueError("its products are wrong")


def _is_close(result: Any, expected: Any) -> bool:
    import torch

    if not all(isinstance(value, torch.Tensor) for value in (result, expected)) or result.shape != expected.shape:
        return False
    return bool(((result - expected).norm(dim=-1) <= ROUNDING * expected.norm(dim=-1)).all())


def _is_suitable(tensor: "Tensor") -> bool:
    import torch

    return tensor.device.type == "cpu" and tensor.dtype == torch.float32 and tensor.numel() > 0
