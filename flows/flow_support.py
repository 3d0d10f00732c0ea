"""What the flows share: a quiet and private Prefect, user errors without a traceback, lines for who waits."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

# Set before Prefect is imported: it reads them at import. Nothing is sent anywhere, and what goes wrong is said once.
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_INTERNAL_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_TO_API_ENABLED", "false")
os.environ.setdefault("PREFECT_RESULTS_PERSIST_BY_DEFAULT", "false")
# The server that Prefect starts for one process takes its time on a busy machine.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "180")

# isort: split
import click
import cloudpickle
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.exceptions import TerminationSignal
from prefect.settings import temporary_settings
from prefect.task_runners import TaskRunner
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from pairwright.errors import ConfigError, PairwrightError
from pairwright.ingest.book.reader_choice import Reader
from pairwright.ingest.pdf.document import set_document_password
from pairwright.languages import Language, load_language
from pairwright.records import Source
from pairwright.store import StageInput, StageRun, file_input
from pairwright.workspace import Workspace

warnings.filterwarnings("ignore", category=DeprecationWarning)

# Prefect's cache of results would hash the arguments of tasks, and an open language model has no hash.
TASK: dict[str, Any] = {"retries": 2, "retry_delay_seconds": 1, "persist_result": False, "cache_policy": NO_CACHE}


class EndedError(PairwrightError):
    """The planned end of a run that has done all that was asked of it: its message is said, and it is no failure."""


def not_a_user_error(_task: object, _run: object, state: Any) -> bool:
    """Whether a failed task is tried again: what the user has to mend stays as it is however often it is tried."""
    try:
        state.result()
    except PairwrightError:
        return False
    except Exception:
        return True
    return True


def say(label: str, text: str) -> None:
    """One line of progress: what, and what became of it."""
    click.echo(f"{label:<11}{text}")


def say_stage(run: StageRun, what: str) -> None:
    """One line about a stage: how many records came out, what was rejected and where to read why."""
    rejected = f", {run.n_rejected} rejected with reasons in {run.path.stem}.rejected.jsonl" if run.n_rejected else ""
    fresh = "" if run.ran else " (up to date)"
    say(run.path.stem, f"{run.n_out:,} {what}{rejected}{fresh}")


def record_stages(key: str, runs: list[StageRun]) -> None:
    """The counts of stages as an artifact of the flow run."""
    rows = [
        {"stage": run.path.stem, "in": run.n_in, "out": run.n_out, "rejected": run.n_rejected, "ran": run.ran}
        for run in runs
    ]
    create_table_artifact(key=key, table=rows)


def record_text(key: str, text: str) -> None:
    """Markdown as an artifact of the flow run."""
    create_markdown_artifact(key=key, markdown=text)


def language_of(source: Source, workspace: Workspace) -> Language:
    """The language of a source, by the workspace's own file where it has one."""
    return load_language(source.language, workspace.root)


def file_inputs(*paths: Path) -> list[StageInput]:
    """Stage files as inputs of the next stage."""
    return [file_input(path) for path in paths]


def workspace_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--workspace DIR`: where sources, prompts, annotations and output live."""
    return click.option(
        "--workspace",
        type=click.Path(file_okay=False, path_type=Path),
        default=".",
        show_default=True,
        help="Folder with sources, annotations and output.",
    )(function)


@dataclass(frozen=True)
class Reading:
    """How a grammar book is read this time.

    reader  text or ocr for all pages; None to choose page by page
    strict  whether the first page that can't be read stops the run
    dask    the address of a Dask scheduler whose workers read the pages
    """

    reader: Reader | None = None
    strict: bool = False
    dask: str | None = None


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """How a grammar book is read; the function gets a `Reading` as `how`."""

    @wraps(function)
    def command(
        *, reader: Reader | None, strict: bool, dask: str | None, password: str | None, **others: Any
    ) -> object:
        if password is not None:
            set_document_password(password)
        return function(how=Reading(reader, strict, dask), **others)

    wrapped: Callable[..., Any] = command
    for option in (
        click.option("--dask", metavar="ADDRESS", help="Read pages on the Dask cluster of this scheduler."),
        click.option(
            "--password",
            prompt=True,
            prompt_required=False,
            hide_input=True,
            help="Of an encrypted PDF; asked for where no text follows. PAIRWRIGHT_PDF_PASSWORD does the same.",
        ),
        click.option("--strict", is_flag=True, help="Stop at the first page that can't be read."),
        click.option("--reader", type=click.Choice(["text", "ocr"]), help="For all pages; else chosen page by page."),
    ):
        wrapped = option(wrapped)
    return wrapped


def dask_runner(address: str) -> TaskRunner[Any]:
    """Prefect's runner of tasks on a Dask cluster. Its workers need pairwright, and the documents at the same paths.

    Raises ConfigError where the package for it is missing.
    """
    try:
        from prefect_dask.task_runners import DaskTaskRunner
    except ImportError:
        raise ConfigError('--dask: prefect-dask is not installed; pip install "pairwright[dask]"') from None
    # The workers have the package, not the flows.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    return DaskTaskRunner(address=address)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar with the pace and the time left, where someone looks on; gives the function that moves it on."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Pace(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal or not total) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


class _Pace(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a bare file has to be told; a source folder says it in source.toml."""
    for option in (
        click.option("--encoding", help="Encoding of a text that is not UTF-8, such as cp1257."),
        click.option("--notation", help="How the list marks errors; told from the text where it is left out."),
        click.option("--language", help="Language of the document, such as lt."),
        click.option("--kind", help="error-list, grammar-book or treebank; told from the file's ending."),
        click.argument("source", type=click.Path(path_type=Path)),
    ):
        function = option(function)
    return function


def run_command(command: click.Command) -> None:
    """Runs a flow's command line: a user error is one line on stderr and exit code 2."""
    try:
        # Signs of life are for flows that a worker runs out of sight; here each flow would wait a second for the last.
        with temporary_settings({"flows.heartbeat_frequency": None}):
            command.main(standalone_mode=False)
    except click.ClickException as fault:
        fault.show()
        sys.exit(2)
    except EndedError as end:
        click.echo(str(end))
    except PairwrightError as fault:
        click.echo(f"error: {fault}", err=True)
        sys.exit(2)
    except BaseException as fault:
        if not _was_stopped(fault):
            raise
        click.echo("stopped; what was finished is kept, and the next run goes on from there", err=True)
        sys.exit(130)


def _was_stopped(fault: BaseException | None) -> bool:
    """Whether the user stopped the run: Prefect's server stops with it, and what Prefect then says comes out first."""
    while fault is not None:
        if isinstance(fault, KeyboardInterrupt | TerminationSignal | click.Abort):
            return True
        fault = fault.__cause__ or fault.__context__
    return False
