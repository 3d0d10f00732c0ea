"""A damaged PDF: every page gives its whole text, or a rejection says that it does not. Nothing is lost silently."""

import io
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from pairwright.core.errors import SourceError
from pairwright.documents.lines.data import PageData
from pairwright.documents.read.reader import PageBlocks, lay_out, learn_book, learn_scans, read_pages

N_PAGES = 3
WORDS = ("nouns", "agree", "with", "verbs", "žodžiai", "ąžuolas", "ėjimas", "ūkis", "many", "forms", "take", "endings")
STREAM = re.compile(rb"(?<!end)stream\r?\n(.*?)endstream", re.DOTALL)


def line_of(page: int, line: int) -> str:
    words = random.Random(100 * page + line).sample(WORDS, 7)
    return f"{' '.join(words)} {page * line}.".capitalize()


@pytest.fixture(scope="module")
def whole() -> bytes:
    """A small book whose pages share a font, with everything packed."""
    document = pymupdf.open()
    font = pymupdf.Font("tiro")
    for number in range(1, N_PAGES + 1):
        page = document.new_page(width=400, height=600)
        writer = pymupdf.TextWriter(page.rect)
        for line in range(12):
            writer.append((40, 60 + 20 * line), line_of(number, line), font=font, fontsize=10)
        writer.write_text(page)
    document.subset_fonts()
    saved: bytes = document.tobytes(deflate=True, deflate_fonts=True, garbage=3)
    return saved


def read(path: Path, data: bytes) -> list[PageBlocks] | None:
    """The pages of a document; None where it is refused as a whole."""
    path.write_bytes(data)
    try:
        return list(read_pages(learn_book(path, "book")))
    except SourceError:
        return None


def text_of(page: PageBlocks) -> str:
    return " ".join(block.text for block in page.blocks)


def flipped(data: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    start, end = chance.choice([match.span(1) for match in STREAM.finditer(data)])
    changed = bytearray(data)
    for place in chance.choices(range(start, end), k=chance.choice([1, 2, 8, 40])):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def check_nothing_is_lost(path: Path, whole: bytes, seeds: Iterable[int]) -> None:
    sound = read(path, whole) or []
    texts = [text_of(page) for page in sound]
    assert not any(page.rejections for page in sound)
    assert [line_of(number, 11) in text for number, text in enumerate(texts, start=1)] == [True] * N_PAGES
    for seed in seeds:
        pages = read(path, flipped(whole, seed))
        if pages is None:
            continue
        for page, text in zip(pages, texts, strict=True):
            assert page.rejections or text_of(page) == text, f"seed {seed}: page {page.page} lost text silently"


def test_flipped_bits_never_lose_text_silently(tmp_path: Path, whole: bytes) -> None:
    check_nothing_is_lost(tmp_path / "book.pdf", whole, range(12))


@pytest.mark.slow
def test_many_flipped_bits_never_lose_text_silently(tmp_path: Path, whole: bytes) -> None:
    check_nothing_is_lost(tmp_path / "book.pdf", whole, range(12, 200))
    with pymupdf.open(stream=whole) as document:
        packed: bytes = document.tobytes(deflate=True, use_objstms=1)
    check_nothing_is_lost(tmp_path / "book.pdf", packed, range(100))


Damage = Callable[[pymupdf.Document, int], None]


def no_second_stream(document: pymupdf.Document, contents: int) -> None:
    document.xref_set_key(document[1].xref, "Contents", f"[{contents} 0 R 999 0 R]")


def no_content(document: pymupdf.Document, contents: int) -> None:
    document.xref_set_key(document[1].xref, "Contents", "999 0 R")


def half_a_stream(document: pymupdf.Document, contents: int) -> None:
    packed = document.xref_stream_raw(contents)
    document.update_stream(contents, packed[: len(packed) // 2], compress=False)
    document.xref_set_key(contents, "Filter", "/FlateDecode")


@pytest.mark.parametrize(
    ("damage", "kept"), [(no_second_stream, line_of(2, 11)), (no_content, ""), (half_a_stream, "")]
)
def test_a_damaged_page_is_reported_and_what_is_left_of_it_kept(
    tmp_path: Path, whole: bytes, damage: Damage, kept: str
) -> None:
    with pymupdf.open(stream=whole) as document:
        damage(document, document[1].get_contents()[0])
        data = document.tobytes()
    pages = read(tmp_path / "book.pdf", data) or []
    assert [bool(page.rejections) for page in pages] == [False, True, False]
    assert kept in text_of(pages[1])
    (rejection,) = pages[1].rejections
    assert rejection.page == 2
    assert not kept or rejection.reason.startswith("damaged, so that part of the page may be missing")


def test_what_is_reported_of_damage_is_text_whatever_bytes_it_quotes(tmp_path: Path, whole: bytes) -> None:
    with pymupdf.open(stream=whole) as document:
        document.xref_set_key(document[1].get_contents()[0], "Filter", "/NoSuchFilter")
        data = document.tobytes()
    pages = read(tmp_path / "book.pdf", data.replace(b"/NoSuch", b"/N\xe5Such")) or []
    assert [bool(page.rejections) for page in pages] == [False, True, False]
    assert pages[1].model_dump_json()


def test_damage_of_a_font_that_pages_share_is_reported_on_each(tmp_path: Path, whole: bytes) -> None:
    """MuPDF warns when it loads the font, and not again."""
    with pymupdf.open(stream=whole) as document:
        (cmap,) = (
            xref for xref in range(1, document.xref_length()) if b"beginbf" in (document.xref_stream(xref) or b"")
        )
        packed = bytearray(document.xref_stream_raw(cmap))
        packed[len(packed) // 2] ^= 255
        document.update_stream(cmap, bytes(packed), compress=False)
        document.xref_set_key(cmap, "Filter", "/FlateDecode")
        data = document.tobytes()
    path = tmp_path / "book.pdf"
    assert all(page.rejections for page in read(path, data) or [])
    # Each page tells it, whichever others a process read before it.
    code = (
        "import sys, pathlib\n"
        "from pairwright.documents.read.reader import learn_book, read_pages\n"
        "book = learn_book(pathlib.Path(sys.argv[1]), 'book')\n"
        "print(*(bool(page.rejections) for page in read_pages(book, [3, 1, 2])))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 3


@pytest.mark.parametrize("count", [b"1", b"2", b"4"])
def test_a_list_of_pages_that_miscounts_is_refused(tmp_path: Path, whole: bytes, count: bytes) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(whole.replace(b"/Count 3", b"/Count " + count))
    with pytest.raises(SourceError, match=r"its list of pages is damaged: .* with another program"):
        learn_book(path, "book")


def scan(path: Path, damage: Callable[[bytes], bytes], kind: str) -> PageBlocks:
    """A page that is one picture, black words on white, read after `damage` to the picture's stream."""
    pixels = np.full((400, 300), 255, np.uint8)
    pixels[60:340:20, 40:260] = 0
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.insert_image(page.rect, stream=file.getvalue())
    with pymupdf.open(stream=document.tobytes(deflate=True)) as packed:
        picture = packed[0].get_images()[0][0]
        name = packed.xref_get_key(picture, "Filter")[1]
        packed.update_stream(picture, damage(packed.xref_stream_raw(picture)), compress=False)
        packed.xref_set_key(picture, "Filter", name)
        packed.save(path)

    def ocr(path: Path, number: int) -> PageData:
        return PageData(number, 300, 400, ())

    return next(read_pages(learn_book(path, "book"), ocr=ocr))


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_scan_whose_picture_is_damaged_is_not_blank(tmp_path: Path, kind: str) -> None:
    assert not scan(tmp_path / "whole.pdf", bytes, kind).rejections
    damages: dict[str, Callable[[bytes], bytes]] = {
        "cut": lambda data: data[: len(data) // 3],
        "empty": lambda data: b"",
        "zeros": lambda data: bytes(len(data)),
        "beginning": lambda data: bytes(40) + data[40:],
    }
    for name, damage in damages.items():
        assert scan(tmp_path / f"{name}.pdf", damage, kind).rejections, name


def test_a_scan_keeps_its_rejection_when_it_is_laid_out(tmp_path: Path) -> None:
    page = scan(tmp_path / "cut.pdf", lambda data: data[: len(data) // 3], "PNG")
    book = learn_book(tmp_path / "cut.pdf", "book")
    assert lay_out(page, learn_scans(book, [])).rejections == page.rejections != ()
