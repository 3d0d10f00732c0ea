"""Headings without a number, or with a letter alone, as readers of books meet them, on pages that are set here."""

from collections.abc import Sequence

import pytest
from typed_pages import LEFT, line, page

from pairwright.documents.lines.data import Run
from pairwright.documents.lines.profile import learn
from pairwright.documents.pages.layout import read_pieces

SIZE, LEADING = 10.0, 13.0
PROSE = "The forms of the noun are set out below, and each of them is shown one by one"
TITLES = ("Forming the dual", "Words for kin", "Place and goal", "Counting on hands")
NEXT = 0.8  # the white above a heading, in lines

# A line of text, or prose of so many lines: its font, its size, the lines left free above it and its left edge.
Set = tuple[str | int, str, float, float, float]


def text(words: str, font: str = "Text", size: float = SIZE, skip: float = 0.0, x: float = LEFT) -> Set:
    return words, font, size, skip, x


def prose(n_lines: int = 5, skip: float = 0.0, font: str = "Text", size: float = SIZE) -> Set:
    return n_lines, font, size, skip, LEFT


def headings(pages: Sequence[Sequence[Set]]) -> list[tuple[str, int | None]]:
    """The headings of a book, with their levels."""
    made = []
    for number, lines in enumerate(pages, start=1):
        runs: list[Run] = []
        y = 80.0
        for words, font, size, skip, x in lines:
            y += skip * LEADING
            for row in [words] if isinstance(words, str) else [PROSE] * words:
                set_row = line(row, y, x, size, font.removesuffix("Italic"))
                runs += [run._replace(font=font, italic=font.endswith("Italic")) for run in set_row]
                y += LEADING
        made.append(page(runs, number=number))
    profile = learn(made, len(made))
    pieces = [piece for one in made for piece in read_pieces(one, profile)]
    return [(piece.text, piece.level) for piece in pieces if piece.kind == "heading"]


def titles(pages: Sequence[Sequence[Set]]) -> list[str]:
    return [title for title, _ in headings(pages)]


@pytest.mark.parametrize("font", ["Bold", "TextItalic"])
@pytest.mark.parametrize("below", [0.3, 0.0])
def test_bold_or_italic_lines_of_their_own_are_headings(font: str, below: float) -> None:
    pages = [
        [text(f"{n} A part", "Bold", 16), prose(skip=1), text(title, font, skip=NEXT), prose(skip=below)]
        for n, title in enumerate(TITLES, start=1)
    ]
    assert headings(pages) == [
        entry for n, title in enumerate(TITLES, start=1) for entry in ((f"{n} A part", 1), (title, 2))
    ]


@pytest.mark.parametrize("below", [0.3, 0.0])
def test_lines_of_capitals_in_the_type_of_the_text_are_headings(below: float) -> None:
    assert titles(
        [
            [prose(), text(title.upper(), skip=NEXT), prose(skip=below), text("NOM", skip=NEXT), prose(skip=NEXT)]
            for title in TITLES
        ]
    ) == [title.upper() for title in TITLES]


NO_HEADINGS: dict[str, list[Set]] = {
    "capitals in the text": [
        text("THE FORMS OF THE NOUN are set out below, and each of them is shown with its case"),
        prose(2),
    ],
    "an object line": [
        text("Sora pelu-m kadis", "Bold", skip=NEXT, x=90),
        text("dog house-ACC sees", x=90),
        text("‘The dog sees the house.’", x=90),
        prose(skip=NEXT),
    ],
    "a caption": [text("Table 1: Cases", "Bold", skip=NEXT), prose(skip=NEXT)],
    "a sentence in italics": [text("Sora pelum kadis.", "TextItalic", skip=NEXT, x=90), prose(skip=NEXT)],
    "bold words that text follows": [
        text("In speech.", "Bold", skip=NEXT),
        text("This is said of nouns alone, and of names of people and towns", skip=-1, x=125),
        prose(),
    ],
}


@pytest.mark.parametrize("name", NO_HEADINGS)
def test_other_lines_are_no_headings(name: str) -> None:
    pages = [[prose(), text(it, "Bold", skip=NEXT), prose(skip=0.3), *NO_HEADINGS[name]] for it in TITLES]
    assert titles(pages) == list(TITLES)


def test_running_heads_take_no_level() -> None:
    head = text("A grammar of nothing", "Sans", 11)
    pages = [[head, prose(skip=1.5), text(it, "Bold", skip=NEXT), prose(skip=0.3)] for it in TITLES]
    assert headings(pages) == [(it, 1) for it in TITLES]


def test_lone_capitals_are_no_heading() -> None:
    pages = [[text(f"{n} {title}", "Bold", 16), prose(skip=1)] for n, title in enumerate(TITLES, start=1)]
    pages[-1] += [text("TAMA MOLI", skip=NEXT), prose(skip=NEXT)]
    assert len(titles(pages)) == len(TITLES)


def test_a_heading_of_two_lines_is_one() -> None:
    first, second = "Verbs of motion and how the speakers of the valley", "set them apart from verbs of rest"
    pages = [[prose(), text(first, "Bold", skip=NEXT), text(second, "Bold"), prose(skip=0.3)]] * 3
    assert titles(pages) == [f"{first} {second}"] * 3


def test_a_title_right_above_bold_words_that_begin_a_paragraph_is_whole() -> None:
    begins = text("This is said of nouns alone, and of names of people and towns", skip=-1, x=125)
    pages = [
        [prose(), text(it, "Bold", skip=NEXT), text("In speech.", "Bold", skip=0.1), begins, prose()] for it in TITLES
    ]
    assert titles(pages) == list(TITLES)


@pytest.mark.parametrize("chapter", ["Chapter {}", "CHAPTER {}"])
@pytest.mark.parametrize(("size", "skip"), [(20, 1.5), (14, 0.2)])
def test_a_chapter_and_the_title_below_it_are_one_heading(chapter: str, size: float, skip: float) -> None:
    pages = [
        [
            *(text(chapter.format(n), "Bold", 14), text(title, "Bold", size, skip=skip), prose(skip=1.2)),
            *(text("The rest of it", "Bold", 11.5, skip=1), prose(skip=0.4)),
        ]
        for n, title in enumerate(TITLES, start=1)
    ]
    found = headings(pages)
    expected = [(f"{chapter.format(n)} {title}", 1) for n, title in enumerate(TITLES, start=1)]
    assert [entry for entry in found if entry[0] != "The rest of it"] == expected
    assert found.count(("The rest of it", 2)) == len(TITLES)


def test_sections_under_roman_chapters_are_of_the_next_level() -> None:
    pages = [
        [
            *(text(f"{roman}. {TITLES[n]}", size=14), prose(skip=1)),
            *(text(f"§ {n}. On words", "Bold", 11, skip=1), prose(skip=0.4)),
        ]
        for n, roman in enumerate(("I", "II", "III"), start=1)
    ]
    assert [level for _, level in headings(pages)] == [1, 2] * 3


def test_an_author_on_the_title_page_is_no_numbered_heading() -> None:
    pages = [[text(f"{n} On words", "Bold", 16), prose(skip=1)] for n in (1, 2, 3)]
    author = text("M. Ondrova and the people of Sele", size=12, skip=4)
    assert titles([[author], *pages]) == [f"{n} On words" for n in (1, 2, 3)]


@pytest.mark.parametrize("with_author", [False, True])
def test_chapters_that_different_presses_have_set_are_headings(with_author: bool) -> None:
    """The text of chapter C is in another and smaller type, as its headings are; chapters are alone in their type."""
    chapters = ("A Sounds", "B Nouns", "C The clause", "D. A conversation")
    pages: list[list[Set]] = [[text("D. Ondrova and the people of Sele", size=13, skip=4)]] if with_author else []
    for chapter, letter in zip(chapters, "ABCD", strict=True):
        font, size = ("Sans", 8.8) if letter == "C" else ("Text", SIZE)
        heading, of_size = ("Mono", 8.6) if letter == "C" else ("Bold", 11)
        lines = [text(chapter, {"C": "Mono", "D": "TextItalic"}.get(letter, "Bold"), 17), prose(8, 1, font, size)]
        for n in () if letter == "D" else (1, 2):
            lines += [text(f"{letter}.{n}.1 {TITLES[n]}", heading, of_size, skip=0.6), prose(8, 0, font, size)]
        pages.append(lines)
    found = headings(pages)
    assert [title for title, level in found if level == 1] == list(chapters)
    assert [title for title, _ in found if title.startswith("C.")] == [f"C.1.1 {TITLES[1]}", f"C.2.1 {TITLES[2]}"]
