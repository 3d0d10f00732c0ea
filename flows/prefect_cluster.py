"""Flows that read or score on the workers of a Dask cluster, which have pairwright and see the same files."""

from typing import Any

import cloudpickle
from prefect import Flow

import prefect_tasks
from pairwright.errors import ConfigError


def on_cluster(flow: Flow[..., Any]) -> Any:
    """A function that runs the flow, on the cluster of the scheduler that `reading` or `dask` names, where one does.

    Raises ConfigError where the package for it is missing.
    """

    def run(workspace: Any, **options: Any) -> Any:
        chosen = flow
        address = options["reading"].dask if "reading" in options else options.get("dask")
        if address:
            try:
                from prefect_dask.task_runners import DaskTaskRunner
            except ImportError:
                raise ConfigError('--dask: prefect-dask is not installed; pip install "pairwright[dask]"') from None
            # The workers have the package, not the flows.
            cloudpickle.register_pickle_by_value(prefect_tasks)
            runner: Any = DaskTaskRunner(address=address)
            chosen = flow.with_options(task_runner=runner)
        return chosen(workspace, **options)

    return run
