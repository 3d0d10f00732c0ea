"""When memory runs out: what says so, how it is given back, and how much is tried next."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# What torch says of it, or of a library of the GPU that could not get its share.
SAYS = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")


def out_of_memory(fault: BaseException) -> bool:
    """Whether a fault is one of memory, of a GPU or of the machine."""
    import torch

    known = isinstance(fault, MemoryError | torch.OutOfMemoryError)
    return known or any(words in str(fault) for words in SAYS)


def release_memory() -> None:
    """Gives back what the GPU's allocator holds for later."""
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def in_halves(
    batches: Sequence[list[T]], run: Callable[[list[T]], R], halved: Callable[[int], None]
) -> Iterator[tuple[list[T], R | None]]:
    """Runs batches one after the other; one that memory runs out on is cut in two.

    Yields each batch with what `run` gave: None where memory ran out on a single entry. `halved` gets the size that
    was still too much.
    """
    waiting = deque(batches)
    while waiting:
        batch = waiting.popleft()
        try:
            found = run(batch)
        except (RuntimeError, MemoryError) as fault:
            if not out_of_memory(fault):
                raise
        else:
            yield batch, found
            continue
        release_memory()
        if len(batch) == 1:
            yield batch, None
            continue
        halved(len(batch))
        half = len(batch) // 2
        waiting.extendleft((batch[half:], batch[:half]))
