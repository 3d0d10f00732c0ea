"""Draws pages: for OCR, for people who look at what was read, and to compare a text layer with its ink."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import InkCoverage, PageData, turn_box
from pairwright.documents.pages.pdf.damage import mupdf_faults, watch_damage
from pairwright.documents.pages.pdf.mupdf import MupdfDocument, MupdfPage, load_pymupdf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# No picture format that browsers show is longer than 16,383 pixels (WebP).
MAX_SIDE = 16_000
# The largest picture on a page that is decoded, in pixels.
MAX_PICTURE = 120_000_000
# The longer side, in pixels, of the image on which text and ink are compared.
INK_SIDE = 600


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

    Raises SourceError where the page does not exist, is damaged, or holds a picture too large to decode safely.
    """
    path = document.name
    if not 1 <= number <= document.page_count:
        raise SourceError(f"{path}: page {number} of {document.page_count}; name pages that exist")
    try:
        page = document[number - 1]
        width, height = page.rect.width, page.rect.height
        scale = min(dpi / 72, (max_pixels / max(width * height, 1.0)) ** 0.5, MAX_SIDE / max(width, height, 1.0))
        with watch_damage() as damage:
            pixels = _pixels(page, scale, load_pymupdf().csRGB).copy()
        return PageImage(pixels, width, height, 72 * scale, tuple(damage))
    except mupdf_faults() as fault:
        raise SourceError(f"{path}: page {number}: damaged ({fault}); mend the file or leave the page out") from None


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
