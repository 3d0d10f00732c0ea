"""Pictures of the places in a source that pairs rest on, for the report."""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

from pairwright.errors import PairwrightError
from pairwright.ingest.preview.pictures import CropStyle, block_pictures, png
from pairwright.ingest.stage_blocks import source_folder
from pairwright.records import Block, CheckedPair
from pairwright.records.release import ReleasePair
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace

STYLE = CropStyle(dpi=110, context=24.0, max_pixels=6_000_000)


def pair_pictures(workspace: Workspace, pairs: Iterable[ReleasePair]) -> dict[str, bytes]:
    """By pair id, a PNG of the block that the pair comes from, with a frame round it.

    A pair has none where its source is a text, the workspace no longer has its blocks, or the page can't be drawn.
    """
    ids_by_source: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        ids_by_source[pair.source_id].add(pair.id)
    pictures: dict[str, bytes] = {}
    for source_id, ids in ids_by_source.items():
        with suppress(PairwrightError):
            pictures |= _of_source(workspace, source_id, ids)
    return pictures


def _of_source(workspace: Workspace, source_id: str, ids: set[str]) -> dict[str, bytes]:
    work = workspace.work(source_id)
    block_of = {
        item.candidate.id: item.candidate.evidence.block_id
        for item in read_jsonl(work / "checked.jsonl", CheckedPair)
        if item.candidate.id in ids
    }
    needed = set(block_of.values())
    blocks = ((block, None) for block in read_jsonl(work / "blocks.jsonl", Block) if block.id in needed)
    drawn = block_pictures(source_folder(workspace, source_id), blocks, STYLE)
    crops = {picture.block.id: png(picture.pixels) for picture in drawn if picture.pixels is not None}
    return {pair_id: crops[block_id] for pair_id, block_id in block_of.items() if block_id in crops}
