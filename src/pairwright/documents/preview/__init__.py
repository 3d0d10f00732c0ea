"""Shows what was read: pictures of blocks, cut out of their pages, and pages as HTML with their blocks drawn."""

import base64
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby, product, zip_longest
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, get_args

import cv2
import numpy as np
from jinja2 import Environment
from markupsafe import Markup, escape
from numpy.typing import NDArray

from pairwright.core.errors import SourceError
from pairwright.core.ids import digest
from pairwright.core.records import Block, BlockKind, Gloss, Rejection
from pairwright.core.store import write_text
from pairwright.core.templates import html_templates, script_hash
from pairwright.documents.lines.data import BBox
from pairwright.documents.lines.rows import CATEGORY
from pairwright.documents.pages.pdf import MupdfDocument, PageImage, draw, open_document
from pairwright.documents.source import Document, block_path
from pairwright.languages.linguistics.sentences import stretches

Pixels = NDArray[np.uint8]

# The points shown on each side of a block; how large a whole page may become before it is drawn at fewer dots per inch.
CROP_DPI, CONTEXT, MAX_PIXELS = 130, 20.0, 4_000_000
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
        page = draw(document, number, CROP_DPI, MAX_PIXELS)
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


# Controls, soft hyphens, zero-width spaces, signs of direction, the byte order mark, and private use.
UNSEEN = re.compile(
    r"([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ue000-\uf8ff])"
)


def place(box: BBox, size: tuple[float, float]) -> str:
    """Where a box in points stands on a page of a size in points, in CSS; what lies beyond its edges is cut off."""
    x0, x1 = (min(max(100 * x / size[0], 0.0), 100.0) for x in (box[0], box[2]))
    y0, y1 = (min(max(100 * y / size[1], 0.0), 100.0) for y in (box[1], box[3]))
    return f"left:{x0:.2f}%;top:{y0:.2f}%;width:{x1 - x0:.2f}%;height:{y1 - y0:.2f}%"


def emphasised(block: Block) -> list[tuple[str, bool]]:
    """The text of a block in pieces, each with whether the page sets it in bold or italics."""
    return stretches(block.text, block.emphasis)


def labelled(word: str) -> list[tuple[str, bool]]:
    """A word of a gloss line in pieces, each with whether it is a category label, as books set in small capitals."""
    return stretches(word, (match.span() for match in CATEGORY.finditer(word)))


def visible(value: Any) -> Any:
    """A text in which signs that no browser shows, or that steer the direction of a line, stand as their numbers.

    Returns markup where there is such a sign, with all else escaped, and the value itself otherwise.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or not UNSEEN.search(value):
        return value
    return Markup("").join(
        Markup('<span class="unseen">U+{:04X}</span>').format(ord(part)) if index % 2 else escape(part)
        for index, part in enumerate(UNSEEN.split(value))
    )


def columns(gloss: Gloss) -> list[tuple[str, tuple[str, ...]]]:
    """The aligned words of an example, column by column, each with its glosses."""
    words = zip_longest(gloss.segmentation, *gloss.glosses, fillvalue="")
    return [(word, tuple(labels)) for word, *labels in words]


class ShownCell(NamedTuple):
    """A cell of a table with how many columns and rows it fills, from 1, and the marks of its notes."""

    text: str
    n_columns: int
    n_rows: int
    marks: str = ""


def rows(block: Block) -> list[list[ShownCell]]:
    """The cells of a table row by row, without the places that a merged cell covers.

    A place without a box is covered where the box of the cell to its left, or above, reaches into its column or row.
    """
    cells = block.cells or ()
    boxes = block.cell_boxes or [[None] * len(row) for row in cells]
    starts = [min((box[0] for box in column if box), default=inf) for column in zip(*boxes, strict=False)]
    # A tall sign reaches a little into the next row: a merged cell reaches beyond its middle.
    middles = [
        (min((box[1] for box in row if box), default=inf) + min((box[3] for box in row if box), default=inf)) / 2
        for row in boxes
    ]
    covered: set[tuple[int, int]] = set()

    def is_empty(row: int, column: int) -> bool:
        return boxes[row][column] is None and not cells[row][column] and (row, column) not in covered

    shown: list[list[ShownCell]] = []
    for top, texts in enumerate(cells):
        shown.append([])
        for left, text in enumerate(texts):
            if (top, left) in covered:
                continue
            right, bottom, box = left + 1, top + 1, boxes[top][left]
            while box and right < len(starts) and starts[right] + 1 < box[2] and is_empty(top, right):
                right += 1
            while box and bottom < len(middles) and middles[bottom] < box[3]:
                if not all(is_empty(bottom, column) for column in range(left, right)):
                    break
                bottom += 1
            covered.update(product(range(top, bottom), range(left, right)))
            marks = ",".join(note.mark for note in block.notes if (top, left) in note.cells)
            shown[-1].append(ShownCell(text, right - left, bottom - top, marks))
    return shown


DPI, MAX_PAGES = 150, 300
# Below this the OCR engine's own figure says that some letters of a block are likely wrong.
DOUBTFUL = 0.9
_RANGE = re.compile(r"\s*(?P<first>[0-9]{1,9})\s*(?:[-–]\s*(?P<last>[0-9]{1,9})\s*)?")
_HERE = Path(__file__).parent


class ShownPage(NamedTuple):
    """A page with its blocks and rejections; its picture as a data URI with the page's size in points, or the fault."""

    number: int
    blocks: Sequence[Block]
    rejections: Sequence[Rejection]
    picture: str = ""
    size: tuple[float, float] = (1.0, 1.0)
    fault: str = ""


def parse_pages(text: str) -> tuple[int, ...]:
    """Pages such as `10-14,20` as their numbers from 1, sorted, each once. Raises SourceError for any other text."""
    pages: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if not match:
            raise SourceError(f"pages '{text}': '{part.strip()}' is no page or range; write them as 10-14,20")
        first, last = int(match["first"]), int(match["last"] or match["first"])
        if first < 1 or last < first:
            raise SourceError(f"pages '{text}': '{part.strip()}': pages count from 1, and a range goes upwards")
        pages.update(range(first, min(last, first + MAX_PAGES) + 1))
        if len(pages) > MAX_PAGES:
            raise SourceError(f"pages '{text}': more than {MAX_PAGES} pages; look at fewer at a time")
    return tuple(sorted(pages))


def page_ranges(pages: Sequence[int]) -> str:
    """Sorted page numbers as people write them: `10-14,20`."""
    # Within a range, pages and their indices grow alike.
    ranges = [[page for _, page in run] for _, run in groupby(enumerate(pages), lambda item: item[1] - item[0])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ranges)


def file_name(document: Document, pages: Sequence[int]) -> str:
    """The name of a preview: the source, its file where it has several, and the pages, shortened where many."""
    ranges = page_ranges(pages).replace(",", "_")
    if len(ranges) > 60:
        ranges = f"{pages[0]}-{pages[-1]}-{digest(list(pages))[:8]}"
    several = f"-{Path(document.file.path).stem}" if len(document.source.files) > 1 else ""
    return f"{document.source.id}{several}-{ranges}.html"


def write_preview(path: Path, document: Document, numbers: Sequence[int]) -> None:
    """Writes the preview of pages, counted from 1, as one file that needs neither the network nor other files.

    A page that can't be drawn says why. Raises SourceError where the document can't be opened or a page does not exist.
    """
    opening: AbstractContextManager[MupdfDocument | None] = open_document(document.path)
    with nullcontext() if document.is_text else opening as opened:
        n_pages = max(block.page for block in document.blocks) if opened is None else opened.page_count
        if numbers[-1] > n_pages:
            raise SourceError(f"{document.path}: page {numbers[-1]} of {n_pages}; name pages that exist")
        pages = [_shown(document, number, opened) for number in numbers]
    counts = Counter(block.kind for page in pages for block in page.blocks)
    script = (_HERE / "preview.js").read_text(encoding="utf-8")
    text = (
        environment()
        .get_template("preview.html.j2")
        .render(
            document=document,
            source=document.source,
            n_pages=n_pages,
            ranges=page_ranges(numbers).replace("-", "–").replace(",", ", "),
            pages=pages,
            kinds=[(kind, counts[kind]) for kind in get_args(BlockKind) if counts[kind]],
            # The blocks before and after a page break that belong together, and where blocks stand on this page.
            by_id={block.id: block for block in document.blocks},
            following={block.continues: block for block in document.blocks if block.continues},
            anchors={block.id: f"p{page.number}b{n}" for page in pages for n, block in enumerate(page.blocks, start=1)},
            is_doubtful=lambda block: block.confidence is not None and block.confidence < DOUBTFUL,
            script=Markup(script),
            script_hash=script_hash(script),
        )
    )
    write_text(path, text)


def _shown(document: Document, number: int, opened: "MupdfDocument | None") -> ShownPage:
    page = ShownPage(
        number,
        [block for block in document.blocks if block.page == number],
        [item for item in document.rejections if item.page == number],
    )
    if opened is None:
        return page
    try:
        image = draw(opened, number, DPI, MAX_PIXELS)
    except SourceError as fault:
        return page._replace(fault=str(fault))
    return page._replace(picture=data_uri(image.pixels), size=(image.width, image.height))


def environment(*folders: Path) -> Environment:
    """The templates of `folders`, and those that show blocks. Signs that a browser does not show appear as numbers."""
    made = html_templates(*folders, _HERE, finalize=visible)
    filters = emphasised, labelled, columns, rows, place
    made.filters.update({named.__name__: named for named in filters}, plain=Markup.escape, share="{:.2f}".format)
    return made
