"""Parts of steps as Prefect tasks, which are tried again unless the user has something to mend."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

import prefect_env  # noqa: F401

# isort: split
from prefect import Task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed

from pairwright.cli.faults import is_user_fault


class Tasks:
    """An executor that runs parts as tasks, in the flow's process or by its task runner."""

    def call(self, name: str, part: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return _task(name, part)(*args, **kwargs)

    def spread(
        self,
        name: str,
        part: Callable[..., Any],
        calls: Iterable[tuple[Any, ...]],
        dask: str,
        resources: dict[str, float] | None = None,
    ) -> Iterator[Any]:
        cluster: Any = import_module("dask")
        with cluster.annotate(resources=resources or {}):
            futures = [_task(name, part).submit(*arguments) for arguments in calls]
        yield from (future.result() for future in as_completed(futures))


def _task(name: str, part: Callable[..., Any]) -> Task[..., Any]:
    def may_pass(_task: object, _run: object, state: Any) -> bool:
        return not is_user_fault(state.result(raise_on_failure=False))

    # Without a cache, which would hash the arguments: an open language model has no hash.
    options: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
    return Task(part, name=name, retries=2, retry_delay_seconds=1, retry_condition_fn=may_pass, **options)
