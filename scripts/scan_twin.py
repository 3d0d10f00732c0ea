"""The scanned twin of a text PDF: tilted, noisy grey JPEG images at 200 dpi, with no text layer."""

import numpy as np
import pymupdf
from scipy.ndimage import gaussian_filter, zoom

DPI = 200
# Degrees, page by page: a person lays every sheet down a little differently.
TILT = (0.55, -0.4, 0.9, -0.75, 0.25, -1.0, 0.65, -0.3, 1.1, -0.6, 0.35, -0.85)
QUALITY = 34
SEED = 1547


def scanned_twin(pdf: bytes, title: str) -> bytes:
    """A PDF of the same pages as images only. The same versions of PyMuPDF and NumPy give the same bytes."""
    scan = pymupdf.open()
    with pymupdf.open(stream=pdf, filetype="pdf") as book:
        for index, page in enumerate(book):
            image = scanned_page(page, TILT[index % len(TILT)], np.random.default_rng(SEED + index))
            sheet = scan.new_page(width=page.rect.width, height=page.rect.height)
            sheet.insert_image(sheet.rect, stream=image)
    scan.set_metadata({"title": title})
    return bytes(scan.tobytes(garbage=4, deflate=True, no_new_id=True))


def scanned_page(page: pymupdf.Page, degrees: float, random: np.random.Generator) -> bytes:
    """A JPEG of the page as a flatbed scanner would see it: tilt, soft ink, uneven paper, grain and specks."""
    scale = DPI / 72
    width, height = round(page.rect.width * scale), round(page.rect.height * scale)
    drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale).prerotate(degrees), colorspace=pymupdf.csGRAY)
    ink = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride)[:, : drawn.width]
    top, left = (drawn.height - height) // 2, (drawn.width - width) // 2
    ink = gaussian_filter(ink[top : top + height, left : left + width].astype(np.float32), 0.6)
    patches = zoom(random.normal(0, 2, (9, 7)), (height / 9, width / 7), order=1)
    paper = 236 + patches[:height, :width].astype(np.float32)
    grain = gaussian_filter(random.normal(0, 1, (height, width)).astype(np.float32), 1.0) * 7
    specks = gaussian_filter((random.random((height, width)) < 2.5e-5).astype(np.float32), 1.0) * 600
    grey = 30 + ink / 255 * (paper - 30) + grain - specks
    samples = np.clip(grey, 0, 255).astype(np.uint8).tobytes()
    return bytes(pymupdf.Pixmap(pymupdf.csGRAY, width, height, samples, False).tobytes("jpg", jpg_quality=QUALITY))
