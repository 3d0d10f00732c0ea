"""Reads a page with Tesseract, as a second opinion, where the program is installed."""

import csv
import io
import shutil
import subprocess
from functools import cache

import cv2

from pairwright.ingest.ocr.image import Image
from pairwright.ingest.ocr.repair import OcrWord
from pairwright.language_codes import three_letter_code

TIMEOUT_S = 120


@cache
def installed_models() -> frozenset[str]:
    """The names of Tesseract's installed models; empty where the program is missing."""
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return frozenset(line.strip() for line in listed.stdout.splitlines()[1:])


def model_for(language: str) -> str | None:
    """The installed model that suits a language best: its own, else the one for the Latin script, else None."""
    return next(
        (name for name in (three_letter_code(language), "Latin", "script/Latin") if name in installed_models()), None
    )


def read_words(page: Image, model: str, dpi: float) -> list[OcrWord]:
    """The words that Tesseract reads on a level page image without ruled lines, in pixels; none where it fails."""
    done, encoded = cv2.imencode(".png", page)
    command = ["tesseract", "stdin", "stdout", "-l", model, "--psm", "3", "--dpi", str(round(dpi)), "tsv"]
    try:
        result = subprocess.run(command, input=encoded.tobytes(), capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return []
    if not done or result.returncode != 0:
        return []
    rows = csv.DictReader(io.StringIO(result.stdout.decode("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = []
    for row in rows:
        if row["text"] and row["text"].strip():
            x, y, width, height = (float(row[name]) for name in ("left", "top", "width", "height"))
            line = int(row["block_num"]) * 10_000 + int(row["par_num"]) * 1000 + int(row["line_num"])
            words.append(OcrWord(row["text"].strip(), (x, y, x + width, y + height), line, float(row["conf"]) / 100))
    return words
