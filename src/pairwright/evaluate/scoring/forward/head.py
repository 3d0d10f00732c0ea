"""The last step of a causal model, from hidden states to log-probabilities, without holding all logits in memory.

log p(token) is the token's logit less the log-sum-exp over the vocabulary. The sum is taken online, a block of columns
at a time (Milakov and Gimelshein 2018, Online normalizer calculation for softmax), so that [tokens x vocabulary] never
stands in memory. The logits of the few tokens that are asked for are inner products of their own.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    Linear = Callable[[Tensor, Tensor], Tensor]
    LogitTransform = Callable[[Tensor], Tensor]

# Rows and columns of logits in memory at a time: 16 MB in float32 on a processor, half of it in its caches.
CPU_BLOCK = (1024, 4096)
GPU_BLOCK = (8192, 16384)


class Head:
    """The output layer of a model whose logits are a linear map of its hidden states, scaled or capped.

    linear  multiplies (N, width) by a transposed (M, width) on a processor; None for torch's own product
    """

    def __init__(
        self,
        weight: "Tensor",
        bias: "Tensor | None" = None,
        logit_transform: "LogitTransform | None" = None,
        linear: "Linear | None" = None,
    ) -> None:
        import torch

        self.weight, self.bias, self.logit_transform = weight, bias, logit_transform
        self.linear = linear or torch.nn.functional.linear
        self.rows, self.columns = CPU_BLOCK if weight.device.type == "cpu" else GPU_BLOCK

    def logprobs(self, hidden: "Tensor", rows: "Tensor", targets: "Tensor") -> "Tensor":
        """The log-probability in nats of each target (M) given the hidden state of its row, of `hidden` (N, width).

        In float32, or float64 where the model is.
        """
        import torch

        # Some models keep the last states in float32 and round them before their output layer, as is done here.
        hidden = hidden.to(self.weight.dtype)
        blocks = [hidden[start : start + self.rows] for start in range(0, len(hidden), self.rows)]
        return self._logits_of(hidden, rows, targets) - torch.cat([self._logsumexps(block) for block in blocks])[rows]

    def _logsumexps(self, hidden: "Tensor") -> "Tensor":
        """Over the vocabulary, online: the highest logit so far, and the sum of exponentials less it."""
        import torch

        highest = torch.full((len(hidden),), -torch.inf, dtype=_wide(hidden), device=hidden.device)
        total = torch.zeros_like(highest)
        for start in range(0, len(self.weight), self.columns):
            logits = self._block(hidden, start, _wide(hidden))
            raised = torch.maximum(highest, logits.amax(dim=1)).clamp_min(torch.finfo(logits.dtype).min)
            total.mul_((highest - raised).exp_()).add_(logits.sub_(raised[:, None]).exp_().sum(dim=1))
            highest = raised
        return highest + total.log()

    def _block(self, hidden: "Tensor", start: int, dtype: Any) -> "Tensor":
        """The logits of a block of columns."""
        import torch

        weight = self.weight[start : start + self.columns]
        if hidden.device.type != "cuda":
            logits = self.linear(hidden.to(dtype), weight.to(dtype))
        elif hidden.dtype in (torch.bfloat16, torch.float16):
            # Sums of half precision products stay in float32; rounding each logit would cost what bfloat16 has left.
            logits = torch.mm(hidden, weight.T, out_dtype=torch.float32)
        else:
            logits = torch.mm(hidden, weight.T)
        if self.bias is not None:
            logits.add_(self.bias[start : start + self.columns])
        return self.logit_transform(logits) if self.logit_transform else logits

    def _logits_of(self, hidden: "Tensor", rows: "Tensor", targets: "Tensor") -> "Tensor":
        import torch

        dtype = _wide(hidden)
        parts = []
        for start in range(0, len(rows), self.columns):
            chosen, tokens = rows[start : start + self.columns], targets[start : start + self.columns]
            logits = (hidden[chosen].to(dtype) * self.weight[tokens].to(dtype)).sum(dim=1)
            if self.bias is not None:
                logits = logits + self.bias[tokens]
            parts.append(self.logit_transform(logits) if self.logit_transform else logits)
        return torch.cat(parts)


def head_of(network: Any, linear: "Linear | None" = None) -> Head | None:
    """The head of a model of transformers, or None where its output layer is no plain matrix on a device.

    An architecture may do more than its settings say, so the caller compares the head with the model's own logits.
    """
    layer = network.get_output_embeddings()
    weight = getattr(layer, "weight", None)
    if weight is None or weight.is_meta or weight.dim() != 2 or not weight.is_floating_point():
        return None
    config = network.config.get_text_config()
    cap = getattr(config, "final_logit_softcapping", None)
    divisor = getattr(config, "logits_scaling", None)
    factor = getattr(config, "logit_scale", None)

    def scale_and_cap(logits: "Tensor") -> "Tensor":
        if divisor:
            logits = logits.div_(divisor)
        if factor:
            logits = logits.mul_(factor)
        return logits.div_(cap).tanh_().mul_(cap) if cap else logits

    bias = getattr(layer, "bias", None)
    transform = scale_and_cap if cap or divisor or factor else None
    return Head(weight.detach(), None if bias is None else bias.detach(), transform, linear)


def logits_logprobs(logits: "Tensor", rows: "Tensor", targets: "Tensor") -> "Tensor":
    """The log-probability in nats of each target (M) by the logits (N, vocabulary) of its row, in float32 at least."""
    wide = logits.to(_wide(logits))
    return wide[rows, targets] - wide.logsumexp(dim=-1)[rows]


def _wide(numbers: "Tensor") -> Any:
    import torch

    return torch.float64 if numbers.dtype == torch.float64 else torch.float32
