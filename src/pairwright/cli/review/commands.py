"""`pairwright review`: export sheets, import answers, settle conflicts, show agreement, serve and share the page."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import click

from pairwright.core.errors import ReviewError, counted
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

Queue = Annotated[str, Option("Queue: its folder under annotations, named like the source.")]
PublicUrl = Annotated[
    str | None, Option("Address of the proxy, such as https://review.example.org (default: PAIRWRIGHT_PUBLIC_URL).")
]


@dataclass(frozen=True)
class SheetOptions:
    """What stands in place of settings under [review], by the names of these."""

    reviewers: Annotated[tuple[str, ...], Option("Names of the reviewers, such as ana,jonas.", kind="names")] = ()
    per_pair: Annotated[int | None, Option("How many reviewers see each pair.")] = None
    language: Annotated[str | None, Option("Language of the sheets, such as lt or en.")] = None
    versions: Annotated[int | None, Option("Versions of the sheets for ratings: an even number.")] = None
    seed: Annotated[int | None, Option("Random seed.")] = None


def export(
    workspace: Workspace,
    *,
    queue: Queue,
    source: Annotated[str | None, Option("Source of the pairs (default: the queue's name).")] = None,
    kind: Annotated[
        Literal["pairs", "choice", "likert"] | None, Option("What reviewers do (default: as before, else pairs).")
    ] = None,
    options: SheetOptions,
    label_studio: Annotated[bool, Option("Also write tasks for Label Studio, into output/review.")] = False,
) -> Iterator[str]:
    """Write a sheet for each reviewer, or add rows to it.

    Options that you leave out are taken from [review] in pairwright.toml.
    """
    from pydantic import ValidationError

    from pairwright.cli.review import lines
    from pairwright.documents.source import load_source, source_folder
    from pairwright.pipeline.decided import gap
    from pairwright.pipeline.review import read_context, review_settings
    from pairwright.review.assign.design import read_trial_items
    from pairwright.review.assign.export import export_queue, write_tasks
    from pairwright.review.log import QueueFolder

    # A 0 is one that was given.
    given = {name: value for name, value in vars(options).items() if value or type(value) is int}
    try:
        settings = review_settings(workspace, queue, given)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        name = str(first["loc"][-1]).replace("_", "-")
        raise ReviewError(f"--{name}: {first['msg']}") from None
    info = QueueFolder(workspace.annotations, queue).find_info()
    loaded = load_source(source_folder(workspace, source or (info.source if info else queue)))
    context = read_context(workspace, loaded, queue, settings)
    kind = kind or (info.kind if info else "pairs")
    trial_items = read_trial_items(workspace.root, settings, context.language.legacy_encoding)
    exported = export_queue(context, kind, trial_items, options.reviewers)
    if not exported.sheets:
        nothing = gap(workspace, loaded)
        yield f"no sheets: {nothing.reason}"
        yield f"next: {nothing.next}"
        return
    yield from lines.exported_lines(exported)
    if label_studio:
        written = write_tasks(context, workspace.review_tasks)
        yield from (f"{path}: {what}" for path, what in written.items())
        if len(written) == 1:
            yield "no tasks for Label Studio: nothing is left to decide"


def take(
    workspace: Workspace,
    files: Annotated[tuple[Path, ...], Option(kind="file")] = (),
    *,
    queue: Queue,
    reviewer: Annotated[str | None, Option("Reviewer to assume when a file names none.")] = None,
) -> Iterator[str]:
    """Import the answers in reviewers' sheets.

    FILES are csv (from Label Studio, too), xlsx, ods or xls (default: the sheets in the queue's folder). Rows that
    can't be read with certainty are named, the rest is imported, and the exit code is 1.
    """
    from pairwright.documents.source import load_source, source_folder
    from pairwright.pipeline.review import reviewers_language
    from pairwright.review.log import QueueFolder
    from pairwright.review.sheets.exchange import import_answers

    folder, settings = QueueFolder(workspace.annotations, queue), workspace.config().review
    info = folder.info()
    reviewers = {item.reviewer for item in folder.assignments()}
    if reviewer is not None and reviewer not in reviewers:
        raise ReviewError(f"--reviewer '{reviewer}': nobody of this queue; known: {', '.join(sorted(reviewers))}")
    source = load_source(source_folder(workspace, info.source))
    language = reviewers_language(workspace, source, queue, settings)
    imported = import_answers(folder, language, datetime.now(UTC), settings.separator, files, reviewer)
    yield from dict.fromkeys(imported.doubts)
    for sheet in imported.sheets:
        doubtful = f", {counted(sheet.n_doubtful, 'row')} in doubt" if sheet.n_doubtful else ""
        answers = f"{counted(sheet.n_decided, 'answer')}, {sheet.n_new:,} new, {sheet.n_changed:,} changed"
        yield f"{sheet.path}: {answers}{doubtful}"
        if sheet.cleared:
            yield f"  emptied, and the logged answers stand: {', '.join(sheet.cleared)}"
    if not imported.sheets and not imported.doubts:
        yield f"{folder.path}: no sheet is here; give the files that were sent, or export the queue"
    if imported.sheets and not any(sheet.n_decided or sheet.n_doubtful for sheet in imported.sheets):
        yield f"next: fill in {imported.sheets[0].path}"
    if imported.n_quarantined:
        kept = folder.path / "quarantine.jsonl"
        yield f"not imported: {counted(imported.n_quarantined, 'row')} or own cells; kept, with why, in {kept}"
    if info.kind == "pairs" and any(sheet.n_new or sheet.n_changed for sheet in imported.sheets):
        sync = workspace.command("review", "sync", source.id)
        yield f"next: {sync}, which makes pairs of corrections and fills sheets"
    if imported.doubts:
        sys.exit(1)


def settle(
    workspace: Workspace,
    *,
    queue: Queue,
    adjudicators: Annotated[
        tuple[str, ...],
        Option("People who settle them, such as ona,petras. Makes the queue QUEUE-conflicts.", kind="names"),
    ] = (),
) -> Iterator[str]:
    """List the pairs on which reviewers disagree.

    With --adjudicators, asks these people to settle them; they see all votes.
    """
    from pairwright.cli.review import lines
    from pairwright.review.assign.design import export_conflicts, open_conflicts

    context = lines.queue_context(workspace, queue)
    conflicts = open_conflicts(context)
    if adjudicators and conflicts:
        yield from lines.exported_lines(export_conflicts(context, adjudicators))
        own = Counter(vote.reviewer for conflict in conflicts for vote in conflict.votes)
        for name in adjudicators:
            if own[name]:
                yield f"{name} voted on {own[name]} of these pairs; a third person settles them better"
        return
    yield f"queue {queue}: {counted(len(conflicts), 'conflict')}"
    for conflict in conflicts:
        votes = ", ".join(f"{vote.reviewer} {vote.decision}" for vote in conflict.votes)
        yield f"  {conflict.pair_id} ({conflict.rule_code}): {votes}"
        yield f"    {conflict.good} | {conflict.bad}"


def invite(
    workspace: Workspace,
    *,
    queue: Annotated[str | None, Option("Queue of the link; without --reviewer, lists only its links.")] = None,
    reviewer: Annotated[str | None, Option("Reviewer who gets the link (default: list the links).")] = None,
    days: Annotated[int, Option("Days until the link expires.", least=1, most=365)] = 14,
    public_url: PublicUrl = None,
    revoke: Annotated[bool, Option("Revoke the reviewer's link; open pages stop working too.")] = False,
) -> Iterator[str]:
    """Make, revoke or list links for reviewers elsewhere.

    A link is for one reviewer and one queue. It is shown only once and replaces the previous one.
    """
    from pairwright.review.log import QueueFolder, queues
    from pairwright.review.web import links
    from pairwright.review.web.links import public_site

    now = datetime.now(UTC)
    if reviewer is None:
        if revoke:
            raise ReviewError("--reviewer is missing; say whose link is revoked")
        for folder in [QueueFolder(workspace.annotations, queue)] if queue else queues(workspace.annotations):
            folder.info()
            yield f"queue {folder.queue}"
            for one in links.read_links(folder):
                yield f"  {one.id}  {one.reviewer:<16} {one.state(now):<8} until {one.expires[:16]}"
        return
    if not queue:
        raise ReviewError("--queue is missing; a link is for one queue")
    folder = QueueFolder(workspace.annotations, queue)
    if revoke:
        links.revoke(folder, reviewer, now)
        yield f"the link of {reviewer} to {queue} is revoked"
        return
    public_url = public_url or os.environ.get("PAIRWRIGHT_PUBLIC_URL")
    if not public_url:
        raise ReviewError(
            "--public-url is missing; give the address that reviewers reach, or set PAIRWRIGHT_PUBLIC_URL"
        )
    site = public_site(public_url)
    token, made = links.issue(folder, reviewer, days, now)
    yield f"{site.public}/{queue}/enter#{token}"
    click.echo(f"for {reviewer} alone, until {made.expires[:16].replace('T', ' ')} UTC; link {made.id}", err=True)


def questionnaire(
    workspace: Workspace,
    *,
    queue: Queue,
    delete: Annotated[
        str | None, Option("Delete the answers and consent of this reviewer.", metavar="REVIEWER")
    ] = None,
) -> Iterator[str]:
    """Print reviewers' consent and answers about themselves.

    The format is CSV. With --delete, these answers are deleted; decisions on pairs stay, and the page asks for consent
    again.
    """
    from pairwright.review.log import QueueFolder
    from pairwright.review.web.session import delete_participant, table

    folder = QueueFolder(workspace.annotations, queue)
    folder.info()
    if delete is None:
        yield from table(folder).splitlines()
        return
    delete_participant(folder, delete)
    yield f"what {delete} said before {queue} is deleted"


OfQueue = Annotated[str | None, Option("Queue whose reviewers change (default: pairwright.toml).")]


def add(workspace: Workspace, name: str, *, queue: OfQueue = None) -> Iterator[str]:
    """Add a reviewer. The next sync gives them a sheet."""
    from pairwright.pipeline.review import change_reviewers

    yield _named(change_reviewers(workspace, queue, added=name))


def remove(workspace: Workspace, name: str, *, queue: OfQueue = None) -> Iterator[str]:
    """Remove a reviewer.

    Their answers stay; the next sync gives the rest to the others.
    """
    from pairwright.pipeline.review import change_reviewers

    yield _named(change_reviewers(workspace, queue, removed=name))


def _named(names: Sequence[str]) -> str:
    return f"reviewers: {', '.join(names) or 'nobody'}; next: pairwright review sync SOURCE"
