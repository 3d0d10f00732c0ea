"""Chooses the reader of a page, its text layer or OCR, and says why."""

from dataclasses import dataclass
from typing import Literal

from pairwright.documents.lines.data import InkCoverage, PageData
from pairwright.documents.lines.glyphs import is_garbage

Reader = Literal["text", "ocr", "blank"]

MAX_UNMAPPED = 0.08
MAX_GARBAGE = 0.05
MIN_READABLE = 0.55
MIN_BOXES_WITH_INK = 0.6
MIN_INK_IN_BOXES = 0.25


@dataclass(frozen=True)
class ReaderChoice:
    """The reader of a page and why it was chosen."""

    reader: Reader
    reason: str


def needs_ink(page: PageData) -> bool:
    """Whether the page must be looked at: it has no text, hidden text, or a picture over most of it."""
    area = page.width * page.height
    pictured = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in page.pictures) > 0.5 * area
    return page.n_glyphs == 0 or pictured or 2 * page.n_hidden > page.n_glyphs


def choose_reader(page: PageData, ink: InkCoverage | None = None, forced: Reader | None = None) -> ReaderChoice:
    """The reader that a page needs. Give `ink` where `needs_ink` says so; `forced` decides alone."""
    if forced is not None:
        return ReaderChoice(forced, "chosen by option")
    if page.n_glyphs == 0:
        if ink is not None and ink.dark < 0.0005:
            return ReaderChoice("blank", "no text and no ink")
        return ReaderChoice("ocr", "no text layer")
    unmapped = page.n_unmapped / page.n_glyphs
    if unmapped > MAX_UNMAPPED:
        return ReaderChoice("ocr", f"{unmapped:.0%} of the glyphs have no Unicode value")
    text = "".join(run.text for run in page.runs)
    if not text:
        return ReaderChoice("ocr", "the text layer holds only spaces")
    garbage = sum(map(is_garbage, text)) / len(text)
    if garbage > MAX_GARBAGE:
        return ReaderChoice("ocr", f"{garbage:.0%} of the characters are garbage")
    plain = text.replace(".", "")
    readable = sum(char.isalnum() for char in plain) / max(len(plain), 1)
    if readable < MIN_READABLE and len(text) > 200:
        return ReaderChoice("ocr", f"only {readable:.0%} of the characters are letters or digits")
    if ink is not None and ink.boxes_with_ink < MIN_BOXES_WITH_INK:
        return ReaderChoice("ocr", f"only {ink.boxes_with_ink:.0%} of the text layer lies on ink")
    if ink is not None and needs_ink(page) and ink.ink_in_boxes < MIN_INK_IN_BOXES:
        return ReaderChoice("ocr", f"the text layer covers only {ink.ink_in_boxes:.0%} of the ink")
    hidden = " (a hidden layer that lies on the ink)" if 2 * page.n_hidden > page.n_glyphs else ""
    return ReaderChoice("text", f"sane text layer{hidden}")
