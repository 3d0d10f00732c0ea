"""Corrects letters that a font's table names wrongly, where that is certain, and reports the others.

swapped  a ligature named in UTF-16 with swapped bytes: U+6600 U+6900 for "fi". One glyph never stands for two Chinese
         characters; a single one is corrected beside Latin letters, where its font has no other Chinese on the page.
         U+6600 U+CF00 is such a name of "ffi", whose last two letters have one code
named    a letter of another script inside a Latin word, or a private one, whose glyph has another name in the font
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any
from unicodedata import normalize

from pairwright.documents.lines.glyphs import family, is_private
from pairwright.documents.pages.pdf import MupdfPage, load_pymupdf, mupdf_faults
from pairwright.languages.letters import script

Span = dict[str, Any]
_FI_OF_FFI = 0xCF00
# Phoneticians and old orthographies put letters of these scripts into Latin words.
USED_IN_LATIN = frozenset({"GREEK", "CYRILLIC", "COPTIC", "MATHEMATICAL", "MODIFIER", "FULLWIDTH"})
_UNI = re.compile(r"uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6})")


def correct_letters(page: MupdfPage, spans: list[Span]) -> list[Span]:
    """The spans of a page with the letters that its fonts name wrongly, where what they should be is certain."""
    codes = {char[0] for span in spans for char in span["chars"]}
    if max(codes, default=0) < 0x370:
        return spans
    if any(map(_letter_of_swapped, codes)):
        others = {span["font"] for span in spans if any(map(_is_chinese, span["chars"]))}
        spans = [_unswapped(span, span["font"] not in others) for span in spans]
    suspects = {(span["font"], chars[at][1]) for span in spans for chars in (span["chars"],) for at in _suspects(chars)}
    texts = _glyph_texts(page, suspects) if suspects else {}
    return [_renamed(span, texts) for span in spans] if texts else spans


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


def _suspects(chars: Sequence[tuple[Any, ...]]) -> set[int]:
    """Where characters stand whose glyphs should be asked for their names."""
    private = {at for at, char in enumerate(chars) if char[0] >= 0xE000 and is_private(chr(char[0]))}
    return {at for at in (*_foreign(chars), *private) if chars[at][1] >= 0}


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


def _renamed(span: Span, texts: dict[tuple[str, int], str]) -> Span:
    """The span with the text of its suspect glyphs' names, where it is more than another letter of such scripts."""
    chars = []
    suspects = _suspects(span["chars"])
    for at, char in enumerate(span["chars"]):
        text = texts.get((span["font"], char[1]), "") if at in suspects else ""
        certain = len(text) > 1 or script(chr(char[0])) not in USED_IN_LATIN
        codes = [ord(letter) for letter in text] if text and certain else [char[0]]
        chars += [(codes[0], *char[1:]), *((code, -1, *char[2:]) for code in codes[1:])]
    return {**span, "chars": chars}


def _glyph_texts(page: MupdfPage, suspects: set[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """The Latin text that the name of a glyph in its embedded font tells, such as "fi" of `f_i`, by the font's name and
    the glyph; none where fonts of one name differ."""
    pymupdf = load_pymupdf()
    fonts: dict[str, list[Any]] = {}
    for xref, _, _, full_name, *_ in page.get_fonts(full=True):
        with suppress(*mupdf_faults()):
            if data := page.parent.extract_font(xref)[3]:
                fonts.setdefault(_plain(full_name), []).append(pymupdf.Font(fontbuffer=data))
    texts: dict[tuple[str, int], str] = {}
    for font, glyph in suspects:
        with suppress(*mupdf_faults()):
            names = {pymupdf.mupdf.fz_get_glyph_name2(each.this, glyph) for each in fonts.get(_plain(font), ())}
            found = {_text_of_name(name, pymupdf.mupdf.fz_unicode_from_glyph_name_strict) for name in names}
            text = normalize("NFKC", found.pop()) if len(found) == 1 else ""
            if text and all(script(char) == "LATIN" for char in text):
                texts[font, glyph] = text
    return texts


def _plain(font: str) -> str:
    """A font's name without its subset, spaces and hyphens, which its program and the page write differently."""
    return re.sub(r"[\W_]", "", family(font))


def _text_of_name(glyph_name: str, code_of: Callable[[str], int]) -> str:
    """The text of a glyph's name by Adobe's rules: `f_i.alt` is "fi", `uni0066` is "f"; empty where it tells none."""
    text = ""
    for part in glyph_name.partition(".")[0].split("_"):
        match = _UNI.fullmatch(part)
        if match:
            digits = match[1] or match[2]
            size = 4 if match[1] else len(digits)
            codes = [int(digits[at : at + size], 16) for at in range(0, len(digits), size)]
        else:
            codes = [code_of(part)]
        if any(code <= 0 or code > 0x10FFFF for code in codes):
            return ""
        text += "".join(map(chr, codes))
    return text
