"""Reads EPUB (versions 2 and 3): the documents of its spine, as XHTML, each with its number as page.

Only documents that carry text are unpacked, in memory and after their declared sizes are known. XML is read by an HTML
parser, which expands no entities of a document's own.
"""

import codecs
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile, ZipInfo

from bs4 import BeautifulSoup, Tag

from pairwright.errors import SourceError, one_line
from pairwright.ingest.text.archive import DAMAGE
from pairwright.ingest.text.html.parse import parse_html
from pairwright.ingest.text.html.reader import html_pieces
from pairwright.ingest.text.pieces import TextPiece

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
TEXT_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_DECLARED = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']""")


def epub_pieces(path: Path, file: BufferedReader, max_bytes: int) -> Iterator[TextPiece]:
    """The pieces of an opened EPUB in the order of its spine; `page` counts the documents of the spine from 1.

    Raises SourceError for a file that is damaged or protected, or whose text is larger than `max_bytes` unpacked.
    """
    try:
        with ZipFile(file) as archive:
            book = _Book(path, archive, max_bytes)
            spine = book.spine()
            book.check_size([item for item in spine if item])
            for number, name in enumerate(spine, start=1):
                try:
                    for piece in html_pieces(book.text(name)) if name else ():
                        yield replace(piece, page=number)
                except SourceError as fault:
                    raise SourceError(f"{path}, {name}: {str(fault).removeprefix(f'{path}: ')}") from None
    except DAMAGE as fault:
        reason = one_line(fault, 120)
        raise SourceError(f"{path}: not an EPUB, or damaged ({reason}); get the file again") from None


@dataclass(frozen=True)
class _Book:
    path: Path
    archive: ZipFile
    max_bytes: int

    def spine(self) -> list[str | None]:
        """The names of the spine's documents, None for a picture and where a document comes again.

        Raises SourceError where they can't be read.
        """
        root = self._xml(CONTAINER).find(_named("rootfile"), attrs={"full-path": True})
        if not isinstance(root, Tag):
            raise SourceError(f"{self.path}: {CONTAINER} names no package document; this is not an EPUB")
        package = unquote(str(root["full-path"]))
        document = self._xml(package)
        items = {str(item.get("id")): item.attrs for item in document.find_all(_named("item"))}
        names: list[str | None] = []
        seen: set[str] = set()
        for reference in document.find_all(_named("itemref")):
            item = items.get(str(reference.get("idref")), {})
            if item.get("href") is None:
                raise SourceError(f"{self.path}: the spine names '{reference.get('idref')}', which {package} lacks")
            href = unquote(str(item.get("href")).partition("#")[0])
            name = posixpath.normpath(posixpath.join(posixpath.dirname(package), href))
            # A document is read once, where it comes first.
            is_new = name not in seen and str(item.get("media-type")).lower() in TEXT_TYPES
            names.append(name if is_new else None)
            seen.add(name)
        if not any(names):
            raise SourceError(f"{self.path}: the spine of {package} holds no text")
        # Fonts may be scrambled; documents that are can only be read with the seller's key.
        encryption = self._xml(ENCRYPTION) if ENCRYPTION in self.archive.namelist() else None
        for reference in encryption.find_all(_named("cipherreference")) if encryption else ():
            if posixpath.normpath(unquote(str(reference.get("uri")))) in {package, *names}:
                raise SourceError(f"{self.path}: the book is protected (DRM) and can't be read; get a copy without it")
        return names

    def check_size(self, names: list[str]) -> None:
        """Raises SourceError where documents are missing or would be larger than allowed when unpacked."""
        total = sum(self._member(name).file_size for name in names)
        if total > self.max_bytes:
            raise SourceError(
                f"{self.path}: its text is {total:,} bytes unpacked, more than a document may have "
                f"({self.max_bytes:,}); raise ingest.max_bytes in pairwright.toml if you trust the file"
            )

    def _member(self, name: str) -> ZipInfo:
        try:
            return self.archive.getinfo(name)
        except KeyError:
            raise SourceError(f"{self.path}: {name} is missing in it; get the file again") from None

    def _xml(self, name: str) -> BeautifulSoup:
        self.check_size([name])
        return parse_html(self.text(name))

    def text(self, name: str) -> str:
        """A member's text in the encoding that it declares. Raises SourceError where it does not fit."""
        item = self._member(name)
        with self.archive.open(item) as member:
            # No more than it declares; where that is wrong, the checksum does not fit.
            data = member.read(max(item.file_size, 1))
        declared = _DECLARED.search(data[:200])
        encoding = declared[1].decode("ascii") if declared else "utf-8"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        encoding = "utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            raise SourceError(f"{self.path}: {name} is not in its encoding, {encoding}; get the file again") from None
        return re.sub(r"\r\n?", "\n", text)


def _named(name: str) -> re.Pattern[str]:
    """Elements of this name, with or without a prefix for their namespace."""
    return re.compile(rf"^(?:[\w.-]+:)?{name}$")
