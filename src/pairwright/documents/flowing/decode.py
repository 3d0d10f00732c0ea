"""Decodes text documents."""

from pathlib import Path

from pairwright.core.text import decode, nfc


def decode_text(path: Path, data: bytes, encoding: str = "utf-8") -> str:
    """The text of a document in NFC with `\\n` line ends and plain spaces for no-break ones.

    A byte-order mark decides over `encoding`. Raises SourceError as `decode`.
    """
    remedy = ', or say its encoding (--encoding cp1257, or encoding = "cp1257" in source.toml)'
    return nfc(decode(path, data, [encoding], remedy).replace("\r\n", "\n").replace("\r", "\n"))
