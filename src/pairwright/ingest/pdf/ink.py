"""A small grey picture of a page, to see whether its text layer lies on its ink."""

import numpy as np
import pymupdf

from pairwright.errors import SourceError
from pairwright.ingest.page.data import Ink, PageData, turn_box

LONG_SIDE = 600
MAX_PIXELS = 120_000_000


def look(document: pymupdf.Document, page: PageData) -> Ink:
    """What the page looks like. Raises SourceError where a picture on it is too large to decode safely."""
    shown = document[page.number - 1]
    for info in shown.get_image_info():
        if info["width"] * info["height"] > MAX_PIXELS:
            raise SourceError(
                f"{document.name}: page {page.number}: a picture of {info['width']} x {info['height']} pixels, more"
                f" than {MAX_PIXELS}; shrink it or leave the page out"
            )
    scale = LONG_SIDE / max(shown.rect.width, shown.rect.height, 1.0)
    pixmap = shown.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)[:, : pixmap.width]
    paper = float(np.percentile(grey, 90))
    dark = grey < paper - 50
    covered = np.zeros_like(dark)
    on_ink = 0
    for run in page.runs:
        x0, y0, x1, y1 = (round(value * scale) for value in turn_box(run.box, page.turn, page.width, page.height))
        part = slice(max(y0, 0), max(y1, y0 + 1)), slice(max(x0, 0), max(x1, x0 + 1))
        on_ink += bool(dark[part].any())
        covered[part] = True
    inked = int(dark.sum())
    return Ink(
        dark=float(dark.mean()),
        boxes_with_ink=on_ink / len(page.runs) if page.runs else 0.0,
        ink_in_boxes=int((dark & covered).sum()) / inked if inked else 0.0,
    )
