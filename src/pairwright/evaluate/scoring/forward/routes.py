"""Routes of token sequences through a causal model: packed with shared beginnings, padded, or one at a time.

Packed rows need a model that takes a mask of four dimensions and positions as they are given. A model's name does not
say whether it does. So a few short sequences take each route, and a route counts only where the hidden states are those
of the single sequences. Models with ALiBi or a state space are padded instead. Sequences longer than a sliding window
are packed where the first of them passes the same test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pairwright.evaluate.scoring.forward.head import Head, head_of
from pairwright.evaluate.scoring.forward.packing import PackedRow, pack, unpacked_rows
from pairwright.models.load.faults import out_of_memory, release_memory

if TYPE_CHECKING:
    from torch import Tensor

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
