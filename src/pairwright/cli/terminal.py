"""A step's progress on a terminal."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pairwright.core.errors import printable

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context, Executor


def echo(lines: Iterable[str] | None) -> None:
    """Prints lines, in which text of documents may not steer the terminal; tabs and line ends become spaces."""
    for line in lines or ():
        click.echo(printable(re.sub(r"[\t\n]", " ", line)))


class Terminal:
    """A reporter that prints lines to standard output and draws bars on standard error."""

    def say(self, label: str, text: str) -> None:
        """One line: the label of a kind of message, and the message."""
        echo([f"{label:<10} {text}"])

    @contextmanager
    def progress(self, task: str, total: int) -> Iterator[Callable[[int], None]]:
        """A bar with the pace and the time left, where someone looks on."""
        from rich import progress as rich
        from rich.console import Console

        console, pace = Console(stderr=True), rich.TaskProgressColumn(text_format="", show_speed=True)
        counts = (rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(), pace)
        columns, hidden = (*counts, rich.TimeRemainingColumn()), not console.is_terminal or not total
        with rich.Progress(*columns, console=console, transient=True, disable=hidden) as bar:
            task_id = bar.add_task(task, total=total)
            yield lambda done: bar.advance(task_id, done)


def terminal_context(folder: Path, executor: "Executor | None" = None) -> "Context":
    """The context of a step that begins."""
    from pairwright.cli import EXTRAS
    from pairwright.core.workspace import Workspace
    from pairwright.pipeline.context import Context, Direct

    return Context(Workspace(folder), Terminal(), executor or Direct(), EXTRAS)
