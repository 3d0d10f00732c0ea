"""Opens PDF files, and others that PyMuPDF reads, with one clear message for each way in which they can be broken.

Nothing in a document is run or followed: no JavaScript, no link, no attachment.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import OutlineEntry
from pairwright.documents.pages.pdf.damage import mupdf_faults, watch_damage
from pairwright.documents.pages.pdf.mupdf import MupdfDocument, load_pymupdf

MAX_PAGES = 20_000
# Documents with pages of their own: PDF, XPS, and pictures of pages.
PAGED = (".pdf", ".xps", ".tif", ".tiff", ".png", ".jpg", ".jpeg")
_PASSWORD = "PAIRWRIGHT_PDF_PASSWORD"


def document_password() -> str | None:
    """The password of an encrypted document: from the environment alone, so that no file or process list shows it."""
    return os.environ.get(_PASSWORD)


def set_document_password(password: str) -> None:
    """Gives the password to this process and those that it starts."""
    os.environ[_PASSWORD] = password


@contextmanager
def open_document(path: Path, password: str | None = None) -> Iterator[MupdfDocument]:
    """An opened document. Raises SourceError where the file is missing, broken, locked, empty or a dynamic XFA form."""
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    with path.open("rb") as handle:
        head = handle.read(1024)
        handle.seek(max(0, path.stat().st_size - 2048))
        tail = handle.read()
    if path.suffix.lower() == ".pdf" and b"%PDF-" not in head:
        raise SourceError(f"{path}: not a PDF in spite of its name; save it as PDF again, or give it its true suffix")
    try:
        with watch_damage() as damage:
            document: MupdfDocument = load_pymupdf().open(path)
            if not document.needs_pass:
                len(document)  # loads the list of pages
    except mupdf_faults() as fault:
        raise SourceError(f"{path}: damaged or cut short ({fault}); fetch the file again") from None
    try:
        # The list of its objects, or a pack of them, on which all pages rest.
        if packed := next((item for item in damage if "zlib error" in item), None):
            raise SourceError(f"{path}: damaged ({packed}); fetch the file again")
        if document.is_pdf and document.is_repaired and b"%%EOF" not in tail:
            raise SourceError(f"{path}: cut short, its end is missing; fetch the file again")
        try:
            _check(document, path, password)
        except mupdf_faults() as fault:
            raise SourceError(f"{path}: damaged ({fault}); fetch the file again") from None
        yield document
    finally:
        document.close()


def _check(document: MupdfDocument, path: Path, password: str | None) -> None:
    if document.needs_pass and not document.authenticate(password or ""):
        reason = "needs a password" if password is None else "the password does not fit"
        raise SourceError(f"{path}: encrypted, {reason}; give it with --password, or in {_PASSWORD}")
    if document.page_count == 0:
        raise SourceError(f"{path}: has no pages, or was cut short before its page list; fetch the file again")
    if document.page_count > MAX_PAGES:
        raise SourceError(f"{path}: {document.page_count} pages, more than {MAX_PAGES}; split the file")
    _check_page_list(document, path)
    form = document.xref_get_key(document.pdf_catalog(), "AcroForm/XFA") if document.is_pdf else ("null", "null")
    if "null" not in form and document.page_count == 1:
        text = document[0].get_text("text")
        if not text.strip() or "Please wait" in text:
            raise SourceError(f"{path}: an XFA form that only Adobe Reader can show; print it to a plain PDF there")


def _check_page_list(document: MupdfDocument, path: Path) -> None:
    """Raises SourceError where a document has more or fewer pages than it says: those left over can't be reached."""
    with watch_damage() as damage, suppress(*mupdf_faults()):
        document[0]
    for item in damage:
        if "too many kids in page tree" in item or "but only has" in item:
            raise SourceError(
                f"{path}: its list of pages is damaged: {item}; save it as PDF again with another program"
            )


def read_outline(document: MupdfDocument) -> tuple[OutlineEntry, ...]:
    """The entries of the outline that point into the document, in its order; heights count from the page's top."""
    entries = []
    for level, title, page, target in document.get_toc(simple=False):
        if 1 <= page <= document.page_count and title.strip():
            point = target.get("to")
            y = None if point is None else float(document.page_cropbox(page - 1).height - float(point.y))
            entries.append(OutlineEntry(level, " ".join(title.split()), page, y))
    return tuple(entries)
