"""`pairwright review`: export sheets, import answers, settle conflicts, show agreement, serve and share the page."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pairwright.cli.command import command, group
from pairwright.core.errors import ReviewError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

_SEPARATORS = {"semicolon": ";", "comma": ",", "tab": "\t"}
Queue = Annotated[str, Option("Name of the queue: a folder under annotations.")]
PublicUrl = Annotated[
    str | None, Option("The proxy before the page, such as https://review.example.org; else PAIRWRIGHT_PUBLIC_URL.")
]


def export(
    workspace: Workspace,
    *,
    queue: Queue,
    source: Annotated[str | None, Option("Id of the source whose pairs are reviewed; else the queue's name.")] = None,
    kind: Annotated[Literal["pairs", "choice", "likert"] | None, Option("Else the queue's, or pairs.")] = None,
    reviewers: Annotated[tuple[str, ...], Option("Their names, such as ana,jonas.", kind="names")] = (),
    per_pair: Annotated[int | None, Option("How many reviewers see each pair.")] = None,
    quota: Annotated[int | None, Option("Most rows for one reviewer.")] = None,
    separator: Annotated[Literal["semicolon", "comma", "tab"] | None, Option("Between the cells of CSV files.")] = None,
    language: Annotated[str | None, Option("Of the sheets, such as lt or en.")] = None,
    order: Annotated[Literal["rules", "active", "source", "random"] | None, Option("Of the rows.")] = None,
    versions: Annotated[int | None, Option("Versions of a queue of ratings: an even number.")] = None,
    seed: Annotated[int | None, Option("Random seed.")] = None,
    label_studio: Annotated[bool, Option("Also write tasks for Label Studio, into output/review.")] = False,
    show_findings: Annotated[bool, Option("Show reviewers the findings of the checks.")] = False,
) -> Iterator[str]:
    """Write a sheet for each reviewer, or top up the sheets.

    Options that you leave out are taken from [review] in pairwright.toml.
    """
    from pairwright.cli.review.lines import export_lines

    given: dict[str, Any] = {
        "reviewers": reviewers or None,
        "per_pair": per_pair,
        "quota": quota,
        "separator": _SEPARATORS.get(separator or ""),
        "language": language,
        "order": order,
        "versions": versions,
        "seed": seed,
        "show_findings": show_findings or None,
    }
    given = {name: value for name, value in given.items() if value is not None}
    return export_lines(workspace, queue, source, kind, given, label_studio=label_studio)


def take(
    workspace: Workspace,
    files: Annotated[tuple[Path, ...], Option(kind="file")] = (),
    *,
    queue: Queue,
    reviewer: Annotated[str | None, Option("Reviewer to assume when a file names none.")] = None,
) -> Iterator[str]:
    """Import the answers of sheets that were sent.

    FILES are csv, xlsx, ods, xls, and the JSON that Label Studio exports; without any, the sheets in the
    queue's folder. Each doubt is named with file, row and column, and the rest is imported. Exit code 1 if there is a
    doubt.
    """
    from pairwright.cli.review.lines import import_lines

    lines, doubts = import_lines(workspace, queue, files, reviewer)
    yield from lines
    if doubts:
        sys.exit(1)


def settle(
    workspace: Workspace,
    *,
    queue: Queue,
    adjudicators: Annotated[
        tuple[str, ...], Option("Who settles them, such as ona,petras. Makes QUEUE-conflicts.", kind="names")
    ] = (),
) -> Iterator[str]:
    """The pairs on which reviewers contradict each other.

    With --adjudicators, they are put before these people, with all votes.
    """
    from pairwright.cli.review.lines import conflict_lines

    return conflict_lines(workspace, queue, adjudicators)


def agreement(workspace: Workspace, *, queue: Queue) -> Iterator[str]:
    """How far reviewers agree, also with the judge.

    Krippendorff's alpha and kappas with bootstrap intervals, overall and by rule, figures by reviewer, and what the
    language model that judges pairs says beside them.
    """
    from pairwright.cli.review.lines import agreement_lines

    return agreement_lines(workspace, queue)


def serve(
    workspace: Workspace,
    *,
    queues: Annotated[tuple[str, ...], Option("May be given several times; else all queues.", "queue")] = (),
    reviewers: Annotated[tuple[str, ...], Option("Who reviews here. May be given several times.", "reviewer")] = (),
    public_url: PublicUrl = None,
    port: Annotated[int, Option("0 takes a free one.", least=0, most=65535)] = 0,
    language: Annotated[str | None, Option("Of the page, such as lt or en; else the queue's.")] = None,
    open_browser: Annotated[bool, Option("Open the page of the first reviewer in the browser.", "open")] = False,
) -> None:
    """Serve the review page on this machine.

    It shows one item at a time, at the address that is printed. With --public-url it serves the reviewers who have
    links, through a reverse proxy on this machine. Sheets get what is answered here
    when the queue is synchronised. Stop it with Ctrl+C.
    """
    from pairwright.cli.review.page import serve_page

    site = public_url or os.environ.get("PAIRWRIGHT_PUBLIC_URL")
    serve_page(workspace, queues, reviewers, port, language, site, open_browser=open_browser)


def invite(
    workspace: Workspace,
    *,
    queue: Annotated[str | None, Option("Name of the queue; without --reviewer, else all.")] = None,
    reviewer: Annotated[str | None, Option("The reviewer's name, as in the queue; else the links are listed.")] = None,
    days: Annotated[int, Option("For which the link is valid.", least=1, most=365)] = 14,
    public_url: PublicUrl = None,
    revoke: Annotated[bool, Option("Revoke the reviewer's link; pages that are open with it are refused.")] = False,
) -> Iterator[str]:
    """Make, revoke or list the links of reviewers elsewhere.

    A link is for one reviewer and one queue. It is shown only once, stored nowhere, and makes the one before void.
    """
    from pairwright.cli.review.lines import invitation_lines, link_lines

    if reviewer is None:
        if revoke:
            raise ReviewError("--reviewer is missing; say whose link is revoked")
        return link_lines(workspace, queue)
    site = public_url or os.environ.get("PAIRWRIGHT_PUBLIC_URL")
    return invitation_lines(workspace, queue, reviewer, days, site, revoke=revoke)


def questionnaire(
    workspace: Workspace,
    *,
    queue: Queue,
    delete: Annotated[str | None, Option("Delete what this reviewer agreed to and said.", metavar="REVIEWER")] = None,
) -> Iterator[str]:
    """What reviewers agreed to and said of themselves, as CSV.

    With --delete it is forgotten: their answers to items stay, and the page asks for consent again.
    """
    from pairwright.cli.review.lines import questionnaire_lines

    return questionnaire_lines(workspace, queue, delete)


OfQueue = Annotated[str | None, Option("Change this queue's own reviewers; else those of pairwright.toml.")]


def add(workspace: Workspace, name: str, *, queue: OfQueue = None) -> Iterator[str]:
    """Name a reviewer. The next sync gives them a sheet."""
    from pairwright.pipeline.review import change_reviewers

    yield _named(change_reviewers(workspace, queue, added=name))


def remove(workspace: Workspace, name: str, *, queue: OfQueue = None) -> Iterator[str]:
    """Take a reviewer's name away.

    Their answers stay; the next sync gives the rest to the others.
    """
    from pairwright.pipeline.review import change_reviewers

    yield _named(change_reviewers(workspace, queue, removed=name))


def _named(names: Sequence[str]) -> str:
    return f"reviewers: {', '.join(names) or 'nobody'}; next: pairwright review sync SOURCE"


_REVIEWER = group(
    "reviewer",
    "Who reviews. The names stand under [review] in pairwright.toml, or in a queue.",
    "pairwright review reviewer add ana",
    *(add, remove),
)
COMMANDS = (export, command(take, "import"), settle, agreement, serve, invite, _REVIEWER, questionnaire)
