"""Whole documents through the reader: good ones, broken ones and hostile ones, made here."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from pairwright.core.records import Block
from pairwright.documents.lines.data import PageData, Run
from pairwright.documents.read.reader import choose_reader, lay_out, learn_book, link, read_pages

PROSE = "The forms of the noun are set out below, and each of them is shown with its case and its number in turn."


def make(path: Path, n_pages: int = 3, fill: Callable[[pymupdf.Page, int], None] | None = None) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(1, n_pages + 1):
        page = document.new_page(width=480, height=680)
        page.insert_text((60, 80), f"{number} Nouns and cases", fontname="hebo", fontsize=16)
        for line in range(8):
            page.insert_text((60, 120 + 13 * line), PROSE[:70], fontname="tiro", fontsize=10)
        page.insert_text((60, 260), f"{number}.1 The plural", fontname="hebo", fontsize=12)
        page.insert_text((60, 290), f"A short line on page {number}.", fontname="tiro", fontsize=10)
        if fill:
            fill(page, number)
    document.save(path)
    return document


Typed = Sequence[tuple[tuple[float, float], str, float]]
FORMS = (("case", "form"), ("nom", "tama"), ("gen", "tama-n"), ("dat", "tama-l"))
TABLE: Typed = [
    ((x, 104 + 13 * at), text, 9) for at, row in enumerate(FORMS) for x, text in zip((60, 160), row, strict=True)
]
RULES = (94, 108, 148)


def typed(path: Path, pages: Sequence[Typed], rules: tuple[int, ...] = ()) -> Path:
    """A document of texts at their places in sizes, and rules of 160 points on each page."""
    document = pymupdf.open()
    for texts in pages:
        page = document.new_page(width=480, height=680)
        for place, text, size in texts:
            page.insert_text(place, text, fontsize=size)
        for y in rules:
            page.draw_line((60, y), (220, y))
    document.save(path)
    return path


def blocks(path: Path, **options: Any) -> list[Block]:
    book = learn_book(path, "grammar", **options)
    return [block for page in link(read_pages(book)) for block in page.blocks]


class TestBook:
    def test_blocks_have_sections_places_and_ids_that_stay(self, tmp_path: Path) -> None:
        path = tmp_path / "book.pdf"
        make(path)
        first, again = blocks(path), blocks(path)
        assert [block.id for block in first] == [block.id for block in again]
        assert len({block.id for block in first}) == len(first)
        last = first[-1]
        assert last.section == ("3 Nouns and cases", "3.1 The plural")
        assert last.page == 3
        assert last.bbox is not None
        assert last.bbox[1] < 290 < last.bbox[3]
        assert last.reader.startswith("pymupdf ")

    def test_the_outline_decides_where_there_is_one(self, tmp_path: Path) -> None:
        path = tmp_path / "book.pdf"
        document = make(tmp_path / "plain.pdf")
        document.set_toc([[1, "Nouns and cases", 1], [2, "A short line on page 2.", 2]])
        document.save(path)
        headings = {block.text: block.level for block in blocks(path) if block.kind == "heading"}
        assert headings["A short line on page 2."] == 2
        assert "A short line on page 2." not in [b.text for b in blocks(path, use_outline=False) if b.kind == "heading"]

    def test_a_soft_hyphen_that_is_drawn_is_a_hyphen(self, tmp_path: Path) -> None:
        [block] = blocks(typed(tmp_path / "book.pdf", [[((60, 80), "The gloss dog\u00adNOM stands here.", 10)]]))
        assert block.text == "The gloss dog-NOM stands here."

    @pytest.mark.parametrize(("second", "goes_on"), [("Table 1: Forms (continued)", True), ("Table 2: Other", False)])
    def test_a_table_goes_on_over_pages_unless_a_caption_begins_a_new_one(
        self, second: str, goes_on: bool, tmp_path: Path
    ) -> None:
        pages = [[((60, 80), caption, 9), *TABLE] for caption in ("Table 1: Forms", second)]
        found = blocks(typed(tmp_path / "book.pdf", pages, RULES))
        one, two = (block for block in found if block.kind == "table")
        assert two.continues == (one.id if goes_on else None)

    def test_a_paragraph_goes_on_past_a_table_and_an_example_in_a_footnote(self, tmp_path: Path) -> None:
        prose = [
            ((60, 200 + 13 * at), "The words of this paragraph fill their lines up to the edge", 11) for at in range(25)
        ]
        note = [((60, 575), "1 A note in small letters gives this example:", 8), ((72, 590), "(i)", 8)]
        note += [((90, 590), "tama", 8), ((150, 590), "moli-n", 8), ((90, 600), "house", 8), ((150, 600), "see-1SG", 8)]
        two = [((60, 80), "Table 1: Forms", 9), *TABLE, *prose]
        path = typed(tmp_path / "book.pdf", [[*prose, *note, ((90, 610), "‘I see the house.’", 8)], two], RULES[:0])
        with pymupdf.open(path) as document:
            document[0].draw_line((60, 560), (160, 560))
            for y in RULES:
                document[1].draw_line((60, y), (220, y))
            document.save(tmp_path / "ruled.pdf")
        found = blocks(tmp_path / "ruled.pdf")
        paragraphs = [block for block in found if block.kind == "paragraph"]
        assert [block.kind for block in found if block.page == 2] == ["caption", "table", "paragraph"]
        assert paragraphs[-1].continues == paragraphs[0].id


class TestRouting:
    def scanned(self, path: Path, hidden: str | None = None, at: tuple[float, float] = (60, 80)) -> None:
        source = make(path.with_suffix(".source.pdf"), 1)
        document = pymupdf.open()
        page = document.new_page(width=480, height=680)
        page.insert_image(page.rect, pixmap=source[0].get_pixmap(dpi=72))
        for line in range(40 if hidden else 0):
            page.insert_text((at[0], at[1] + 13 * line), hidden or "", fontname="tiro", fontsize=10, render_mode=3)
        document.save(path)

    def test_a_page_has_the_reader_that_it_needs(self, tmp_path: Path) -> None:
        blank, wrong, bare = (tmp_path / f"{name}.pdf" for name in ("blank", "wrong", "bare"))
        document = pymupdf.open()
        document.new_page()
        document.save(blank)
        # A hidden layer that misses the ink is not believed.
        self.scanned(wrong, hidden="words that stand nowhere", at=(300, 300))
        self.scanned(bare)
        pages = [next(read_pages(learn_book(path, "grammar"), [1])) for path in (blank, wrong, bare)]
        assert [page.choice.reader for page in pages] == ["blank", "ocr", "ocr"]
        assert [len(page.rejections) for page in pages] == [0, 1, 1]
        assert pages[2].rejections[0].reason == "needs OCR: no text layer"
        assert not any(page.blocks for page in pages)
        unnamed = PageData(
            1, 480, 680, (Run("\ufffd" * 30, 60, 70, 300, 82, 80, 10.0, "Odd"),), n_glyphs=30, n_unmapped=30
        )
        assert "no Unicode value" in choose_reader(unnamed).reason

    def test_pages_that_need_it_are_read_by_the_ocr_that_is_given(self, tmp_path: Path) -> None:
        path = tmp_path / "scan.pdf"
        self.scanned(path)

        def ocr(file: Path, number: int) -> PageData:
            assert file == path
            runs = [
                Run("read", 60, 72, 84, 83, 80, 10, "", confidence=0.9),
                Run("words", 90, 72, 120, 83, 80, 10, "", confidence=0.7),
            ]
            return PageData(number, 480, 680, tuple(runs), n_glyphs=9, reader="ocr 1")

        book = learn_book(path, "grammar")
        (block,) = lay_out(next(read_pages(book, [1], ocr)), book).blocks
        assert (block.text, block.reader) == ("read words", "ocr 1")
        assert block.confidence == pytest.approx(0.8)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("written", [0, 90, 180, 270])
def test_boxes_lie_where_the_page_shows_the_words(rotation: int, written: int, tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    for line in range(6):
        at = {
            0: (60, 100 + 14 * line),
            90: (100 + 14 * line, 500),
            180: (340, 500 - 14 * line),
            270: (300 - 14 * line, 60),
        }
        page.insert_text(at[written], PROSE[:45], fontname="tiro", fontsize=10, rotate=written)
    page.set_rotation(rotation)
    document.save(path)
    [block] = blocks(path)
    assert block.bbox is not None
    x0, y0, x1, y1 = block.bbox
    pixels = page.get_pixmap(colorspace=pymupdf.csGRAY)
    dark = [divmod(at, pixels.stride) for at, shade in enumerate(pixels.samples) if shade < 128]
    assert dark
    assert all(x0 - 3 <= x <= x1 + 3 and y0 - 3 <= y <= y1 + 3 for y, x in dark)
