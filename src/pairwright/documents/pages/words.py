"""Images of pages and lines for recognition: skew, ruled lines, white and ink; and words as the ink shows them.

Images are numpy arrays of uint8: grey ones (height, width), coloured ones (height, width, 3) in RGB order. Places are
in pixels from the top left.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, combinations, islice, pairwise, permutations, product
from math import ceil, floor
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from pairwright.documents.lines.data import BBox, RuledLine
from pairwright.languages import Language, load_language
from pairwright.languages.letters import dictionary_path, speller

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


WordTest = Callable[[str], bool]

# The usual share of the font size: of an x, of a capital letter.
X_HEIGHT, CAP_HEIGHT = 0.48, 0.70
# Sizes that differ from the middle of others by less than twice this share are one size that was measured badly.
HALF = 0.055
BOLD = 1.3
# How much wider, in em, a gap must be for each em that it lies farther from a space that was read, and how far it may.
PULL, REACH = 0.6, 3.0
# Dirt: less ink than this, in square em, this far from the letters, in em.
SPECK, SPECK_APART = 0.01, 0.12
# The least white that parts two words, in em, and as a share of the usual space of the line.
LEAST_SPACE, SHARE = 0.15, 0.55
# Alone on its line, a gap must be as wide as this, in em.
LONE_SPACE = 0.24
NO_SPACE_BEFORE = frozenset(".,;:!?)]}’'”\"»-=–/")
NO_SPACE_AFTER = frozenset("([{‘'“\"„«-=–/*?#")
CORE = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
MAX_CHANGES = 3
MAX_CANDIDATES = 200
# What a repaired word's confidence is multiplied by.
REPAIRED = 0.95


@dataclass(frozen=True)
class LineShape:
    """How a line of text looks, in pixels: its baseline, font size and the usual thickness of its strokes."""

    baseline: float
    size: float
    stroke: float


def line_shape(dark: Image, box: BBox, text: str) -> LineShape:
    """The shape of the line of text in a box, by its row profile: most ink lies between the baseline and an x's top."""
    _, y0, _, y1 = box
    part = crop(dark, box)
    rows = part.sum(axis=1).astype(np.float64)
    if rows.sum() == 0 or len(rows) < 6:
        return LineShape(y1 - 0.2 * (y1 - y0), 0.8 * (y1 - y0), 1.0)
    inked = np.flatnonzero(rows > 0)
    smooth = np.convolve(np.pad(rows, 1, mode="edge"), np.ones(3) / 3, mode="valid")
    steps = np.diff(smooth)
    middle = int(inked[0] + 0.45 * (inked[-1] - inked[0]))
    base = middle + int(np.argmin(steps[middle:])) if middle < len(steps) else int(inked[-1])
    small = sum(char.islower() for char in text) > 0.5 * sum(char.isalpha() for char in text)
    # Tops of letters lie in the upper three quarters of what stands on the baseline; no dots and accents count.
    top = int(np.argmax(steps[: max(round(inked[0] + 0.75 * (base - inked[0])), 1)])) + 1
    height = max(base + 1 - top, 3)
    edges = np.diff(np.pad(part, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    # The median length of the horizontal stretches of ink.
    stroke = float(np.median(np.nonzero(edges == -1)[1] - np.nonzero(edges == 1)[1]))
    return LineShape(y0 + base + 1, height / (X_HEIGHT if small else CAP_HEIGHT), stroke)


def sizes_and_bold(shapes: Sequence[LineShape], weights: Sequence[int]) -> list[tuple[float, bool]]:
    """The size of each line, and whether its strokes are thicker for that size than most text of the page.

    Sizes that differ by chance are made equal: the commonest takes in its neighbours. `weights` are the lines' lengths.
    """
    sizes = [line.size for line in shapes]
    left = set(range(len(sizes)))

    def near(size: float, reach: float) -> set[int]:
        return {index for index in left if abs(shapes[index].size - size) <= reach * size}

    while left:
        common = max((shapes[index].size for index in left), key=lambda size: sum(weights[i] for i in near(size, HALF)))
        centre = median(shapes[index].size for index in near(common, HALF))
        for index in near(centre, 2 * HALF):
            sizes[index] = centre
            left.remove(index)
    thickness = [line.stroke / size for line, size in zip(shapes, sizes, strict=True)]
    limit = BOLD * float(np.median(np.repeat(thickness, weights))) if shapes else 0.0
    bold = (value > limit and weight > 2 for value, weight in zip(thickness, weights, strict=True))
    return list(zip(sizes, bold, strict=True))


def words_of(dark: Image, box: BBox, text: str, places: Sequence[float], size: float) -> list[tuple[str, BBox]]:
    """A line's words with their boxes in pixels, cut where spaces were read, and where they are left out, at the white.

    `places` are the recogniser's columns of the characters that are no spaces, in pixels from the box's left edge.
    """
    part, chars = crop(dark, box), "".join(text.split())
    columns = np.flatnonzero(part.any(axis=0))
    if not chars or len(columns) == 0:
        return []
    breaks = np.flatnonzero(np.diff(columns) > SPECK_APART * size) + 1
    # A speck of dirt at the left is smaller than a full stop.
    if len(breaks) and part[:, columns[: breaks[0]]].sum() < SPECK * size * size:
        columns = columns[breaks[0] :]
    left, right = int(columns[0]), int(columns[-1]) + 1
    if len(places) != len(chars):
        places = np.linspace(left, right, 2 * len(chars) + 1)[1::2].tolist()
    gaps = _gaps(columns)
    cuts = _cuts(gaps, text.split(), places, size)
    cuts |= _missing_cuts(chars, places, gaps, cuts, size)
    ends = [*sorted(cuts), len(chars)]
    # A space may have been read beyond the ink.
    edges = [left, *(min(max(edge, left), right) for at in sorted(cuts) for edge in cuts[at]), right]
    x0, y0, y1 = max(box[0], 0.0), box[1], box[3]
    words = (chars[first:last] for first, last in pairwise([0, *ends]))
    return [
        (word, (x0 + start, y0, x0 + end, y1)) for word, start, end in zip(words, edges[::2], edges[1::2], strict=True)
    ]


Cuts = dict[int, tuple[int, int]]  # the white before a character that begins a word


def _cuts(gaps: Sequence[tuple[int, int]], words: Sequence[str], places: Sequence[float], size: float) -> Cuts:
    """For each space that was read a wide gap near its place, or that place itself where there is none."""
    cuts: Cuts = {}
    narrow, last = max(round(0.14 * size), 2) / 2, 0
    for at in list(accumulate(map(len, words)))[:-1]:
        place = (places[at - 1] + places[at]) / 2
        near = [gap for gap in gaps if gap[0] >= last and abs(sum(gap) / 2 - place) < REACH * size]
        gain = {gap: min(gap[1] - gap[0], 3 * size) - PULL * abs(sum(gap) / 2 - place) for gap in near}
        here = max(round(place - narrow), last), max(round(place + narrow), last)
        cuts[at] = max(near, key=gain.__getitem__, default=here)
        last = cuts[at][1]
    return cuts


def _missing_cuts(
    chars: str, places: Sequence[float], gaps: Sequence[tuple[int, int]], read: Cuts, size: float
) -> Cuts:
    """The gaps between words that the recogniser did not read, beside those that it did."""
    usual = [end - start for start, end in read.values()]
    least = max(LEAST_SPACE * size, SHARE * median(usual)) if usual else LONE_SPACE * size
    middles = [(one + two) / 2 for one, two in pairwise(places)]
    cuts: Cuts = {}
    for gap in gaps if middles else ():
        at = 1 + min(range(len(middles)), key=lambda index: abs(middles[index] - sum(gap) / 2))
        one, two = chars[at - 1], chars[at]
        # Figures of one width have white on both sides of a 1.
        inside = one in NO_SPACE_AFTER or two in NO_SPACE_BEFORE or (two.isdigit() and (one.isdigit() or one in ".,"))
        # The white of a space that was read may be broken by a speck; and single letters are seldom words.
        beside = one.isalpha() and any(abs(at - other) <= 1 for other in (0, *read, len(chars)))
        # Words keep their order.
        ordered = (gap[1] <= start if at < other else end <= gap[0] for other, (start, end) in read.items())
        if at not in read and all(ordered) and gap[1] - gap[0] >= least and not inside and not beside:
            cuts[at] = gap
    return cuts


def parted(boxes: Sequence[BBox], dark: Image) -> list[BBox]:
    """Boxes of one line that overlap, cut at the widest white between them, so that no letter is read twice."""
    found = list(boxes)
    for one, two in permutations(range(len(found)), 2):
        a, b = found[one], found[two]
        height = min(a[3] - a[1], b[3] - b[1])
        level = min(a[3], b[3]) - max(a[1], b[1]) > 0.5 * height
        if not (level and a[0] < b[0] < a[2] < b[2]):
            continue
        start, end = max(b[0] - 2 * height, a[0]), min(a[2] + 2 * height, b[2])
        inked = np.flatnonzero(crop(dark, (start, max(a[1], b[1]), end, min(a[3], b[3]))).any(axis=0))
        whites = [(float(np.floor(start)) + sum(gap) / 2, gap[1] - gap[0]) for gap in _gaps(inked)]
        if whites:
            centre = (b[0] + a[2]) / 2
            middle, _ = max(whites, key=lambda white: white[1] - 0.25 * max(abs(white[0] - centre) - 0.3 * height, 0))
            found[one], found[two] = (a[0], a[1], middle, a[3]), (middle, b[1], b[2], b[3])
    return found


def _gaps(columns: NDArray[np.int64]) -> list[tuple[int, int]]:
    return [(int(one) + 1, int(two)) for one, two in pairwise(columns) if two - one > 1]


def widened(box: BBox, dark: Image, others: Sequence[BBox]) -> BBox:
    """The box of a line with the single letters beside it that the detector left out, such as the word `Į`."""
    x0, y0, x1, y1 = box
    height = y1 - y0
    rows = slice(max(round(y0 + 0.15 * height), 0), max(round(y1 - 0.15 * height), 1))
    beside = [other for other in others if other != box and min(other[3], y1) - max(other[1], y0) > 0.3 * height]
    reach = 1.3 * height
    low = max([other[2] for other in beside if other[2] <= x0 + height] + [x0 - reach, 0.0])
    high = min([other[0] for other in beside if other[0] >= x1 - height] + [x1 + reach, float(dark.shape[1])])
    left = _first_blob(dark[rows, round(low) : round(x0)], 0.08 * height, from_right=True)
    right = _first_blob(dark[rows, round(x1) : round(high)], 0.08 * height, from_right=False)
    pad = 0.15 * height
    x0 = x0 if left is None else max(round(low) + left - pad, low)
    return x0, y0, x1 if right is None else min(x1 + right + pad, high), y1


def _first_blob(part: Image, least: float, from_right: bool) -> int | None:
    """The far edge of the nearest whole blob of ink that is as wide as a stroke, in columns of the part."""
    if part.size == 0:
        return None
    count, _, stats, _ = cv2.connectedComponentsWithStats(np.ascontiguousarray(part), connectivity=8)
    blobs = [
        (int(x), int(x + width))
        for x, _, width, height, _ in stats[1:count]
        if width >= least and height >= 0.5 * part.shape[0] and x > 0 and x + width < part.shape[1]
    ]
    if not blobs:
        return None
    return max(blobs, key=lambda blob: blob[1])[0] if from_right else min(blobs)[1]


@dataclass(frozen=True)
class OcrWord:
    """A recognised word: its text, its box in pixels of the level page, its line, and the confidence 0-1."""

    text: str
    box: BBox
    line: int
    confidence: float


def candidates(word: str, confusions: dict[str, str]) -> Iterator[list[str]]:
    """The words that may have been printed where `word` was read: all with one letter changed, then two, then three."""
    options = [
        [(index, printed) for printed, read in confusions.items() if letter in read]
        for index, letter in enumerate(word)
    ]
    places = list(filter(None, options))
    for n_changes in range(1, min(len(places), MAX_CHANGES) + 1):
        choices = chain.from_iterable(product(*chosen) for chosen in combinations(places, n_changes))
        changes = list(islice(map(dict, choices), MAX_CANDIDATES + 1))
        if len(changes) > MAX_CANDIDATES:
            return
        yield ["".join(changed.get(index, letter) for index, letter in enumerate(word)) for changed in changes]


def by_dictionary(word: str, confusions: dict[str, str], own: WordTest, foreign: WordTest) -> str | None:
    """The one known word that an unknown word may have been printed as; None where there is none or a choice.

    The candidates with the fewest changed letters decide.
    """
    core = CORE.search(word)
    if core is None or any(char.isdigit() for char in core.group()[1:-1]) or own(core.group()) or foreign(core.group()):
        return None
    # A letter with a mark may be read twice, without it and with it.
    found = core.group()
    doubled = (found[:at] + found[at + 1 :] for at, two in enumerate(found[1:]) if found[at] in confusions.get(two, ""))
    for group in chain([doubled], candidates(found, confusions)):
        fitting = sorted({candidate for candidate in group if _same_case(candidate) and own(candidate)})
        if fitting:
            return word[: core.start()] + fitting[0] + word[core.end() :] if len(fitting) == 1 else None
    return None


def _same_case(word: str) -> bool:
    """Whether a word is written as words are: small, capitalised or in capitals."""
    letters = [char for char in word if char.isalpha()]
    return all(char.islower() for char in letters[1:]) or all(char.isupper() for char in letters)


def repaired(words: Sequence[OcrWord], language: Language, others: Sequence[str] = ("en",)) -> list[OcrWord]:
    """The words with the letters that the dictionary corrects, less sure where it does.

    `others` are codes of other languages of the page, whose words stay.
    """
    path = dictionary_path(language)
    if path is None or not language.ocr_confusions:
        return list(words)
    own = speller(path).knows
    paths = [dictionary_path(load_language(code)) for code in others if code != language.code]
    elsewhere = [speller(other) for other in paths if other is not None]

    def foreign(word: str) -> bool:
        return any(other.knows(word) for other in elsewhere)

    texts = [by_dictionary(word.text, language.ocr_confusions, own, foreign) for word in words]
    return [
        replace(word, text=text, confidence=round(REPAIRED * word.confidence, 4)) if text else word
        for word, text in zip(words, texts, strict=True)
    ]
