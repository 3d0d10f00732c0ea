"""The typed data of a page, whichever reader it comes from: pieces of words with their places, ruled lines, pictures.

All places are in points with the origin at the top left of the upright page. In the text of a page, ligatures are
letters, a drawn soft hyphen is a hyphen, small capitals are capitals, and raised letters and figures superscripts.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from pairwright.languages.conventions import Conventions, Evidence, usual_conventions

LETTERS = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st",
    "\u00ad": "-",
}  # fmt: skip
SPACING_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306",
    "˙": "\u0307", "˚": "\u030a", "¸": "\u0327", "ˇ": "\u030c", "˝": "\u030b", "˛": "\u0328",
}  # fmt: skip
# Linux Libertine and its heir give the short f (before umlauts and quotation marks) and some ligatures private codes.
LIBERTINE, LIBERTINE_FONTS = {"\ue0e0": "f", "\ue039": "ft"}, ("linlibertine", "linuxlibertine", "libertinus")
# A font's own superscript figure is at most this part of the figure's width; proportional figures are wider.
RAISED_WIDTH = 0.68
# Likewise of a letter's usual width, and of its capital's: small capitals are wider.
RAISED_LETTER, RAISED_CAPITAL = 0.8, 0.58
# The length of an alphabet, and how many letters there are at least for one whose small capital is its usual form.
ALPHABET, RARE = 26, 6
# Forms that differ by no more than this, in 1/1000 em, are as wide.
SAME_WIDTH = 5
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")


def is_garbage(char: str) -> bool:
    """Whether a character shows that the text layer can't be read: unmapped, unassigned or a control character."""
    return char == "\ufffd" or unicodedata.category(char) in {"Cc", "Cn", "Cs"}


def is_combining(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


def compose(accent: str, letter: str) -> str:
    """A letter under a spacing accent, as one NFC string; the dotless i and j take their dots' place."""
    base = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    return unicodedata.normalize("NFC", base + SPACING_ACCENTS[accent])


def replaced(char: str, font: str) -> str:
    """What a font draws for a character: the letters of a ligature, a hyphen for a soft one, private codes of fonts."""
    if char in LIBERTINE and font.lower().startswith(LIBERTINE_FONTS):
        return LIBERTINE[char]
    return LETTERS.get(char, char)


def is_leftward(text: str) -> bool:
    """Whether a text is read from right to left."""
    return next(map(unicodedata.bidirectional, filter(str.isalpha, text)), "L") in {"R", "AL"}


GlyphCount = Counter[tuple[str, str, int, int]]
Glyph = tuple[str, int]


class GlyphForms(NamedTuple):
    """What the fonts of a document draw beside the usual forms of letters and figures.

    small    glyphs of small capitals under small letters: the font with its subset, and the glyph's number
    raised   glyphs of superscript letters and figures, likewise
    """

    small: frozenset[Glyph] = frozenset()
    raised: frozenset[Glyph] = frozenset()


USUAL_FORMS = GlyphForms()


class _Form(NamedTuple):
    """A form of a character, and its width in 1/1000 em."""

    glyph: int
    width: int


# The forms of each character of a font, and how often each is drawn.
_Forms = dict[str, Counter[_Form]]


def family(font: str) -> str:
    """A font's name without its subset, such as `ABCDEF+`."""
    return font[7:] if font[6:7] == "+" else font


def find_forms(counts: GlyphCount) -> GlyphForms:
    """The small capitals, raised letters and figures.

    `counts` counts (font with its subset, character, glyph, advance in 1/1000 em).
    """
    widths: dict[tuple[str, str, int], Counter[int]] = defaultdict(Counter)
    for (font, char, glyph, advance), count in counts.items():
        widths[font, char, glyph][advance] += count
    by_font: dict[str, _Forms] = defaultdict(lambda: defaultdict(Counter))
    for (font, char, glyph), seen in widths.items():
        by_font[font][char][_Form(glyph, seen.most_common(1)[0][0])] += seen.total()
    raised = {(font, glyph) for font, forms in by_font.items() for glyph in _raised(forms)}
    small = {(font, glyph) for font, forms in by_font.items() for glyph in _small_capitals(forms)}
    return GlyphForms(frozenset(small - raised), frozenset(raised))


def _usual(forms: Counter[_Form]) -> _Form:
    return forms.most_common(1)[0][0]


def _raised(forms: _Forms) -> Iterator[int]:
    """Forms far narrower than the widest of a figure, or than the usual one of a letter and its capital."""
    for char, seen in forms.items():
        if char.isdigit():
            limit = RAISED_WIDTH * max(form.width for form in seen)
        elif char.islower() and char.upper() in forms:
            limit = min(RAISED_LETTER * _usual(seen).width, RAISED_CAPITAL * _usual(forms[char.upper()]).width)
        elif char.islower():
            limit = RAISED_WIDTH * _usual(seen).width
        else:
            continue
        yield from (form.glyph for form in seen if form.width < limit)


def _small_capitals(forms: _Forms) -> set[int]:
    """Other forms of small letters, where the widths of many are a constant part of their capitals' widths."""
    letters = {char: [form for form, _ in seen.most_common()] for char, seen in forms.items() if char.islower()}
    capitals = {char: _usual(forms[char.upper()]).width for char in letters if char.upper() in forms}
    others: list[_Form] = []
    ratios: dict[_Form, float] = {}
    for char, (usual, *more) in letters.items():
        width = capitals.get(char, 0)
        others += [form for form in more if abs(form.width - usual.width) > SAME_WIDTH]
        ratios |= {form: form.width / width for form in more if width}
    different = [ratios[form] for form in others if form in ratios]
    middle = median(different) if len(different) >= 5 else 0.0

    def fits(form: _Form) -> bool:
        return form in ratios and abs(ratios[form] - middle) < 0.15 * middle

    if not 0.6 < middle < 0.97 or sum(map(fits, others)) < 0.6 * len(different):
        return set()
    small = {form.glyph for form in (*others, *filter(fits, ratios))}
    # Fonts number their small capitals in a row. There may be the usual form of a letter that prose hardly has, as j.
    place = median(small)
    in_row = {char: own for char, own in letters.items() if abs(own[0].glyph - place) < ALPHABET}
    for char, own in in_row.items() if RARE * len(in_row) <= len(letters) else ():
        nearest = min(own, key=lambda form: abs(form.width - middle * capitals.get(char, 0)))
        if char not in capitals or nearest == own[0]:
            small = (small - {form.glyph for form in own}) | {own[0].glyph}
    return small


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
    gutter         where the space between its two columns ends; None where it has one
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
    gutter: float | None = None
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
