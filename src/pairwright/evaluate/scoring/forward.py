"""Token sequences as trees that share their beginnings, laid out in rows for one forward pass.

A row holds one or more trees, node after node, each tree in preorder. A node is a token that the model reads. Sequences
that begin alike share nodes, so what they share is computed once. In preorder the nodes below a node stand right after
it, so node `k` is `q` or stands above it exactly where k <= q < subtree_ends[k]: that is the whole attention mask.

The last step of a causal model, from hidden states to log-probabilities, without holding all logits in memory.

log p(token) is the token's logit less the log-sum-exp over the vocabulary. The sum is taken online, a block of columns
at a time (Milakov and Gimelshein 2018, Online normalizer calculation for softmax), so that [tokens x vocabulary] never
stands in memory. The logits of the few tokens that are asked for are inner products of their own.

Routes of token sequences through a causal model: packed with shared beginnings, padded, or one at a time.

Packed rows need a model that takes a mask of four dimensions and positions as they are given. A model's name does not
say whether it does. So a few short sequences take each route, and a route counts only where the hidden states are those
of the single sequences. Models with ALiBi or a state space are padded instead. Sequences longer than a sliding window
are packed where the first of them passes the same test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from pairwright.models.load.kernels import padded_batches
from pairwright.models.load.settings import out_of_memory, release_memory

if TYPE_CHECKING:
    from torch import Tensor

    Linear = Callable[[Tensor, Tensor], Tensor]
    LogitTransform = Callable[[Tensor], Tensor]


_OPEN = 2**62
# Nodes of a row of sequences that share much: the mask over them stands in memory.
_LARGEST = 4096


@dataclass
class PackedRow:
    """Nodes in preorder, and the path of each sequence through them."""

    ids: list[int] = field(default_factory=list)  # the token of each node
    depths: list[int] = field(default_factory=list)  # each node's position in its sequence, from 0
    subtree_ends: list[int] = field(default_factory=list)  # where the subtree of each node ends, exclusive
    paths: list[tuple[int, list[int]]] = field(default_factory=list)  # each sequence's number and its nodes

    def __len__(self) -> int:
        return len(self.ids)

    def shared(self, sequence: Sequence[int]) -> int:
        """How many nodes a sequence would share with the one that was added last."""
        path = self.paths[-1][1] if self.paths else []
        same = (self.ids[node] == token for node, token in zip(path, sequence, strict=False))
        return sum(takewhile(bool, same))

    def add(self, number: int, sequence: Sequence[int]) -> None:
        """Adds a sequence that is not smaller than the one before it."""
        n_shared = self.shared(sequence)
        previous = self.paths[-1][1] if self.paths else []
        for node in previous[n_shared:]:
            self.subtree_ends[node] = min(self.subtree_ends[node], len(self))
        n_new = len(sequence) - n_shared
        self.paths.append((number, [*previous[:n_shared], *range(len(self), len(self) + n_new)]))
        self.ids += sequence[n_shared:]
        self.depths += range(n_shared, len(sequence))
        # An open subtree ends with the row, unless a later sequence leaves it.
        self.subtree_ends += [_OPEN] * n_new

    def close(self) -> None:
        """Ends all open subtrees; no sequence can be added afterwards."""
        self.subtree_ends = [min(end, len(self)) for end in self.subtree_ends]


def pack(sequences: Sequence[Sequence[int]], *, capacity: int, most: int) -> list[PackedRow]:
    """Rows that hold every sequence once, with at most `most` sequences each.

    A row ends before it outgrows `capacity` nodes. A sequence longer than half of that gets a row of up to twice its
    own length, so that long sequences can share too, and one that shares much, as prompts share their examples, a row
    of four times that. The paths give each sequence's index in `sequences`.
    """
    rows: list[PackedRow] = []
    row = PackedRow()
    for number in sorted(range(len(sequences)), key=lambda index: tuple(sequences[index])):
        sequence = sequences[number]
        shared = row.shared(sequence)
        largest = max(capacity, 2 * len(sequence), min(4 * shared, _LARGEST))
        if row.paths and (len(row.paths) >= most or len(row) + len(sequence) - shared > largest):
            rows.append(row)
            row = PackedRow()
        row.add(number, sequence)
    if row.paths:
        rows.append(row)
    for row in rows:
        row.close()
    return rows


def unpacked_rows(sequences: Sequence[Sequence[int]]) -> list[PackedRow]:
    """One row a sequence, sharing nothing."""
    rows = [PackedRow() for _ in sequences]
    for number, (row, sequence) in enumerate(zip(rows, sequences, strict=True)):
        row.add(number, sequence)
        row.close()
    return rows


def row_batches(rows: Sequence[PackedRow], *, tokens: int, most: int) -> list[list[PackedRow]]:
    """Rows of similar length together, the longest first: at most `tokens` with padding, and `most` sequences, a batch.

    A row that is larger than that is a batch of its own.
    """
    longest_first = sorted(rows, key=lambda row: -len(row))
    return padded_batches(longest_first, len, tokens=tokens, most=most, size=lambda row: len(row.paths))


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


PROBE_TOKENS = 12
PROBES = 3
# By dtype, relative differences of hidden states, and differences of log-probabilities, that are rounding.
NOISE = {"float64": 1e-6, "float32": 1e-4, "bfloat16": 5e-2, "float16": 1e-2}
LOGPROB_NOISE = {"float64": 1e-6, "float32": 1e-3, "bfloat16": 0.5, "float16": 0.1}
SLIDING = "sliding_attention"
# What models raise that don't take such masks or positions.
REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError, NotImplementedError)


@dataclass(frozen=True)
class ForwardRoute:
    """A route through a model."""

    name: Literal["packed", "padded", "single"]
    window: int | None  # the longest sequence that may be packed; None where there is no limit
    head: Head | None  # the last step; None where only the model itself can take it, and then outputs are logits

    @property
    def packs(self) -> bool:
        return self.name == "packed"

    @property
    def label(self) -> str:
        """What the record of a run says of the route."""
        return self.name if self.head else f"{self.name} with whole logits"

    @property
    def unpacked(self) -> "ForwardRoute":
        """The route of sequences that can't be packed."""
        return ForwardRoute("padded", None, self.head) if self.packs else self


def choose_route(
    network: Any,
    sequences: Sequence[Sequence[int]],
    *,
    packing: bool,
    linear: "Callable[[Tensor, Tensor], Tensor] | None" = None,
) -> ForwardRoute:
    """The fastest route that gives the numbers of single unpadded sequences, tried with the starts of `sequences`.

    packing  whether sequences may be packed; `linear` is as in `Head`
    """
    import torch

    dtype = _dtype_name(network)
    window = _shortest_window(network)
    samples = _samples(sequences, PROBE_TOKENS if window is None else min(PROBE_TOKENS, 2 * window // 3 - 1))
    with torch.inference_mode():
        head = head_of(network, linear)
        if head is not None and not _head_fits(network, head, samples[0], LOGPROB_NOISE.get(dtype, 0.5)):
            head = None
        single = ForwardRoute("single", None, head)
        expected = [outputs(network, [row], single)[0] for row in unpacked_rows(samples)]
        routes = [ForwardRoute("padded", window, head)]
        for route in [ForwardRoute("packed", window, head), *routes] if packing else routes:
            if _gives(network, route, samples, expected):
                return route
    return single


def beyond_window(network: Any, route: ForwardRoute, sequence: Sequence[int]) -> ForwardRoute:
    """The route without its limit, where it gives a sequence that outgrows the window what it gives alone."""
    import torch

    window = route.window or 0
    start = list(sequence[: window + 3 * PROBE_TOKENS])
    wide, half = replace(route, window=None), len(start) // 2
    samples = [start, [*start[:half], *start[:half:-1]]]
    try:
        with torch.inference_mode():
            single = ForwardRoute("single", None, route.head)
            expected = [outputs(network, [row], single)[0] for row in unpacked_rows(samples)]
            return wide if _gives(network, wide, samples, expected, beyond=window) else route
    except REFUSALS:  # memory ran out: such sequences go one by one
        release_memory()
        return route


def route_check(network: Any, route: ForwardRoute, sequence: Sequence[int]) -> Callable[[], bool]:
    """A function that takes the start of a sequence through the model and compares it with what is computed here."""
    import torch

    samples = [list(sequence[:PROBE_TOKENS])]
    with torch.inference_mode():
        expected = [outputs(network, unpacked_rows(samples), route.unpacked)[0]]

    def check() -> bool:
        with torch.inference_mode():
            return _gives(network, route.unpacked, samples, expected)

    return check


def outputs(network: Any, rows: Sequence[PackedRow], route: ForwardRoute) -> "Tensor":
    """Hidden states (rows, nodes, width), or logits where the route has no head. Padding holds anything."""
    import torch

    if route.name == "single":
        states = [_forward(network, route, input_ids=to_device([row.ids], network.device))[0] for row in rows]
        return torch.nn.utils.rnn.pad_sequence(states, batch_first=True)
    length = max(len(row) for row in rows)
    ids = to_device([row.ids + [0] * (length - len(row)) for row in rows], network.device)
    if not route.packs:
        present = to_device([[1] * len(row) + [0] * (length - len(row)) for row in rows], network.device)
        return _forward(network, route, input_ids=ids, attention_mask=present)
    depths = to_device([row.depths + [0] * (length - len(row)) for row in rows], network.device)
    mask = _mask(network, rows, depths)
    return _forward(network, route, input_ids=ids, attention_mask=mask, position_ids=depths)


def _mask(network: Any, rows: Sequence[PackedRow], depths: "Tensor") -> Any:
    """What is added to attention scores, of (rows, 1, nodes, nodes); for each type of layer, where there are several.

    Each node sees its own ancestors, in a layer with a sliding window no further up than that.
    """
    import torch

    n_nodes, device = depths.shape[1], network.device
    # A node of padding sees itself alone: a softmax over nothing is NaN.
    ends = to_device([row.subtree_ends + list(range(len(row) + 1, n_nodes + 1)) for row in rows], device)
    place = torch.arange(n_nodes, device=device)
    visible = (place[None, None, :] <= place[None, :, None]) & (place[None, :, None] < ends[:, None, :])
    window = getattr(network.config.get_text_config(), "sliding_window", None) or n_nodes
    near = visible & (depths[:, None, :] > depths[:, :, None] - window)
    seen = {kind: near if kind == SLIDING else visible for kind in layer_types(network)}
    made = {id(it): _added(it, network.dtype) for it in seen.values()}
    masks = {kind: made[id(it)] for kind, it in seen.items()}
    return masks if len(masks) > 1 else next(iter(masks.values()))


def _added(seen: "Tensor", dtype: Any) -> "Tensor":
    import torch

    nothing = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
    return nothing.masked_fill_(~seen, torch.finfo(dtype).min)[:, None]


def layer_types(network: Any) -> list[str]:
    """The types of a model's attention layers by transformers' names; a window in the settings counts without them."""
    return sorted(set(getattr(network.config.get_text_config(), "layer_types", None) or (SLIDING,)))


def to_device(values: "list[Any]", device: Any) -> "Tensor":
    """Whole numbers on the device: to a GPU from pinned memory, so that nothing waits for the copy."""
    import torch

    tensor = torch.tensor(values, dtype=torch.long)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def to_main_memory(values: "Tensor") -> "Callable[[], Tensor]":
    """Sends numbers to main memory; the function waits until they are there and gives them."""
    import torch

    device = values.device
    if device.type != "cuda":
        here = values.cpu()
        return lambda: here
    copy = torch.empty_like(values, device="cpu", pin_memory=True).copy_(values, non_blocking=True)
    make: Any = torch.cuda.Event
    event = make()
    # Without a stream the event would be in that of the current device, which may be another one.
    event.record(torch.cuda.current_stream(device))

    def wait() -> "Tensor":
        event.synchronize()
        return copy

    return wait


def _forward(network: Any, route: ForwardRoute, **inputs: Any) -> "Tensor":
    result = (network.base_model if route.head else network)(use_cache=False, **inputs)
    states: Tensor = result.last_hidden_state if route.head else result.logits
    return states


def _dtype_name(network: Any) -> str:
    return str(network.dtype).removeprefix("torch.")


def _shortest_window(network: Any) -> int | None:
    """The shortest window of a layer of the model; up to there a sliding mask is a plain one."""
    config = network.config.get_text_config()
    windows = [getattr(config, name, None) for name in ("sliding_window", "window_size", "attention_chunk_size")]
    return min((window for window in windows if isinstance(window, int)), default=None)


def _samples(sequences: Sequence[Sequence[int]], length: int) -> list[list[int]]:
    """Sequences of up to 1.5 `length` + 1 tokens that part after a shared beginning: a wrong mask changes them."""
    samples = []
    for sequence in sorted(sequences, key=len)[:: max(1, len(sequences) // PROBES)][:PROBES]:
        start = list(sequence[: max(1, length)])
        half = len(start) // 2 + 1
        samples += [start, [*start[:half], *start[::-1]], [*start, start[-1]]]
    return samples


def _gives(
    network: Any, route: ForwardRoute, samples: list[list[int]], expected: "list[Tensor]", beyond: int = 0
) -> bool:
    """Whether a route gives each sample the outputs of the sample alone, from its token number `beyond` on."""
    rows = pack(samples, capacity=3 * PROBE_TOKENS, most=len(samples)) if route.packs else unpacked_rows(samples)
    noise = NOISE.get(_dtype_name(network), 5e-2)
    try:
        results = outputs(network, rows, route)
    except REFUSALS as error:
        if out_of_memory(error):
            raise
        return False
    for row, states in zip(rows, results, strict=True):
        for number, path in row.paths:
            # Not every GPU has float64.
            single = expected[number].cpu().double()[beyond : len(path)]
            difference = (states[path[beyond:]].cpu().double() - single).norm()
            # Where the model itself gives NaN there is nothing to compare; the scores will say so.
            if difference > noise * single.norm():
                return False
    return True


def _head_fits(network: Any, head: Head, sample: Sequence[int], noise: float) -> bool:
    """Whether hidden states and head give the log-probabilities of the model's own logits, for tokens of all kinds."""
    import torch

    [row] = unpacked_rows([sample])
    hidden = outputs(network, [row], ForwardRoute("single", None, head))[0].to(head.weight.device)
    logits = network(input_ids=to_device([row.ids], network.device), use_cache=False).logits[0]
    # The model rounds each logit to its own dtype, the head does not: half a step for the token's logit and half for
    # the sum. A logit of minus infinity says nothing of how far the others are rounded.
    rounding = torch.finfo(logits.dtype).eps * float(logits.nan_to_num(0.0, 0.0, 0.0).abs().amax())
    expected = logits.cpu().double().log_softmax(-1)
    if expected.shape[1] != len(head.weight):
        return False
    targets = torch.linspace(0, expected.shape[1] - 1, 64).long()
    rows = torch.arange(len(expected)).repeat_interleave(len(targets))
    targets = targets.repeat(len(expected))
    logprobs = head.logprobs(hidden, rows.to(hidden.device), targets.to(hidden.device)).cpu().double()
    return torch.allclose(logprobs, expected[rows, targets], rtol=0, atol=noise + rounding, equal_nan=True)
