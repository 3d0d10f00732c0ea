"""Puts back what a recogniser leaves out of a line: spaces, quotation marks, raised figures, marks of length.

The recogniser tells in which column of the line it saw each character, so the white and the ink between characters can
be compared with what it read. All places are in pixels from the left edge of the line's box.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from pairwright.documents.lines.glyphs import SUPERSCRIPTS
from pairwright.documents.pages.ocr.image import Image
from pairwright.documents.pages.ocr.vocabulary import SEGMENTED

# The least white that parts two words, in em, and as a share of the usual space of the line.
LEAST_SPACE, SHARE = 0.15, 0.55
# Alone on its line, a gap must be as wide as this, in em.
LONE_SPACE = 0.24
# A mark above the letters: its foot lies at least this far above the baseline, in em; a quotation mark is lower than
# a raised figure.
RAISED, QUOTE_HEIGHT = 0.32, 0.33
NO_SPACE_BEFORE = frozenset(".,;:!?)]}’'”\"»-=–/")
NO_SPACE_AFTER = frozenset("([{‘'“\"„«-=–/*?#")
QUOTES = "'‘’`´"
# Two to four letters in both cases that are not a capitalised word.
CATEGORY = re.compile(
    r"(?<![^\W\d_])(?=[A-Za-z]*[A-Z])(?=[A-Za-z]*[a-z])(?![A-Z][a-z]+(?![A-Za-z]))[A-Za-z]{2,4}(?![^\W\d_])"
)
# A transcription: small letters and signs between brackets or slashes. `[dog:PL]` and `[1999:12]` are none.
TRANSCRIPTION = re.compile(r"\[[^\[\]/A-Z\d]+\]|(?<![\w:/])/[^\[\]/A-Z\d]+/")
LENGTH = re.compile(r"(?<=[^\W\d_]):+")
OPENING = re.compile(r"^[(\[]*‘")
CLOSING = re.compile(r"'(?=[)\].,;:]*$)")
# A quotation mark that was read as a raised figure, at a word that ends with one.
FIGURE = re.compile(r"^¹(?=[^\W\d_].*['’][)\].,;:]*$)")


def missing_spaces(
    text: str, places: Sequence[float], gaps: Sequence[tuple[int, int]], taken: Sequence[tuple[int, int]], size: float
) -> str:
    """The text with a space where the line shows a gap between words that the recogniser did not read.

    `places` has one entry for each character that is no space; `taken` are the `gaps` of the spaces that were read.
    """
    chars = "".join(text.split())
    if len(chars) != len(places) or len(chars) < 2:
        return text
    rest = [gap for gap in gaps if gap not in taken]
    least = LONE_SPACE * size if not taken else max(LEAST_SPACE * size, SHARE * median(b - a for a, b in taken))
    wide = [gap for gap in rest if gap[1] - gap[0] >= least]
    middles = [(one + two) / 2 for one, two in pairwise(places)]
    cuts = {min(range(len(middles)), key=lambda i: abs(middles[i] - sum(gap) / 2)) for gap in wide}
    cuts = {cut for cut in cuts if chars[cut] not in NO_SPACE_AFTER and chars[cut + 1] not in NO_SPACE_BEFORE}
    # Figures of one width have white on both sides of a 1.
    cuts = {cut for cut in cuts if not (chars[cut + 1].isdigit() and (chars[cut].isdigit() or chars[cut] in ".,"))}
    # The white of a space that was read may be broken by a speck; and single letters are seldom words.
    read = [int(end) - 1 for end in np.cumsum([len(word) for word in text.split()])]
    near = {place for end in (-1, *read) for place in (end - 1, end, end + 1)}
    spaces = {cut for cut in cuts if cut not in near or not chars[cut].isalpha()}.union(read)
    return "".join(f"{char} " if index in spaces else char for index, char in enumerate(chars)).rstrip()


def space_places(text: str, places: Sequence[float]) -> list[float]:
    """Where the spaces of a text lie by the places of its characters; empty where these do not fit the text."""
    words = text.split()
    if sum(map(len, words)) != len(places):
        return []
    ends = np.cumsum([len(word) for word in words])[:-1]
    return [(places[end - 1] + places[end]) / 2 for end in ends]


def with_raised_marks(word: str, part: Image, baseline: float, size: float) -> str:
    """A word with its missing opening quotation mark, and raised figures as superscripts, by its ink (`part`)."""
    groups = _groups(part)
    if len(groups) < 2 or not word:
        return word
    height = _height_if_raised(part, groups[0], baseline, size)
    if height is not None and height < QUOTE_HEIGHT * size:
        if word[0] in QUOTES:
            return "‘" + word[1:]
        # In italics, an f or a j may show ink at its upper left, apart from its stem.
        return "‘" + word if word[0].isalpha() and word[0] not in "fj" else word
    if height is not None and (word[0].isdigit() or word[0] in QUOTES) and len(word) > 1 and word[1].isalpha():
        return ("¹" if word[0] in QUOTES else word[0].translate(SUPERSCRIPTS)) + word[1:]
    if word[-1].isdigit() and not word[:-1].isdigit() and _height_if_raised(part, groups[-1], baseline, size):
        return word[:-1] + word[-1].translate(SUPERSCRIPTS)
    return word


def plain_quotes(text: str) -> str:
    """A text with straight quotation marks only."""
    return re.sub("[‘’`´]", "'", text)


def _groups(part: Image) -> list[tuple[int, int]]:
    """The stretches of columns that hold ink."""
    inked = np.flatnonzero(np.diff(np.concatenate(([0], part.any(axis=0).astype(np.int8), [0]))))
    return [(int(start), int(end)) for start, end in zip(inked[::2], inked[1::2], strict=True)]


def _height_if_raised(part: Image, group: tuple[int, int], baseline: float, size: float) -> float | None:
    """The height of the ink in some columns, where all of it stands above the middle of small letters."""
    rows = np.flatnonzero(part[:, group[0] : group[1]].any(axis=1))
    if len(rows) == 0 or rows[-1] > baseline - RAISED * size or rows[0] > baseline - 0.5 * size:
        return None
    height = float(rows[-1] - rows[0] + 1)
    return height if height > 0.14 * size and group[1] - group[0] > 0.06 * size else None


def settled_case(word: str) -> str:
    """A gloss whose categories are set in small capitals and were read in both cases, such as `1sG`, in capitals."""
    return CATEGORY.sub(lambda match: match.group().upper(), word) if SEGMENTED.search(word) else word


def settled_length(word: str) -> str:
    """A transcription with marks of length for the colons behind its letters: recognisers know no such mark."""
    return TRANSCRIPTION.sub(lambda match: LENGTH.sub(_long, match.group()), word)


def _long(colons: re.Match[str]) -> str:
    """A mark of length for each colon: two stand behind what is overlong."""
    return "ː" * len(colons.group())


def paired_quotes(words: Sequence[str]) -> list[str]:
    """A page's words with a curly mark at the end of each quotation that a curly one opens.

    A straight mark behind a word stays where no quotation is open.
    """
    settled, is_open = [], False
    for word in words:
        opened = FIGURE.sub("‘", word)
        is_open = is_open or bool(OPENING.match(opened))
        closed = CLOSING.sub("’", opened) if is_open else opened
        is_open = is_open and closed == opened
        settled.append(closed)
    return settled
