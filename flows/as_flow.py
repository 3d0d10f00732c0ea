"""A step as a flow: with the options of its command, its parts as tasks, on a Prefect server of its own or of yours."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

from prefect_env import OWN, start_server

# isort: split
import click
from prefect import Flow, Task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.exceptions import TerminationSignal
from prefect.futures import as_completed
from prefect.settings import get_current_settings, temporary_settings
from prefect.task_runners import ThreadPoolTaskRunner

from pairwright.cli.command import command, is_user_fault, run_command, terminal_context
from pairwright.core.errors import ConfigError, one_line
from pairwright.pipeline.context import Context


class Tasks:
    """An executor that runs parts as tasks: one in the flow's process, many by its task runner."""

    @property
    def spreads(self) -> bool:
        run = FlowRunContext.get()
        return run is not None and not isinstance(run.task_runner, ThreadPoolTaskRunner)

    def call(self, name: str, part: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return _task(name, part, *args, **kwargs)()

    def map(self, name: str, part: Callable[..., Any], items: Iterable[Any], resources: Any = None) -> Iterator[Any]:
        with import_module("dask").annotate(resources=resources or {}):
            futures = [_task(name, part, *item).submit() for item in items]
        yield from (future.result() for future in as_completed(futures))


def _task(name: str, part: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Task[..., Any]:
    """A task without parameters: Prefect would walk through them, and take what has `keys` for a mapping.

    It is tried again unless the user has something to correct. It has no cache: Prefect knows a task, not the code that
    the task calls.
    """

    retries: dict[str, Any] = {"retries": 2, "retry_delay_seconds": 1}
    retries["retry_condition_fn"] = lambda _task, _run, state: not is_user_fault(state.result(raise_on_failure=False))
    return Task(lambda: part(*args, **kwargs), name=name, cache_policy=NO_CACHE, persist_result=False, **retries)


def as_flow(name: str, step: Callable[..., Any], keep: Callable[[Context, Any], object] = lambda *_: None) -> Any:
    """The flow of a step: it takes the folder of a workspace, and then what the step takes after its context.

    keep  gives Prefect what came of the step
    """

    def run(workspace: Path, *args: Any, **kwargs: Any) -> Any:
        context = terminal_context(workspace, Tasks())
        came = step(context, *args, **kwargs)
        keep(context, came)
        return came

    folder = Parameter("workspace", Parameter.POSITIONAL_OR_KEYWORD, annotation=Path)
    run.__signature__ = Signature([folder, *list(signature(step).parameters.values())[1:]])  # type: ignore[attr-defined]
    run.__doc__ = step.__doc__
    return Flow(run, name=name)


def run_flow(flow: Any, step: Callable[..., Any]) -> None:
    """Runs a flow by the command line of its step.

    It reports to the server of PREFECT_API_URL or of a Prefect profile, else to one that ends with the run.
    """

    def called(workspace: Path, dask: str | None, **options: Any) -> None:
        # Heartbeats are for flows that a worker runs out of sight; here each flow would wait a second for the last.
        settings: dict[Any, Any] = {"flows.heartbeat_frequency": None}
        if get_current_settings().api.url is None:
            settings |= OWN or start_server()
        if dask and find_spec("prefect_dask") is None:
            raise ConfigError('--dask: prefect-dask is not installed; pip install "pairwright[dask]"')
        with temporary_settings(settings):
            _ask_server()
            try:
                if dask:
                    flow.task_runner = import_module("prefect_dask.task_runners").DaskTaskRunner(address=dask)
                flow(workspace, **options)
            except BaseException as fault:
                # A complaint that follows from the user's stopping the run may come out first.
                cause: BaseException | None = fault
                while cause is not None:
                    if isinstance(cause, KeyboardInterrupt | TerminationSignal | click.Abort):
                        raise KeyboardInterrupt from None
                    cause = cause.__cause__ or cause.__context__
                if not is_user_fault(fault):
                    _ask_server()
                raise

    made = command(step, run=called)
    made.params.append(click.Option(["--dask"], metavar="ADDRESS", help="Dask scheduler to spread the work by."))
    run_command(made)


def _ask_server() -> None:
    """Waits for the server. Raises ConfigError where it does not answer, or its password is missing."""
    url, home = get_current_settings().api.url, get_current_settings().home
    try:
        with get_client(sync_client=True) as client:
            client.hello().raise_for_status()
    except Exception as fault:
        remedy = "check PREFECT_API_URL and PREFECT_API_AUTH_STRING, or unset them to use a server of the run's own"
        if OWN and url == OWN["api.url"]:
            remedy = f"set PREFECT_HOME to a folder that can be written ({home}?), or use the commands of pairwright"
        raise ConfigError(f"{url}: Prefect's server does not answer ({one_line(fault)}); {remedy}") from None
