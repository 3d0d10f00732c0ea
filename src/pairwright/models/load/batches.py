"""Runs batches through a model, several at a time where that helps, and cuts up those that memory runs out on.

On a processor two batches at a time, each on its own half of the threads, finish sooner than one after the other on
all threads: no thread waits for all others after each step, and none fetches what another has in its cache.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from pairwright.core.errors import one_line
from pairwright.models.load.settings import out_of_memory, release_memory

LOGGER = logging.getLogger(__name__)
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
                LOGGER.warning("score.parallel_batches: two batches at a time failed (%s); they run one by one", reason)
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


def padded(rows: Sequence[Sequence[int]], filling: int = 0) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of numbers made as long as the longest, and 1 where they have a number of their own, else 0."""
    length = max(map(len, rows))
    lacking = [length - len(row) for row in rows]
    filled = [[*row, *[filling] * more] for row, more in zip(rows, lacking, strict=True)]
    return filled, [[1] * len(row) + [0] * more for row, more in zip(rows, lacking, strict=True)]


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
    LOGGER.warning("score.parallel_batches: %s with two batches at a time; they run one by one", reason)
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
