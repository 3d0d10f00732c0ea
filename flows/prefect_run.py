"""How every flow runs: by the options of a command, on a server of its own or of yours, its parts as tasks."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from prefect_env import OWN, start_server

# isort: split
import click
from prefect import Task, flow
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.events import emit_event
from prefect.exceptions import TerminationSignal
from prefect.futures import as_completed
from prefect.settings import get_current_settings, temporary_settings

from pairwright.cli.command import command
from pairwright.cli.faults import is_user_fault, run_command
from pairwright.cli.terminal import Terminal
from pairwright.core.errors import ConfigError
from pairwright.core.store import StageRun
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.options import EvaluationOptions, ReadingOptions
from pairwright.plug import EXTRAS

# What flows take from Prefect, they take from here: it has to be loaded after its environment is set.
__all__ = ["create_markdown_artifact", "emit_event", "flow", "flow_context", "record_stages", "run_flow"]


class Tasks:
    """An executor that runs parts as tasks, in the flow's process or by its task runner."""

    def call(self, name: str, part: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return _task(name, part, *args, **kwargs)()

    def spread(
        self,
        name: str,
        part: Callable[..., Any],
        calls: Iterable[tuple[Any, ...]],
        dask: str,
        resources: dict[str, float] | None = None,
    ) -> Iterator[Any]:
        with import_module("dask").annotate(resources=resources or {}):
            futures = [_task(name, part, *given).submit() for given in calls]
        yield from (future.result() for future in as_completed(futures))


def _task(name: str, part: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Task[..., Any]:
    """A task without parameters: Prefect would walk through them, and take what has `keys` for a mapping.

    It is tried again unless the user has something to correct. It has no cache: Prefect knows a task, not the code that
    the task calls.
    """

    def may_pass(_task: object, _run: object, state: Any) -> bool:
        return not is_user_fault(state.result(raise_on_failure=False))

    options: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
    return Task(
        lambda: part(*args, **kwargs),
        name=name,
        retries=2,
        retry_delay_seconds=1,
        retry_condition_fn=may_pass,
        **options,
    )


def flow_context(workspace: Path) -> Context:
    """The context of a step inside a flow: its parts run as tasks, and a terminal shows how they go."""
    return Context.of_step(Workspace(workspace), Terminal(), Tasks(), EXTRAS)


def record_stages(key: str, runs: list[StageRun]) -> None:
    """Keeps the counts of stages as an artifact of the flow run."""
    names = ("stage", "in", "out", "rejected", "ran")
    counts = [(run.path.stem, run.n_in, run.n_out, run.n_rejected, run.ran) for run in runs]
    create_table_artifact(key=key, table=[dict(zip(names, row, strict=True)) for row in counts])


def run_flow(declared: Callable[..., Any], flow: Callable[..., Any]) -> None:
    """Runs a flow by the command line of a function of `pairwright.cli`; a fault is one line, as with `pairwright`.

    They report to the server of PREFECT_API_URL or of a Prefect profile, else to one that ends with the run.
    """

    def run(workspace: Path, **options: Any) -> None:
        # Heartbeats are for flows that a worker runs out of sight; here each flow would wait a second for the last.
        settings: dict[Any, Any] = {"flows.heartbeat_frequency": None}
        if get_current_settings().api.url is None:
            server = OWN or start_server()
            settings |= {"api.url": server.url, "api.auth_string": server.login}
        with temporary_settings(settings):
            _ask_server()
            try:
                _run_on_cluster(flow, workspace, **options)
            except BaseException as fault:
                if _was_stopped(fault):
                    raise KeyboardInterrupt from None
                if not is_user_fault(fault):
                    _ask_server()
                raise

    run_command(command(declared, run=run))


def _run_on_cluster(flow: Any, workspace: Path, **options: Any) -> None:
    """Runs a flow, with its tasks on the Dask cluster that its options name, if any.

    Raises ConfigError where the package for it is missing.
    """
    address = next((it.dask for it in options.values() if isinstance(it, ReadingOptions | EvaluationOptions)), None)
    if address:
        try:
            from prefect_dask.task_runners import DaskTaskRunner
        except ImportError:
            raise ConfigError('--dask: prefect-dask is not installed; pip install "pairwright[dask]"') from None
        cluster: Any = DaskTaskRunner(address=address)
        flow = flow.with_options(task_runner=cluster)
    flow(workspace, **options)


def _ask_server() -> None:
    """Waits for the server. Raises ConfigError where it does not answer, or its password is missing."""
    url = get_current_settings().api.url
    try:
        with get_client(sync_client=True) as client:
            client.hello().raise_for_status()
    except Exception as fault:
        remedy = "check PREFECT_API_URL and PREFECT_API_AUTH_STRING, or unset them to use a server of the run's own"
        if OWN and url == OWN.url:
            home = get_current_settings().home
            remedy = f"set PREFECT_HOME to a folder that can be written ({home}?), or use the commands of pairwright"
        raise ConfigError(
            f"{url}: Prefect's server does not answer ({' '.join(str(fault).split())}); {remedy}"
        ) from None


def _was_stopped(fault: BaseException | None) -> bool:
    """Whether the user stopped the run: a complaint that follows from it may come out first."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt | TerminationSignal | click.Abort):
        fault = fault.__cause__ or fault.__context__
    return fault is not None
