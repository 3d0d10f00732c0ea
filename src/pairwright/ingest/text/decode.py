"""Decodes text documents."""

from pathlib import Path

from pairwright.errors import SourceError, at
from pairwright.files import not_decoded
from pairwright.text import marked_encoding, nfc, text_encoding


def decode_text(path: Path, data: bytes, encoding: str = "utf-8") -> str:
    """The text of a document in NFC with `\\n` line ends and plain spaces for no-break ones.

    A byte-order mark decides over `encoding`. Raises SourceError for a file that is empty, binary, or not in the
    encoding, with line and column of the first byte that does not fit.
    """
    if not data.strip():
        raise SourceError(f"{path}: the file is empty")
    codec = marked_encoding(data) or text_encoding(encoding)
    if codec is None:
        raise SourceError(f"{path}: '{encoding}' is no encoding of texts; write one such as utf-8 or cp1257")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as fault:
        raise SourceError(
            f"{not_decoded(path, fault)} is not {codec}; save the file as UTF-8, or say "
            'its encoding (--encoding cp1257, or encoding = "cp1257" in source.toml)'
        ) from None
    if "\x00" in text:
        before = text.partition("\x00")[0]
        place = at(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise SourceError(
            f"{place}: a NUL character: this is a binary file, not a text, or in another encoding; give a .md, .txt, "
            ".html or .csv document, or say its encoding (--encoding utf-16-le)"
        )
    return nfc(text.replace("\r\n", "\n").replace("\r", "\n"))
