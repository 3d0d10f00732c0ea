"""The figures of a page with their labels, and what its text emphasises."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pairwright.documents.lines.data import BBox, PageData, union
from pairwright.documents.lines.rows import Row, TextColumn, cluster
from pairwright.languages.conventions import Conventions

# The least height and width of a figure, and the most white inside it from top to bottom, in points.
LEAST, APART = 30.0, 16.0
# Pictures that fill more than this part of the page are its background or a scan, which may come in strips.
MAX_PICTURE = 0.5
# The most characters of a label.
MAX_LABEL = 60
# The most words of a label beside a drawing, and the most white, in em, between a drawing and labels above or below it:
# several, and one, such as the root of a tree.
MAX_WORDS, APART_LABELS, APART_LABEL = 2, 3.0, 1.3
# The longest label before the first row, such as a footnote's mark, in characters.
_LABEL = 8
# Signs of a form that many fonts have upright only.
_UPRIGHT = "∅Ø-=~"


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


def find_figures(page: PageData, body: Sequence[Row], conventions: Conventions) -> list[tuple[BBox, list[Row]]]:
    """The boxes of a page's figures with the rows of their labels, from top to bottom; others are left out.

    A figure is a picture, or at least two slanted or curved strokes with the lines that touch them. A drawing's labels
    may stand just outside of it. A row is its own only where all of it is labels.
    """
    scanned = sum(map(_area, page.pictures)) > MAX_PICTURE * page.width * page.height
    pictures = [] if scanned else [(box, 0.0) for box in page.pictures]
    areas = [*pictures, *((box, 1.0) for box in _drawings(page))]
    figures: list[tuple[BBox, list[Row]]] = []
    taken: set[int] = set()
    for box, reach in sorted(areas, key=lambda area: area[0][1]):
        if min(box[2] - box[0], box[3] - box[1]) < LEAST:
            continue
        near = [index for index, row in enumerate(body) if index not in taken and _stands_in(row, box, reach)]
        if reach:
            near = sorted({*near, *(index for index in _around(body, box) if index not in taken)})
        # Prose on a coloured ground is no label.
        if not near or any(len(cell.text) > MAX_LABEL for index in near for cell in body[index].cells):
            continue
        labels = [index for index in near if not conventions.caption.match(body[index].text)]
        if labels:
            taken |= set(labels)
            members = [body[index] for index in labels]
            figures.append((union([box, *(row.box for row in members)]), members))
    return figures


def _around(body: Sequence[Row], box: BBox) -> Iterator[int]:
    """The rows of a drawing's labels beside it, and of several labels above or below it."""
    width = box[2] - box[0]
    for index, row in enumerate(body):
        short = all(len(cell.words) <= MAX_WORDS and cell.text[-1] not in ".,;:" for cell in row.cells)
        within = box[0] - width <= row.x0 and row.x1 <= box[2] + width
        inside = box[0] <= row.x0 and row.x1 <= box[2]
        far = (APART_LABELS if len(row.cells) > 1 else APART_LABEL if inside else 0.5) * row.size
        if short and within and box[1] - far < row.baseline - 0.3 * row.size < box[3] + far:
            yield index


def _area(box: BBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _drawings(page: PageData) -> list[BBox]:
    """The boxes of drawings with at least two slanted or curved strokes."""
    strokes = sorted(page.strokes, key=lambda box: box[1])
    groups = cluster(strokes, lambda group, box: box[1] <= max(other[3] for other in group) + APART)
    boxes = [union(group) for group in groups if len(group) > 1]
    return [union([box, *(rule for rule in page.rules if _touches(rule, box))]) for box in boxes]


def _touches(one: tuple[float, ...], two: BBox) -> bool:
    return one[0] <= two[2] + 2 and one[2] >= two[0] - 2 and one[1] <= two[3] + 2 and one[3] >= two[1] - 2


def _stands_in(row: Row, box: BBox, reach: float) -> bool:
    """Whether a whole row stands in a box, or `reach` em beside it."""
    x0, y0, x1, y1 = box
    far = reach * row.size
    return y0 - far < row.baseline - 0.3 * row.size < y1 + far and x0 - 2 * far <= row.x0 and row.x1 <= x1 + 2 * far


def emphasised(members: Sequence[Row], text: str) -> tuple[tuple[int, int], ...]:
    """The character spans of `text`, which joins the rows, that are in bold or italics; commas at their ends are not
    part of them."""
    spans: list[tuple[int, int]] = []
    last = (False, False)
    at = 0
    for word in (word for row in members for word in row.words):
        whole = text.find(word.text, at, at + len(word.text) + _LABEL)
        # A word that a line end divides has lost its hyphen.
        start = whole if whole >= 0 else text.find(word.text[:-1], at, at + len(word.text) + _LABEL)
        if start < 0:
            continue
        at = start + len(word.text) - (whole < 0)
        for run in word.runs:
            end = min(start + len(run.text), at)
            joined = bool(spans) and spans[-1][1] == start and not run.text.strip(_UPRIGHT)
            kind = last if joined else (run.bold, run.italic)
            if any(kind) and spans and kind == last and not text[spans[-1][1] : start].strip():
                spans[-1] = spans[-1][0], end
            elif any(kind) and start < end:
                spans.append((start, end))
            start, last = end, kind
    bare = ((start, start + len(text[start:end].rstrip(",;: "))) for start, end in spans)
    return tuple((start, end) for start, end in bare if start < end)
