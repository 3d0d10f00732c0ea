"""A preview shows each block once, at its place on the page, and lets nothing that a document says run."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pymupdf
import pytest
from bs4 import BeautifulSoup, Tag
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from made_records import make_source
from pairwright.core.errors import SourceError
from pairwright.core.ids import content_id
from pairwright.core.records import Block, Gloss, Rejection, TableNote
from pairwright.documents.pages.pdf import draw, open_document
from pairwright.documents.preview import file_name, framed, page_ranges, parse_pages, place, rows, write_preview
from pairwright.documents.read.reader import learn_book, link, read_pages
from pairwright.documents.source import Document

SAMPLE = Path(__file__).parents[2] / "sources" / "lt-sample-grammar" / "book.pdf"
HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">{{ 7 * 7 }}"
Write = Callable[..., BeautifulSoup]
WORDS = "Line {} holds some ordinary words."


def document_of(path: Path, blocks: list[Block], rejections: tuple[Rejection, ...] = ()) -> Document:
    source = make_source(path, id="book", title="A book", kind="grammar-book")
    return Document(source, source.files[0], path, tuple(blocks), rejections)


def read(path: Path) -> list[Block]:
    return [block for page in link(read_pages(learn_book(path, "book"))) for block in page.blocks]


def block(text: str, **fields: object) -> Block:
    known = {"id": content_id("block", text, str(fields)), "source_id": "book", "kind": "paragraph", "file": "book.pdf"}
    return Block.model_validate({**known, "page": 1, "reader": "r 1", "text": text, **fields})


def draw_words(page: pymupdf.Page, turn: int = 0) -> None:
    for line in range(9):
        place = (160 + 14 * line, 420) if turn == 90 else (100, 160 + 14 * line)
        page.insert_text(place, WORDS.format(line), fontname="tiro", fontsize=10, rotate=turn)


@pytest.fixture(scope="module")
def sample() -> Document:
    return document_of(SAMPLE, read(SAMPLE))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def run(document: Document, *numbers: int) -> BeautifulSoup:
        write_preview(tmp_path / "page.html", document, numbers)
        return BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")

    return run


@pytest.fixture(scope="module")
def plain_pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "book.pdf"
    document = pymupdf.open()
    for _ in range(3):
        draw_words(document.new_page(width=480, height=680))
    document.save(path)
    return path


def shown(entry: Tag) -> str:
    """What an entry of the list shows of its block's text, without white space."""
    return "".join(entry.get_text().split())


class TestPages:
    @given(st.sets(st.integers(1, 9_999), min_size=1, max_size=40))
    def test_ranges_are_read_back_and_make_no_endless_file_name(self, numbers: set[int]) -> None:
        assert parse_pages(page_ranges(sorted(numbers))) == tuple(sorted(numbers))
        assert len(file_name(document_of(SAMPLE, []), sorted(numbers))) < 80
        assert parse_pages(" 20, 10 – 12 ,11") == (10, 11, 12, 20)

    @pytest.mark.parametrize("text", ["", "ten", "10-", "-3", "0", "14-10", "1,,2", "1-2-3", "1-99999999", "1.5"])
    def test_a_fault_is_one_line_with_the_pages(self, text: str) -> None:
        with pytest.raises(SourceError) as fault:
            parse_pages(text)
        assert f"'{text}'" in str(fault.value)
        assert "\n" not in str(fault.value)


class TestPage:
    def test_each_block_stands_once_in_reading_order_with_its_text(self, write: Write, sample: Document) -> None:
        page = write(sample, 5, 6)
        expected = [item for item in sample.blocks if item.page in {5, 6}]
        entries = page.select("ol.blocks > li")
        assert [found.select_one(".about code").get_text() for found in entries] == [item.id for item in expected]  # type: ignore[union-attr]
        for entry, item in zip(entries, expected, strict=True):
            if item.gloss is None and item.cells is None:
                assert "".join(item.text.split()) in shown(entry)
            box = page.find(id=f"{entry['id']}x")
            assert isinstance(box, Tag)
            assert box["href"] == f"#{entry['id']}"
        assert [found.get_text() for found in page.select("#p5 .box span")] == [
            str(number + 1) for number in range(sum(item.page == 5 for item in expected))
        ]

    def test_an_example_is_set_in_columns(self, write: Write, plain_pdf: Path) -> None:
        part = Gloss(
            **{"number": "b", "judgement": "*", "surface": "Matau namas.", "segmentation": ("mat-au", "nam-as", "ten")},
            **{"glosses": (("see-PRS.1SG", "house-NOM.SG"),), "translation": "I see a house.", "source": "own"},
            notes=("[ˈmaːtɐʊ]",),
        )
        gloss = Gloss(number="7", language="Lithuanian", parts=(part,))
        item = block("…", kind="gloss", bbox=(90, 150, 400, 200), gloss=gloss)
        entry = write(document_of(plain_pdf, [item]), 1).select_one("li.gloss")
        assert entry is not None
        words = [[part.get_text() for part in word(class_=["object", "label"])] for word in entry.select(".word")]
        # A line that is too short leaves an empty place.
        assert words == [["mat-au", "see-PRS.1SG"], ["nam-as", "house-NOM.SG"], ["ten", "∅"]]
        assert [found.get_text() for found in entry.select(".category")] == ["PRS", "1SG", "NOM", "SG"]
        assert {found["lang"] for found in entry.select(".object")} == {"lt"}
        text = shown(entry)
        for part_text in ("gloss(7)", "Lithuanian", "b.", "*", "*Mataunamas.", "‘Iseeahouse.’[own]", "[ˈmaːtɐʊ]"):
            assert part_text in text

    def test_merged_cells_head_rows_and_notes_of_a_table(self, write: Write, plain_pdf: Path) -> None:
        item = block(
            "…",
            kind="table",
            bbox=(100, 100, 300, 160),
            header_rows=2,
            notes=(TableNote(mark="a", text="Rare.", cells=((3, 2),)),),
            cells=(("", "Singular", ""), ("", "NOM", "ACC"), ("house", "namas", ""), ("", "stalas", "stalą")),
            cell_boxes=(
                (None, (160, 100, 300, 115), None),
                (None, (160, 115, 230, 130), (230, 115, 300, 130)),
                ((100, 130, 160, 160), (160, 130, 230, 145), None),
                (None, (160, 145, 230, 160), (230, 145, 300, 160)),
            ),
        )
        entry = write(document_of(plain_pdf, [item]), 1).select_one("li.table")
        assert entry is not None
        assert [line.get_text().split() for line in entry.select(".line")] == [["note", "a", "Rare."]]
        table = entry.select_one("table")
        assert table is not None
        cells = [
            [(cell.name, cell.get_text(), cell.get("colspan"), cell.get("rowspan")) for cell in row(["th", "td"])]
            for row in table("tr")
        ]
        assert cells == [
            [("th", "", None, None), ("th", "Singular", "2", None)],
            [("th", "", None, None), ("th", "NOM", None, None), ("th", "ACC", None, None)],
            [("td", "house", None, "2"), ("td", "namas", None, None), ("td", "", None, None)],
            [("td", "stalas", None, None), ("td", "staląa", None, None)],
        ]
        # A tall sign merges no rows.
        tall = (((100.0, 100.0, 120.0, 115.0), (150.0, 100.0, 170.0, 113.0)), (None, (150.0, 112.0, 170.0, 126.0)))
        found = rows(
            block("…", kind="table", bbox=(100, 100, 170, 126), cells=(("√", "a"), ("", "b")), cell_boxes=tall)
        )
        assert [[cell.text for cell in row] for row in found] == [["√", "a"], ["", "b"]]

    def test_both_halves_of_a_text_point_at_each_other(self, write: Write, plain_pdf: Path) -> None:
        first, second, third = (block(text, page=page) for page, text in enumerate(("one", "two", "three"), start=1))
        second = second.model_copy(update={"continues": first.id})
        third = third.model_copy(update={"continues": second.id})
        page = write(document_of(plain_pdf, [first, second, third]), 1, 2)
        assert [link["href"] for link in page.select(".joined a")] == ["#p2b1", "#p1b1"]
        assert f"goes on at page 3, {third.id}" in page.get_text()

    def test_what_could_not_be_read_or_is_doubtful_is_said(self, write: Write, plain_pdf: Path) -> None:
        rejected = [
            Rejection(stage="ingest", source_id="book", reason=reason, text="", file="book.pdf", page=page)
            for page, reason in ((2, "needs OCR: no text layer"), (None, "two fonts have no names"), (3, "not shown"))
        ]
        items = [
            block(text, confidence=sure, bbox=(1, 1, 9, 9)) for text, sure in (("aiškus", 0.98), ("neaiškus", 0.61))
        ]
        page = write(document_of(plain_pdf, items, tuple(rejected)), 1, 2)
        assert [found.get_text() for found in page.select(".sure")] == ["confidence 0.98", "doubtful, confidence 0.61"]
        assert [found.get_text() for found in page.select("#p2 .rejected")] == ["Not read: needs OCR: no text layer"]
        assert [found.get_text() for found in page.select("main > .rejected")] == ["Not read: two fonts have no names"]
        assert len(page("img")) == 2

    def test_a_page_that_can_not_be_drawn_still_shows_its_blocks(
        self, write: Write, tmp_path: Path, plain_pdf: Path
    ) -> None:
        document = pymupdf.open(plain_pdf)
        page = document[1]
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8), False))
        image = page.get_images()[0][0]
        document.xref_set_key(image, "Width", "60000")
        document.xref_set_key(image, "Height", "60000")
        document.save(tmp_path / "bomb.pdf")
        found = write(document_of(tmp_path / "bomb.pdf", [block("seen", page=2, bbox=(1, 1, 9, 9))]), 1, 2)
        assert len(found("img")) == 1
        assert "page 2: a picture of 60000 x 60000 pixels" in found.select_one("#p2 .fault").get_text()  # type: ignore[union-attr]
        assert "seen" in found.select_one("#p2 .block").get_text()  # type: ignore[union-attr]

    def test_a_text_document_has_lines_in_place_of_pictures(self, write: Write, tmp_path: Path) -> None:
        path = tmp_path / "list.md"
        path.write_text("# Linksniai\n\nTrūksta laiko.\n", encoding="utf-8")
        items = [block("Linksniai", kind="heading", line=1, level=1), block("Trūksta laiko.", line=3)]
        page = write(document_of(path, items), 1)
        assert page("img") == []
        assert "line 3" in page.select("li.block")[1].get_text()

    def test_signs_that_nobody_sees_are_spelled_out(self, write: Write, plain_pdf: Path) -> None:
        gloss = Gloss(number="1", segmentation=("tur\u00adiu",), glosses=(("have\u00adPRS<b>",),))
        items = [block("a\u202eb\u0007c & <i>"), block("…", kind="gloss", gloss=gloss)]
        page = write(document_of(plain_pdf, items), 1)
        assert [found.get_text() for found in page.select(".unseen")] == ["U+202E", "U+0007", "U+00AD", "U+00AD"]
        assert page.select_one("li.paragraph .text").get_text() == "aU+202EbU+0007c & <i>"  # type: ignore[union-attr]
        assert page.select_one(".label").get_text() == "haveU+00ADPRS<b>"  # type: ignore[union-attr]


EDGES = st.tuples(*(st.integers(0, most) for most in (4, 4, 4, 4))).map(
    lambda e: (50.0 * e[0], 50.0 * e[1], 50.0 * (e[0] + e[2]), 50.0 * (e[1] + e[3]))
)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_cells_fill_a_table_exactly(n_rows: int, n_columns: int, data: st.DataObject) -> None:
    boxes = tuple(tuple(data.draw(st.none() | EDGES) for _ in range(n_columns)) for _ in range(n_rows))
    cells = tuple(tuple("x" if box else "" for box in row) for row in boxes)
    found = [cell for row in rows(block("t", kind="table", cells=cells, cell_boxes=boxes)) for cell in row]
    assert sum(cell.n_columns * cell.n_rows for cell in found) == n_rows * n_columns
    assert sum(cell.text == "x" for cell in found) == sum(text == "x" for row in cells for text in row)


@pytest.mark.parametrize("kind", ["upright", "turned", "cropped", "huge"])
def test_the_frame_lies_around_the_words(tmp_path: Path, kind: Literal["upright", "turned", "cropped", "huge"]) -> None:
    path = tmp_path / "book.pdf"
    document = pymupdf.open()
    side = 14_400 if kind == "huge" else 680
    page = document.new_page(width=side, height=side)
    if kind == "huge":
        page.insert_text((3000, 4000), "Huge words.", fontsize=600)
    else:
        draw_words(page, 90 if kind == "turned" else 0)
    if kind == "cropped":
        page.set_cropbox(pymupdf.Rect(50, 80, 500, 600))
    document.save(path)
    found = read(path)[0]
    with open_document(path) as opened:
        drawn = draw(opened, 1, 100, 4_000_000)
    assert drawn.pixels.size <= 3 * 4_100_000
    assert found.bbox is not None
    style = place(found.bbox, (drawn.width, drawn.height))
    x, y, width_shown, height_shown = (float(number) for number in re.findall(r"[\d.]+", style))
    height, width = drawn.pixels.shape[:2]
    dark = np.argwhere(drawn.pixels.max(axis=2) < 100)
    (top, left), (bottom, right) = 100 * dark.min(axis=0) / (height, width), 100 * dark.max(axis=0) / (height, width)
    assert x - 0.5 < left < x + 2
    assert y - 0.5 < top < y + 2.5
    assert x + width_shown - 2 < right < x + width_shown + 0.5
    assert y + height_shown - 3.5 < bottom < y + height_shown + 0.5
    cut = framed(drawn, found.bbox, ())
    red = np.argwhere((cut == (200, 30, 30)).all(axis=2))
    words = np.argwhere(cut.max(axis=2) < 100)
    assert (red.min(axis=0) <= words.min(axis=0)).all()
    assert (red.max(axis=0) >= words.max(axis=0)).all()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    found: list[Page] = []

    def run(document: Document, *numbers: int, **options: object) -> Page:
        write_preview(tmp_path / "page.html", document, numbers)
        page = browser.new_page(**options)  # type: ignore[arg-type]
        found.append(page)
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield run
    for page in found:
        page.close()


def test_hostile_text_stays_text_and_overflows_nothing(opened: Callable[..., Page], plain_pdf: Path) -> None:
    long = "Ž" * 300
    gloss = Gloss(
        number=HOSTILE, language=HOSTILE, segmentation=(HOSTILE, long), glosses=((HOSTILE, long),), source=long
    )
    items = [
        block(HOSTILE, bbox=(-50, -50, 9e6, 9e6), section=(HOSTILE, long)),
        block(long, kind="gloss", gloss=gloss, bbox=(0, 0, 50, 50)),
        block("x", kind="table", cells=((HOSTILE, long),), bbox=(100, 100, 90, 90), reader=HOSTILE),
    ]
    rejected = Rejection(stage="ingest", source_id="book", reason=HOSTILE, text=long, file="book.pdf", page=1)
    page = opened(document_of(plain_pdf, items, (rejected,)), 1)
    assert page.title() == "A book, page 1: what was read"
    assert page.evaluate("[document.scripts.length, document.images.length]") == [1, 1]
    assert page.locator("li.block .text").first.inner_text() == HOSTILE
    schemes: tuple[tuple[int, Literal["dark", "light"]], ...] = ((400, "dark"), (400, "light"), (1400, "dark"))
    for width, scheme in schemes:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        colours = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("backgroundColor", "color"))
        paper, ink = (sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in colours)
        assert (paper < ink) == (scheme == "dark")


def test_pointing_clicking_and_kinds(opened: Callable[..., Page], sample: Document) -> None:
    page = opened(sample, 6, viewport={"width": 1400, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.locator("#p6b2x").hover()
    assert "lit" in (page.locator("#p6b2").get_attribute("class") or "")
    page.locator("#p6b3").hover()
    assert "lit" in (page.locator("#p6b3x").get_attribute("class") or "")
    assert page.locator(".lit").count() == 2
    page.locator("#p6b2x").focus()
    page.keyboard.press("Enter")
    assert page.locator(".pinned").count() == 2
    page.keyboard.press("Escape")
    assert page.locator(".pinned").count() == 0
    page.locator("#show-heading").uncheck()
    assert page.locator(".box.heading:visible, .block.heading:visible").count() == 0
    assert page.locator(".box.paragraph:visible").count() > 0
    assert said == []


def test_the_page_is_whole_without_scripts_and_without_the_network(
    opened: Callable[..., Page], sample: Document
) -> None:
    page = opened(sample, 6, java_script_enabled=False, offline=True, viewport={"width": 1000, "height": 800})
    page.locator("#p6b2x").click()
    assert page.url.endswith("#p6b2")
    page.locator("#show-paragraph").uncheck()
    assert page.locator(".block.paragraph:visible").count() == 0
    assert page.locator(".block.heading:visible").count() > 0
