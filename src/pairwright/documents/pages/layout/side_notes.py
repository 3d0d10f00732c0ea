"""Takes notes in the margins of a scanned page out of its text, and knows columns whose entries hang."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pairwright.documents.lines.rows import Row, TextColumn, Word, cluster, filled_rows
from pairwright.languages.conventions import Conventions

# A paragraph's number, or an example's, stays with the row that it stands beside.
KEPT = re.compile(r"^[(\[]?[*§]?\d{1,4}[*]?[.)\]]*$|^[(\[]?[a-z][.)\]]$")
# How far the first words of rows may lie from the column's edge, in points: old pages are not quite flat.
DRIFT = 6.0
# The least white between the column and its margin, in points, and how much of the rows must begin at its edge.
WHITE, SHARE = 1.5, 0.4
# Margins are narrow, by the column's width, and hold few rows, by those of the page.
NARROW, MOST = 0.2, 0.5


def split_side_notes(page_rows: list[Row]) -> tuple[list[Row], list[list[Row]]]:
    """The rows of a column of justified text, and the notes beside it from top to bottom.

    A page without such a column stays as it is.
    """
    left, right = _edge(page_rows, 0), _edge(page_rows, 1)
    if left is None or right is None or not _is_justified(page_rows, left, right):
        return page_rows, []
    aside = {word for row in page_rows for word in row.words if _is_aside(word, left, right)}
    notes: list[list[Row]] = []
    for late in (False, True):
        side = filled_rows(
            [word for word in row.words if word in aside and (word.x0 > right) is late] for row in page_rows
        )
        notes += cluster(side, lambda note, row: row.baseline - note[-1].baseline < 1.9 * row.size)
    wide = any(row.x1 - row.x0 > NARROW * (right - left) for note in notes for row in note)
    if wide or sum(map(len, notes)) > MOST * len(page_rows):
        return page_rows, []
    kept = filled_rows([word for word in row.words if word not in aside] for row in page_rows)
    return kept, sorted(notes, key=lambda note: note[0].baseline)


def _is_aside(word: Word, left: float, right: float) -> bool:
    beside = word.x1 < left - DRIFT - WHITE or word.x0 > right + DRIFT + WHITE
    return beside and not (word.x1 < left and KEPT.match(word.text))


def _edge(page_rows: Sequence[Row], side: int) -> float | None:
    """The place at which most rows begin (side 0) or end (side 1); None where there is none."""
    places = sorted((word.x1 if side else word.x0) for row in page_rows for word in row.words)
    middle = (places[0] + places[-1]) / 2 if places else 0.0
    good = [
        place
        for place in places
        if (place > middle) is bool(side)
        and sum(abs(other - place) <= DRIFT for other in places) >= SHARE * len(page_rows)
    ]
    if not good:
        return None
    return max(good) - DRIFT if side else min(good) + DRIFT


def _is_justified(page_rows: Sequence[Row], left: float, right: float) -> bool:
    """Whether most rows of more than a word fill the column, and hardly a word lies across its edges."""
    wide = [row for row in page_rows if row.x1 - row.x0 > 0.5 * (right - left)]
    full = [row for row in wide if row.x1 > right - 2 * DRIFT]
    across = sum(
        word.x0 < edge - DRIFT - WHITE and word.x1 > edge + DRIFT + WHITE
        for row in page_rows
        for word in row.words
        for edge in (left, right)
    )
    return len(wide) > 0.5 * len(page_rows) and len(full) > 0.6 * len(wide) and across <= 2


def hangs(column: TextColumn, conventions: Conventions) -> bool:
    """Whether entries hang, as in bibliographies: many rows at the edge are full and followed by one that is indented.
    What follows the number of an example is indented too, and full where a reference stands at the right."""
    edge = column.left + 5
    flush = [row.x0 <= edge and conventions.number(row.words[0].text) is None for row in column.rows]
    pairs = zip(flush, pairwise(column.rows), strict=False)
    heads = [(row, below.x0) for is_flush, (row, below) in pairs if is_flush and below.x0 > edge]
    if len(heads) < max(4, 0.3 * sum(flush)):
        return False
    places = sorted(place for _, place in heads)
    same = sum(abs(place - places[len(places) // 2]) < 2 for place in places)
    full = sum(row.x1 > column.right - 0.12 * (column.right - column.left) for row, _ in heads)
    return same > 0.6 * len(heads) and full > 0.6 * len(heads)
