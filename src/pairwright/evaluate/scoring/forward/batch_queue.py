"""Runs batches through a model, several at a time where that helps, and cuts up those that memory runs out on."""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

from pairwright.core.errors import one_line
from pairwright.evaluate.scoring.cpu.parallel_batches import BatchThreads
from pairwright.models.load.memory import out_of_memory, release_memory

LOGGER = logging.getLogger(__name__)
T = TypeVar("T")
R = TypeVar("R")


def run_batches(
    batches: Sequence[list[T]],
    run: Callable[[list[T]], R],
    split: Callable[[list[T]], list[list[T]]],
    *,
    threads: BatchThreads | None = None,
    ahead: int = 0,
) -> Iterator[tuple[list[T], R | None]]:
    """Runs batches and yields each one with its result, in order; None where memory ran out on a single entry.

    split    the pieces of a batch that needs too much memory; none where it can't be cut any further
    threads  run several batches side by side; None for one after the other
    ahead    how many batches more are begun before the first result is taken, as a GPU works while they are prepared

    Where memory runs out, or a batch fails beside another one, the batches run one by one from there on. Where memory
    still runs out, the batch is cut up. Raises what `run` raises on a batch alone, if it isn't for lack of memory.
    """
    threads = threads or BatchThreads(1)
    waiting = deque(batches)
    running: deque[tuple[list[T], Future[R]]] = deque()
    failed: list[list[T]] = []
    while waiting or running:
        while waiting and not failed and len(running) < threads.count + ahead and not _last_failed(running):
            batch = waiting.popleft()
            running.append((batch, threads.submit(run, batch)))
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
    failed: list[list[T]], waiting: deque[list[T]], split: Callable[[list[T]], list[list[T]]], threads: BatchThreads
) -> Iterator[list[T]]:
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


def halves(batch: list[T]) -> list[list[T]]:
    """A batch cut in two; nothing where it has one entry."""
    half = len(batch) // 2
    return [batch[:half], batch[half:]] if half else []


def _last_failed(running: "deque[tuple[list[T], Future[R]]]") -> bool:
    """Whether the batch that was begun last has failed already, so that others would fail beside it."""
    return bool(running) and running[-1][1].done() and running[-1][1].exception() is not None
