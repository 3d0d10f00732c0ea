"""Reads DOCX, ODT, RTF, EPUB and LaTeX through Pandoc, whose HTML goes to the reader of HTML.

Pandoc runs in its sandbox, gets no more than the text of the document, and has a limit of processor time.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from io import BufferedReader, BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

import pypandoc

from pairwright.core.errors import SourceError, one_line
from pairwright.core.files import read_all
from pairwright.documents.flowing.html import html_pieces
from pairwright.documents.flowing.latex import examples_as_tables
from pairwright.documents.flowing.pieces import TextPiece, decode_text

FORMATS = {".docx": "docx", ".odt": "odt", ".epub": "epub", ".rtf": "rtf", ".tex": "latex"}
# A small document gets little time and memory, so that none of a few bytes can take minutes and gigabytes.
_SECONDS, _MOST_SECONDS, _MEGABYTES, _MOST_MEGABYTES = 20, 300, 384, 4096
_PACKED = frozenset({"docx", "odt", "epub"})
_TEXT_MEMBERS = re.compile(r"\.(?:xml|rels|xhtml|html?|opf|ncx)$|^mimetype$", re.IGNORECASE)
# Fonts may be scrambled; a text that is can only be read with the seller's key.
_SCRAMBLED_TEXT = re.compile(rb"""CipherReference\s[^>]*URI\s*=\s*["'][^"']*\.(?:x?html?|xml|opf)["']""", re.IGNORECASE)
# Tabs separate the columns of examples. Pandoc makes spaces of them, so a sign of private use takes their place.
_TAB = "\ue009"
_TABS = {b"<w:tab/>": f"<w:t>{_TAB}</w:t>".encode(), b"<text:tab/>": _TAB.encode()}


def pandoc_pieces(path: Path, file: BufferedReader, max_bytes: int, encoding: str) -> Iterator[TextPiece]:
    """The pieces of an opened document in reading order, each note after the block that refers to it.

    `line` counts the blocks of the document. Raises SourceError where the file is not of its format, is damaged or
    protected, includes other files, or where its text is larger than `max_bytes` unpacked.
    """
    form = FORMATS[path.suffix.lower()]
    data = _text_members(path, file, max_bytes) if form in _PACKED else read_all(file, path, max_bytes, SourceError)
    if form == "rtf":
        # Without the space, Pandoc 3.9 loses the letter after the sign that stands in for this one.
        data = re.sub(rb"(\\u-?\d+)(?=[^\s\\\d])", rb"\1 ", data)
    elif form == "latex":
        data = examples_as_tables(decode_text(path, data, encoding), path).encode()
    count, before = 0, 0
    for piece in html_pieces(_html(path, form, data)):
        count, before = count + (piece.line != before), piece.line
        lines = tuple(line.replace(_TAB, "\t") for line in piece.lines)
        yield replace(piece, text=piece.text.replace(_TAB, " "), lines=lines, line=count)


def _text_members(path: Path, file: BufferedReader, max_bytes: int) -> bytes:
    """A packed document without its pictures and fonts, read once the sizes that it declares are known."""
    slim = BytesIO()
    try:
        with ZipFile(file) as archive, ZipFile(slim, "w") as texts:
            members = [item for item in archive.infolist() if _TEXT_MEMBERS.search(item.filename)]
            total = sum(item.file_size for item in members)
            if total > max_bytes:
                raise SourceError(
                    f"{path}: its text is {total:,} bytes unpacked, more than a document may have ({max_bytes:,}); "
                    "raise ingest.max_bytes in pairwright.toml if you trust the file"
                )
            for item in members:
                with archive.open(item) as member:
                    # No more than it declares; where that is wrong, its checksum does not fit.
                    data = member.read(item.file_size + 1)
                if item.filename == "META-INF/encryption.xml" and _SCRAMBLED_TEXT.search(data):
                    raise SourceError(f"{path}: the book is protected (DRM); get a copy without protection")
                for element, sign in _TABS.items():
                    data = data.replace(element, sign)
                texts.writestr(item.filename, data)
    except (BadZipFile, ZlibError, EOFError, RuntimeError, OSError, ValueError) as fault:
        kind, reason = path.suffix[1:].upper(), one_line(fault, 120)
        raise SourceError(f"{path}: not {kind}, damaged, or with a password ({reason}); save it again") from None
    return slim.getvalue()


def _html(path: Path, form: str, data: bytes) -> str:
    script = Path(__file__).with_name("pandoc.lua")
    command = [pypandoc.get_pandoc_path(), "--sandbox", "--wrap=none", "--reference-location=block", f"--from={form}"]
    megabytes = min(_MEGABYTES + len(data) // 25_000, _MOST_MEGABYTES)
    seconds = min(_SECONDS + len(data) // 20_000, _MOST_SECONDS)
    command += ["--to=html5", f"--lua-filter={script}", "+RTS", f"-M{megabytes}m", "-RTS"]

    def limit_time() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    # Its own limit, since the process that reads may itself be ended, and Pandoc would go on.
    limited = limit_time if sys.platform != "win32" else None
    result = subprocess.run(command, input=data, capture_output=True, preexec_fn=limited)
    said = one_line(result.stderr.decode(errors="replace"), 200)
    if result.returncode or "code page" in said:
        reason = said if said and result.returncode >= 0 else "it takes too much time or memory"
        raise SourceError(f"{path}: can't be read as {path.suffix[1:].upper()} ({reason}); save it again, best as DOCX")
    return result.stdout.decode()
