"""What a preview shows of pages and blocks: numbers, places in per cent, aligned words, cells."""

import re
from itertools import product, zip_longest
from math import inf
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from pairwright.core.records import Block, Gloss
from pairwright.documents.lines.alignment import CATEGORY
from pairwright.documents.lines.data import BBox
from pairwright.languages.linguistics.edits import stretches

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
