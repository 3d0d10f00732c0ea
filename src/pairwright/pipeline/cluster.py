"""Parts of a step on the workers of a Dask cluster. They need pairwright, and the documents at the same paths."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pairwright.errors import ConfigError

T = TypeVar("T")


def run_on(address: str, part: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """Yields the results of a part for each tuple of arguments, as they arrive.

    Raises ConfigError where dask.distributed is missing or the scheduler can't be reached, and what the part raises.
    """
    try:
        import distributed
    except ImportError:
        raise ConfigError('--dask: dask.distributed is not installed; pip install "pairwright[dask]"') from None
    dask: Any = distributed
    try:
        client = dask.Client(address, timeout="30s")
    except (OSError, ValueError) as fault:
        raise ConfigError(f"--dask {address}: the scheduler can't be reached ({fault}); mend the address") from None
    with client:
        futures = [client.submit(part, *arguments, pure=False) for arguments in calls]
        for future in dask.as_completed(futures):
            yield future.result()
