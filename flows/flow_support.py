"""What the flows share: a quiet and private Prefect, user errors without a traceback, lines for who waits."""

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Set before Prefect is imported: it reads them at import. Nothing is sent anywhere, and what goes wrong is said once.
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
os.environ.setdefault("PREFECT_LOGGING_TO_API_ENABLED", "false")
os.environ.setdefault("PREFECT_RESULTS_PERSIST_BY_DEFAULT", "false")
# The server that Prefect starts for one process takes its time on a busy machine.
os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "180")

# isort: split
import click
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from pairwright.errors import PairwrightError
from pairwright.languages import Language, load_language
from pairwright.records import Source
from pairwright.store import StageInput, StageRun, file_input
from pairwright.workspace import Workspace

warnings.filterwarnings("ignore", category=DeprecationWarning)

TASK: dict[str, Any] = {"retries": 2, "retry_delay_seconds": 1, "persist_result": False}


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
        command.main(standalone_mode=False)
    except click.ClickException as fault:
        fault.show()
        sys.exit(2)
    except PairwrightError as fault:
        click.echo(f"error: {fault}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped; finished stages are kept, and the next run goes on from them", err=True)
        sys.exit(130)
