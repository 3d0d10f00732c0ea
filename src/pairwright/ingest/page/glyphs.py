"""Rules for the characters of a text layer: which are kept, and what becomes of the others.

ligatures       U+FB00-FB06 become their letters
accents         a spacing accent that is drawn over a letter (old TeX fonts) becomes a combining one, in NFC
small-capitals  a lower-case letter that is drawn as a small capital becomes a capital, as in plain-text glosses
soft-hyphens    U+00AD that is drawn is a hyphen, wherever it stands: fonts often give both the same code
superscripts    raised digits, such as marks of footnotes, become superscript digits
private-use     private-use characters become what their font is known to draw; else they are kept
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from statistics import median

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
# The most glyphs that stand for several letters in the table of one font.
MOST_SHARED = 2
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def is_private(char: str) -> bool:
    """Whether a character belongs to a private use area."""
    return unicodedata.category(char) == "Co"


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
    """A character after the rules `ligatures`, `soft-hyphens` and `private-use`."""
    if char in LIBERTINE and font.lower().startswith(LIBERTINE_FONTS):
        return LIBERTINE[char]
    return LETTERS.get(char, char)


GlyphCount = Counter[tuple[str, str, int, int]]


def find_small_capitals(counts: GlyphCount) -> frozenset[tuple[str, int]]:
    """The glyphs that draw small capitals under letters and raised figures under figures: (font, glyph number).

    `counts` counts (font, character, glyph, advance in 1/1000 em). A font has small capitals where many lower-case
    letters have a second glyph whose width is a constant part of the capital's width; a second glyph that is as wide
    as the first is only another subset of the same font. Of a name under which several fonts number their glyphs
    each in its own way, nothing can be said.
    """
    advances: dict[tuple[str, str, int], Counter[int]] = defaultdict(Counter)
    drawn: dict[tuple[str, int], set[str]] = defaultdict(set)
    for (font, char, glyph, advance), count in counts.items():
        advances[font, char, glyph][advance] += count
        drawn[font, glyph].add(char.lower())
    shared = Counter(font for (font, _), letters in drawn.items() if len(letters) > 1)
    by_font: dict[str, dict[str, Counter[tuple[int, int]]]] = defaultdict(lambda: defaultdict(Counter))
    for (font, char, glyph), widths in advances.items():
        by_font[font][char][glyph, widths.most_common(1)[0][0]] += widths.total()
    return frozenset(
        (font, glyph)
        for font, letters in by_font.items()
        if shared[font] <= MOST_SHARED
        for glyph in (*_second_glyphs(letters), *_raised_figures(letters))
    )


def _raised_figures(letters: Mapping[str, Counter[tuple[int, int]]]) -> Iterator[int]:
    """Second glyphs of figures that are far narrower than the first: a font's own superscript figures."""
    for forms in (forms for char, forms in letters.items() if char.isdigit()):
        widest = max(advance for _, advance in forms)
        yield from (glyph for glyph, advance in forms if advance < RAISED_WIDTH * widest)


def _second_glyphs(letters: Mapping[str, Counter[tuple[int, int]]]) -> list[int]:
    seconds: list[int] = []
    ratios: list[float] = []
    for char, forms in letters.items():
        (_, usual), *others = [form for form, _ in forms.most_common()]
        different = [(glyph, advance) for glyph, advance in others if abs(advance - usual) > 5 and char.islower()]
        seconds += [glyph for glyph, _ in different]
        capital = letters.get(char.upper())
        width = capital.most_common(1)[0][0][1] if capital else 0
        ratios += [advance / width for _, advance in different if width]
    if len(ratios) < 5:
        return []
    middle = median(ratios)
    fitting = sum(abs(ratio - middle) < 0.15 * middle for ratio in ratios)
    return seconds if 0.6 < middle < 0.97 and fitting >= 0.6 * len(ratios) else []
