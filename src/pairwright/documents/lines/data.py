"""The typed data of a page, whichever reader it comes from: pieces of words with their places, ruled lines, pictures.

The text layer of a PDF and the OCR engine both give `PageData`; everything behind them needs nothing else.
All places are in points with the origin at the top left of the upright page.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.documents.lines.glyphs import USUAL_FORMS, GlyphForms
from pairwright.languages.conventions import Conventions, Evidence, usual_conventions

BBox = tuple[float, float, float, float]


class Run(NamedTuple):
    """A piece of a word in one font: its text, the left edge of each character, and where it stands.

    `xs` has one entry a character; `x0` is the pen position, to which words of a glossed example are aligned.
    `confidence` is the reader's, 0-1, or None where the text is certain.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float
    font: str
    bold: bool = False
    italic: bool = False
    xs: tuple[float, ...] = ()
    confidence: float | None = None

    @property
    def box(self) -> BBox:
        return self.x0, self.y0, self.x1, self.y1


class RuledLine(NamedTuple):
    """A straight line that is drawn, or the side of a box: horizontal where y0 == y1, vertical where x0 == x1."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        return self.y0 == self.y1


@dataclass(frozen=True, slots=True)
class PageData:
    """One page: its number from 1, its size, the runs in drawing order, rules, pictures, and how its glyphs decode.

    turn        the degrees by which the page's text was turned to stand upright: 0, 90, 180 or 270
    n_glyphs    all glyphs drawn; n_unmapped those without a Unicode value; n_hidden those of an invisible layer
    damage      what was found damaged in the file while the page was read; some of its text may be missing
    unread      the share of the ink of a scanned page's lines that gave no words, or none to be sure of, 0-1
    """

    number: int
    width: float
    height: float
    runs: tuple[Run, ...]
    rules: tuple[RuledLine, ...] = ()
    pictures: tuple[BBox, ...] = ()
    turn: int = 0
    n_glyphs: int = 0
    n_unmapped: int = 0
    n_hidden: int = 0
    reader: str = "pymupdf"
    damage: tuple[str, ...] = ()
    unread: float = 0.0

    @property
    def measured(self) -> bool:
        """Whether the page was read by its picture: places and sizes were then measured on ink."""
        return bool(self.runs) and self.runs[0].confidence is not None


def union(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around boxes, of which there is at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def turn_box(box: BBox, turn: int, width: float, height: float) -> BBox:
    """A box of the upright page as a box of the page as it is shown; `width` and `height` are the upright page's."""
    x0, y0, x1, y1 = box
    return {
        90: (y0, width - x1, y1, width - x0),
        180: (width - x1, height - y1, width - x0, height - y0),
        270: (height - y1, x0, height - y0, x1),
    }.get(turn, box)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of a document's outline: its level from 1, title, page from 1 and, where known, height on the page."""

    level: int
    title: str
    page: int
    y: float | None = None


@dataclass(frozen=True, slots=True)
class HeadingStyle:
    """How headings look in a book: a font style, its usual level, and whether its headings carry numbers.

    apart     whether lines without a number are headings too, where they stand apart from the text around them
    capitals  whether only lines in capitals are headings, as in the type of the text
    """

    font: str
    size: float
    level: int
    numbered: bool
    apart: bool = False
    bold: bool = False
    capitals: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """The style of a book, learned in one cheap pass, with which each page can be read alone.

    body_font, body_size  the style of most characters; sizes are in points, rounded to a tenth
    leading        the usual distance between baselines of running text, in points
    head_below     baselines above this height are running heads; foot_above likewise for page numbers; None where none
    headings       the learned styles of headings
    outline        the document's own outline, empty where it has none or it is not to be used
    words          the words of the book, for undoing hyphenation; parts of words with hyphens have theirs
    contents       the pages that are a table of contents
    gloss_styles   the styles of object and gloss lines that stand over each other in the book, again and again
    forms          what its fonts draw beside the usual forms of letters
    conventions    how it numbers and lays out its examples and names its parts
    learned        the conventions that the book itself showed and how, by names such as `examples.number`
    surface_styles the styles of the sentences above their segmentations
    """

    body_font: str = ""
    body_size: float = 10.0
    leading: float = 12.0
    head_below: float | None = None
    foot_above: float | None = None
    headings: tuple[HeadingStyle, ...] = ()
    outline: tuple[OutlineEntry, ...] = ()
    words: frozenset[str] = frozenset()
    contents: frozenset[int] = frozenset()
    gloss_styles: frozenset[tuple[tuple[str, float], tuple[str, float]]] = frozenset()
    forms: GlyphForms = USUAL_FORMS
    conventions: Conventions = field(default_factory=usual_conventions)
    learned: dict[str, Evidence] = field(default_factory=dict)
    surface_styles: frozenset[tuple[str, float]] = frozenset()
    n_pages: int = 1

    @property
    def object_styles(self) -> set[tuple[str, float]]:
        """The styles of object lines that are not that of the prose."""
        return {above for above, _ in self.gloss_styles} - {(self.body_font, self.body_size)}

    @property
    def has_surface(self) -> bool:
        """Whether the book's examples mostly have the sentence above its segmentation."""
        return "surface" in self.conventions.examples.lines


@dataclass(frozen=True)
class InkCoverage:
    """The share of dark pixels on a page, and how well the text layer lies on them.

    boxes_with_ink  the share of the text's boxes that hold any ink, 0-1
    ink_in_boxes    the share of the ink that lies in the text's boxes, 0-1
    damage          what was found damaged in the file when the page was drawn
    """

    dark: float
    boxes_with_ink: float
    ink_in_boxes: float
    damage: tuple[str, ...] = ()
