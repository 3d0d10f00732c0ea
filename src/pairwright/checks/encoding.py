"""Traces of wrong decoding: what is left of a text that was read or saved in the wrong encoding."""

import re
import unicodedata
from collections.abc import Iterator

from pairwright.checks.check import Context, Flaw, sentence_check, shown

_TYPOGRAPHIC = "–—‘’‚“”„†•…€™ "
_INVISIBLE = "\u00ad\u2060\ufeff"
_LOST_LETTER = re.compile(r"(?<=[^\W\d_])\?(?=[^\W\d_])")
_SECOND_DOT = re.compile("[ij]\u0307(?![\u0300-\u0302])")


@sentence_check("form-encoding-damage", "error")
def damage(sentence: str, context: Context) -> Iterator[Flaw]:
    """Characters that no text has (control, private use, replacement, invisible), UTF-8 that was read as Windows-1252
    or -1257, or a question mark in place of a letter."""
    for index, char in enumerate(sentence):
        if _is_no_text(char):
            name = unicodedata.name(char, "no name")
            yield f"the character U+{ord(char):04X} ({name}) is no part of a text", (index, index + 1)
    for start, end, letter in _misread(sentence, context.language.letters):
        yield f"{shown(sentence[start:end])} is {letter!r} in a wrong encoding", (start, end)
    for match in _LOST_LETTER.finditer(sentence):
        yield "a question mark stands in place of a letter", match.span()


@sentence_check("form-dotted-i", "warning")
def dotted_i(sentence: str, context: Context) -> Iterator[Flaw]:
    """A small i carries a second dot (U+0307), as lower-casing of İ leaves it: invisible, and another letter to a
    model."""
    for match in _SECOND_DOT.finditer(sentence):
        yield "a small i with a second dot (U+0307), as lower-casing İ leaves it", match.span()


def _is_no_text(char: str) -> bool:
    code = ord(char)
    noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    control = unicodedata.category(char) in {"Cc", "Co", "Cs"} and not char.isspace()
    return char == "\ufffd" or char in _INVISIBLE or noncharacter or control


def _misread(sentence: str, letters: str) -> Iterator[tuple[int, int, str]]:
    """The spans whose bytes in Windows-1252 or -1257 are one letter or typographic mark in UTF-8, and that letter."""
    for start in range(len(sentence) - 1):
        first, second = sentence[start], sentence[start + 1]
        if first.isascii() or second.isascii() or first.lower() in letters:
            continue
        for size in (2, 3):
            letter = _reread(sentence[start : start + size])
            if letter and ("\u00a0" <= letter <= "\u017f" or letter in _TYPOGRAPHIC or letter.lower() in letters):
                yield start, start + size, letter
                break


def _reread(piece: str) -> str | None:
    for encoding in ("cp1252", "cp1257"):
        try:
            letter = b"".join(_byte(char, encoding) for char in piece).decode()
        except UnicodeError:
            continue
        if len(letter) == 1:
            return letter
    return None


def _byte(char: str, encoding: str) -> bytes:
    """The byte of a character; browsers read the bytes that Windows-1252 leaves open as Latin-1."""
    return char.encode(encoding, "ignore") or char.encode("latin-1")
