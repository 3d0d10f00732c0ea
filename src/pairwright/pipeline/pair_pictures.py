"""Pictures of the places in a source that pairs rest on, for the report."""

from collections import defaultdict
from collections.abc import Iterable

from pairwright.core.errors import PairwrightError
from pairwright.core.records import Block, CheckedPair
from pairwright.core.records.release import ReleasePair
from pairwright.core.store import read_jsonl
from pairwright.documents.preview.pictures import CropStyle, block_pictures, png
from pairwright.documents.source import source_folder
from pairwright.pipeline.context import Context

STYLE = CropStyle(dpi=110, context=24.0, max_pixels=6_000_000)


def pair_pictures(context: Context, pairs: Iterable[ReleasePair]) -> dict[str, bytes]:
    """By pair id, a PNG of the block that the pair comes from, with a frame round it.

    A pair has none where its source is a text. Where the workspace no longer has its blocks, or the page can't be
    drawn, a line says why.
    """
    ids_by_source: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        ids_by_source[pair.source_id].add(pair.id)
    pictures: dict[str, bytes] = {}
    for source_id, ids in ids_by_source.items():
        try:
            pictures |= _of_source(context, source_id, ids)
        except PairwrightError as fault:
            context.say("no pictures", f"of {source_id}: {fault}")
    return pictures


def _of_source(context: Context, source_id: str, ids: set[str]) -> dict[str, bytes]:
    work = context.workspace.work(source_id)
    block_of = {
        item.candidate.id: item.candidate.evidence.block_id
        for item in read_jsonl(work / "checked.jsonl", CheckedPair)
        if item.candidate.id in ids
    }
    needed = set(block_of.values())
    blocks = ((block, None) for block in read_jsonl(work / "blocks.jsonl", Block) if block.id in needed)
    drawn = list(block_pictures(source_folder(context.workspace, source_id), blocks, STYLE))
    for fault in dict.fromkeys(str(picture.fault) for picture in drawn if picture.fault):
        context.say("no pictures", f"of {source_id}: {fault}")
    crops = {picture.block.id: png(picture.pixels) for picture in drawn if picture.pixels is not None}
    return {pair_id: crops[block_id] for pair_id, block_id in block_of.items() if block_id in crops}
