"""Corrects letters that a font's table names wrongly, where that is certain, and reports the others.

swapped  a ligature named in UTF-16 with swapped bytes: U+6600 U+6900 for "fi". One glyph never stands for two Chinese
         characters; a single one is corrected beside Latin letters, where its font has no other Chinese on the page.
         U+6600 U+CF00 is such a name of "ffi", whose last two letters have one code
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pairwright.documents.lines.glyphs import family
from pairwright.languages.letters import script

Span = dict[str, Any]
_FI_OF_FFI = 0xCF00
# Phoneticians and old orthographies put letters of these scripts into Latin words.
USED_IN_LATIN = frozenset({"GREEK", "CYRILLIC", "COPTIC", "MATHEMATICAL", "MODIFIER", "FULLWIDTH"})


def correct_letters(spans: list[Span]) -> list[Span]:
    """The spans of a page with the letters that its fonts name wrongly, where what they should be is certain."""
    if not any(_letter_of_swapped(char[0]) for span in spans for char in span["chars"]):
        return spans
    others = {span["font"] for span in spans if any(map(_is_chinese, span["chars"]))}
    return [_unswapped(span, span["font"] not in others) for span in spans]


def misread_letters(spans: Sequence[Span]) -> list[str]:
    """What the page's fonts say that can't be so: letters of a script that the page has inside Latin words only."""
    odd: Counter[tuple[str, str]] = Counter()
    used: set[str] = set()
    for span in spans:
        chars = span["chars"]
        inside = set(_foreign(chars))
        used |= {script(chr(char[0])) for at, char in enumerate(chars) if char[0] >= 0x370 and at not in inside}
        odd.update((family(span["font"]), chr(chars[at][0])) for at in inside)
    fonts: dict[str, Counter[str]] = {}
    for (font, char), count in odd.items():
        if script(char) not in used | USED_IN_LATIN:
            fonts.setdefault(font, Counter())[char] = count
    return [
        f"{', '.join(map(repr, sorted(chars)[:5]))} inside Latin words ({chars.total()} times, font {font})"
        for font, chars in sorted(fonts.items())
    ]


def _foreign(chars: Sequence[tuple[Any, ...]]) -> Iterator[int]:
    """Where letters of another script stand right beside Latin letters."""
    for at, (code, *_) in enumerate(chars):
        if code >= 0x370 and script(chr(code)) not in {"", "LATIN"} and _beside_latin(chars, at):
            yield at


def _beside_latin(chars: Sequence[tuple[Any, ...]], at: int) -> bool:
    near = [chars[place][0] for place in (at - 1, at + 1) if 0 <= place < len(chars)]
    return any(script(chr(code)) == "LATIN" for code in near)


def _letter_of_swapped(code: int) -> str:
    """The ASCII letter, or the "fi" of "ffi", whose code has its bytes swapped in `code`; empty where it is none."""
    if code == _FI_OF_FFI:
        return "fi"
    letter = chr(code >> 8) if code < 0x8000 and code & 0xFF == 0 else ""
    return letter if letter.isascii() and letter.isalpha() else ""


def _is_chinese(char: tuple[Any, ...]) -> bool:
    return 0x3400 <= char[0] < 0xA000 and not _letter_of_swapped(char[0])


def _unswapped(span: Span, singly: bool) -> Span:
    """The span with swapped letters put right; `singly` also where a glyph stands for one letter alone."""
    chars = list(span["chars"])
    if not any(_letter_of_swapped(char[0]) for char in chars):
        return span
    begins = [at for at, char in enumerate(chars) if char[1] >= 0]
    swapped = [
        (start, end)
        for start, end in zip(begins, [*begins[1:], len(chars)], strict=True)
        if all(_letter_of_swapped(char[0]) for char in chars[start:end])
    ]
    for start, end in reversed(swapped):
        if end - start > 1 or (singly and chars[start][0] != _FI_OF_FFI and _beside_latin(chars, start)):
            chars[start:end] = [
                (ord(letter), char[1] if place == 0 else -1, *char[2:])
                for char in chars[start:end]
                for place, letter in enumerate(_letter_of_swapped(char[0]))
            ]
    return {**span, "chars": chars}
