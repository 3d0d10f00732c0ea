"""Decodes text documents."""

import codecs
from pathlib import Path

from pairwright.errors import SourceError, at
from pairwright.text import nfc

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def read_text(path: Path, *, encoding: str = "utf-8", max_bytes: int) -> str:
    """The text of a document in NFC with `\\n` line ends and plain spaces for no-break ones.

    A byte-order mark decides over `encoding`. Raises SourceError for a file that is empty, larger than `max_bytes`,
    binary, or not in the encoding, with line and column of the first byte that does not fit.
    """
    size = path.stat().st_size
    if size > max_bytes:
        raise SourceError(f"{path}: {size:,} bytes is more than a text document may have ({max_bytes:,}); split it")
    data = path.read_bytes()
    if not data.strip():
        raise SourceError(f"{path}: the file is empty")
    marked = next((name for bom, name in _BOMS if data.startswith(bom)), None)
    if marked is None and b"\x00" in data:
        raise SourceError(f"{path}: this is a binary file, not a text; give a .md, .txt, .html or .csv document")
    try:
        text = data.decode(marked or encoding)
    except LookupError:
        raise SourceError(f"{path}: unknown encoding '{encoding}'; for example utf-8 or cp1257") from None
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        column = fault.start - data.rfind(b"\n", 0, fault.start)
        raise SourceError(
            f"{at(path, line, column)}: byte 0x{data[fault.start]:02x} is not {marked or encoding}; save the file as "
            'UTF-8, or say its encoding (--encoding cp1257, or encoding = "cp1257" in source.toml)'
        ) from None
    return nfc(text.replace("\r\n", "\n").replace("\r", "\n"))
