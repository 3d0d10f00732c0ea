"""`pairwright review serve`: the review page, with pictures of the places that pairs come from."""

import os
import secrets
import webbrowser
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated

import click

from pairwright.cli.review.commands import PublicUrl
from pairwright.cli.review.lines import queue_context
from pairwright.core.errors import PairwrightError, ReviewError, StoreError
from pairwright.core.records import Block, Evidence
from pairwright.core.store import read_if_there
from pairwright.core.workspace import Workspace
from pairwright.documents.source import source_folder
from pairwright.languages import load_language
from pairwright.pipeline.options import Option
from pairwright.review.assign.design import shown_votes
from pairwright.review.log import ReviewContext
from pairwright.review.log import queues as all_queues
from pairwright.review.web.links import HOST, Sessions, public_site
from pairwright.review.web.server import ReviewServer, serve
from pairwright.review.web.session import SharedQueue, find_questionnaire
from pairwright.review.web.view import PageSettings


class PageCrops:
    """Pictures of the blocks of a source on their pages."""

    def __init__(self, workspace: Workspace, source_id: str) -> None:
        self._folder = source_folder(workspace, source_id)
        blocks = read_if_there(workspace.work(source_id) / "blocks.jsonl", Block)
        self._blocks = {block.id: block for block in blocks if block.bbox is not None}
        self._png = lru_cache(maxsize=64)(self._draw)

    def has(self, evidence: Evidence) -> bool:
        return evidence.block_id in self._blocks

    def png(self, evidence: Evidence) -> bytes | None:
        return self._png(evidence.block_id) if self.has(evidence) else None

    def _draw(self, block_id: str) -> bytes | None:
        from pairwright.documents.preview import block_png

        try:
            return block_png(self._folder, self._blocks[block_id])
        except PairwrightError:
            return None


def serve_page(
    workspace: Workspace,
    *,
    queues: Annotated[tuple[str, ...], Option("Queue to serve; may be repeated (default: all).", "queue")] = (),
    reviewers: Annotated[tuple[str, ...], Option("Reviewer at this machine; may be repeated.", "reviewer")] = (),
    public_url: PublicUrl = None,
    port: Annotated[int, Option("Port; 0 takes a free one.", least=0, most=65535)] = 0,
    language: Annotated[str | None, Option("Language of the page, such as lt or en (default: the queue's).")] = None,
    open_browser: Annotated[bool, Option("Open the page of the first reviewer in the browser.", "open")] = False,
) -> None:
    """Serve the review page on this machine.

    The page is at the address that is printed and shows one item at a time. With --public-url it serves reviewers who
    have links, through a reverse proxy on this machine. The next sync writes the answers into the sheets. Stop it with
    Ctrl+C.
    """
    address = public_url or os.environ.get("PAIRWRIGHT_PUBLIC_URL")
    site = public_site(address) if address else None
    if bool(site) == bool(reviewers):
        raise ReviewError("give either --reviewer, or --public-url and a link for each (pairwright review invite)")
    names = list(dict.fromkeys(queues)) or [folder.queue for folder in all_queues(workspace.annotations)]
    contexts = []
    for name in names:
        try:
            contexts.append(queue_context(workspace, name))
        except StoreError as fault:
            if queues:
                raise
            click.echo(f"left out: {name}: {fault}")
    if not contexts:
        raise ReviewError(f"{workspace.annotations}: no queue yet; run pairwright review export --queue SOURCE")
    _check_reviewers(contexts, reviewers)
    admitted = [_sessions(context, reviewers, len(contexts)) for context in contexts]
    in_folders = site is not None or len(contexts) > 1
    questionnaire = find_questionnaire(workspace.root)
    servers = [
        ReviewServer(
            sessions,
            _settings(workspace, context, language),
            click.echo,
            context.queue if in_folders else "",
            questionnaire,
        )
        for context, sessions in zip(contexts, admitted, strict=True)
    ]

    def opened(taken: int) -> None:
        if site:
            click.echo(f"{HOST}:{taken} waits for the proxy of {site.public}: {', '.join(names)}")
            return
        addresses = [line for server in servers for line in _addresses(server, taken)]
        for who, address in addresses:
            click.echo(f"{who}: {address}")
        if open_browser:
            webbrowser.open(addresses[0][1])

    serve(servers, port, opened, site)


def _check_reviewers(contexts: Sequence[ReviewContext], reviewers: Sequence[str]) -> None:
    """Raises ReviewError for a reviewer who has nothing in any of the queues."""
    given = {item.reviewer for context in contexts for item in context.folder.assignments()}
    for name in reviewers:
        if name not in given:
            queues = ", ".join(context.queue for context in contexts)
            raise ReviewError(f"'{name}' has nothing in {queues}; known: {', '.join(sorted(given))}")


def _sessions(context: ReviewContext, reviewers: Sequence[str], n_queues: int) -> Sessions:
    """Sessions of these reviewers by new tokens, of several queues in those where they have something; without any, of
    whoever has a link, for whom all sheets are taken over before the first comes.
    """
    queue = SharedQueue(context)
    if not reviewers:
        queue.read_sheets(*sorted(queue.contents.reviewers))
        return Sessions(queue)
    names = [name for name in dict.fromkeys(reviewers) if n_queues == 1 or name in queue.contents.reviewers]
    return Sessions(queue, {secrets.token_urlsafe(24): name for name in names})


def _settings(workspace: Workspace, context: ReviewContext, language: str | None) -> PageSettings:
    of = context.folder.info().of
    return PageSettings(
        load_language(language, workspace.root) if language else context.language,
        PageCrops(workspace, context.source.id),
        context.settings.show_findings or of is not None,
        shown_votes(context, of) if of else {},
    )


def _addresses(server: ReviewServer, port: int) -> Iterator[tuple[str, str]]:
    """Each reviewer with their progress, and their address."""
    for token, name in (server.sessions.reviewers or {}).items():
        session = server.sessions.opened[name]
        done, total = session.progress()
        who = f"{session.reviewer}, {server.name}" if server.name else session.reviewer
        yield f"{who}: {done} of {total} done", f"http://{HOST}:{port}{server.path}/?token={token}"
