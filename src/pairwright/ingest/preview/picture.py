"""Pictures of pages as files and as data URIs, whole or cut to a block, with the block's box drawn."""

import base64

import cv2
import numpy as np
from numpy.typing import NDArray

from pairwright.ingest.page.data import BBox
from pairwright.ingest.pdf.render import PageImage

# At this quality, text of 150 dpi has no visible fringes, and a page takes half as much as a PNG or a JPEG.
WEBP_QUALITY = 60
FRAME = (200, 30, 30)
INNER = (70, 130, 200)


def data_uri(drawn: PageImage) -> str:
    """A page as a data URI of a WebP image."""
    done, data = cv2.imencode(".webp", drawn.pixels[:, :, ::-1], [cv2.IMWRITE_WEBP_QUALITY, WEBP_QUALITY])
    if not done:
        raise RuntimeError(f"a picture of {drawn.pixels.shape} can't be written as WebP")
    return "data:image/webp;base64," + base64.b64encode(data.tobytes()).decode()


def png(pixels: NDArray[np.uint8]) -> bytes:
    """An image (height, width, 3) in RGB order as the bytes of a PNG file."""
    done, data = cv2.imencode(".png", pixels[:, :, ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 9])
    if not done:
        raise RuntimeError(f"a picture of {pixels.shape} can't be written as PNG")
    return data.tobytes()


def framed(drawn: PageImage, box: BBox, inner: tuple[BBox, ...], context: float) -> NDArray[np.uint8]:
    """The part of a page around a box, with the box drawn in red and boxes in it, such as cells, in blue.

    Boxes and `context`, what is shown on each side of the box, are in points.
    """
    pixels = drawn.pixels.copy()
    thin = max(1, round(drawn.dpi / 150))
    for place in inner:
        _outline(pixels, _pixels(place, drawn), INNER, thin)
    _outline(pixels, _pixels(_wider(box, 2.0), drawn), FRAME, 2 * thin)
    x0, y0, x1, y1 = _pixels(_wider(box, context), drawn)
    return pixels[y0:y1, x0:x1]


def _wider(box: BBox, by: float) -> BBox:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _pixels(box: BBox, drawn: PageImage) -> tuple[int, int, int, int]:
    """A box in points as rows and columns that lie on the picture, and at least one of each."""
    height, width = drawn.pixels.shape[:2]
    scale = drawn.dpi / 72
    x0, y0 = min(max(int(box[0] * scale), 0), width - 1), min(max(int(box[1] * scale), 0), height - 1)
    return x0, y0, min(max(round(box[2] * scale), x0 + 1), width), min(max(round(box[3] * scale), y0 + 1), height)


def _outline(
    pixels: NDArray[np.uint8], place: tuple[int, int, int, int], colour: tuple[int, int, int], width: int
) -> None:
    x0, y0, x1, y1 = place
    for rows, columns in (
        (slice(y0, y0 + width), slice(x0, x1)),
        (slice(max(y1 - width, y0), y1), slice(x0, x1)),
        (slice(y0, y1), slice(x0, x0 + width)),
        (slice(y0, y1), slice(max(x1 - width, x0), x1)),
    ):
        pixels[rows, columns] = colour
