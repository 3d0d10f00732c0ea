"""Log-sum-exps over a large vocabulary on a processor: in 8 bits for tokens that hardly count, in full for the others.

A token whose probability is next to nothing at every place of a batch may be summed up roughly. So all logits are first
taken from weights and hidden states in 8 bits, which processors multiply faster by far than float32. The tokens that
hold all but a small share of the probability are then taken again from the weights themselves; what is left is small,
and so is its error. To let 8 bits suffice, the mean of the weights is taken out, which moves no probability, and both
sides are turned by the same Hadamard matrices, which no product notices, so that no dimension stands out (Ashkboos and
others 2024, QuaRot, section 3).
"""

import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pairwright.score.cpu.kernels import product

if TYPE_CHECKING:
    from torch import Tensor

# About the most that may stay in 8 bits of the probability, on average over a batch.
SHARE = 0.02
# A place where more than this stays in 8 bits is taken in full.
MOST = 0.05
# The mean difference in nats from the sums in full beyond which nothing is screened.
NOISE = 1e-4
# Fewer tokens than this are summed up in full at once, and so are fewer rows; more rows than the most are cut up.
VOCABULARY, ROWS, MOST_ROWS = 32768, 64, 128
COLUMNS = 4096
# So many weights are taken out of the whole at a time that they stay in a processor's cache until they are multiplied.
GATHERED, ROUNDED = 1024, 256
# A sum that no other notices.
TINY = 1e-30
# Dimensions that are turned together, at most: a power of two.
TURNED = 64
# Of the blocks of columns, one in so many is looked at to guess a sum before it is known.
LOOKED_AT = 8
# e^x as a float32 read from a whole number, at most 4 % off and right on average (Schraudolph 1999, A Fast, Compact
# Approximation of the Exponential Function).
EXPONENT, BIAS = 2**23 / math.log(2), (127 - 0.0579) * 2**23


@dataclass(frozen=True)
class _Rough:
    """Sums of exp(logit - guess) in 8 bits, and which tokens are to be taken in full.

    rest      the sum of each row over the tokens that hardly count; `sum_next_to` over those that count little more
    next_to   the numbers of the latter; `others` of all that count more still
    """

    rest: "Tensor"
    sum_next_to: "Tensor"
    next_to: "Tensor"
    others: "Tensor"


class Screen:
    """The weights (vocabulary, width) of an output layer in 8 bits, beside the weights themselves in float32."""

    def __init__(self, weight: "Tensor") -> None:
        self._weight = weight
        self._mean = weight.mean(dim=0)
        self._turn = _hadamard(math.gcd(weight.shape[1], TURNED))
        self._blocks = self._packed()
        self._own = threading.local()

    def _packed(self) -> "list[tuple[Tensor, Tensor, Tensor]]":
        """The weights as oneDNN wants them, in blocks of tokens, with the scales and the zero points of the tokens."""
        import torch

        small = torch.empty(self._weight.shape, dtype=torch.int8)
        scales = torch.empty(len(small), 1)
        parts = [slice(start, start + COLUMNS) for start in range(0, len(small), COLUMNS)]
        for part in parts:
            values, scales[part] = _in_8_bits(self._turned(self._weight[part] - self._mean))
            small[part] = values
        pack: Any = torch.ops.onednn.qlinear_prepack
        return [
            (
                pack(small[part], [ROWS, small.shape[1]]),
                scales[part, 0],
                torch.zeros(len(scales[part]), dtype=torch.long),
            )
            for part in parts
        ]

    def _turned(self, values: "Tensor") -> "Tensor":
        import torch

        return torch.nn.functional.linear(values.reshape(-1, len(self._turn)), self._turn).view(values.shape)

    def log_sums(self, hidden: "Tensor") -> "tuple[Tensor, Tensor]":
        """The log-sum-exp in nats of the logits of each hidden state (N, width), and what share of it is in 8 bits."""
        import torch

        parts = [self._log_sums(part) for part in hidden.chunk(math.ceil(len(hidden) / MOST_ROWS))]
        return torch.cat([sums for sums, _ in parts]), torch.cat([shares for _, shares in parts])

    def _log_sums(self, hidden: "Tensor") -> "tuple[Tensor, Tensor]":
        blocks, highest, scales = self._logits(hidden)
        guess = _guess(blocks, highest, scales)
        rough = _rough(blocks, scales, guess)
        # What was taken out of the weights comes back as the same for all tokens of a place.
        guess = guess + (hidden @ self._mean)[:, None]
        next_to, others = (self._full(hidden, tokens, guess) for tokens in (rough.next_to, rough.others))
        # Rounding the hidden state moves the logits of all tokens of a kind together: those next to the ones that stay
        # in 8 bits, whose true sum is known, tell by how much.
        rest = rough.rest * (next_to + TINY) / (rough.sum_next_to + TINY)
        total = next_to + others + rest
        return guess[:, 0] + total.log(), rest / total

    def _room(self) -> "Tensor":
        """Where a thread has the logits of its rows, always in the same place: (blocks, rows, columns) in bfloat16."""
        import torch

        if not hasattr(self._own, "room"):
            self._own.room = torch.empty(len(self._blocks), MOST_ROWS, COLUMNS, dtype=torch.bfloat16)
        room: Tensor = self._own.room
        return room

    def forget(self) -> None:
        """Gives back the memory that the thread at work holds for its next rows."""
        vars(self._own).clear()

    def _full(self, hidden: "Tensor", tokens: "Tensor", guess: "Tensor") -> "Tensor":
        """The sum of exp(logit - guess) over these tokens, from the weights themselves."""
        import torch

        found = guess.new_zeros(len(hidden))
        room = self._weight.new_zeros(GATHERED, self._weight.shape[1])
        for start in range(0, len(tokens), GATHERED):
            some = tokens[start : start + GATHERED]
            torch.index_select(self._weight, 0, some, out=room[: len(some)])
            # oneDNN keeps a program for each shape that it meets: there are to be few.
            rounded = math.ceil(len(some) / ROUNDED) * ROUNDED
            found += product(hidden, room[:rounded])[:, : len(some)].sub_(guess).exp_().sum(dim=1)
        return found

    def _logits(self, hidden: "Tensor") -> "tuple[list[Tensor], Tensor, Tensor]":
        """Logits in bfloat16 by block of tokens, the highest (blocks, rows), and by what to multiply each row.

        The logits of the mean weights are taken off, so that those of a row have a mean of zero.
        """
        import torch

        values, scales = _in_8_bits(self._turned(hidden))
        values = values.add_(128).to(torch.uint8)
        times: Any = torch.ops.onednn.qlinear_pointwise
        found, highest = [], []
        for room, (weight, scale, zero) in zip(self._room(), self._blocks, strict=True):
            logits = times(values, 1.0, 128, weight, scale, zero, None, 1.0, 0, torch.bfloat16, "none", [], "")
            found.append(room[: len(logits), : logits.shape[1]].copy_(logits))
            # Numbers that are not negative, as the highest ones are, have the order of the whole numbers of their bits,
            # which are compared five times as fast.
            highest.append(logits.view(torch.int16).amax(dim=1))
        return found, torch.stack(highest).view(torch.bfloat16), scales


def can_screen(weight: "Tensor") -> bool:
    """Whether there is something to gain: many tokens in float32, on a processor that multiplies 8 bits fast."""
    import torch

    if weight.device.type != "cpu" or weight.dtype != torch.float32 or len(weight) < VOCABULARY:
        return False
    fast: Any = getattr(torch.cpu, "_is_vnni_supported", None)
    return bool(fast and fast()) and hasattr(torch.ops.onednn, "qlinear_pointwise")


def _hadamard(size: int) -> "Tensor":
    """The orthogonal Hadamard matrix of a size that is a power of two."""
    import torch

    found = torch.ones(1, 1)
    while len(found) < size:
        found = torch.cat([torch.cat([found, found], dim=1), torch.cat([found, -found], dim=1)])
    return found / math.sqrt(size)


def _in_8_bits(values: "Tensor") -> "tuple[Tensor, Tensor]":
    """Rows as whole numbers from -127 to 127, still as float32, and the scale (rows, 1) that takes them back."""
    scales = values.abs().amax(dim=1, keepdim=True).div_(127).clamp_min_(1e-30)
    return (values * scales.reciprocal()).round_(), scales


def _guess(blocks: "list[Tensor]", highest: "Tensor", scales: "Tensor") -> "Tensor":
    """About the log-sum-exp of each row (rows, 1): its highest logit, and the others by some of the blocks."""
    highest = highest.float() * scales[:, 0]
    top = highest.amax(dim=0)[:, None]
    others = sum(block.float().mul_(scales).sub_(top).exp_().sum(dim=1) for block in blocks[::LOOKED_AT])
    # The highest of those looked at may be a peak that stands for itself alone.
    others = others - (highest[::LOOKED_AT].amax(dim=0) - top[:, 0]).exp()
    return top + (LOOKED_AT * others).log1p()[:, None]


def _rough(blocks: "list[Tensor]", scales: "Tensor", guess: "Tensor") -> _Rough:
    import torch

    most = SHARE * len(guess) / sum(block.shape[1] for block in blocks)
    scales, guess = scales * EXPONENT, guess * EXPONENT - BIAS
    rest, sum_next_to = torch.zeros(len(guess)), torch.zeros(len(guess))
    next_to, others = [], []
    threads = torch.get_num_threads()
    room = torch.empty(len(guess), COLUMNS)
    # Each thread keeps to rows of its own all along: to fetch those of another takes longer than to sum them up.
    bits = torch.zeros(threads, math.ceil(len(guess) / threads), COLUMNS, dtype=torch.int32)
    ones = torch.ones(threads, 1, bits.shape[1])
    for number, block in enumerate(blocks):
        width = block.shape[1]
        # e^x by what float32 is made of: whole numbers that grow by as much as its exponent are its powers of two.
        exponents = room[:, :width].copy_(block).mul_(scales).sub_(guess).clamp_min_(0)
        bits[..., :width].flatten(0, 1)[: len(guess)].copy_(exponents)
        weights = bits[..., :width].view(torch.float32)
        counts = torch.bmm(ones, weights).sum(dim=(0, 1))
        weights = weights.flatten(0, 1)[: len(guess)]
        rest += product(weights, (counts < most).float()[None])[:, 0]
        near = ((counts >= most) & (counts < 2 * most)).nonzero()[:, 0]
        sum_next_to += weights[:, near].sum(dim=1)
        next_to.append(near + number * COLUMNS)
        others.append((counts >= 2 * most).nonzero()[:, 0] + number * COLUMNS)
    return _Rough(rest, sum_next_to, torch.cat(next_to), torch.cat(others))
