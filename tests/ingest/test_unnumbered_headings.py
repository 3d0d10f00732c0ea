"""Headings without a number, or with a letter alone, as readers of books meet them: real PDFs made here."""

from pathlib import Path

import pymupdf
import pytest
from typed_pages import filled, line, page

from pairwright.core.records import Block
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import read_pieces
from pairwright.documents.read.reader import ReadOptions, learn_book, link, read_pages

LEFT, TOP, SIZE, LEADING = 60.0, 80.0, 10.0, 13.0
PROSE = "The forms of the noun are set out below, and each of them is shown with its case and number in"
TITLES = ("Forming the dual", "Words for kin", "Place and goal", "Counting on hands")


class Paper:
    """A document that is written line by line: `skip` is what is left free, in lines of text."""

    def __init__(self) -> None:
        self.document = pymupdf.open()

    def page(self) -> None:
        self.current, self.y = self.document.new_page(width=540, height=680), TOP

    def line(self, text: str, font: str = "tiro", size: float = SIZE, skip: float = 0.0, x: float = LEFT) -> None:
        self.y += skip * LEADING
        self.current.insert_text((x, self.y), text, fontname=font, fontsize=size)
        self.y += LEADING

    def prose(self, n_lines: int = 5, skip: float = 0.0, font: str = "tiro", size: float = SIZE) -> None:
        for number in range(n_lines):
            self.line(PROSE, font, size, skip=0 if number else skip)

    def read(self, path: Path) -> list[Block]:
        self.document.save(path)
        return [block for page in link(read_pages(learn_book(path, "g", ReadOptions()))) for block in page.blocks]


def headings(blocks: list[Block]) -> list[tuple[str, int | None]]:
    return [(block.text, block.level) for block in blocks if block.kind == "heading"]


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.mark.parametrize(("font", "below"), [("tibo", 0.3), ("tibo", 0.0), ("tiit", 0.3), ("tiit", 0.0)])
def test_bold_or_italic_lines_of_their_own_are_headings(paper: Paper, tmp_path: Path, font: str, below: float) -> None:
    for number, title in enumerate(TITLES, start=1):
        paper.page()
        paper.line(f"{number} Part of the grammar", "tibo", 16)
        paper.prose(skip=1)
        paper.line(title, font, skip=0.8)
        paper.prose(skip=below)
    blocks = paper.read(tmp_path / "book.pdf")
    numbered = [(f"{number} Part of the grammar", 1) for number in range(1, 5)]
    assert headings(blocks) == [
        entry for pair in zip(numbered, [(t, 2) for t in TITLES], strict=True) for entry in pair
    ]
    assert blocks[-1].section == ("4 Part of the grammar", TITLES[-1])


@pytest.mark.parametrize("below", [0.3, 0.0])
def test_lines_of_capitals_in_the_type_of_the_text_are_headings(paper: Paper, tmp_path: Path, below: float) -> None:
    for title in TITLES:
        paper.page()
        paper.prose()
        paper.line(title.upper(), skip=0.8)
        paper.prose(skip=below)
        paper.line("NOM", skip=0.8)
        paper.prose(skip=0.8)
    assert [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))] == [title.upper() for title in TITLES]


def test_capitals_in_the_text_and_lone_ones_are_no_headings(paper: Paper, tmp_path: Path) -> None:
    for number, title in enumerate(TITLES, start=1):
        paper.page()
        paper.line(f"{number} {title}", "tibo", 16)
        paper.prose(skip=1)
        paper.line("THE FORMS OF THE NOUN are set out below, and each of them is shown with its case and number")
        paper.prose(2)
    paper.line("TAMA MOLI", skip=0.8)
    paper.prose(skip=0.8)
    assert len(headings(paper.read(tmp_path / "book.pdf"))) == len(TITLES)


def test_a_heading_of_two_lines_is_one(paper: Paper, tmp_path: Path) -> None:
    for _ in range(3):
        paper.page()
        paper.prose()
        paper.line("Verbs of motion and how the speakers of the valley", "tibo", skip=0.8)
        paper.line("set them apart from verbs of rest", "tibo")
        paper.prose(skip=0.3)
    title = "Verbs of motion and how the speakers of the valley set them apart from verbs of rest"
    assert [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))] == [title] * 3


def test_bold_words_that_text_follows_begin_a_paragraph(paper: Paper, tmp_path: Path) -> None:
    for title in TITLES:
        paper.page()
        paper.prose()
        paper.line(f"{title}.", "tibo", skip=0.8)
        paper.y -= LEADING
        paper.line("This is said of nouns alone, and of names of people and", x=180)
        paper.prose()
    blocks = paper.read(tmp_path / "book.pdf")
    assert headings(blocks) == []
    assert sum(block.text.startswith("Words for kin. This is said") for block in blocks) == 1


def test_a_title_right_above_bold_words_that_begin_a_paragraph_is_whole(paper: Paper, tmp_path: Path) -> None:
    for title in TITLES:
        paper.page()
        paper.prose()
        paper.line(title, "tibo", skip=0.8)
        paper.line("In speech.", "tibo", skip=0.1)
        paper.y -= LEADING
        paper.line("This is said of nouns alone, and of names of people and towns, near and far", x=120)
        paper.prose()
    assert [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))] == list(TITLES)


def test_object_lines_captions_and_words_in_bold_are_no_headings(paper: Paper, tmp_path: Path) -> None:
    for title in TITLES:
        paper.page()
        paper.prose()
        paper.line(title, "tibo", skip=0.8)
        paper.prose(skip=0.3)
        paper.line("Sora pelu-m kadis", "tibo", skip=0.8, x=90)
        paper.line("dog house-ACC sees", x=90)
        paper.line("‘The dog sees the house.’", x=90)
        paper.prose(skip=0.8)
        paper.line("Table 1: Cases", "tibo", skip=0.8)
        paper.prose(skip=0.8)
        paper.line("Sora pelum kadis.", "tiit", skip=0.8, x=90)
        paper.prose(skip=0.8)
    assert [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))] == list(TITLES)


@pytest.mark.parametrize("chapter", ["Chapter {}", "CHAPTER {}"])
@pytest.mark.parametrize(("size", "skip"), [(20, 1.5), (14, 0.2)])
def test_a_chapter_and_the_title_below_it_are_one_heading(
    paper: Paper, tmp_path: Path, chapter: str, size: float, skip: float
) -> None:
    for number, title in enumerate(TITLES, start=1):
        paper.page()
        paper.line(chapter.format(number), "tibo", 14)
        paper.line(title, "tibo", size, skip=skip)
        paper.prose(skip=1.2)
        paper.line("The rest of it", "tibo", 11.5, skip=1)
        paper.prose(skip=0.4)
    found = headings(paper.read(tmp_path / "book.pdf"))
    expected = [(f"{chapter.format(number)} {title}", 1) for number, title in enumerate(TITLES, start=1)]
    assert [entry for entry in found if entry[0] != "The rest of it"] == expected
    assert found.count(("The rest of it", 2)) == len(TITLES)


def test_sections_under_roman_chapters_are_of_the_next_level(paper: Paper, tmp_path: Path) -> None:
    for number, roman in enumerate(("I", "II", "III"), start=1):
        paper.page()
        paper.line(f"{roman}. {TITLES[number]}", "tiro", 14)
        paper.prose(skip=1)
        paper.line(f"§ {number}. On words", "tibo", 11, skip=1)
        paper.prose(skip=0.4)
    assert [level for _, level in headings(paper.read(tmp_path / "book.pdf"))] == [1, 2] * 3


def test_an_author_on_the_title_page_is_no_numbered_heading(paper: Paper, tmp_path: Path) -> None:
    paper.page()
    paper.line("M. Ondrova and the people of Sele", "tiro", 12, skip=4)
    for number in range(1, 4):
        paper.page()
        paper.line(f"{number} On words", "tibo", 16)
        paper.prose(skip=1)
    assert [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))] == [f"{n} On words" for n in (1, 2, 3)]


class TestChaptersThatDifferentPressesHaveSet:
    """The text of chapter C is in another and smaller type, as its headings are."""

    CHAPTERS = ("A Sounds", "B Nouns", "C The clause", "D. A conversation")

    def write(self, paper: Paper) -> None:
        for chapter, letter in zip(self.CHAPTERS, "ABCD", strict=True):
            paper.page()
            other = letter == "C"
            paper.line(chapter, {"C": "cour", "D": "tiit"}.get(letter, "tibo"), 17)
            paper.prose(8, skip=1, font="helv" if other else "tiro", size=8.8 if other else SIZE)
            for n in () if letter == "D" else (1, 2):
                paper.line(f"{letter}.{n}.1 {TITLES[n]}", "cour" if other else "tibo", 8.6 if other else 11, skip=0.6)
                paper.prose(8, font="helv" if other else "tiro", size=8.8 if other else SIZE)

    def test_chapters_that_are_alone_in_their_type_are_headings(self, paper: Paper, tmp_path: Path) -> None:
        self.write(paper)
        found = headings(paper.read(tmp_path / "book.pdf"))
        assert [(text, level) for text, level in found if level == 1] == [(text, 1) for text in self.CHAPTERS]

    def test_their_sections_are_as_large_as_their_text(self, paper: Paper, tmp_path: Path) -> None:
        self.write(paper)
        found = [text for text, _ in headings(paper.read(tmp_path / "book.pdf"))]
        assert [text for text in found if text.startswith("C.")] == [f"C.1.1 {TITLES[1]}", f"C.2.1 {TITLES[2]}"]

    def test_the_author_before_them_is_no_chapter(self, paper: Paper, tmp_path: Path) -> None:
        paper.page()
        paper.line("D. Ondrova and the people of Sele", "tiro", 13, skip=4)
        self.write(paper)
        assert headings(paper.read(tmp_path / "book.pdf"))[0] == (self.CHAPTERS[0], 1)


def test_lines_in_a_font_of_small_capitals_are_headings() -> None:
    pages = []
    for number, title in enumerate(TITLES, start=1):
        heading = line(title, 150, font="LMRomanCaps10-Regular")
        pages.append(page([*filled(80, 4), *heading, *filled(175, 8)], number=number))
    profile = learn(pages, len(pages))
    read = [piece for one in pages for piece in read_pieces(one, profile)]
    assert [piece.text for piece in read if piece.kind == "heading"] == list(TITLES)
