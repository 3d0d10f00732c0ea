"""Encodings, words, keys for comparison, and texts made safe for Markdown and spreadsheets."""

import codecs
import html
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pairwright.core.errors import SourceError, at
from pairwright.core.files import not_decoded

# Python's \w leaves combining marks out, though they belong to the letter before. These are those below Hangul.
_MARKS = "".join(char for char in map(chr, range(0x300, 0xAC00)) if unicodedata.category(char).startswith("M"))

# A word keeps inner hyphens, apostrophes and full stops between letters or digits: "25-ai", "žr.1.3.9", "d'accord".
TOKEN = re.compile(rf"\w[\w{_MARKS}]*(?:[-'’.,]\w[\w{_MARKS}]*)*|[^\w\s]")

_TRANSLATED = re.compile(r"^(?P<text>.*\S)\s+‘(?P<translation>[^‘]+)’[.,;]?$", re.DOTALL)

# East Asian spreadsheets also read the full-width signs as formulas.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Codecs of names and of source code, which Python counts among the encodings of texts.
_NO_TEXTS = {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}


def marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte-order mark at the beginning of a text names; None without one."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)


def text_encoding(name: str) -> str | None:
    """Python's own name of an encoding of texts; None for an unknown name, and for rot13, zip or idna."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # What CPython asks itself when a text is decoded; it has no public name.
    is_text = getattr(codec, "_is_text_encoding", True) and codec.name.replace("-", "_") not in _NO_TEXTS
    return codec.name if is_text else None


def decode(path: Path, data: bytes, encodings: Sequence[str], remedy: str) -> str:
    """The text of a file by its byte-order mark, else in the first of these encodings that all of it is in.

    remedy  for messages, what else helps than a file in UTF-8

    Raises SourceError for an unknown encoding and an empty file, and, with line and column, for the first byte that is
    in none of them and for a NUL character.
    """
    if unknown := [name for name in encodings if text_encoding(name) is None]:
        raise SourceError(f"{path}: '{unknown[0]}' is no encoding of texts; give one such as utf-8, cp1252 or cp1257")
    marked = marked_encoding(data)
    tried = [marked.removesuffix("-sig")] if marked else encodings
    for name in tried:
        try:
            text = data.decode(name).removeprefix("\ufeff")
            break
        except UnicodeDecodeError as error:
            fault = error
    else:
        place, wrong = not_decoded(path, fault), f"not {' nor '.join(tried)}"
        raise SourceError(f"{place} is {wrong}; save the file as UTF-8{remedy}")
    if not text.strip():
        raise SourceError(f"{path}: the file is empty")
    if "\x00" in text:
        before = text.partition("\x00")[0]
        place = at(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
        wrong = "this is a binary file, not a text, or in another encoding"
        raise SourceError(f"{place}: a NUL character: {wrong}; save the file as UTF-8{remedy}")
    return text


def nfc(text: str) -> str:
    """Text in Unicode normal form C, with ordinary spaces for the no-break spaces of web pages and Excel."""
    return unicodedata.normalize("NFC", text).replace("\u00a0", " ").replace("\u202f", " ")


def squeeze(text: str) -> str:
    """NFC text in one line, without repeated or outer white space."""
    return " ".join(nfc(text).split())


def words(text: str) -> list[str]:
    """The words of a text without punctuation marks."""
    return [token for token in TOKEN.findall(text) if token[0].isalnum()]


@cache
def word_pattern(*entries: str) -> re.Pattern[str]:
    """A pattern for whole words in any case: any of the entries, or, where one ends in `*`, all words that begin so.

    An entry may have several words. An apostrophe stands for either form of it. Without entries nothing matches.
    """
    parts = []
    # The longest first: `instead of` before `instead`.
    for entry in sorted(entries, key=len, reverse=True):
        pieces = (re.escape(piece).replace("'", "['’]") for piece in entry.removesuffix("*").split())
        parts.append(r"\s+".join(pieces) + (r"\w*" if entry.endswith("*") else ""))
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)" if parts else r"(?!)", re.IGNORECASE)


def comparison_key(text: str) -> str:
    """A key for nearly verbatim comparison: it ignores case, punctuation and white space."""
    return " ".join(word.casefold() for word in words(nfc(text)))


def split_translation(text: str) -> tuple[str, str | None]:
    """A sentence and the translation in single quotation marks behind it, without them; None where there is none."""
    match = _TRANSLATED.match(text)
    return (match["text"], match["translation"]) if match else (text, None)


def sentence_key(text: str) -> str:
    """A key for identical sentences: it ignores white space and the case of the first letter."""
    line = squeeze(text)
    return line[:1].casefold() + line[1:]


def escape_markdown(text: str) -> str:
    """Text of unknown origin as one line of Markdown that shows it letter for letter, also in a table cell.

    Each run of white space becomes one space, also at the ends, so that pieces of a sentence can be joined.
    """
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", html.escape(re.sub(r"\s+", " ", text), quote=False))


def escape_csv_formula(text: str) -> str:
    """A text as a CSV cell that no spreadsheet program reads as a formula (OWASP, "CSV Injection").

    Such a text gets an apostrophe in front, even if it already has one, so that `unescape_csv_formula` restores it.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_csv_formula(cell: str) -> str:
    """The text of a cell that `escape_csv_formula` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
