"""Pages drawn as images: for OCR, and for people who look at what was read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from pairwright.errors import SourceError
from pairwright.ingest.pdf.document import open_document
from pairwright.ingest.pdf.ink import MAX_PIXELS

# No picture format that browsers show is longer than 16,383 pixels (WebP).
MAX_SIDE = 16_000


@dataclass(frozen=True)
class PageImage:
    """A drawn page: its pixels (height, width, 3) in RGB order, its size in points, and pixels per inch."""

    pixels: NDArray[np.uint8]
    width: float
    height: float
    dpi: float


def draw_page(path: Path, number: int, dpi: float, max_pixels: int, password: str | None = None) -> PageImage:
    """Page `number` of a file, counted from 1, drawn at `dpi`, or at less where it would have more than `max_pixels`.

    Raises SourceError where the page does not exist, is damaged, or holds a picture too large to decode safely.
    """
    with open_document(path, password) as document:
        return draw(document, number, dpi, max_pixels)


def draw(document: pymupdf.Document, number: int, dpi: float, max_pixels: int) -> PageImage:
    """A page of an open document, like `draw_page`."""
    path = document.name
    if not 1 <= number <= document.page_count:
        raise SourceError(f"{path}: page {number} of {document.page_count}; name pages that exist")
    try:
        page = document[number - 1]
        _check_pictures(page, number)
        width, height = page.rect.width, page.rect.height
        scale = min(dpi / 72, (max_pixels / max(width * height, 1.0)) ** 0.5, MAX_SIDE / max(width, height, 1.0))
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
    except (RuntimeError, ValueError) as fault:
        raise SourceError(f"{path}: page {number}: damaged ({fault}); mend the file or leave the page out") from None
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    pixels = rows[:, : 3 * pixmap.width].reshape(pixmap.height, pixmap.width, 3).copy()
    return PageImage(pixels, width, height, 72 * scale)


def _check_pictures(page: pymupdf.Page, number: int) -> None:
    for info in page.get_image_info():
        if info["width"] * info["height"] > MAX_PIXELS:
            raise SourceError(
                f"{page.parent.name}: page {number}: a picture of {info['width']} x {info['height']} pixels, more than"
                f" {MAX_PIXELS}; shrink it or leave the page out"
            )
