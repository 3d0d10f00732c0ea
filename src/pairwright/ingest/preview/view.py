"""What a preview shows of pages and blocks: numbers, places in per cent, aligned words, cells."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from typing import Any

from markupsafe import Markup, escape

from pairwright.ingest.examples.interlinear import CATEGORY
from pairwright.ingest.page.data import BBox
from pairwright.ingest.pdf.render import PageImage
from pairwright.ingest.stage_blocks import Document
from pairwright.records import Block, Gloss, Rejection
from pairwright.text import stretches

# Controls, soft hyphens, zero-width spaces, signs of direction, the byte order mark, and private use.
UNSEEN = re.compile(
    r"([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ue000-\uf8ff])"
)
# Below this the OCR engine's own figure says that some letters of a block are likely wrong.
LOW_CONFIDENCE = 0.9
DOUBTFUL_WORD = 0.6


@dataclass(frozen=True)
class PercentBox:
    """A box on a page in per cent of the page's width and height."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class OtherHalf:
    """The block before or after a page break that a block belongs to; `anchor` is None where it is not shown."""

    block: Block
    anchor: str | None


@dataclass(frozen=True)
class ShownBlock:
    """A block with its place in the page's reading order, from 1, and on the page.

    section    its path of headings where that differs from that of the block before, else None
    cells      the places of a table's cells
    continues  the block that it goes on from, and `continued` the one that goes on from it
    """

    block: Block
    number: int
    anchor: str
    section: tuple[str, ...] | None
    continues: OtherHalf | None
    continued: OtherHalf | None
    place: PercentBox | None = None
    cells: tuple[PercentBox, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        return self.block.confidence is not None and self.block.confidence < LOW_CONFIDENCE

    @property
    def doubtful_words(self) -> tuple[tuple[str, float], ...]:
        """The words that the reader was least sure of, in reading order, with its confidence."""
        return tuple((word, sure) for word, sure in self.block.word_confidence if sure < DOUBTFUL_WORD)


@dataclass(frozen=True)
class ShownPage:
    """A page with its blocks and rejections. `picture` is a data URI; `fault` says why there is none."""

    number: int
    blocks: tuple[ShownBlock, ...]
    rejections: tuple[Rejection, ...]
    picture: str | None = None
    fault: str | None = None
    ratio: float = 1.0

    @property
    def readers(self) -> list[str]:
        return sorted({item.block.reader for item in self.blocks})

    def count(self, kind: str) -> int:
        return sum(item.block.kind == kind for item in self.blocks)

    def with_picture(self, image: PageImage, uri: str) -> "ShownPage":
        """The page with its picture, given also as a data URI, and with the places of its blocks on it."""
        size = image.width, image.height
        placed = tuple(
            replace(item, place=_place(item.block.bbox, size), cells=_cell_places(item.block, size))
            for item in self.blocks
        )
        return replace(self, blocks=placed, picture=uri, ratio=size[0] / size[1])


def _place(box: BBox | None, size: tuple[float, float]) -> PercentBox | None:
    """A box in points as a place on the page; what lies beyond the page's edges is cut off."""
    if box is None:
        return None
    x0, x1 = (min(max(100 * x / size[0], 0.0), 100.0) for x in (box[0], box[2]))
    y0, y1 = (min(max(100 * y / size[1], 0.0), 100.0) for y in (box[1], box[3]))
    return PercentBox(x0, y0, x1 - x0, y1 - y0)


def _cell_places(block: Block, size: tuple[float, float]) -> tuple[PercentBox, ...]:
    places = (_place(box, size) for row in block.cell_boxes or () for box in row)
    return tuple(place for place in places if place is not None)


def pages(document: Document, numbers: Sequence[int]) -> Iterator[ShownPage]:
    """Pages of a document, without pictures."""
    by_page: dict[int, list[Block]] = defaultdict(list)
    for block in document.blocks:
        by_page[block.page].append(block)
    blocks = {block.id: block for block in document.blocks}
    following = {block.continues: block for block in document.blocks if block.continues}
    anchors = {block.id: f"p{page}b{number}" for page in numbers for number, block in enumerate(by_page[page], start=1)}

    def other(block: Block | None) -> OtherHalf | None:
        return OtherHalf(block, anchors.get(block.id)) if block else None

    for page in numbers:
        shown = []
        section: tuple[str, ...] | None = None
        for number, block in enumerate(by_page[page], start=1):
            shown.append(
                ShownBlock(
                    block=block,
                    number=number,
                    anchor=anchors[block.id],
                    section=block.section if block.section != section else None,
                    continues=other(blocks.get(block.continues or "")),
                    continued=other(following.get(block.id)),
                )
            )
            section = block.section
        yield ShownPage(page, tuple(shown), tuple(item for item in document.rejections if item.page == page))


def emphasised(block: Block) -> list[tuple[str, bool]]:
    """The text of a block in pieces, each with whether the page sets it in bold or italics."""
    return stretches(block.text, block.emphasis)


def labelled(word: str) -> list[tuple[str, bool]]:
    """A word of a gloss line in pieces, each with whether it is a category label, as books set in small capitals."""
    return stretches(word, (match.span() for match in CATEGORY.finditer(word)))


def visible(value: Any) -> Any:
    """A text in which signs that no browser shows, or that steer the direction of a line, stand as their numbers.

    A soft hyphen in place of a hyphen is a misreading that nobody could see otherwise. Returns markup where there is
    such a sign, with all else escaped, and the value itself otherwise.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or not UNSEEN.search(value):
        return value
    parts = UNSEEN.split(value)
    return Markup("").join(
        Markup('<span class="unseen">U+{:04X}</span>').format(ord(part)) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def columns(gloss: Gloss) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The aligned words of an example, column by column: those of the object lines, then those of the gloss lines."""
    n_objects = len(gloss.objects)
    lines = zip_longest(*gloss.objects, *gloss.glosses, fillvalue="")
    return [(column[:n_objects], column[n_objects:]) for column in lines]


@dataclass(frozen=True)
class ShownCell:
    """A cell of a table with how many columns and rows it fills, from 1."""

    text: str
    n_columns: int
    n_rows: int


def rows(block: Block) -> list[list[ShownCell]]:
    """The cells of a table row by row, without the places that a merged cell covers.

    A place without a box is covered where the box of the cell to its left, or above, reaches into its column or row.
    """
    cells, boxes = block.cells or (), block.cell_boxes
    if boxes is None:
        return [[ShownCell(text, 1, 1) for text in row] for row in cells]
    starts = [min((box[0] for box in column if box), default=9e9) for column in zip(*boxes, strict=True)]
    # A tall sign reaches a little into the next row: a merged cell reaches beyond its middle.
    middles = [
        (min((box[1] for box in row if box), default=9e9) + min((box[3] for box in row if box), default=9e9)) / 2
        for row in boxes
    ]
    covered: set[tuple[int, int]] = set()
    found = []
    for at, row in enumerate(cells):
        line = []
        for column, text in enumerate(row):
            if (at, column) in covered:
                continue
            n_columns, n_rows = _extent(at, column, block, starts, middles, covered)
            covered |= {(at + down, column + right) for down in range(n_rows) for right in range(n_columns)}
            line.append(ShownCell(text, n_columns, n_rows))
        found.append(line)
    return found


def _extent(
    at: int, column: int, block: Block, starts: list[float], middles: list[float], covered: set[tuple[int, int]]
) -> tuple[int, int]:
    cells, boxes = block.cells or (), block.cell_boxes or ()
    box = boxes[at][column]
    if box is None:
        return 1, 1

    def empty(down: int, right: int) -> bool:
        return boxes[down][right] is None and not cells[down][right] and (down, right) not in covered

    right = takewhile(lambda x: starts[x] + 1 < box[2] and empty(at, x), range(column + 1, len(starts)))
    n_columns = 1 + sum(1 for _ in right)
    below = takewhile(
        lambda y: middles[y] < box[3] and all(empty(y, column + x) for x in range(n_columns)),
        range(at + 1, len(middles)),
    )
    return n_columns, 1 + sum(1 for _ in below)
