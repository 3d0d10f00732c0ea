"""What a preview shows of pages and blocks: numbers, places in per cent, aligned words, cells."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from pairwright.core.records import Block, Gloss, Rejection
from pairwright.documents.lines.alignment import CATEGORY
from pairwright.documents.lines.data import BBox
from pairwright.documents.pages.pdf import PageImage
from pairwright.documents.stage_blocks import Document
from pairwright.languages.linguistics.edits import stretches

# Controls, soft hyphens, zero-width spaces, signs of direction, the byte order mark, and private use.
UNSEEN = re.compile(
    r"([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ue000-\uf8ff])"
)
# Below this the OCR engine's own figure says that some letters of a block are likely wrong.
LOW_CONFIDENCE = 0.9
DOUBTFUL_WORD = 0.6


class PercentBox(NamedTuple):
    """A box on a page in per cent of the page's width and height."""

    left: float
    top: float
    width: float
    height: float


class OtherHalf(NamedTuple):
    """The block before or after a page break that a block belongs to; `anchor` is None where it is not shown."""

    block: Block
    anchor: str | None


@dataclass(frozen=True)
class ShownBlock:
    """A block with its place in the page's reading order, from 1, and on the page.

    section    its path of headings where that differs from that of the block before, else None
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

    def with_picture(self, image: PageImage, uri: str) -> "ShownPage":
        """The page with its picture, given also as a data URI, and with the places of its blocks on it."""

        def place(box: BBox) -> PercentBox:
            """A box in points as a place on the page; what lies beyond the page's edges is cut off."""
            x0, x1 = (min(max(100 * x / image.width, 0.0), 100.0) for x in (box[0], box[2]))
            y0, y1 = (min(max(100 * y / image.height, 0.0), 100.0) for y in (box[1], box[3]))
            return PercentBox(x0, y0, x1 - x0, y1 - y0)

        placed = []
        for item in self.blocks:
            cells = tuple(place(box) for row in item.block.cell_boxes or () for box in row if box is not None)
            placed.append(replace(item, place=item.block.bbox and place(item.block.bbox), cells=cells))
        return replace(self, blocks=tuple(placed), picture=uri, ratio=image.width / image.height)


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
        sections = [None, *(block.section for block in by_page[page])]
        shown = tuple(
            ShownBlock(
                block=block,
                number=number,
                anchor=anchors[block.id],
                section=block.section if block.section != sections[number - 1] else None,
                continues=other(blocks.get(block.continues or "")),
                continued=other(following.get(block.id)),
            )
            for number, block in enumerate(by_page[page], start=1)
        )
        yield ShownPage(page, shown, tuple(item for item in document.rejections if item.page == page))


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
    cells, boxes = block.cells or (), block.cell_boxes
    if boxes is None:
        return [
            [ShownCell(text, 1, 1, _marks(block, top, left)) for left, text in enumerate(row)]
            for top, row in enumerate(cells)
        ]
    starts = [min((box[0] for box in column if box), default=9e9) for column in zip(*boxes, strict=True)]
    # A tall sign reaches a little into the next row: a merged cell reaches beyond its middle.
    middles = [
        (min((box[1] for box in row if box), default=9e9) + min((box[3] for box in row if box), default=9e9)) / 2
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
            shown[-1].append(ShownCell(text, right - left, bottom - top, _marks(block, top, left)))
    return shown


def _marks(block: Block, row: int, column: int) -> str:
    return ",".join(note.mark for note in block.notes if (row, column) in note.cells)
