"""Pictures of the places in a source that pairs rest on, for the report."""

from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import PairwrightError
from pairwright.ingest.pdf.render import draw_page
from pairwright.ingest.preview.picture import framed, png
from pairwright.ingest.stage_blocks import block_path, source_folder
from pairwright.records import Block, CheckedPair
from pairwright.records.release import ReleasePair
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace

DPI, MAX_PIXELS, CONTEXT = 110, 6_000_000, 24.0


def pair_pictures(workspace: Workspace, pairs: Iterable[ReleasePair]) -> dict[str, bytes]:
    """By pair id, a PNG of the block that the pair comes from, with a frame round it.

    A pair has none where its source is a text, the workspace no longer has its blocks, or the page can't be drawn.
    """
    wanted: dict[str, set[str]] = {}
    for pair in pairs:
        wanted.setdefault(pair.source_id, set()).add(pair.id)
    found: dict[str, bytes] = {}
    for source_id, ids in wanted.items():
        try:
            found |= _of_source(workspace, source_id, ids)
        except PairwrightError:
            continue
    return found


def _of_source(workspace: Workspace, source_id: str, ids: set[str]) -> dict[str, bytes]:
    work = workspace.work(source_id)
    block_of = {
        item.candidate.id: item.candidate.evidence.block_id
        for item in read_jsonl(work / "checked.jsonl", CheckedPair)
        if item.candidate.id in ids
    }
    needed = set(block_of.values())
    blocks = {block.id: block for block in read_jsonl(work / "blocks.jsonl", Block) if block.id in needed}
    folder = source_folder(workspace, source_id)
    crops = {key: _crop(block_path(folder, block), block) for key, block in blocks.items() if block.bbox is not None}
    return {pair_id: crops[block_id] for pair_id, block_id in block_of.items() if block_id in crops}


def _crop(document: Path, block: Block) -> bytes:
    assert block.bbox is not None
    return png(framed(draw_page(document, block.page, DPI, MAX_PIXELS), block.bbox, (), CONTEXT))
