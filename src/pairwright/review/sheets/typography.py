"""What spreadsheet and text programs do to typed text: white space, quotation marks, dashes, letters that get lost."""

import re
import unicodedata

from pairwright.text import squeeze

_DOUBLE = "„“”‟«»″‶＂"
_SINGLE = "‘’‚‛‹›ʼʻ´`′"
_DASHES = "–—‐‑‒―−"
_PLAIN = str.maketrans(
    {char: '"' for char in _DOUBLE} | {char: "'" for char in _SINGLE} | {char: "-" for char in _DASHES} | {"…": "..."}
)
# What nobody sees and programs put in: soft hyphens, zero-width spaces and joiners, marks of direction and byte order.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and without what nobody sees."""
    return squeeze(_UNSEEN.sub("", text) if not text.isascii() else text)


def plain(text: str) -> str:
    """A text with the quotation marks, dashes and dots of a typewriter."""
    return squeeze_cell(text).translate(_PLAIN)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text; white space, the Unicode form and typography don't matter."""
    return cell == text or plain(cell) == plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding without its letters: `?` or the bare letter stands there."""
    shown, whole = plain(cell), plain(text)
    return len(shown) == len(whole) and all(
        have in (want, "?", "\ufffd", _bare(want)) for have, want in zip(shown, whole, strict=True)
    )


def as_typed(text: str, original: str) -> str:
    """A correction without the typography that a program put into it while it was typed.

    Where the original sentence has only typewriter signs of a class (double, single, dash, dots) and the correction
    has others, the correction gets those of the original, so that a pair does not differ in them by accident.
    """
    fixed = squeeze_cell(text)
    for signs, plain_sign in ((_DOUBLE, '"'), (_SINGLE, "'"), (_DASHES, "-"), ("…", "...")):
        if plain_sign in original and not any(sign in original for sign in signs):
            fixed = fixed.translate({ord(sign): plain_sign for sign in signs})
    return fixed


def without_marks(text: str) -> str:
    """A text whose letters have lost their diacritics."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def _bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0]
