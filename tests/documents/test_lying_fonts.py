"""Text layers in which a font names some of its letters wrongly, in PDFs that are made here."""

from pathlib import Path

import pymupdf
import pytest

from pairwright.documents.read.reader import PageBlocks, learn_book, read_pages

FONT = pymupdf.Font("tiro")
Names = dict[str, str]


def read(path: Path, lines: list[str], names: Names, italics: str = "") -> PageBlocks:
    """A page of lines in a font whose table gives the characters `names` other names, as hexadecimal UTF-16.

    Before each stand words in italics of another font.
    """
    document = pymupdf.open()
    page = document.new_page(width=480, height=680)
    page.insert_font(fontname="F0", fontbuffer=FONT.buffer)
    for number, line in enumerate(lines):
        page.insert_text((60, 80 + 13 * number), italics, fontname="tiit", fontsize=10)
        left = 60 + pymupdf.get_text_length(italics, "tiit", 10)
        page.insert_text((left, 80 + 13 * number), line, fontname="F0", fontsize=10)
    cmap, table = next(
        (xref, document.xref_stream(xref))
        for xref in range(1, document.xref_length())
        if b"beginbf" in (document.xref_stream(xref) or b"")
    )
    glyphs = {char: FONT.has_glyph(ord(char)) for line in lines for char in line}
    rows = [f"<{glyph:04x}> <{names.get(char, f'{ord(char):04x}')}>" for char, glyph in sorted(glyphs.items())]
    head, tail = table[: table.index(b"endcodespacerange") + 18], table[table.index(b"endcmap") :]
    body = f"{len(rows)} beginbfchar\n" + "\n".join(rows) + "\nendbfchar\n"
    document.update_stream(cmap, head + body.encode() + tail)
    document.save(path)
    (page_blocks,) = read_pages(learn_book(path, "grammar"))
    return page_blocks


def text(page: PageBlocks) -> str:
    return " ".join(block.text for block in page.blocks)


LINE = "Classi\ufb01ers are in\ufb02ected and o\ufb03cial"
SWAPPED = {"\ufb01": "66006900", "\ufb02": "66006c00"}


@pytest.mark.parametrize("ffi", ["660066006900", "6600CF00"])
def test_letters_whose_names_have_swapped_bytes_are_read_as_themselves(tmp_path: Path, ffi: str) -> None:
    page = read(tmp_path / "book.pdf", [LINE, LINE], {**SWAPPED, "\ufb03": ffi, "C": "4300"})
    assert text(page) == "Classifiers are inflected and official Classifiers are inflected and official"
    assert not page.rejections


def test_chinese_words_stay(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=480, height=680)
    page.insert_font(fontname="F1", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((60, 80), "The word 昀光 and the sign T恤 are Chinese", fontname="F1", fontsize=10)
    document.save(tmp_path / "book.pdf")
    (read_page,) = read_pages(learn_book(tmp_path / "book.pdf", "grammar"))
    assert "The word 昀光 and the sign T恤 are Chinese" in text(read_page)
    assert not read_page.rejections


def accented(path: Path, places: list[tuple[float, float, str, str]]) -> str:
    """The text of a page with characters at places, each in its font."""
    document = pymupdf.open()
    page = document.new_page(width=480, height=680)
    for font in ("tiro", "heit"):
        page.insert_font(fontname=f"own-{font}", fontbuffer=pymupdf.Font(font).buffer)
    for x, y, font, char in places:
        page.insert_text((x, y), char, fontname=f"own-{font}", fontsize=20)
    page.insert_text((60, 300), "Text below", fontname="tiro", fontsize=20)
    document.save(path)
    (read_page,) = read_pages(learn_book(path, "grammar"))
    return text(read_page)


def width(text: str) -> float:
    return float(FONT.text_length(text, fontsize=20))


@pytest.mark.parametrize("font", ["tiro", "heit"])
@pytest.mark.parametrize("rise", [0.0, 4.0])
@pytest.mark.parametrize("first", [True, False])
def test_an_accent_drawn_over_its_letter_is_attached_to_it(tmp_path: Path, font: str, rise: float, first: bool) -> None:
    """The accent is drawn before its letter or after it, in the letter's font or another, at its height or above."""
    x = 60 + width("kaŋg")
    over = x + (width("a") - width("´")) / 2
    letter, accent = (x, 80.0, "tiro", "a"), (over, 80.0 - rise, font, "´")
    marked = [accent, letter] if first else [letter, accent]
    rest = (x + width("a"), 80.0, "tiro", "la")
    assert accented(tmp_path / "book.pdf", [(60, 80, "tiro", "kaŋg"), *marked, rest]).startswith("kaŋgála Text")


def test_an_accent_that_stands_beside_its_letter_stays_one(tmp_path: Path) -> None:
    assert accented(tmp_path / "book.pdf", [(60, 80, "tiro", "t´e")]).startswith("t´e Text")


@pytest.mark.parametrize(
    ("line", "names", "wanted"),
    [
        ("The sje' stands by the ne'", {"e": "00650301", "'": "fffd"}, "Thé sjé stands by thé né"),
        # Some writers name a letter with all of its marks at its first glyph.
        ("the nWQ of the language", {"W": "02540301", "Q": "0301"}, "the n\u0254\u0301 of the language"),
    ],
)
def test_a_mark_that_its_letter_names_too_is_read_once(tmp_path: Path, line: str, names: Names, wanted: str) -> None:
    assert text(read(tmp_path / "book.pdf", [line], names)) == wanted


def test_a_mark_in_another_font_belongs_to_the_words_in_italics_before_it(tmp_path: Path) -> None:
    page = read(tmp_path / "book.pdf", ["', they say here every day."], {"'": "0301"}, "so kat")
    (block,) = page.blocks
    assert block.text == "so kat\u0301, they say here every day."
    assert [block.text[start:end] for start, end in block.emphasis] == ["so kat\u0301"]
