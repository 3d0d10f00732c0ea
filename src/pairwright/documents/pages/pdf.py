"""Opens PDF files, and others that PyMuPDF reads, says what is damaged in them, and draws their pages.

Nothing in a document is run or followed: no JavaScript, no link, no attachment. MuPDF reads on past most damage, and
says so in its warnings alone.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import InkCoverage, OutlineEntry, PageData, turn_box

if TYPE_CHECKING:
    import numpy as np
    import pymupdf
    from numpy.typing import NDArray

MupdfDocument: TypeAlias = "pymupdf.Document"
MupdfPage: TypeAlias = "pymupdf.Page"


# What PyMuPDF imports at its own import: a third of the time, unused. Both load onnxruntime, which looks up a host.
EXTRAS = ("pymupdf.layout", "pymupdf4llm")
# Warnings behind which no text is missing: of the shapes and names of fonts, whose characters are known all the same,
# of colours, lines, links, notes and form fields, of what MuPDF had to find anew and found. All others count as damage,
# so that no new warning passes as harmless.
_HARMLESS = re.compile(
    r"""(?x) \.\.\.\ repeated
    | (?:library\ error:\ )? FT_ | freetype | .*\bglyph | non-embedded\ font | ignored\ error\ when\ loading\ embedded
    | .*\b(?:builtin|substitute)\ .*font | bogus\ font | .*\bfont-face | .*\bsystem\ CMap | ignoring\ one\ to\ many
    | .*\bICC\b | .*[Cc]olou?r | .*blending | .*[Tt]ransfer\ function | .*\bhalftone | .*\bshading
    | .*\bno\ current\ point | .*\bmiter | .*\bdash
    | .*[Oo]utline | .*\blinks?\b | .*\bannot | .*appearance\ stream | .*\bwidget | .*\bfield | .*\baction\b
    | .*Optional\ Content | .*structure\ tree | .*marked\ content | ActualText | .*Root/Version | .*output\ intent
    | PDF\ stream\ Length\ incorrect | line\ feed\ missing | .*follow-up\ resource\ dictionaries
    | gstate\ (?:over|under)flow | .*\bunbalanced | ignoring\ XObject\ with\ subtype\ PS
    """
)
MAX_PAGES = 20_000
# Documents with pages of their own: PDF, XPS, and pictures of pages.
PAGED = (".pdf", ".xps", ".tif", ".tiff", ".png", ".jpg", ".jpeg")
_PASSWORD = "PAIRWRIGHT_PDF_PASSWORD"
# No picture format that browsers show is longer than 16,383 pixels (WebP).
MAX_SIDE = 16_000
# The largest picture on a page that is decoded, in pixels.
MAX_PICTURE = 120_000_000
# The longer side, in pixels, of the image on which text and ink are compared.
INK_SIDE = 600


@cache
def load_pymupdf() -> Any:
    """The package, without its messages and without `EXTRAS`."""
    blocked = [] if "pymupdf" in sys.modules else [name for name in EXTRAS if name not in sys.modules]
    # An entry of None makes an import raise ImportError, which PyMuPDF expects.
    sys.modules.update(dict.fromkeys(blocked))  # type: ignore[arg-type]
    try:
        import pymupdf
    finally:
        for name in blocked:
            del sys.modules[name]
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    # pymupdf4llm sets this when it is imported: boxes may not depend on whether some other code does that.
    pymupdf.TOOLS.unset_quad_corrections(True)
    # Two fonts may differ in nothing but the name of their subset.
    pymupdf.TOOLS.set_subset_fontnames(True)
    return pymupdf


def mupdf_faults() -> tuple[type[Exception], ...]:
    """What PyMuPDF raises of a document; MuPDF's own errors are no RuntimeErrors."""
    return RuntimeError, ValueError, IndexError, load_pymupdf().mupdf.FzErrorBase


_seen = False  # whether anything damaged was met in this process


@contextmanager
def watch_damage() -> Iterator[list[str]]:
    """A list that holds, at the end of the block, what was found damaged in it, each thing once.

    MuPDF warns when it loads a font, and not again for the pages that share it. So behind the first damage nothing that
    was loaded is kept for the next page, and each page tells its own.
    """
    global _seen
    tools: Any = load_pymupdf().TOOLS
    _seen = _seen or bool(_warnings())
    if _seen:
        tools.store_shrink(100)
    damage: list[str] = []
    try:
        yield damage
    finally:
        damage += _warnings()
        _seen = _seen or bool(damage)


def _warnings() -> Iterable[str]:
    """The warnings of damage since they were last asked for."""
    # They quote bytes of the file, which may be no text.
    lines = load_pymupdf().TOOLS.mupdf_warnings(reset=True).encode(errors="replace").decode().splitlines()
    return dict.fromkeys(line for line in lines if line and not _HARMLESS.match(line))


def set_document_password(password: str) -> None:
    """Gives the password to this process and those that it starts."""
    os.environ[_PASSWORD] = password


@contextmanager
def open_document(path: Path) -> Iterator[MupdfDocument]:
    """An opened document. Raises SourceError where the file is missing, broken, locked or empty."""
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    with path.open("rb") as handle:
        head = handle.read(1024)
        handle.seek(max(0, path.stat().st_size - 2048))
        tail = handle.read()
    if path.suffix.lower() == ".pdf" and b"%PDF-" not in head:
        raise SourceError(f"{path}: not a PDF in spite of its name; save it as PDF again, or give it its true suffix")
    with ExitStack() as opened:
        try:
            with watch_damage() as damage:
                document: MupdfDocument = opened.enter_context(load_pymupdf().open(path))
                if not document.needs_pass:
                    len(document)  # loads the list of pages
            # The list of its objects, or a pack of them, on which all pages rest.
            if packed := next((item for item in damage if "zlib error" in item), None):
                raise SourceError(f"{path}: damaged ({packed}); fetch the file again")
            if document.is_pdf and document.is_repaired and b"%%EOF" not in tail:
                raise SourceError(f"{path}: cut short, its end is missing; fetch the file again")
            _check(document, path)
        except mupdf_faults() as fault:
            raise SourceError(f"{path}: damaged or cut short ({fault}); fetch the file again") from None
        yield document


def _check(document: MupdfDocument, path: Path) -> None:
    # From the environment alone, so that no file and no list of processes shows it.
    password = os.environ.get(_PASSWORD)
    if document.needs_pass and not document.authenticate(password or ""):
        reason = "needs a password" if password is None else "the password does not fit"
        raise SourceError(f"{path}: encrypted, {reason}; give it with --password, or in {_PASSWORD}")
    if document.page_count == 0:
        raise SourceError(f"{path}: has no pages, or was cut short before its page list; fetch the file again")
    if document.page_count > MAX_PAGES:
        raise SourceError(f"{path}: {document.page_count} pages, more than {MAX_PAGES}; split the file")
    with watch_damage() as damage, suppress(*mupdf_faults()):
        document[0]
    for item in damage:
        # There are more or fewer pages than it says: those left over can't be reached.
        if "too many kids in page tree" in item or "but only has" in item:
            raise SourceError(
                f"{path}: its list of pages is damaged: {item}; save it as PDF again with another program"
            )


@contextmanager
def page_of(document: MupdfDocument, number: int) -> Iterator[MupdfPage]:
    """Page `number` of a document, from 1. Raises SourceError where it shows damaged at the start or in the block."""
    try:
        yield document[number - 1]
    except mupdf_faults() as fault:
        place = f"{document.name}: page {number}"
        raise SourceError(f"{place}: damaged ({fault}); fix the file or leave the page out") from None


def read_outline(document: MupdfDocument) -> tuple[OutlineEntry, ...]:
    """The entries of the outline that point into the document, in its order; heights count from the page's top."""
    entries = []
    for level, title, page, target in document.get_toc(simple=False):
        if 1 <= page <= document.page_count and title.strip():
            point = target.get("to")
            y = None if point is None else float(document.page_cropbox(page - 1).height - float(point.y))
            entries.append(OutlineEntry(level, " ".join(title.split()), page, y))
    return tuple(entries)


@dataclass(frozen=True)
class PageImage:
    """A drawn page: its pixels (height, width, 3) in RGB order, its size in points, pixels per inch, its damage."""

    pixels: "NDArray[np.uint8]"
    width: float
    height: float
    dpi: float
    damage: tuple[str, ...] = ()


def draw(document: MupdfDocument, number: int, dpi: float, max_pixels: int) -> PageImage:
    """Page `number` of a document, from 1, drawn at `dpi`, or at less where it would have more than `max_pixels`.

    Raises SourceError where the page is damaged, or holds a picture too large to decode safely.
    """
    with page_of(document, number) as page:
        width, height = page.rect.width, page.rect.height
        scale = min(dpi / 72, (max_pixels / max(width * height, 1.0)) ** 0.5, MAX_SIDE / max(width, height, 1.0))
        with watch_damage() as damage:
            pixels = _pixels(page, scale, load_pymupdf().csRGB).copy()
        return PageImage(pixels, width, height, 72 * scale, tuple(damage))


def ink_coverage(document: MupdfDocument, page: PageData) -> InkCoverage:
    """How the text of a page lies on its ink. Raises SourceError where a picture is too large to decode safely."""
    import numpy as np

    shown = document[page.number - 1]
    scale = INK_SIDE / max(shown.rect.width, shown.rect.height, 1.0)
    with watch_damage() as damage:
        grey = _pixels(shown, scale, load_pymupdf().csGRAY)[:, :, 0]
    dark = grey < float(np.percentile(grey, 90)) - 50
    covered = np.zeros_like(dark)
    on_ink = 0
    for run in page.runs:
        x0, y0, x1, y1 = (round(value * scale) for value in turn_box(run.box, page.turn, page.width, page.height))
        part = slice(max(y0, 0), max(y1, y0 + 1)), slice(max(x0, 0), max(x1, x0 + 1))
        on_ink += bool(dark[part].any())
        covered[part] = True
    inked = int(dark.sum())
    return InkCoverage(
        dark=float(dark.mean()),
        boxes_with_ink=on_ink / len(page.runs) if page.runs else 0.0,
        ink_in_boxes=int((dark & covered).sum()) / inked if inked else 0.0,
        damage=tuple(damage),
    )


def _pixels(page: MupdfPage, scale: float, colours: Any) -> "NDArray[np.uint8]":
    """The pixels of a page (height, width, colours), from memory that the page image owns."""
    import numpy as np

    for info in page.get_image_info():
        if info["width"] * info["height"] > MAX_PICTURE:
            raise SourceError(
                f"{page.parent.name}: page {page.number + 1}: a picture of {info['width']} x {info['height']} pixels,"
                f" more than {MAX_PICTURE}; shrink it or leave the page out"
            )
    pixmap = page.get_pixmap(matrix=load_pymupdf().Matrix(scale, scale), colorspace=colours, alpha=False)
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return rows[:, : pixmap.n * pixmap.width].reshape(pixmap.height, pixmap.width, pixmap.n)
