"""Pictures of single blocks, cut out of their pages."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from pairwright.errors import SourceError
from pairwright.ingest.pdf.document import open_document
from pairwright.ingest.pdf.render import draw
from pairwright.ingest.preview.picture import data_uri, framed
from pairwright.records import Block

DPI = 130
MAX_PIXELS = 4_000_000
# What is shown on each side of a block, in points.
CONTEXT = 16.0


def block_crops(
    path: Path, blocks: Iterable[tuple[Block, int | None]], password: str | None = None
) -> Iterator[tuple[Block, int | None, str | SourceError]]:
    """The picture of each block as a data URI, with the block's box drawn; of a table one row may be marked in it.

    Blocks and rows come back with their pictures, page by page; a page that can't be drawn gives the error instead.
    Raises SourceError where the document can't be opened.
    """
    placed = sorted((item for item in blocks if item[0].bbox), key=lambda item: item[0].page)
    with open_document(path, password) as document:
        for number, group in groupby(placed, key=lambda item: item[0].page):
            try:
                page = draw(document, number, DPI, MAX_PIXELS)
            except SourceError as fault:
                yield from ((block, row, fault) for block, row in group)
                continue
            for block, row in group:
                assert block.bbox is not None
                marked = block.cell_boxes[row] if block.cell_boxes and row is not None else ()
                cells = tuple(box for box in marked if box)
                yield block, row, data_uri(replace(page, pixels=framed(page, block.bbox, cells, CONTEXT)))
