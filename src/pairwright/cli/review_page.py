"""`pairwright review serve`: the review page, with pictures of the places that pairs come from."""

import secrets
import webbrowser
from collections.abc import Sequence
from functools import lru_cache

import click

from pairwright.cli.review_lines import source_of
from pairwright.errors import PairwrightError
from pairwright.ingest.stage_blocks import source_folder
from pairwright.languages import load_language
from pairwright.records import Block, Evidence
from pairwright.review.log.folder import QueueFolder
from pairwright.review.queue.adjudication import voices_of_queue
from pairwright.review.web.app import ReviewServer
from pairwright.review.web.serve import HOST, serve
from pairwright.review.web.session import Desk, DeskSettings
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace


class PageCrops:
    """Pictures of the blocks of a source on their pages."""

    def __init__(self, workspace: Workspace, source_id: str) -> None:
        self._folder = source_folder(workspace, source_id)
        path = workspace.work(source_id) / "blocks.jsonl"
        blocks = read_jsonl(path, Block) if path.exists() else ()
        self._blocks = {block.id: block for block in blocks if block.bbox is not None}
        self._draw = lru_cache(maxsize=64)(self._drawn)

    def has(self, evidence: Evidence) -> bool:
        return evidence.block_id in self._blocks

    def png(self, evidence: Evidence) -> bytes | None:
        return self._draw(evidence.block_id) if self.has(evidence) else None

    def _drawn(self, block_id: str) -> bytes | None:
        from pairwright.ingest.pdf.document import document_password
        from pairwright.ingest.preview.pictures import CropStyle, block_png

        try:
            return block_png(self._folder, self._blocks[block_id], CropStyle(130, 24.0), document_password())
        except PairwrightError:
            return None


def serve_page(
    workspace: Workspace, queue: str, reviewers: Sequence[str], port: int, language: str | None, *, open_browser: bool
) -> None:
    """Serves the page and prints an address for each reviewer. Raises ReviewError where a reviewer has no queue."""
    folder = QueueFolder(workspace.annotations, queue)
    info = folder.known()
    found = source_of(workspace, queue)
    config = workspace.config()
    settings = DeskSettings(
        active=config.review.order == "active",
        target=config.review.target,
        votes_needed=config.release.votes,
        separator=config.review.separator,
    )
    pairs = {pair.candidate.id: pair for pair in found.pairs}
    desks = {
        secrets.token_urlsafe(24): Desk(folder, name, found.language, found.source, pairs, found.rules, settings)
        for name in dict.fromkeys(reviewers)
    }
    server = ReviewServer(
        desks,
        load_language(language, workspace.root) if language else found.language,
        PageCrops(workspace, found.source.id),
        config.review.show_findings or info.of is not None,
        voices_of_queue(workspace.annotations, info.of, found.texts, found.language) if info.of else {},
        click.echo,
    )

    def opened(taken: int) -> None:
        addresses = [f"http://{HOST}:{taken}/?token={token}" for token in desks]
        for desk, address in zip(desks.values(), addresses, strict=True):
            done, total = desk.progress()
            click.echo(f"{desk.reviewer}: {done} of {total} done: {address}")
        if open_browser:
            webbrowser.open(addresses[0])

    serve(server, port, opened)
