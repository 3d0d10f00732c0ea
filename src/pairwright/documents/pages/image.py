"""Prepares page images for recognition: skew, ruled lines, the ink of words.

Images are numpy arrays of uint8: grey ones (height, width), coloured ones (height, width, 3) in RGB order. Places are
in pixels from the top left.
"""

from math import ceil, floor

import cv2
import numpy as np
from numpy.typing import NDArray

from pairwright.documents.lines.data import BBox, RuledLine

Image = NDArray[np.uint8]

# A page is blank where less of it than this is dark.
BLANK = 0.0003
MAX_SKEW = 6.0
_SKEW_SIDE = 1000


def grey(image: Image) -> Image:
    """A grey image from a coloured or a grey one."""
    return image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), dtype=np.uint8)


def ink(page: Image) -> Image:
    """Where a grey image is dark: 1 for ink, 0 for paper, by Otsu's threshold on a lightly smoothed image."""
    smooth = cv2.GaussianBlur(page, (3, 3), 0)
    threshold, _ = cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    paper = float(np.percentile(smooth, 90))
    # On a page with hardly any ink Otsu splits the noise of the paper.
    limit = min(float(threshold), paper - 40.0)
    return (smooth < limit).astype(np.uint8)


def is_blank(dark: Image) -> bool:
    """Whether an ink image holds nothing but specks."""
    opened = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return float(opened.mean()) < BLANK


def skew(dark: Image) -> float:
    """The degrees by which lines of text fall to the right (positive) or rise; 0.0 where no angle stands out.

    Postl 1986: the sum of squared differences of neighbouring rows is greatest where lines are level.
    """
    scale = _SKEW_SIDE / max(dark.shape)
    small = cv2.resize(dark.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    ys, xs = np.nonzero(small > 0.15)
    if len(ys) < 200:
        return 0.0
    weights = small[ys, xs].astype(np.float64)

    def sharpness(angle: float) -> float:
        heights = ys - xs * np.tan(np.radians(angle))
        counts = np.bincount(np.round(heights - heights.min()).astype(np.int64), weights)
        return float(np.square(np.diff(counts)).sum())

    best, level = 0.0, sharpness(0.0)
    score = level
    for step, reach in ((0.5, MAX_SKEW), (0.1, 0.5), (0.02, 0.1)):
        centre = best
        for angle in np.arange(centre - reach, centre + reach + step / 2, step):
            sharp = sharpness(float(angle))
            if sharp > score:
                best, score = float(angle), sharp
    return best if score > 1.03 * level and abs(best) <= MAX_SKEW else 0.0


def turned(image: Image, degrees: float) -> Image:
    """The image turned about its middle so that lines that fell by `degrees` are level; the size stays."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    paper = np.percentile(image.reshape(height * width, -1)[::97], 90, axis=0).tolist()
    result = cv2.warpAffine(image, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=paper)
    return np.asarray(result, dtype=np.uint8)


def ruled_lines(dark: Image, dpi: float) -> tuple[list[RuledLine], Image]:
    """The ruled lines of an ink image, thin and half an inch long or more, and their ink (1 on a line, else 0)."""
    long = max(int(0.5 * dpi), 20)
    thick = max(int(0.035 * dpi), 3)
    lines: list[RuledLine] = []
    mask = np.zeros_like(dark)
    for horizontal in (True, False):
        kernel = np.ones((1, long) if horizontal else (long, 1), np.uint8)
        # Noise and a rest of tilt break a line; a short closing across joins what lies within a pixel or two.
        bridged = cv2.dilate(dark, np.ones((3, 1) if horizontal else (1, 3), np.uint8))
        kept = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, kernel)
        count, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(kept, dtype=np.uint8))
        for x, y, width, height, _ in stats[1:count].tolist():
            if (height if horizontal else width) > thick + 3 or (width if horizontal else height) < long:
                continue
            mask[y : y + height, x : x + width] |= dark[y : y + height, x : x + width]
            middle_x, middle_y = x + width / 2, y + height / 2
            ends = (x, middle_y, x + width, middle_y) if horizontal else (middle_x, y, middle_x, y + height)
            lines.append(RuledLine(*map(float, ends)))
    return lines, mask


def crop(image: Image, box: BBox) -> Image:
    """The part of an image within a box, cut at its edges."""
    x0, y0, x1, y1 = box
    return image[max(floor(y0), 0) : ceil(y1), max(floor(x0), 0) : ceil(x1)]
