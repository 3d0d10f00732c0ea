"""What programs do to typed text: white space, quotation marks, dashes, lost letters."""

import re
import unicodedata

from pairwright.core.text import squeeze

# Signs that programs put in place of a typewriter's.
_SIGNS = {'"': "„“”‟«»″‶＂", "'": "‘’‚‛‹›ʼʻ´`′", "-": "–—‐‑‒―−", "...": "…"}
_PLAIN = str.maketrans({sign: typed for typed, signs in _SIGNS.items() for sign in signs})
# Invisible characters that programs insert: soft hyphens, zero-width spaces, joiners, direction and byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and invisible characters."""
    return squeeze(_INVISIBLE.sub("", text) if not text.isascii() else text)


def plain(text: str) -> str:
    """A text with typewriter quotation marks, dashes and dots."""
    return squeeze_cell(text).translate(_PLAIN)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text, apart from white space, Unicode form and typography."""
    return cell == text or plain(cell) == plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding that lacks its letters, with `?` or the bare letter instead."""
    shown, whole = plain(cell), plain(text)
    return len(shown) == len(whole) and all(
        char in (letter, "?", "\ufffd", unicodedata.normalize("NFD", letter)[0])
        for char, letter in zip(shown, whole, strict=True)
    )


def as_typed(text: str, original: str) -> str:
    """A correction without the typography that a program added while it was typed.

    For each class of signs (double quotes, single quotes, dashes, dots): if the original has only the typewriter sign,
    so does the result. Otherwise the two sentences of the corrected pair would differ in typography by accident.
    """
    fixed = squeeze_cell(text)
    for typed, signs in _SIGNS.items():
        if typed in original and not any(sign in original for sign in signs):
            fixed = fixed.translate({ord(sign): typed for sign in signs})
    return fixed


def without_marks(text: str) -> str:
    """A text without the diacritics of its letters."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
