"""Parts tables that stand side by side, each under a caption of its own."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from pairwright.ingest.page.data import Profile
from pairwright.ingest.page.rows import CELL_GAP, Row, filled_rows
from pairwright.languages.conventions import Conventions

# Rows farther apart than this, in parts of the leading, do not belong together.
APART = 2.2


class Side(NamedTuple):
    """The rows of one side, from its caption, and the white around it."""

    rows: tuple[Row, ...]
    left: float
    right: float


def split_sides(upcoming: Sequence[Row], profile: Profile) -> tuple[list[Side], int]:
    """The sides that begin with captions on the first of `upcoming` rows, and how many rows they fill; none without."""
    captions = upcoming[0].cells
    if len(captions) < 2 or not all(_begins_table(cell, profile.conventions) for cell in captions):
        return [], 0
    strips = [(one.x1, two.x0) for one, two in pairwise(captions)]
    n_rows = 1
    for above, row in pairwise(upcoming):
        narrower = [_white(row, strip) for strip in strips]
        if row.baseline - above.baseline > APART * profile.leading or None in narrower:
            break
        strips = [strip for strip in narrower if strip]
        n_rows += 1
    edges = [float("-inf"), *((left + right) / 2 for left, right in strips), float("inf")]
    sides = []
    for left, right in pairwise(edges):
        words = ([word for word in row.words if left < word.x0 < right] for row in upcoming[:n_rows])
        sides.append(Side(tuple(filled_rows(words)), left, right))
    return sides, n_rows


def _begins_table(cell: Row, conventions: Conventions) -> bool:
    number = conventions.number(cell.words[0].text) is not None and len(cell.words) > 1
    return number or conventions.caption.match(cell.text) is not None


def _white(row: Row, strip: tuple[float, float]) -> tuple[float, float] | None:
    """The widest part of a strip in which a row has no words; None where it is no wider than between cells."""
    inside = [word for word in row.words if word.x1 > strip[0] and word.x0 < strip[1]]
    edges = [strip[0], *(x for word in inside for x in (word.x0, word.x1)), strip[1]]
    free = [(left, right) for left, right in zip(edges[::2], edges[1::2], strict=True) if right > left]
    widest = max(free, key=lambda part: part[1] - part[0], default=(0.0, 0.0))
    return widest if widest[1] - widest[0] > CELL_GAP * row.size else None
