"""Reads page images with PaddleOCR and gives the same typed page data as a PDF's text layer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
from rapidfuzz.distance.Levenshtein import normalized_similarity

from pairwright.core.config import OcrSettings
from pairwright.documents.lines.data import BBox, PageData, RuledLine, Run
from pairwright.documents.pages.ocr import image as ocr_image
from pairwright.documents.pages.ocr.engine import load_model
from pairwright.documents.pages.ocr.image import Image
from pairwright.documents.pages.ocr.models import adaptation
from pairwright.documents.pages.ocr.repair import OcrWord, repaired
from pairwright.documents.pages.ocr.spacing import (
    paired_quotes,
    plain_quotes,
    settled_case,
    settled_length,
    with_raised_marks,
)
from pairwright.documents.pages.ocr.words import LineShape, line_shapes, parted, sizes_and_bold, widened, words_of
from pairwright.documents.pages.pdf.document import open_document
from pairwright.documents.pages.pdf.render import draw
from pairwright.languages import Language, load_language

# A line that the recogniser is less sure of is read again word by word, for the confidence of each.
SURE = 0.93
# What was read with less is noise, not text.
LEAST = 0.1
# Words that are less sure than this are guesses at a script that the recogniser does not know, or at dirt.
READABLE = 0.6
# The most width of a letter, in em, also in spaced print.
WIDEST = 1.2
DETECTION_SIDE = 1280
# Each line gives 18,710 probabilities a step: larger batches cost hundreds of megabytes and save little time.
BATCH = 2
# The width of a column of the recogniser's output by the height of the line: it reads lines at 48 pixels, 8 a column.
COLUMN = 8 / 48
# The least white between two words, in em.
LEAST_GAP = 0.18


class _Line(NamedTuple):
    """A recognised line; `places` are its characters' columns, in pixels from the left edge of the box."""

    box: BBox
    text: str
    confidence: float
    places: tuple[float, ...] = ()


@dataclass
class OcrReader:
    """Reads page images of one language. The models are loaded at the first page, once in a process.

    language         letters, confusions and dictionary for the repairs; its priors adapt the packaged recogniser
    other_languages  codes of other languages of the page, whose words are left alone
    """

    language: Language
    settings: OcrSettings = field(default_factory=OcrSettings)
    other_languages: Sequence[str] = ("en",)

    def read(self, path: Path, number: int, password: str | None = None) -> PageData:
        """A page of a document, counted from 1. Raises SourceError for the document, ConfigError for the models."""
        with open_document(path, password) as document:
            drawn = draw(document, number, self.settings.dpi, self.settings.max_pixels)
        page = self.read_image(drawn.pixels, number, drawn.dpi, drawn.width, drawn.height)
        return replace(page, damage=drawn.damage)

    def read_image(
        self, image: Image, number: int = 1, dpi: float = 300.0, width: float | None = None, height: float | None = None
    ) -> PageData:
        """A page image (height, width, 3) in RGB order, or grey; `width` and `height` are the page's, in points."""
        scale = 72 / dpi
        size = width or image.shape[1] * scale, height or image.shape[0] * scale
        page = PageData(number, *size, (), reader=f"paddleocr {version('paddleocr')} {self.settings.recognition}")
        plain = ocr_image.grey(image)
        dark = ocr_image.ink(plain)
        if ocr_image.is_blank(dark):
            return page
        tilt = ocr_image.skew(dark)
        if tilt:
            plain = ocr_image.turned(plain, tilt)
            dark = ocr_image.ink(plain)
        ruled, mask = ocr_image.ruled_lines(dark, dpi)
        plain = ocr_image.erased(plain, dark, mask)
        dark = dark & (1 - mask)
        boxes = self._boxes(plain, dark)
        lines = self._lines(plain, boxes)
        shapes = line_shapes(dark, [line.box for line in lines], [line.text for line in lines])
        readings = repaired(self._words(plain, dark, lines, shapes), self.language, self.other_languages)
        runs = tuple(_runs(readings, lines, shapes, scale))
        return replace(
            page,
            runs=runs,
            rules=tuple(RuledLine(*_scaled(line, scale)) for line in ruled),
            n_glyphs=sum(len(run.text) for run in runs),
            unread=_unread(dark, boxes, readings, shapes),
        )

    @cached_property
    def _detector(self) -> Any:
        options: dict[str, Any] = {"limit_type": "max", "limit_side_len": DETECTION_SIDE, "unclip_ratio": 2.0}
        settings = self.settings
        return load_model("TextDetection", settings, settings.detection, settings.detection_dir, **options)

    @cached_property
    def _recogniser(self) -> Any:
        settings = self.settings
        adapted = adaptation(self.language, [load_language(code) for code in self.other_languages])
        return load_model("TextRecognition", settings, settings.recognition, settings.recognition_dir, adapted)

    def _boxes(self, plain: Image, dark: Image) -> list[BBox]:
        """The boxes of what looks like lines of text, in whatever script, and holds ink."""
        detected: list[BBox] = []
        for polygon in self._detector.predict(_bgr(plain))[0]["dt_polys"]:
            xs, ys = np.asarray(polygon).T
            detected.append((float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())))
        boxes = parted([widened(box, dark, detected) for box in detected], dark)
        return [box for box in boxes if ocr_image.crop(dark, box).any()]

    def _lines(self, plain: Image, boxes: Sequence[BBox]) -> list[_Line]:
        lines = [line for line in self._recognised(plain, boxes) if line.text and line.confidence >= LEAST]
        return sorted(lines, key=lambda line: (line.box[1] + line.box[3], line.box[0]))

    def _recognised(self, plain: Image, boxes: Sequence[BBox]) -> list[_Line]:
        """The text in each box. Boxes of like shape share a batch, so that little is padded."""
        if not boxes:
            return []
        parts = [_bgr(ocr_image.crop(plain, _padded(box))) for box in boxes]
        order = sorted(range(len(parts)), key=lambda index: parts[index].shape[1] / parts[index].shape[0])
        results = self._recogniser.predict([parts[index] for index in order], batch_size=BATCH, return_word_box=True)
        lines = {}
        for index, result in zip(order, results, strict=True):
            text, (_, chars, columns, _) = result["rec_text"]
            step = COLUMN * parts[index].shape[0]
            shift = boxes[index][0] - max(np.floor(_padded(boxes[index])[0]), 0)
            places = tuple(
                (column + 0.5) * step - shift
                for char, column in zip(chain.from_iterable(chars), chain.from_iterable(columns), strict=True)
                if not char.isspace()
            )
            lines[index] = _Line(boxes[index], " ".join(str(text).split()), float(result["rec_score"]), places)
        return [lines[index] for index in range(len(boxes))]

    def _words(self, plain: Image, dark: Image, lines: list[_Line], shapes: list[LineShape]) -> list[OcrWord]:
        letters = self.language.letters
        readings = []
        for number, (line, form) in enumerate(zip(lines, shapes, strict=True)):
            words = words_of(dark, line.box, line.text, line.places, form.size)
            second = iter(self._recognised(plain, [_spaced(word.box) for word in words if word.cut]))
            for word in words:
                again = next(second).text if word.cut else word.text
                text = again if normalized_similarity(word.text, again) > 0.5 else word.text
                part = ocr_image.crop(dark, word.box)
                text = with_raised_marks(text, part, form.baseline - max(np.floor(word.box[1]), 0), form.size)
                # The recogniser likes to put a dotless i for others.
                text = text if not letters or "ı" in letters else text.replace("ı", "i")
                readings.append(OcrWord(settled_length(settled_case(text)), word.box, number, line.confidence))
        doubtful = [index for index, reading in enumerate(readings) if reading.confidence < SURE]
        read_again = self._recognised(plain, [_spaced(readings[index].box) for index in doubtful])
        for index, line in zip(doubtful, read_again, strict=True):
            agreement = normalized_similarity(plain_quotes(readings[index].text), plain_quotes(line.text))
            readings[index] = replace(readings[index], confidence=round(line.confidence * agreement, 4))
        texts = paired_quotes([reading.text for reading in readings])
        return [replace(reading, text=text) for reading, text in zip(readings, texts, strict=True)]


def _unread(dark: Image, boxes: Sequence[BBox], readings: Sequence[OcrWord], shapes: Sequence[LineShape]) -> float:
    """The share of the ink of the lines in `boxes` that gave no word of some confidence, 0-1.

    A word with few letters for its width, such as a comma as wide as a word, left out what stands there.
    """
    printed, read = np.zeros_like(dark), np.zeros_like(dark)
    for box in boxes:
        ocr_image.crop(printed, box)[:] = 1
    for word in readings:
        widest = WIDEST * shapes[word.line].size * len(word.text)
        if word.confidence >= READABLE and word.box[2] - word.box[0] <= widest:
            ocr_image.crop(read, word.box)[:] = 1
    ink = int((dark & printed).sum())
    return round(int((dark & printed & (1 - read)).sum()) / ink, 4) if ink else 0.0


def _runs(
    readings: Sequence[OcrWord], lines: Sequence[_Line], shapes: Sequence[LineShape], scale: float
) -> Iterator[Run]:
    styles = sizes_and_bold(shapes, [len(line.text) for line in lines])
    for reading, after in zip_longest(readings, readings[1:]):
        (size, bold), base = styles[reading.line], shapes[reading.line].baseline * scale
        size *= scale
        x0, _, x1, _ = _scaled(reading.box, scale)
        if after is not None and after.line == reading.line:
            # Slanted and overhanging letters leave less white than a space, which was read all the same.
            x1 = max(min(x1, after.box[0] * scale - LEAST_GAP * size), x0 + 0.1 * size)
        step = (x1 - x0) / max(len(reading.text), 1)
        yield Run(
            text=reading.text,
            x0=x0,
            y0=base - 0.8 * size,
            x1=x1,
            y1=base + 0.25 * size,
            baseline=base,
            size=round(size, 1),
            font="ocr-bold" if bold else "ocr",
            bold=bold,
            xs=tuple(x0 + step * index for index in range(len(reading.text))),
            confidence=reading.confidence,
        )


def _scaled(box: BBox, scale: float) -> BBox:
    return box[0] * scale, box[1] * scale, box[2] * scale, box[3] * scale


def _padded(box: BBox) -> BBox:
    """A little more than the detector's box, below above all: it cuts off hooks such as those of ą and į."""
    margin = 0.06 * (box[3] - box[1])
    return box[0] - margin, box[1] - 0.5 * margin, box[2] + margin, box[3] + margin


def _spaced(box: BBox) -> BBox:
    margin = 0.12 * (box[3] - box[1])
    return box[0] - margin, box[1], box[2] + margin, box[3]


def _bgr(plain: Image) -> Image:
    return np.asarray(cv2.cvtColor(plain, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
