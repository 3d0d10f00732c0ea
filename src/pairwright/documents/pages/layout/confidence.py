"""Gives each piece of a scanned page the confidence of its words."""

from collections.abc import Sequence

from pairwright.documents.lines.data import PageData
from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.layout.reading_order import PagePiece

WordConfidence = tuple[str, float]


def word_confidence(pieces: Sequence[PagePiece], page: PageData) -> list[tuple[WordConfidence, ...]]:
    """For each piece its words as they stand on the page, from top to bottom, with the recogniser's confidence, 0-1.

    A word goes to the smallest piece around its middle; those of running heads go nowhere. A text layer gives none.
    """
    if not page.measured:
        return [()] * len(pieces)
    confidences: list[list[WordConfidence]] = [[] for _ in pieces]
    boxes = [(piece.box, words) for piece, words in zip(pieces, confidences, strict=True)]
    boxes.sort(key=lambda item: (item[0][2] - item[0][0]) * (item[0][3] - item[0][1]))
    for word in (word for row in rows(page.runs) for word in row.words):
        sure = min(1.0 if run.confidence is None else run.confidence for run in word.runs)
        x, y = (word.x0 + word.x1) / 2, word.main.baseline - 0.3 * word.main.size
        around = (words for (x0, y0, x1, y1), words in boxes if x0 <= x <= x1 and y0 <= y <= y1)
        next(around, []).append((word.text, round(sure, 4)))
    return list(map(tuple, confidences))
