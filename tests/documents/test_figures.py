"""Text that is drawn inside figures, in PDFs that are made here."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from typed_pages import PROFILE, line, page

from pairwright.core.records import Block
from pairwright.documents.pages.layout import read_pieces
from pairwright.documents.read.reader import learn_book, link, read_pages

PROSE = "The vowels of the language are shown below, and each of them is found in the first part of a word"


def made(path: Path, figure: str) -> list[Block]:
    """A page with a heading, prose, a figure of one kind with its caption, and prose."""
    document = pymupdf.open()
    for number in (1, 2):
        sheet = document.new_page(width=540, height=680)
        sheet.insert_text((60, 80), f"{number} Vowels", fontname="tibo", fontsize=16)
        for row in range(6):
            sheet.insert_text((60, 110 + 13 * row), PROSE, fontname="tiro", fontsize=10)
            sheet.insert_text((60, 420 + 13 * row), PROSE, fontname="tiro", fontsize=10)
        {"chart": chart, "map": town_map, "tree": tree}[figure](sheet)
        sheet.insert_text((60, 385), "Figure 1: What there is", fontname="tiro", fontsize=10)
    document.save(path)
    return [block for page in link(read_pages(learn_book(path, "g"))) for block in page.blocks if block.page == 1]


def chart(sheet: pymupdf.Page) -> None:
    """A trapezoid of vowels, with large bold labels at its corners."""
    corners = ((160, 220), (340, 220), (340, 350), (220, 350), (160, 220), (250, 220), (275, 350))
    for one, two in pairwise(corners):
        sheet.draw_line(one, two)
    for x, y, text in ((155, 216, "i"), (335, 216, "u"), (215, 362, "a"), (190, 290, "Front"), (280, 290, "Back")):
        sheet.insert_text((x, y), text, fontname="tibo", fontsize=16 if len(text) > 1 else 11)


def town_map(sheet: pymupdf.Page) -> None:
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 30))
    picture.clear_with(200)
    sheet.insert_image(pymupdf.Rect(100, 215, 400, 365), pixmap=picture)
    for x, y, text in ((130, 240, "Sele"), (300, 280, "Upper Nela"), (200, 340, "2 Mire")):
        sheet.insert_text((x, y), text, fontname="tibo", fontsize=16)


def tree(sheet: pymupdf.Page) -> None:
    for top, ends in (((200, 230), ((150, 280), (250, 280))), ((150, 295), ((120, 345), (180, 345)))):
        for end in ends:
            sheet.draw_line(top, end)
    for x, y, text in ((197, 226, "S"), (142, 291, "NP"), (244, 291, "VP"), (112, 356, "sora"), (172, 356, "pelum")):
        sheet.insert_text((x, y), text, fontname="tiro", fontsize=10)


LABELS = {"chart": "i u Front Back a", "map": "Sele Upper Nela 2 Mire", "tree": "S NP VP sora pelum"}


@pytest.mark.parametrize("figure", LABELS)
def test_labels_of_charts_maps_and_trees_are_text_of_a_figure(tmp_path: Path, figure: str) -> None:
    blocks = made(tmp_path / "book.pdf", figure)
    assert [block.kind for block in blocks] == ["heading", "paragraph", "figure", "caption", "paragraph"]
    assert (" ".join(blocks[2].text.split()), blocks[2].section) == (LABELS[figure], ("1 Vowels",))


def test_names_around_a_chart_belong_to_it_and_lines_of_text_do_not() -> None:
    strokes = ((160.0, 200.0, 220.0, 320.0), (250.0, 200.0, 275.0, 320.0))
    around = [run for x, text in ((165, "Front"), (250, "Back")) for run in line(text, 180, x)]
    around += [*line("Close", 206, 110), *line("i", 206, 180), *line("Open", 316, 110)]
    pieces = read_pieces(replace(page([*line(PROSE, 150), *around, *line(PROSE, 350)]), strokes=strokes), PROFILE)
    assert [piece.kind for piece in pieces] == ["paragraph", "figure", "paragraph"]
    assert pieces[1].text == "Front Back\nClose i\nOpen"


def test_prose_over_a_picture_and_tables_with_a_crossed_cell_are_no_figures(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    document = pymupdf.open()
    sheet = document.new_page(width=540, height=680)
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 45, 11))
    picture.clear_with(240)
    sheet.insert_image(pymupdf.Rect(50, 90, 500, 200), pixmap=picture)
    for row in range(6):
        sheet.insert_text((60, 110 + 13 * row), PROSE, fontname="tiro", fontsize=10)
    for y in (300, 314, 328, 342):
        sheet.draw_line((100, y), (300, y))
    for x in (100, 160, 230, 300):
        sheet.draw_line((x, 300), (x, 342))
    sheet.draw_line((100, 300), (160, 314))
    for row, words in enumerate((("", "one", "many"), ("dog", "sor-a", "sor-e"), ("cat", "mil-a", "mil-e"))):
        for x, text in zip((105, 165, 235), words, strict=True):
            sheet.insert_text((x, 311 + 14 * row), text, fontname="tiro", fontsize=10)
    document.save(path)
    blocks = [block for page_blocks in read_pages(learn_book(path, "g")) for block in page_blocks.blocks]
    assert [block.kind for block in blocks] == ["paragraph", "table"]


def test_short_lines_of_a_scan_in_strips_are_no_labels() -> None:
    """The text layer of a scan lies on its pictures."""
    strips = tuple((0.0, 230.0 * strip, 480.0, 230.0 * (strip + 1)) for strip in range(3))
    runs = [run for number in range(12) for run in line("A short line", 80 + 12 * number)]
    pieces = read_pieces(replace(page(runs), pictures=strips), PROFILE)
    assert "figure" not in {piece.kind for piece in pieces}
