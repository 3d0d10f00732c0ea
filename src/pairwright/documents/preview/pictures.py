"""Cuts pictures of blocks out of their pages, with the block's box drawn."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pairwright.core.errors import SourceError
from pairwright.core.records import Block
from pairwright.documents.lines.data import BBox
from pairwright.documents.pages.pdf import MupdfDocument, PageImage, draw, open_document
from pairwright.documents.source import block_path

Pixels = NDArray[np.uint8]

# The points shown on each side of a block; how large a whole page may become before it is drawn at fewer dots per inch.
DPI, CONTEXT, MAX_PIXELS = 130, 20.0, 4_000_000
# At this quality, text of 150 dpi has no visible fringes, and a page takes half as much as a PNG or a JPEG.
WEBP_QUALITY = 60
BLOCK_COLOUR, CELL_COLOUR = (200, 30, 30), (70, 130, 200)


@dataclass(frozen=True)
class BlockPicture:
    """A block, its marked table row (from 0), and its picture (height, width, 3) in RGB order or the fault."""

    block: Block
    row: int | None
    pixels: Pixels | None = None
    fault: SourceError | None = None


def block_pictures(folder: Path, wanted: Iterable[tuple[Block, int | None]]) -> Iterator[BlockPicture]:
    """The pictures of blocks of a source, page by page; `folder` is that of the source.

    A block comes with the row of its table whose cells are to be marked, or None. Blocks of text documents have no
    place and are left out. A document or page that can't be drawn gives its error in place of pictures.
    """
    placed = sorted((item for item in wanted if item[0].bbox), key=lambda item: (item[0].file, item[0].page))
    for _, in_file in groupby(placed, key=lambda item: item[0].file):
        items = list(in_file)
        try:
            with open_document(block_path(folder, items[0][0])) as document:
                for number, on_page in groupby(items, key=lambda item: item[0].page):
                    yield from _on_page(document, number, list(on_page))
        except SourceError as fault:
            yield from (BlockPicture(block, row, fault=fault) for block, row in items)


def block_png(folder: Path, block: Block) -> bytes:
    """The picture of one block with a place on a page, as a PNG file. Raises SourceError where it can't be drawn."""
    (picture,) = block_pictures(folder, [(block, None)])
    if picture.pixels is None:
        raise picture.fault or SourceError(f"{block.id}: can't be drawn")
    return _encoded(picture.pixels, ".png", cv2.IMWRITE_PNG_COMPRESSION, 9)


def _on_page(document: MupdfDocument, number: int, items: Sequence[tuple[Block, int | None]]) -> Iterator[BlockPicture]:
    try:
        page = draw(document, number, DPI, MAX_PIXELS)
    except SourceError as fault:
        yield from (BlockPicture(block, row, fault=fault) for block, row in items)
        return
    for block, row in items:
        assert block.bbox is not None
        boxes = block.cell_boxes[row] if block.cell_boxes and row is not None else ()
        cells = [box for box in boxes if box]
        yield BlockPicture(block, row, framed(page, block.bbox, cells))


def data_uri(pixels: Pixels) -> str:
    """An image (height, width, 3) in RGB order as a data URI in WebP."""
    data = _encoded(pixels, ".webp", cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY)
    return "data:image/webp;base64," + base64.b64encode(data).decode()


def _encoded(pixels: Pixels, suffix: str, *option: int) -> bytes:
    done, data = cv2.imencode(suffix, pixels[:, :, ::-1], option)
    assert done, f"a picture of {pixels.shape} can't be written as {suffix}"
    return data.tobytes()


def framed(page: PageImage, box: BBox, cells: Sequence[BBox]) -> Pixels:
    """The part of a page around a box, with the box drawn in red and cells in it in blue; boxes are in points."""
    pixels = page.pixels.copy()
    thin = max(1, round(page.dpi / 150))
    outlined = [*((_on_pixels(cell, 0.0, page), CELL_COLOUR, thin) for cell in cells)]
    for (x0, y0, x1, y1), colour, width in (*outlined, (_on_pixels(box, 2.0, page), BLOCK_COLOUR, 2 * thin)):
        cv2.rectangle(pixels, (x0, y0), (x1 - 1, y1 - 1), colour, width)
    x0, y0, x1, y1 = _on_pixels(box, CONTEXT, page)
    return pixels[y0:y1, x0:x1]


def _on_pixels(box: BBox, margin: float, page: PageImage) -> tuple[int, int, int, int]:
    """A box with a margin, in points, as rows and columns that lie on the picture, and at least one of each."""
    (height, width), scale = page.pixels.shape[:2], page.dpi / 72
    x0, y0 = int((box[0] - margin) * scale), int((box[1] - margin) * scale)
    x1, y1 = round((box[2] + margin) * scale), round((box[3] + margin) * scale)
    x0, y0 = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
    return x0, y0, min(max(x1, x0 + 1), width), min(max(y1, y0 + 1), height)
