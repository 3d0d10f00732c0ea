"""Commands about reviewers: who they are, their links, and what they say before an experiment."""

from pathlib import Path

import click

from pairwright.cli.options import workspace_option
from pairwright.core.workspace import Workspace

queue_option = click.option("--queue", required=True, help="Name of the queue: a folder under annotations.")
public_url_option = click.option(
    "--public-url",
    envvar="PAIRWRIGHT_PUBLIC_URL",
    help="The address of the reverse proxy before the page, such as https://review.example.org.",
)
_reviewer = click.option("--reviewer", required=True, help="The reviewer's name, as in the queue.")


@click.command("link")
@queue_option
@_reviewer
@click.option("--days", type=click.IntRange(1, 365), default=14, show_default=True, help="For which it is valid.")
@public_url_option
@workspace_option
def link(queue: str, reviewer: str, days: int, public_url: str | None, workspace: Path) -> None:
    """Make a reviewer's link to a queue and print it. It is shown only once, and the one before is void."""
    from datetime import UTC, datetime

    from pairwright.core.errors import ReviewError
    from pairwright.review.log.queue import QueueFolder
    from pairwright.review.web.access import public_site
    from pairwright.review.web.links import issue

    if not public_url:
        raise ReviewError(
            "--public-url is missing; give the address that reviewers reach, or set PAIRWRIGHT_PUBLIC_URL"
        )
    site = public_site(public_url)
    token, made = issue(QueueFolder(Workspace(workspace).annotations, queue), reviewer, days, datetime.now(UTC))
    click.echo(f"{site.public}/{queue}/enter#{token}")
    click.echo(f"for {reviewer} alone, until {made.expires[:16].replace('T', ' ')} UTC; link {made.id}", err=True)


@click.command("links")
@click.option("--queue", help="Of one queue.  [default: all]")
@workspace_option
def links(queue: str | None, workspace: Path) -> None:
    """List the links of reviewers: id, reviewer, state, until when. The links themselves are stored nowhere."""
    from datetime import UTC, datetime

    from pairwright.review.log.queue import QueueFolder, queues
    from pairwright.review.web.links import read_links

    annotations, now = Workspace(workspace).annotations, datetime.now(UTC)
    for folder in [QueueFolder(annotations, queue)] if queue else queues(annotations):
        folder.info()
        click.echo(f"queue {folder.queue}")
        for one in read_links(folder):
            click.echo(f"  {one.id}  {one.reviewer:<16} {one.state(now):<8} until {one.expires[:16]}")


@click.command("unlink")
@queue_option
@_reviewer
@workspace_option
def unlink(queue: str, reviewer: str, workspace: Path) -> None:
    """Revoke a reviewer's link. Pages that are open with it are refused from now on."""
    from datetime import UTC, datetime

    from pairwright.review.log.queue import QueueFolder
    from pairwright.review.web.links import revoke

    revoke(QueueFolder(Workspace(workspace).annotations, queue), reviewer, datetime.now(UTC))
    click.echo(f"the link of {reviewer} to {queue} is revoked")


@click.group("reviewer")
def reviewer() -> None:
    """Who reviews: the names under [review] in pairwright.toml, or a queue's own.

    \b
    pairwright review reviewer add ana
    """


_of_queue = click.option("--queue", help="Change this queue's own reviewers.  [default: those of pairwright.toml]")


@reviewer.command("add")
@click.argument("name")
@_of_queue
@workspace_option
def add(name: str, queue: str | None, workspace: Path) -> None:
    """Name a reviewer. The next sync gives them a sheet."""
    from pairwright.pipeline.review import change_reviewers

    names = change_reviewers(Workspace(workspace), queue, added=name)
    click.echo(f"reviewers: {', '.join(names)}; next: pairwright review sync SOURCE")


@reviewer.command("remove")
@click.argument("name")
@_of_queue
@workspace_option
def remove(name: str, queue: str | None, workspace: Path) -> None:
    """Take a reviewer's name away. Their answers stay; the next sync gives the rest to the others."""
    from pairwright.pipeline.review import change_reviewers

    names = change_reviewers(Workspace(workspace), queue, removed=name)
    click.echo(f"reviewers: {', '.join(names) or 'nobody'}; next: pairwright review sync SOURCE")


@click.group("questionnaire")
def questionnaire() -> None:
    """What people agreed to and said of themselves before an experiment."""


@questionnaire.command("export")
@queue_option
@workspace_option
def export(queue: str, workspace: Path) -> None:
    """Print what the reviewers of a queue said of themselves, as CSV."""
    from pairwright.review.log.queue import QueueFolder
    from pairwright.review.web.questionnaire import table

    folder = QueueFolder(Workspace(workspace).annotations, queue)
    folder.info()
    click.echo(table(folder), nl=False)


@questionnaire.command("delete")
@queue_option
@_reviewer
@workspace_option
def delete(queue: str, reviewer: str, workspace: Path) -> None:
    """Delete what a reviewer agreed to and said. Their answers to items stay; the page asks for consent again."""
    from pairwright.review.log.queue import QueueFolder
    from pairwright.review.web.questionnaire import delete_participant

    folder = QueueFolder(Workspace(workspace).annotations, queue)
    folder.info()
    delete_participant(folder, reviewer)
    click.echo(f"what {reviewer} said before {queue} is deleted")


COMMANDS = (link, links, unlink, reviewer, questionnaire)
