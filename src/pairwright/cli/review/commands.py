"""`pairwright review`: export sheets, import answers, show progress and agreement, serve the review page."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pairwright.cli.options import FILE, workspace_option
from pairwright.cli.review.elsewhere import COMMANDS, public_url_option, queue_option
from pairwright.core.workspace import Workspace

_SEPARATORS = {"semicolon": ";", "comma": ",", "tab": "\t"}


@click.group()
def review() -> None:
    """Have native speakers decide, in a spreadsheet or in the browser. Nothing that they do is lost."""


@review.command("export")
@queue_option
@click.option("--source", help="Id of the source whose pairs are reviewed.  [default: the queue's name]")
@click.option("--kind", type=click.Choice(["pairs", "choice", "likert"]), help="[default: the queue's, or pairs]")
@click.option("--reviewers", help="Names of the reviewers, such as ana,jonas.")
@click.option("--per-pair", type=int, help="How many reviewers see each pair.")
@click.option("--quota", type=int, help="Most rows for one reviewer.")
@click.option("--separator", type=click.Choice([*_SEPARATORS]), help="Between the cells of CSV files.")
@click.option("--language", help="Of the sheets, such as lt or en.")
@click.option("--order", type=click.Choice(["rules", "active", "source", "random"]))
@click.option("--versions", type=int, help="Versions of a queue of ratings: an even number.")
@click.option("--seed", type=int, help="Seed of all random orders.")
@click.option("--label-studio", is_flag=True, help="Also write tasks for Label Studio, into output/review.")
@click.option("--show-findings", is_flag=True, default=None, help="Show reviewers the findings of the checks.")
@workspace_option
def export(
    queue: str, source: str | None, kind: Any, label_studio: bool, workspace: Path, **options: Any
) -> Iterator[str]:
    """Write a sheet for each reviewer, or top up the sheets that exist.

    Options that you leave out are taken from [review] in pairwright.toml.
    """
    from pairwright.cli.review.lines import export_lines

    options |= {"separator": _SEPARATORS.get(options["separator"])}
    if options["reviewers"] is not None:
        options["reviewers"] = _names(options["reviewers"])
    given = {name: value for name, value in options.items() if value is not None}
    return export_lines(Workspace(workspace), queue, source, kind, given, label_studio=label_studio)


@review.command("import")
@queue_option
@click.argument("files", nargs=-1, type=FILE)
@click.option("--reviewer", help="Owner of files that do not name one.")
@workspace_option
def import_(queue: str, files: tuple[Path, ...], reviewer: str | None, workspace: Path) -> Iterator[str]:
    """Import the answers of the sheets in the queue's folder, or of FILES that were sent (csv, xlsx, ods, xls, and
    the JSON that Label Studio exports).

    Each doubt is named with file, row and column, and the rest is imported. Exit code 1 if there is a doubt.
    """
    from pairwright.cli.review.lines import import_lines

    lines, doubts = import_lines(Workspace(workspace), queue, files, reviewer)
    yield from lines
    if doubts:
        sys.exit(1)


@review.command("status")
@click.option("--queue", help="Show one queue.  [default: all]")
@workspace_option
def status(queue: str | None, workspace: Path) -> Iterator[str]:
    """Show what is done and left, by reviewer and by rule, at what pace, and how many conflicts there are."""
    from pairwright.cli.review.lines import status_lines

    return status_lines(Workspace(workspace), queue)


@review.command("conflicts")
@queue_option
@click.option("--adjudicators", help="Who settles them, such as ona,petras. Makes the queue QUEUE-conflicts.")
@workspace_option
def conflicts(queue: str, adjudicators: str | None, workspace: Path) -> Iterator[str]:
    """List the pairs on which reviewers contradict each other, or put them before adjudicators, with all votes."""
    from pairwright.cli.review.lines import conflict_lines

    return conflict_lines(Workspace(workspace), queue, _names(adjudicators or ""))


@review.command("agreement")
@queue_option
@workspace_option
def agreement(queue: str, workspace: Path) -> Iterator[str]:
    """Show Krippendorff's alpha and kappas with bootstrap intervals, overall and by rule, and figures by reviewer."""
    from pairwright.cli.review.lines import agreement_lines

    return agreement_lines(Workspace(workspace), queue)


@review.command("serve")
@click.option("--queue", "queues", multiple=True, help="May be given several times.  [default: all queues]")
@click.option("--reviewer", "reviewers", multiple=True, help="Who reviews here. May be given several times.")
@public_url_option
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one.")
@click.option("--language", help="Of the page, such as lt or en.  [default: the queue's]")
@click.option("--open", "open_browser", is_flag=True, help="Open the page of the first reviewer in the browser.")
@workspace_option
def serve(
    queues: tuple[str, ...],
    reviewers: tuple[str, ...],
    public_url: str | None,
    port: int,
    language: str | None,
    open_browser: bool,
    workspace: Path,
) -> None:
    """Serve the review page on this machine: one item at a time, at the address that is printed.

    With --public-url it serves the reviewers who have links, through a reverse proxy on this machine. Sheets get
    what is answered here when the queue is synchronised. Stop it with Ctrl+C.
    """
    from pairwright.cli.review.page import serve_page

    serve_page(Workspace(workspace), queues, reviewers, port, language, public_url, open_browser=open_browser)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


for _command in COMMANDS:
    review.add_command(_command)
