"""Finds the text inside figures: labels of charts, maps and trees, which are no headings and no paragraphs."""

from collections.abc import Iterator, Sequence

from pairwright.documents.lines.data import BBox, PageData, union
from pairwright.documents.lines.rows import Row, cluster
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
