"""Decodes what spreadsheet programs save. Where the bytes leave the encoding open, the expected sentences decide."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pairwright.core.errors import ReviewError
from pairwright.core.text import marked_encoding

REMEDY = "save it again as 'CSV UTF-8'"
# What European spreadsheet programs save when they don't save Unicode.
_OTHERS = ("cp1257", "cp1250", "cp1252", "cp1254", "cp1251", "iso8859-4", "iso8859-13", "mac-latin2", "mac-roman")


class Decoded(NamedTuple):
    """A text, its encoding, and whether some bytes were no text; U+FFFD stands for each of them."""

    text: str
    encoding: str
    damaged: bool


def decode(data: bytes, path: Path, legacy_encoding: str, expected: Sequence[str]) -> Decoded:
    """Decodes a file by its byte order mark, as UTF, or in the encoding that shows most `expected` sentences.

    Of encodings that show equally many, the legacy encoding wins. Raises ReviewError if the bytes are no text.
    """
    if encoding := marked_encoding(data):
        return _lenient(data, encoding)
    if b"\0" in data:
        return _unmarked(data, path)
    with suppress(UnicodeDecodeError):
        return _whole(data.decode("utf-8"), legacy_encoding, expected)
    best: dict[int, Decoded] = {}
    for decoded in _candidates(data, legacy_encoding):
        shown = sum(sentence in decoded.text for sentence in expected)
        best.setdefault(shown, decoded)
        # A wrong encoding spoils nearly all sentences, so this one is right. Searching a large file is slow.
        if shown * 2 > len(expected):
            break
    return best[max(best)]


def _unmarked(data: bytes, path: Path) -> Decoded:
    """UTF-32 or UTF-16 without a mark. Raises ReviewError if the bytes are neither."""
    for encoding in ("utf-32-le", "utf-32-be"):
        with suppress(UnicodeDecodeError):
            return Decoded(data.decode(encoding), encoding, damaged=False)
    # The zero bytes of Latin letters show which half of each pair is the higher one.
    decoded = _lenient(data, "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be")
    if "\0" in decoded.text or data.count(0) * 4 < len(data):
        raise ReviewError(f"{path}: not a text file; {REMEDY}")
    return decoded


def _lenient(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, damaged=False)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, damaged=True)


def _whole(text: str, legacy_encoding: str, expected: Sequence[str]) -> Decoded:
    """UTF-8 text. If a program took it for the legacy encoding and saved it again as UTF-8, that is undone."""
    if expected and not text.isascii() and not any(sentence in text for sentence in expected):
        with suppress(UnicodeError):
            before = text.encode(legacy_encoding).decode("utf-8")
            if any(sentence in before for sentence in expected):
                return Decoded(before.removeprefix("\ufeff"), "utf-8", damaged=False)
    return Decoded(text, "utf-8", damaged=False)


def _candidates(data: bytes, legacy_encoding: str) -> Iterator[Decoded]:
    """Possible texts, the likeliest first. The last two replace what they can't decode, so they always exist."""
    for encoding in dict.fromkeys((legacy_encoding, *_OTHERS)):
        with suppress(UnicodeDecodeError):
            yield Decoded(data.decode(encoding), encoding, damaged=False)
    yield Decoded(data.decode("utf-8", "replace"), "utf-8", damaged=True)
    yield Decoded(data.decode(legacy_encoding, "replace"), legacy_encoding, damaged=True)
