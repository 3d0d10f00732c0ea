"""Gives each piece of a scanned page the confidence of its words."""

from collections.abc import Sequence

from pairwright.ingest.layout.reading_order import PagePiece
from pairwright.ingest.page.data import BBox, PageData
from pairwright.ingest.page.rows import rows

WordConfidence = tuple[str, float]


def word_confidence(pieces: Sequence[PagePiece], page: PageData) -> list[tuple[WordConfidence, ...]]:
    """For each piece its words as they stand on the page, from top to bottom, with the recogniser's confidence, 0-1.

    A word goes to the smallest piece around its middle; those of running heads go nowhere. A text layer gives none.
    """
    found: list[list[WordConfidence]] = [[] for _ in pieces]
    if not page.measured:
        return [()] * len(pieces)
    order = sorted(range(len(pieces)), key=lambda index: _area(pieces[index].box))
    for row in rows(page.runs):
        for word in row.words:
            sure = min(run.confidence if run.confidence is not None else 1.0 for run in word.runs)
            x, y = (word.x0 + word.x1) / 2, word.main.baseline - 0.3 * word.main.size
            index = next((index for index in order if _holds(pieces[index].box, x, y)), None)
            if index is not None:
                found[index].append((word.text, round(sure, 4)))
    return [tuple(words) for words in found]


def _area(box: BBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _holds(box: BBox, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
