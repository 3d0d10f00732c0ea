"""`pairwright review serve`: the review page, with pictures of the places that pairs come from."""

import secrets
import webbrowser
from collections.abc import Sequence
from functools import lru_cache

import click

from pairwright.cli.review.lines import queue_context
from pairwright.errors import PairwrightError
from pairwright.ingest.stage_blocks import source_folder
from pairwright.languages import load_language
from pairwright.records import Block, Evidence
from pairwright.review.queue.adjudication import shown_votes
from pairwright.review.web.app import HOST, ReviewServer, serve
from pairwright.review.web.session import ReviewSession
from pairwright.review.web.view import PageSettings
from pairwright.store import read_if_there
from pairwright.workspace import Workspace


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
        from pairwright.ingest.pdf.document import document_password
        from pairwright.ingest.preview.pictures import CropStyle, block_png

        try:
            return block_png(self._folder, self._blocks[block_id], CropStyle(130, 24.0), document_password())
        except PairwrightError:
            return None


def serve_page(
    workspace: Workspace, queue: str, reviewers: Sequence[str], port: int, language: str | None, *, open_browser: bool
) -> None:
    """Serves the page and prints an address for each reviewer.

    Raises ReviewError if there is no such queue, or nothing in it for a reviewer.
    """
    context = queue_context(workspace, queue)
    of = context.folder.info().of
    sessions = {secrets.token_urlsafe(24): ReviewSession(context, name) for name in dict.fromkeys(reviewers)}
    settings = PageSettings(
        load_language(language, workspace.root) if language else context.language,
        PageCrops(workspace, context.source.id),
        context.settings.show_findings or of is not None,
        shown_votes(context, of) if of else {},
    )

    def opened(taken: int) -> None:
        addresses = [f"http://{HOST}:{taken}/?token={token}" for token in sessions]
        for session, address in zip(sessions.values(), addresses, strict=True):
            done, total = session.progress()
            click.echo(f"{session.reviewer}: {done} of {total} done: {address}")
        if open_browser:
            webbrowser.open(addresses[0])

    serve(ReviewServer(sessions, settings, click.echo), port, opened)
