"""Attention in float64 for float32 models on a processor that need it, by torch's own kernel.

Some models have keys so large that float32 loses the difference of two attention scores: with Qwen2.5 Coder 0.5B, whose
keys have biases of over 200, the sum of a sentence is off by up to 1e-2 nats. A few tokens show it when a model is
loaded; only such a model pays for float64.

Matrix products on a processor by oneDNN, through private operators of torch that are checked before they are used.

In float32 torch takes MKL, which on processors other than Intel's leaves a fifth of their speed unused. torch carries
oneDNN too, but uses it for compiled code only. oneDNN also applies what directly follows a product, such as the
activation of a gated feed-forward layer (Shazeer 2020, GLU Variants Improve Transformer, section 2), while the numbers
are in a cache. Results differ by rounding alone.

Runs batches through a model, several at a time where that helps, and cuts up those that memory runs out on.

On a processor two batches at a time, each on its own half of the threads, finish sooner than one after the other on
all threads: no thread waits for all others after each step, and none fetches what another has in its cache.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import ContextVar
from functools import cache, partial
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from pairwright.core.errors import one_line
from pairwright.models.load.settings import out_of_memory, release_memory

if TYPE_CHECKING:
    from torch import Tensor


NAME = "sdpa in float64"
# The largest relative error of attention in float32. Of sound models it is 5e-6 at most, of Qwen2.5 Coder 5e-5.
ROUNDING = 1e-5
PROBE_TOKENS = 32
_errors: ContextVar[list[float] | None] = ContextVar("errors", default=None)


def widen_attention(network: Any) -> None:
    """Lets a float32 model on a processor compute attention in float64, where transformers chose torch's kernel."""
    import torch
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    sdpa = getattr(network.config, "_attn_implementation", None) == "sdpa"
    if sdpa and network.device.type == "cpu" and network.dtype == torch.float32:
        AttentionInterface.register(NAME, _attend)
        AttentionMaskInterface.register(NAME, sdpa_mask)
        network.set_attn_implementation(NAME)
        if _float32_is_enough(network):
            network.set_attn_implementation("sdpa")


def _float32_is_enough(network: Any) -> bool:
    """Whether a few tokens lose nothing; False where the network does not take them so."""
    import torch

    ids = torch.linspace(0, network.get_input_embeddings().num_embeddings - 1, PROBE_TOKENS).long()[None]
    decoded = {"decoder_input_ids": ids} if network.config.is_encoder_decoder else {}
    errors: list[float] = []
    token = _errors.set(errors)
    try:
        with torch.inference_mode():
            network.base_model(input_ids=ids, **decoded)
    except Exception:  # a network with code of its own raises what it likes
        return False
    finally:
        _errors.reset(token)
    return all(error <= ROUNDING for error in errors)


def _attend(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **options: Any) -> tuple[Any, None]:
    """As `AttentionInterface` describes its functions."""
    import torch
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    wide, mask = dict(options), attention_mask
    if torch.is_tensor(options.get("position_bias")):
        wide["position_bias"] = options["position_bias"].double()
    if mask is not None and mask.is_floating_point():
        mask = mask.double()
    output, _ = sdpa_attention_forward(module, query.double(), key.double(), value.double(), mask, **wide)
    if (errors := _errors.get()) is not None:
        plain, _ = sdpa_attention_forward(module, query, key, value, attention_mask, **options)
        # A token of padding alone may have values of nothing but zeros.
        sizes = output.norm(dim=-1).clamp_min(torch.finfo(output.dtype).tiny)
        errors.append(float(((plain - output).norm(dim=-1) / sizes).max()))
    return output.to(query.dtype), None


LOGGER = logging.getLogger(__name__)
# Activations by oneDNN's names for them, with the form where there are several.
ACTIVATIONS = (("gelu", "tanh"), ("gelu", "none"), ("swish", ""), ("relu", ""))
# The relative difference between two ways to compute the same that is rounding.
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


T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

# Each batch needs memory of its own.
AT_ONCE = 2
# Positions with these scalings are computed anew from each batch and kept in the model itself.
KEPT_POSITIONS = ("dynamic", "longrope")


class BatchThreads:
    """Runs functions on `count` threads, or, where that is 1, at once in the calling thread."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = _pool(count) if count > 1 else None

    def submit(self, run: Callable[P, R], *args: P.args, **options: P.kwargs) -> "Future[R]":
        if self._pool:
            return self._pool.submit(run, *args, **options)
        done: Future[R] = Future()
        try:
            done.set_result(run(*args, **options))
        except Exception as error:
            done.set_exception(error)
        return done

    def close(self) -> None:
        """Ends the threads after what they are running, and drops what has not begun; later calls run one by one."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        self.count, self._pool = 1, None


def run_batches(
    batches: Iterable[T],
    run: Callable[[T], R],
    split: Callable[[T], list[T]],
    *,
    threads: BatchThreads | None = None,
    ahead: int = 0,
) -> Iterator[tuple[T, R | None]]:
    """Runs batches and yields each one with its result, in order; None where memory ran out on a single entry.

    batches  taken one by one as they are begun, so that the next ones are prepared while others run
    split    the pieces of a batch that needs too much memory; none where it can't be cut any further
    threads  run several batches side by side; None for one after the other
    ahead    how many batches more are begun before the first result is taken, as a GPU works while they are prepared

    Where memory runs out, or a batch fails beside another one, the batches run one by one from there on. Where memory
    still runs out, the batch is cut up. Raises what `run` raises on a batch alone, if it isn't for lack of memory.
    """
    threads = threads or BatchThreads(1)
    coming = iter(batches)
    waiting: deque[T] = deque()
    running: deque[tuple[T, Future[R]]] = deque()
    failed: list[T] = []
    while True:
        while not failed and len(running) < threads.count + ahead and not _last_failed(running):
            waiting.extend(() if waiting else islice(coming, 1))
            if not waiting:
                break
            batch = waiting.popleft()
            running.append((batch, threads.submit(run, batch)))
        if not running:
            return
        batch, future = running.popleft()
        error = future.exception()
        if error is None:
            yield batch, future.result()
        elif isinstance(error, RuntimeError | MemoryError) and (threads.count > 1 or out_of_memory(error)):
            if not (failed or out_of_memory(error)):
                reason = one_line(error)
                LOGGER.warning("score.cpu_kernels: two batches at a time failed (%s); they run one by one", reason)
            # The frames of a traceback would keep alive all that the batch had made so far.
            error.__traceback__ = None
            failed.append(batch)
        else:
            raise error
        if failed and not running:
            release_memory()
            yield from ((batch, None) for batch in _tried_again(failed, waiting, split, threads))
            failed = []


def _tried_again(
    failed: list[T], waiting: deque[T], split: Callable[[T], list[T]], threads: BatchThreads
) -> Iterator[T]:
    """Puts failed batches back to the waiting ones, in pieces where they ran alone; yields those without pieces."""
    if threads.count > 1:
        threads.close()
        waiting.extendleft(reversed(failed))
        return
    for batch in reversed(failed):
        pieces = split(batch)
        waiting.extendleft(reversed(pieces))
        if not pieces:
            yield batch


def padded_batches(
    entries: Sequence[T], length: Callable[[T], int], *, tokens: int, most: int, size: Callable[[T], int] = lambda _: 1
) -> list[list[T]]:
    """Entries, the longest first, as batches of at most `tokens` with padding, whose sizes add up to `most` at most."""
    batches, left = list[list[T]](), 0
    for entry in entries:
        if batches and len(batches[-1]) < tokens // length(batches[-1][0]) and size(entry) <= left:
            batches[-1].append(entry)
        else:
            batches.append([entry])
            left = most
        left -= size(entry)
    return batches


def halves(batch: list[T]) -> list[list[T]]:
    """A batch cut in two; nothing where it has one entry."""
    half = len(batch) // 2
    return [batch[:half], batch[half:]] if half else []


def _last_failed(running: "deque[tuple[T, Future[R]]]") -> bool:
    """Whether the batch that was begun last has failed already, so that others would fail beside it."""
    return bool(running) and running[-1][1].done() and running[-1][1].exception() is not None


def batches_at_once(network: Any, check: Callable[[], bool]) -> int:
    """How many batches may go through a model at the same time: 1 or 2.

    check  takes a small batch through the model and says whether its numbers are right; two run side by side first,
           and where that fails, a warning says so and the answer is 1
    """
    import torch

    if network.device.type != "cpu" or torch.get_num_threads() < AT_ONCE:
        return 1
    # Nobody knows what a model with code of its own keeps from batch to batch.
    if not type(network).__module__.startswith("transformers.") or any(map(_keeps_positions, network.modules())):
        return 1
    with closing(BatchThreads(AT_ONCE)) as threads:
        try:
            if all(future.result() for future in [threads.submit(check) for _ in range(AT_ONCE)]):
                return AT_ONCE
            reason = "the numbers differ"
        except (RuntimeError, MemoryError) as error:
            reason = one_line(error)
    LOGGER.warning("score.cpu_kernels: %s with two batches at a time; they run one by one", reason)
    return 1


def _keeps_positions(module: Any) -> bool:
    kinds = getattr(module, "rope_type", None)
    names = kinds.values() if isinstance(kinds, dict) else [kinds]
    return any(isinstance(name, str) and name.startswith(KEPT_POSITIONS) for name in names)


def _pool(count: int) -> ThreadPoolExecutor:
    import torch

    threads = torch.get_num_threads()
    shares: SimpleQueue[int] = SimpleQueue()
    for number in range(count):
        shares.put(max(1, threads // count + (number < threads % count)))
    ready = threading.Barrier(count + 1)

    def begin() -> None:
        try:
            # A thread takes over the number that holds for all when it first asks for one; only then it keeps its own.
            torch.get_num_threads()
            torch.set_num_threads(shares.get())
        finally:
            ready.wait()

    pool = ThreadPoolExecutor(count, "scoring", begin)
    for _ in range(count):
        pool.submit(int)
    ready.wait()
    # The number that was set last would hold for all threads that the program starts later.
    torch.set_num_threads(threads)
    return pool
