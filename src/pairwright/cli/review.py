"""`pairwright review`: sheets out, answers in, how far it is, how well reviewers agree, and the review page."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from pairwright.cli.options import workspace_option
from pairwright.workspace import Workspace

_queue = click.option("--queue", required=True, help="Name of the queue: a folder under annotations.")
_SEPARATORS = {"semicolon": ";", "comma": ",", "tab": "\t"}


@click.group()
def review() -> None:
    """Native speakers decide, in a spreadsheet or in the browser; nothing that they do is lost."""


@review.command("export")
@_queue
@click.option("--source", help="Id of the source whose pairs are asked about; the queue's name where it is left out.")
@click.option("--kind", type=click.Choice(["pairs", "choice", "likert"]), default="pairs", show_default=True)
@click.option("--reviewers", help="Names of the reviewers, such as ana,jonas.")
@click.option("--per-pair", type=int, help="How many reviewers see each pair.")
@click.option("--quota", type=int, help="The most rows that one reviewer gets.")
@click.option("--separator", type=click.Choice([*_SEPARATORS]), help="Of the CSV files.")
@click.option("--language", help="Of the reviewers' words, such as lt or en.")
@click.option("--order", type=click.Choice(["active", "source", "random"]))
@click.option("--versions", type=int, help="Of a queue of ratings; an even number.")
@click.option("--seed", type=int, help="Of all random orders.")
@click.option("--show-findings", is_flag=True, default=None, help="Show reviewers what the checks say of a pair.")
@workspace_option
def export(queue: str, source: str | None, kind: Any, workspace: Path, **changed: Any) -> None:
    """Write a sheet for each reviewer, or top up those that exist.

    What is not given here stands under [review] in pairwright.toml.
    """
    from pairwright.cli.review_lines import export_lines

    if changed["separator"]:
        changed["separator"] = _SEPARATORS[changed["separator"]]
    if changed["reviewers"] is not None:
        changed["reviewers"] = tuple(name.strip() for name in changed["reviewers"].split(",") if name.strip())
    given = {name: value for name, value in changed.items() if value is not None}
    _echo(export_lines(Workspace(workspace), queue, source, kind, given))


@review.command("import")
@_queue
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--reviewer", help="Whose the files are, where they do not say it themselves.")
@workspace_option
def import_(queue: str, files: tuple[Path, ...], reviewer: str | None, workspace: Path) -> None:
    """Take over the answers of sheets: those of the queue's folder, or FILES that were sent (csv, xlsx, ods, xls).

    Each doubt is named with file, row and column, and the rest is taken over. Exit code 1 where there is a doubt.
    """
    from pairwright.cli.review_lines import import_lines

    lines, doubts = import_lines(Workspace(workspace), queue, files, reviewer)
    _echo(lines)
    if doubts:
        sys.exit(1)


@review.command("status")
@click.option("--queue", help="One queue; all where it is left out.")
@workspace_option
def status(queue: str | None, workspace: Path) -> None:
    """What is done and left, by reviewer and by rule, at what pace, and where reviewers contradict each other."""
    from pairwright.cli.review_lines import status_lines

    _echo(status_lines(Workspace(workspace), queue))


@review.command("conflicts")
@_queue
@click.option("--adjudicators", help="Who settles them, such as ona: makes the queue QUEUE-conflicts.")
@workspace_option
def conflicts(queue: str, adjudicators: str | None, workspace: Path) -> None:
    """List the pairs on which reviewers contradict each other, or put them before adjudicators, with both voices."""
    from pairwright.cli.review_lines import conflict_lines

    names = [name.strip() for name in (adjudicators or "").split(",") if name.strip()]
    _echo(conflict_lines(Workspace(workspace), queue, names))


@review.command("agreement")
@_queue
@workspace_option
def agreement(queue: str, workspace: Path) -> None:
    """Krippendorff's alpha and kappas with bootstrap intervals, by rule and overall; each reviewer's figures."""
    from pairwright.cli.review_lines import agreement_lines

    _echo(agreement_lines(Workspace(workspace), queue))


@review.command("serve")
@_queue
@click.option("--reviewer", "reviewers", multiple=True, required=True, help="Who reviews; may be given several times.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A free one where it is left out.")
@click.option("--language", help="Of the page's words, such as lt or en; the queue's own where it is left out.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page of the first reviewer in the browser.")
@workspace_option
def serve(
    queue: str, reviewers: tuple[str, ...], port: int, language: str | None, open_browser: bool, workspace: Path
) -> None:
    """The review page: one item at a time, on this machine alone, at the address that is shown.

    It writes to the same logs and sheets as export and import; stop it with Ctrl+C.
    """
    from pairwright.cli.review_page import serve_page

    serve_page(Workspace(workspace), queue, reviewers, port, language, open_browser=open_browser)


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
