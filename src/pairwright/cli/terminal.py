"""A step's progress on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context


class Terminal:
    """A reporter that prints lines to standard output and draws bars on standard error."""

    def say(self, label: str, text: str) -> None:
        """One line: the label of a kind of message, and the message."""
        click.echo(f"{label:<11}{text}")

    @contextmanager
    def progress(self, task: str, total: int) -> Iterator[Callable[[int], None]]:
        """A bar with the pace and the time left, where someone looks on."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        pace = TaskProgressColumn(text_format="", show_speed=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), pace, TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal or not total) as bar:
            task_id = bar.add_task(task, total=total)
            yield lambda done: bar.advance(task_id, done)


def terminal_context(workspace: Path) -> "Context":
    """The context of a step that a command runs in this process."""
    from pairwright.pipeline.context import Context
    from pairwright.workspace import Workspace

    return Context(Workspace(workspace), Terminal())
