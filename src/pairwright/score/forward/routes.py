"""How token sequences go through a causal model: packed with shared beginnings, padded, or one at a time.

Packed rows need a model that takes a mask of four dimensions and positions as they are given. Whether one does is not
told by its name: a few short sequences go through it both ways, and a way counts only where the hidden states are the
same. Models with ALiBi or a state space fall back by this to padded batches; so do sequences longer than a window.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pairwright.lm.memory import out_of_memory
from pairwright.score.cpu.quantized_logsumexp import ROWS
from pairwright.score.forward.head import Head, head_of
from pairwright.score.forward.packing import Row, alone, pack

if TYPE_CHECKING:
    from torch import Tensor

PROBE_TOKENS = 12
PROBES = 3
# Relative differences of hidden states, and differences of log-probabilities, that are noise of the kind of number.
NOISE = {"float64": 1e-6, "float32": 1e-4, "bfloat16": 5e-2, "float16": 1e-2}
LOGPROB_NOISE = {"float64": 1e-6, "float32": 1e-3, "bfloat16": 0.5, "float16": 0.1}
PACKED = ("packed", "packed by layer type")
# What models raise that can't be given such masks or positions.
REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError, NotImplementedError)


@dataclass(frozen=True)
class Route:
    """A way through a model: `name` is one of packed, packed by layer type, padded, single.

    window  the longest sequence that may be packed; None where there is no limit
    head    the last step; None where only the model itself can take it, and then outputs are logits
    """

    name: str
    window: int | None
    head: Head | None

    @property
    def packs(self) -> bool:
        return self.name in PACKED

    @property
    def label(self) -> str:
        """What a run says of the way its sentences went."""
        if self.head is None:
            return f"{self.name} with whole logits"
        return f"{self.name} and screened" if self.head.screen else self.name

    @property
    def unpacked(self) -> "Route":
        """The way for sequences that can't be packed."""
        return Route("padded", None, self.head) if self.packs else self


def choose_route(network: Any, sequences: Sequence[Sequence[int]], *, packing: bool) -> Route:
    """The fastest way that gives the numbers of single unpadded sequences; `sequences` are some that will come."""
    import torch

    kind = str(network.dtype).removeprefix("torch.")
    window = _window(network)
    samples = _samples(sequences, PROBE_TOKENS if window is None else min(PROBE_TOKENS, 2 * window // 3 - 1))
    with torch.inference_mode():
        head = head_of(network)
        if head is not None and not _head_fits(network, head, samples[0], LOGPROB_NOISE.get(kind, 0.5)):
            head = None
        plain = Route("single", None, head)
        wanted = [outputs(network, rows, plain)[0] for rows in ([row] for row in alone(samples))]
        for name in (*PACKED, "padded") if packing else ("padded",):
            route = Route(name, window, head)
            rows = pack(samples, capacity=3 * PROBE_TOKENS, most=len(samples)) if route.packs else alone(samples)
            if _same(network, rows, route, wanted, NOISE.get(kind, 5e-2)):
                return route
    return plain


def screened(network: Any, route: Route) -> Route:
    """The way with a head that sums up most of a large vocabulary in 8 bits, where that is faster and as good as exact.

    What decides is how the model reads tokens of all kinds, not which sentences are at hand: a run that goes on after
    a stop takes the same way.
    """
    import torch

    if route.head is None or not route.head.can_be_screened:
        return route
    ids = torch.linspace(0, len(route.head.weight) - 1, ROWS).long().tolist()
    [row] = alone([ids])
    with torch.inference_mode():
        hidden = outputs(network, [row], Route("single", None, route.head))[0]
        return replace(route, head=route.head.screened(hidden))


def outputs(network: Any, rows: Sequence[Row], route: Route) -> "Tensor":
    """Hidden states (rows, nodes, width), or logits where the route has no head. Padding holds anything."""
    import torch

    if route.name == "single":
        found = [_forward(network, route, input_ids=move([row.ids], network.device))[0] for row in rows]
        return torch.nn.utils.rnn.pad_sequence(found, batch_first=True)
    length = max(len(row) for row in rows)
    ids = move([row.ids + [0] * (length - len(row)) for row in rows], network.device)
    if not route.packs:
        mask = move([[1] * len(row) + [0] * (length - len(row)) for row in rows], network.device)
        return _forward(network, route, input_ids=ids, attention_mask=mask)
    depths = move([row.depths + [0] * (length - len(row)) for row in rows], network.device)
    # A node of padding sees itself alone: a softmax over nothing is no number.
    ends = move([row.ends + list(range(len(row) + 1, length + 1)) for row in rows], network.device)
    place = torch.arange(length, device=network.device)
    seen = (place[None, None, :] <= place[None, :, None]) & (place[None, :, None] < ends[:, None, :])
    hidden = torch.finfo(network.dtype).min
    mask = torch.zeros(seen.shape, dtype=network.dtype, device=network.device).masked_fill_(~seen, hidden)[:, None]
    given: Any = mask
    if route.name == PACKED[1]:
        given = dict.fromkeys(set(network.config.get_text_config().layer_types), mask)
    return _forward(network, route, input_ids=ids, attention_mask=given, position_ids=depths)


def move(values: "list[Any]", device: Any) -> "Tensor":
    """Whole numbers on the device: to a GPU from pinned memory, so that nothing waits for the copy."""
    import torch

    tensor = torch.tensor(values, dtype=torch.long)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def _forward(network: Any, route: Route, **given: Any) -> "Tensor":
    if route.head is None:
        logits: Tensor = network(use_cache=False, **given).logits
        return logits
    hidden: Tensor = network.base_model(use_cache=False, **given).last_hidden_state
    return hidden


def _window(network: Any) -> int | None:
    """The shortest stretch that a layer of the model sees; up to there a sliding mask is a plain one."""
    config = network.config.get_text_config()
    stretches = [getattr(config, name, None) for name in ("sliding_window", "window_size", "attention_chunk_size")]
    return min((stretch for stretch in stretches if isinstance(stretch, int)), default=None)


def _samples(sequences: Sequence[Sequence[int]], length: int) -> list[list[int]]:
    """Short sequences that part after a shared beginning, of several lengths: what a wrong mask or position changes.

    The longest is half as long again as `length`, and one token more.
    """
    found = []
    for sequence in sorted(sequences, key=len)[:: max(1, len(sequences) // PROBES)][:PROBES]:
        start = list(sequence[: max(1, length)])
        half = len(start) // 2 + 1
        found += [start, [*start[:half], *start[::-1]], [*start, start[-1]]]
    return found


def _same(network: Any, rows: list[Row], route: Route, wanted: "list[Tensor]", noise: float) -> bool:
    """Whether the outputs at each sequence's nodes are those of the sequence alone."""
    try:
        found = outputs(network, rows, route)
    except REFUSALS as fault:
        if out_of_memory(fault):
            raise
        return False
    for row, states in zip(rows, found, strict=True):
        for number, path in row.paths:
            # Not every GPU has float64.
            alone_here = wanted[number].cpu().double()
            difference = (states[path].cpu().double() - alone_here[: len(path)]).norm()
            # Where the model itself gives no numbers there is nothing to compare; the scores will say so.
            if difference > noise * alone_here.norm():
                return False
    return True


def _head_fits(network: Any, head: Head, sample: Sequence[int], noise: float) -> bool:
    """Whether hidden states and head give the log-probabilities of the model's own logits, for tokens of all kinds."""
    import torch

    route = Route("single", None, head)
    [row] = alone([sample])
    hidden = outputs(network, [row], route)[0].to(head.weight.device)
    logits = network(input_ids=move([row.ids], network.device), use_cache=False).logits[0]
    # The model rounds each logit to its own kind of number, the head does not: half a step for the token's logit and
    # half for the sum.
    rounding = torch.finfo(logits.dtype).eps * float(logits.nan_to_num(0.0, 0.0, 0.0).abs().amax())
    own = logits.cpu().double().log_softmax(-1)
    if own.shape[1] != len(head.weight):
        return False
    targets = torch.linspace(0, own.shape[1] - 1, 64).long()
    rows = torch.arange(len(own)).repeat_interleave(len(targets))
    targets = targets.repeat(len(own))
    found = head.logprobs(hidden, rows.to(hidden.device), targets.to(hidden.device))[0].cpu().double()
    return torch.allclose(found, own[rows, targets], rtol=0, atol=noise + rounding, equal_nan=True)
