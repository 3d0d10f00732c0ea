"""How well scanned pages are read: character error rate and diacritics, with and without each repair.

    python benchmarks/ocr.py [--languages lt tr lb] [--readers ...] [--fonts N]

The texts in `benchmarks/texts` are drawn in up to three typefaces at 300 and 200 dpi, clean, and tilted by 1.5 degrees
with noise and JPEG compression. The truth is the text. Prints one Markdown table row a condition.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.ocr import OcrReader
from pairwright.languages import load_language

TEXTS = Path(__file__).parent / "texts"
FONTS = {
    "Liberation Serif": "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf",
    "DejaVu Sans": "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "Noto Serif": "/usr/share/fonts/truetype/noto/NotoSerif-Regular.ttf",
}
READERS = ("recogniser alone", "language prior", "prior and dictionary")
A4 = (595, 842)


@dataclass
class Counts:
    """Characters, wrong characters, letters with diacritics, those read right, pages and seconds."""

    characters: int = 0
    errors: int = 0
    marked: int = 0
    marked_right: int = 0
    pages: int = 0
    seconds: float = 0.0

    def add(self, other: "Counts") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def row(self, *labels: str) -> str:
        cer, marks = 100 * self.errors / self.characters, 100 * self.marked_right / self.marked
        return f"| {' | '.join(labels)} | {cer:.2f} | {marks:.1f} | {self.pages / self.seconds:.2f} |"


def wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """The lines of a text, an empty one between paragraphs."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        line = ""
        for word in paragraph.split():
            if line and font.getlength(f"{line} {word}") > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines += [line, ""]
    return lines


def draw(text: str, font_file: str, dpi: int) -> tuple[NDArray[np.uint8], str]:
    """A text of 11 points on A4, and its words as they stand on the page."""
    scale = dpi / 72
    width, height = (round(side * scale) for side in A4)
    margin = round(60 * scale)
    font = ImageFont.truetype(font_file, round(11 * scale))
    lines = wrapped(text, font, width - 2 * margin)
    picture = Image.new("L", (width, height), 255)
    pen, y = ImageDraw.Draw(picture), margin
    for line in lines:
        pen.text((margin, y), line, font=font, fill=20)
        y += round((15 if line else 8) * scale)
    return np.asarray(picture, dtype=np.uint8), " ".join(line for line in lines if line)


def scanned(page: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The page tilted by 1.5 degrees, with noise, saved as JPEG of quality 50."""
    height, width = page.shape
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 1.5, 1.0)
    tilted = cv2.warpAffine(page, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=(255.0,))
    noisy = np.clip(tilted + np.random.default_rng(0).normal(0, 14, tilted.shape), 0, 255).astype(np.uint8)
    jpeg = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 50])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE), dtype=np.uint8)


def measure(reader: OcrReader, page: NDArray[np.uint8], truth: str, dpi: int) -> Counts:
    """Reads a page and compares it with the truth, character by character."""
    start = time.perf_counter()
    read = reader.read_image(page, dpi=dpi)
    seconds = time.perf_counter() - start
    found = " ".join(row.text for row in rows(read.runs))
    edits = Levenshtein.editops(truth, found)
    wrong = {edit.src_pos for edit in edits if edit.tag != "insert"}
    marked = [place for place, char in enumerate(truth) if char.isalpha() and not char.isascii()]
    right = sum(place not in wrong for place in marked)
    return Counts(len(truth), len(edits), len(marked), right, 1, seconds)


def reader_for(language: str, name: str) -> OcrReader:
    """The reader of a language with the named repairs."""
    data = load_language(language)
    if name == READERS[0]:
        data = data.model_copy(update={"ocr_prior": {}})
    if name != READERS[2]:
        data = data.model_copy(update={"ocr_confusions": {}})
    return OcrReader(data)


def conditions(fonts: int) -> Iterator[tuple[str, str, int, bool]]:
    """Typeface, its file, resolution and whether the page is spoiled."""
    for name, file in list(FONTS.items())[:fonts]:
        if not Path(file).exists():
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        yield from ((name, file, dpi, spoiled) for dpi in (300, 200) for spoiled in (False, True))


def run_one(language: str, name: str, fonts: int) -> None:
    """Measures one reader of one language and prints its rows."""
    text = (TEXTS / f"ocr_{language}.txt").read_text(encoding="utf-8")
    reader = reader_for(language, name)
    reader.read_image(draw(text, next(iter(FONTS.values())), 200)[0], dpi=200)
    total = Counts()
    for font, file, dpi, spoiled in conditions(fonts):
        page, truth = draw(text, file, dpi)
        counts = measure(reader, scanned(page) if spoiled else page, truth, dpi)
        print(counts.row(language, name, font, str(dpi), "scan" if spoiled else "clean"), flush=True)
        total.add(counts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(total.row(f"**{language}**", f"**{name}**", "all", "", f"peak {peak:.0f} MB"), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--languages", nargs="+", default=["lt", "tr", "lb"])
    parser.add_argument("--readers", nargs="+", default=list(READERS), choices=READERS)
    parser.add_argument("--fonts", type=int, default=len(FONTS))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_one(options.languages[0], options.readers[0], options.fonts)
        return
    print("| language | reader | typeface | dpi | page | CER % | diacritics % | pages/s |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for language in options.languages:
        for name in options.readers:
            # A process each, so that the peak of memory is the reader's own.
            command = [sys.executable, __file__, "--one", "--languages", language, "--readers", name]
            subprocess.run([*command, "--fonts", str(options.fonts)], check=True)


if __name__ == "__main__":
    main()
