"""The bytes of a text that a spreadsheet program saved, as text: the encoding is told from what the file must hold."""

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright.errors import ReviewError

# UTF-32 stands first: its little-endian mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
UNICODE = frozenset(encoding for _, encoding in MARKS)
REMEDY = "save it again as 'CSV UTF-8'"
# What spreadsheet programs of Europe save where they don't save Unicode.
_OTHERS = ("cp1257", "cp1250", "cp1252", "cp1254", "cp1251", "iso8859-4", "iso8859-13", "mac-latin2", "mac-roman")


class Decoded(NamedTuple):
    """A text, its encoding, and whether bytes in it were no text: U+FFFD stands for them."""

    text: str
    encoding: str
    damaged: bool


def decode(data: bytes, path: Path, legacy_encoding: str, expected: Sequence[str]) -> Decoded:
    """The text of a file: by its byte order mark, as UTF-8, or in the encoding that shows most `expected` sentences.

    The legacy encoding goes before others that show as many. Raises ReviewError where the bytes are no text.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    if b"\0" in data:
        # Without a mark, the zero bytes of Latin letters tell which half of each pair is the higher one.
        encoding = "utf-16-le" if data[1::2].count(0) > data[::2].count(0) else "utf-16-be"
        if data.count(0) * 4 < len(data):
            raise ReviewError(f"{path}: not a text file; {REMEDY}")
        return _lenient(data, encoding)
    try:
        return _whole(data.decode("utf-8"), legacy_encoding, expected)
    except UnicodeDecodeError:
        pass
    best, most = None, -1
    for reading in _readings(data, legacy_encoding):
        shown = sum(sentence in reading.text for sentence in expected)
        if shown > most:
            best, most = reading, shown
        # Under a wrong encoding hardly any of them is whole, and a large file takes long to be searched.
        if shown * 2 > len(expected):
            break
    assert best is not None  # the last readings are always there
    return best


def _lenient(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, damaged=False)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, damaged=True)


def _whole(text: str, legacy_encoding: str, expected: Sequence[str]) -> Decoded:
    """UTF-8 text; where a program read it as the legacy encoding and saved that as UTF-8, what it was before."""
    if expected and not text.isascii() and not any(sentence in text for sentence in expected):
        try:
            before = text.encode(legacy_encoding).decode("utf-8")
        except UnicodeError:
            before = ""
        if any(sentence in before for sentence in expected):
            return Decoded(before.removeprefix("\ufeff"), "utf-8", damaged=False)
    return Decoded(text, "utf-8", damaged=False)


def _readings(data: bytes, legacy_encoding: str) -> Iterator[Decoded]:
    """The likeliest first. One reading is always there: the legacy one with marks for the bytes that it lacks."""
    for encoding in dict.fromkeys((legacy_encoding, *_OTHERS)):
        try:
            yield Decoded(data.decode(encoding), encoding, damaged=False)
        except UnicodeDecodeError:
            continue
    yield Decoded(data.decode("utf-8", "replace"), "utf-8", damaged=True)
    yield Decoded(data.decode(legacy_encoding, "replace"), legacy_encoding, damaged=True)
