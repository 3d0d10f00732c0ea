"""The last step of a causal model, from hidden states to log-probabilities, without ever holding all logits.

log p(token) is the token's logit less the log-sum-exp over the vocabulary. The sum is taken online, a block of columns
at a time (Milakov and Gimelshein 2018, Online normalizer calculation for softmax), so that [tokens x vocabulary] never
stands in memory; the logits of the few tokens that are asked for are inner products of their own.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pairwright.score.cpu.kernels import product
from pairwright.score.cpu.quantized_logsumexp import MOST, NOISE, ROWS, Screen, can_screen

if TYPE_CHECKING:
    from torch import Tensor

    Bend = Callable[[Tensor], Tensor]

# Rows and columns of logits that stand in memory at a time: 16 MB in float32 on a processor, half of it in its caches.
CPU_BLOCK = (1024, 4096)
GPU_BLOCK = (8192, 16384)


class Head:
    """The output layer of a model whose logits are a linear map of its hidden states, scaled or capped."""

    def __init__(
        self, weight: "Tensor", bias: "Tensor | None", bend: "Bend | None", screen: Screen | None = None
    ) -> None:
        self.weight, self.bias, self.bend, self.screen = weight, bias, bend, screen
        self.rows, self.columns = CPU_BLOCK if weight.device.type == "cpu" else GPU_BLOCK

    @property
    def can_be_screened(self) -> bool:
        return self.bias is None and self.bend is None and can_screen(self.weight)

    def screened(self, hidden: "Tensor") -> "Head":
        """This head with a screen, or itself where 8 bits are too few for hidden states like these (N, width)."""
        screen = Screen(self.weight)
        difference = (screen.log_sums(hidden)[0] - self._online(hidden)).abs().mean()
        screen.forget()
        return Head(self.weight, None, None, screen) if difference <= NOISE else self

    def logprobs(
        self, hidden: "Tensor", rows: "Tensor", targets: "Tensor", subset: "Tensor | None" = None
    ) -> "tuple[Tensor, Tensor | None]":
        """The log-probability in nats of each target (M) given the hidden state of its row, of `hidden` (N, width).

        Where `subset` (vocabulary) is given, also the log of the probability of all tokens where it is True, for each
        of `rows`. In float32, or float64 where the model is.
        """
        import torch

        # Some models keep the last states in float32 and round them before their output layer, as is done here.
        hidden = hidden.to(self.weight.dtype)
        blocks = range(0, len(hidden), self.rows)
        total = self._screened if self.screen and subset is None else self._online
        whole = torch.cat([total(hidden[start : start + self.rows]) for start in blocks])
        found = self._logits_of(hidden, rows, targets) - whole[rows]
        if subset is None:
            return found, None
        part = torch.cat([self._online(hidden[start : start + self.rows], subset) for start in blocks])
        return found, (part - whole)[rows]

    def _screened(self, hidden: "Tensor") -> "Tensor":
        if self.screen is None or len(hidden) < ROWS:
            return self._online(hidden)
        found, rough = self.screen.log_sums(hidden)
        doubtful = (rough > MOST).nonzero()[:, 0]
        if len(doubtful):
            found[doubtful] = self._online(hidden[doubtful])
        return found

    def _online(self, hidden: "Tensor", subset: "Tensor | None" = None) -> "Tensor":
        import torch

        kind = torch.float64 if hidden.dtype == torch.float64 else torch.float32
        highest = torch.full((len(hidden),), -torch.inf, dtype=kind, device=hidden.device)
        total = torch.zeros_like(highest)
        for start in range(0, len(self.weight), self.columns):
            logits = self._block(hidden, start, kind)
            if subset is not None:
                logits.masked_fill_(~subset[start : start + self.columns], -torch.inf)
            raised = torch.maximum(highest, logits.amax(dim=1)).clamp_min(torch.finfo(kind).min)
            total.mul_((highest - raised).exp_()).add_(logits.sub_(raised[:, None]).exp_().sum(dim=1))
            highest = raised
        return highest + total.log()

    def _block(self, hidden: "Tensor", start: int, kind: Any) -> "Tensor":
        """The logits of a block of columns in this kind of number."""
        import torch

        weight = self.weight[start : start + self.columns]
        if hidden.device.type != "cuda":
            logits = product(hidden.to(kind), weight.to(kind))
        elif hidden.dtype in (torch.bfloat16, torch.float16):
            # Sums of half precision products stay in float32; rounding each logit would cost what bfloat16 has left.
            logits = torch.mm(hidden, weight.T, out_dtype=torch.float32)
        else:
            logits = torch.mm(hidden, weight.T)
        if self.bias is not None:
            logits.add_(self.bias[start : start + self.columns])
        return self.bend(logits) if self.bend else logits

    def _logits_of(self, hidden: "Tensor", rows: "Tensor", targets: "Tensor") -> "Tensor":
        import torch

        kind = torch.float64 if hidden.dtype == torch.float64 else torch.float32
        parts = []
        for start in range(0, len(rows), self.columns):
            chosen = rows[start : start + self.columns]
            wanted = targets[start : start + self.columns]
            logits = (hidden[chosen].to(kind) * self.weight[wanted].to(kind)).sum(dim=1)
            if self.bias is not None:
                logits = logits + self.bias[wanted]
            parts.append(self.bend(logits) if self.bend else logits)
        return torch.cat(parts)


def head_of(network: Any) -> Head | None:
    """The head of a model of transformers, or None where its output layer is no plain matrix on a device.

    Whether the model's own logits come out is for the caller to see: an architecture may do what no setting tells.
    """
    layer = network.get_output_embeddings()
    weight = getattr(layer, "weight", None)
    if weight is None or weight.is_meta or weight.dim() != 2 or not weight.is_floating_point():
        return None
    config = network.config.get_text_config()
    cap = getattr(config, "final_logit_softcapping", None)
    divisor = getattr(config, "logits_scaling", None)
    factor = getattr(config, "logit_scale", None)

    def bend(logits: "Tensor") -> "Tensor":
        if divisor:
            logits = logits.div_(divisor)
        if factor:
            logits = logits.mul_(factor)
        return logits.div_(cap).tanh_().mul_(cap) if cap else logits

    bias = getattr(layer, "bias", None)
    bent = bend if cap or divisor or factor else None
    return Head(weight.detach(), None if bias is None else bias.detach(), bent)
