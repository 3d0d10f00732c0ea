"""Gives each piece of a scanned page the confidence of its words."""

from collections.abc import Sequence

from pairwright.ingest.layout.reading_order import PagePiece
from pairwright.ingest.page.data import PageData
from pairwright.ingest.page.rows import rows

WordConfidence = tuple[str, float]


def word_confidence(pieces: Sequence[PagePiece], page: PageData) -> list[tuple[WordConfidence, ...]]:
    """For each piece its words as they stand on the page, from top to bottom, with the recogniser's confidence, 0-1.

    A word goes to the smallest piece around its middle; those of running heads go nowhere. A text layer gives none.
    """
    confidences: list[list[WordConfidence]] = [[] for _ in pieces]
    if not page.measured:
        return [()] * len(pieces)
    boxes = [piece.box for piece in pieces]
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes]
    smallest_first = sorted(range(len(boxes)), key=areas.__getitem__)
    for word in (word for row in rows(page.runs) for word in row.words):
        sure = min(run.confidence if run.confidence is not None else 1.0 for run in word.runs)
        x, y = (word.x0 + word.x1) / 2, word.main.baseline - 0.3 * word.main.size
        for at in smallest_first:
            x0, y0, x1, y1 = boxes[at]
            if x0 <= x <= x1 and y0 <= y <= y1:
                confidences[at].append((word.text, round(sure, 4)))
                break
    return [tuple(words) for words in confidences]
