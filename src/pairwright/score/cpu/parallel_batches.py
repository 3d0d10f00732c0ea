"""Batches side by side on a processor, each on threads of its own.

Two batches that each keep to their own half of the threads finish sooner than one after the other on all of them: no
thread waits for the others after each step, and none fetches what another has in its cache.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Batches at a time, each of which needs memory of its own.
LANES = 2
# Positions that are worked out anew from the batch at hand are kept in the model itself, for one batch at a time.
SHARED = ("dynamic", "longrope")


class Lanes:
    """Runs functions side by side, or at once and one after the other where there is one lane only."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = _pool(count) if count > 1 else None

    def submit(self, run: Callable[P, R], *given: P.args, **named: P.kwargs) -> "Future[R]":
        if self._pool:
            return self._pool.submit(run, *given, **named)
        done: Future[R] = Future()
        try:
            done.set_result(run(*given, **named))
        except Exception as fault:
            done.set_exception(fault)
        return done

    def close(self) -> None:
        """Ends the threads after what they are at; what has not begun is left undone."""
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def lanes_for(network: Any) -> int:
    """How many batches may go through a model at a time."""
    import torch

    if network.device.type != "cpu" or torch.get_num_threads() < LANES:
        return 1
    # What a model that is not the library's own keeps from batch to batch nobody knows.
    known = type(network).__module__.startswith("transformers.")
    return LANES if known and not any(map(_keeps_positions, network.modules())) else 1


def _keeps_positions(module: Any) -> bool:
    kinds = getattr(module, "rope_type", None)
    names = kinds.values() if isinstance(kinds, dict) else [kinds]
    return any(isinstance(name, str) and name.startswith(SHARED) for name in names)


def _pool(count: int) -> ThreadPoolExecutor:
    import torch

    threads = torch.get_num_threads()
    shares: SimpleQueue[int] = SimpleQueue()
    for lane in range(count):
        shares.put(threads // count + (lane < threads % count))
    ready = threading.Barrier(count + 1)

    def begin() -> None:
        # A thread takes the number that holds for all when it first asks for one; only then it keeps one of its own.
        torch.get_num_threads()
        torch.set_num_threads(shares.get())
        ready.wait()

    pool = ThreadPoolExecutor(count, "scoring", begin)
    for _ in range(count):
        pool.submit(int)
    ready.wait()
    # What was set last holds for all threads to come, of whatever else the program does, unless it is set back.
    torch.set_num_threads(threads)
    return pool
