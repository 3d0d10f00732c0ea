"""Flows whose pages are read on the workers of a Dask cluster, which have pairwright and see the same documents."""

from typing import Any

import cloudpickle
from prefect import Flow

import prefect_tasks
from pairwright.errors import ConfigError
from pairwright.pipeline.options import ReadingOptions


def on_cluster(flow: Flow[..., Any]) -> Any:
    """A function that runs the flow, on the cluster of the scheduler that `reading` names, where it names one.

    Raises ConfigError where the package for it is missing.
    """

    def run(workspace: Any, *, reading: ReadingOptions, **options: Any) -> Any:
        chosen = flow
        if reading.dask:
            try:
                from prefect_dask.task_runners import DaskTaskRunner
            except ImportError:
                raise ConfigError('--dask: prefect-dask is not installed; pip install "pairwright[dask]"') from None
            # The workers have the package, not the flows.
            cloudpickle.register_pickle_by_value(prefect_tasks)
            runner: Any = DaskTaskRunner(address=reading.dask)
            chosen = flow.with_options(task_runner=runner)
        return chosen(workspace, reading=reading, **options)

    return run
