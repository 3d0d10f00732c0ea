"""The sample grammar line by line, as a text PDF and as a scan, and characters of scanned pages in three languages.

`sources/lt-sample-grammar/truth.jsonl` says what stands on each page; the scan is the same booklet as tilted, noisy
grey images of 200 dpi. The texts in `texts` are drawn in a typeface at 300 and 200 dpi, clean, and tilted by 1.5
degrees with noise and JPEG compression; the truth is the text.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from common import HERE, SOURCES, Json, apart, blocks_of, miss, need
from grammars import Heading, matched, score
from pairwright.core.records import Block
from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.ocr import OcrReader
from pairwright.documents.read.reader import lay_out, learn_book, learn_scans, link, read_pages
from pairwright.languages import load_language

TEXTS = ("paragraph", "list_item", "footnote", "caption")
FONT = Path("/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf")
READERS = ("recogniser alone", "language prior", "prior and dictionary")
A4 = (595, 842)


def read_scan(path: Path) -> tuple[Block, ...]:
    """The blocks of a scanned book in Lithuanian, with one profile for all of its pages."""
    reader = OcrReader(load_language("lt"))
    book = learn_book(path, path.stem)
    pages = list(read_pages(book, ocr=reader.read))
    book = learn_scans(book, (page.scan for page in pages if page.scan))
    return tuple(block for page in link(lay_out(page, book) for page in pages) for block in page.blocks)


def texts(blocks: Iterable[Block], kind: str) -> list[Heading]:
    """The texts of a kind with their pages; what goes on from the page before is one with it."""
    by_id: dict[str, list[str]] = {}
    found: list[tuple[int, list[str]]] = []
    for block in (block for block in blocks if block.kind == kind):
        parts = by_id.get(block.continues or "")
        if parts is None:
            parts = []
            found.append((block.page, parts))
        by_id[block.id] = parts
        parts.append(block.text)
    return [(page, " ".join(parts).replace("- ", ""), 1) for page, parts in found]


def unified(records: Sequence[Json]) -> Json:
    """The truth of the booklet in the form of the unseen grammars; a heading is printed with its number."""

    def of(kind: str) -> list[Json]:
        return [record for record in records if record["kind"] == kind]

    examples = [
        {
            "page": it["page"],
            "number": it["number"],
            "sub": it["letter"],
            "surface": " ".join(it["object"]) if it["segmented"] else None,
            "segmentation": " ".join(it["segmented"] or it["object"]),
            "gloss": " ".join(it["gloss"] or ()),
            "translation": it["translation"],
            "source": it["reference"],
            "judgement": it["judgement"],
        }
        for it in of("gloss")
    ]
    headings = [{**it, "text": f"{it['number'] or ''} {it['text']}".strip()} for it in of("heading")]
    tables = [{"page": it["page"], "rows": it["cells"], "caption": "", "notes": []} for it in of("table")]
    nothing: Json = {"stars": [], "broken_words": [], "title": of("title")[0]["text"]}
    return {"headings": headings, "examples": examples, "tables": tables, **nothing}


def lines(data: Path) -> pd.DataFrame:
    """Right of there in the booklet, with the precision where it is below 1."""
    folder = SOURCES / "lt-sample-grammar"
    records = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    books = {"text": blocks_of(folder / "book.pdf")}
    books["scan"] = apart(read_scan, SOURCES / "lt-sample-grammar-scan" / "book-scan.pdf")
    columns = {}
    for name, blocks in books.items():
        miss(f"--- {name}")
        # A list of abbreviations may be read as a table, and the lines of the title page as paragraphs.
        tabular = {it["page"] for it in records if it["kind"] == "table"}
        titles = {it["text"] for it in records if it["kind"] == "title"}
        counted = [it for it in blocks if not ((it.kind == "table" and it.page not in tabular) or it.text in titles)]
        tallies = dict(score(counted, unified(records)))
        for kind in TEXTS:
            there = [(it["page"], it["text"], 1) for it in records if it["kind"] == kind]
            tallies[kind] = matched(texts(counted, kind), there)[0]
        columns[name] = {what: str(tally) for what, tally in tallies.items() if tally.there}
    return pd.DataFrame(columns).rename_axis("").reset_index()


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


def ocr(data: Path) -> pd.DataFrame:
    """Wrong characters, and letters outside ASCII that are right, all conditions together."""
    need(FONT)
    return pd.DataFrame(
        {"language": language, "reader": name, **apart(ocr_figures, language, name)}
        for language in ("lt", "tr", "lb")
        for name in READERS
    )


def ocr_figures(language: str, name: str) -> dict[str, str]:
    """The figures of one reader of one language: without the repairs that it does not name."""
    text = (HERE / "texts" / f"ocr_{language}.txt").read_text(encoding="utf-8")
    own = load_language(language)
    left_out: Json = {"ocr_prior": {}} if name == READERS[0] else {}
    left_out |= {"ocr_confusions": {}} if name != READERS[2] else {}
    reader = OcrReader(own.model_copy(update=left_out))
    counts = Counter[str]()
    for dpi in (300, 200):
        page, truth = draw(text, str(FONT), dpi)
        for image in (page, scanned(page)):
            found = " ".join(row.text for row in rows(reader.read_image(image, dpi=dpi).runs))
            edits = Levenshtein.editops(truth, found)
            wrong = {edit.src_pos for edit in edits if edit.tag != "insert"}
            marked = [place for place, char in enumerate(truth) if char.isalpha() and not char.isascii()]
            counts.update(characters=len(truth), errors=len(edits), marked=len(marked))
            counts["right"] += sum(place not in wrong for place in marked)
    shares = counts["errors"] / counts["characters"], counts["right"] / counts["marked"]
    return {"CER %": f"{100 * shares[0]:.2f}", "diacritics %": f"{100 * shares[1]:.1f}"}
