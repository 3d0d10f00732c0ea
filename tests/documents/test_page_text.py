"""Running text of grammars' pages: columns, notes, hyphens, emphasis, lists, running heads, forms of letters."""

from collections import Counter
from dataclasses import replace
from typing import ClassVar

import pytest
from typed_pages import COLUMNS, LEADING, LEFT, PROFILE, drawn, filled, glossed, kinds, line, only, page, word

from pairwright.documents.lines.data import PageData, Run, find_forms
from pairwright.documents.lines.profile import learn
from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.layout import read_pieces


def measured(runs: list[Run]) -> list[Run]:
    """Runs as OCR gives them."""
    return [run._replace(confidence=0.9) for run in runs]


def column(text: str, n_rows: int, y: float = 80, x: float = LEFT) -> list[Run]:
    return [run for at in range(n_rows) for run in line(f"{text} {at:02d}", y + at * LEADING, x)]


def text_of(runs: list[Run], words: set[str] | None = None) -> str:
    pieces = read_pieces(page(runs), replace(PROFILE, words=frozenset(words or ())))
    return " ".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("lines", "words", "text"),
    [
        ("the pho-\nneme of North-\nEast and pre-\nschool", {"pre-school"}, "the phoneme of North-East and pre-school"),
        (
            "a single and well-\nknown gram-\nmar of it",
            {"well", "known", "grammar"},
            "a single and well-known grammar of it",
        ),
        ("improve-\nments of it", {"improve", "require-"}, "improvements of it"),
    ],
    ids=["joined", "a compound", "the ending of other words"],
)
def test_words_that_are_cut_at_line_ends_are_joined(lines: str, words: set[str], text: str) -> None:
    assert text_of(drawn(lines, 80), words) == text


@pytest.mark.parametrize(("words", "form"), [((), "prey-ti"), (("preyti",), "preyti")])
def test_a_boundary_of_morphemes_in_a_cited_form_stays(words: tuple[str, ...], form: str) -> None:
    cited = [run._replace(italic=True) for run in (*line("prey-", 80, 300), *line("ti", 92))]
    runs = [*line("the form of the noun is", 80), *cited, *line("and no other", 92, 150)]
    assert f" {form} " in text_of(runs, {"prey-", "-ti", *words})


def test_the_second_half_of_a_cut_word_is_no_word_of_the_book() -> None:
    assert "ments" not in learn([page(drawn("some more improve-\nments of it and more", 80))], 1).words


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (column("left words of a row here,", 20), column("right words of a row here,", 20, x=250)),
        (
            [*column("left words of a row here and", 10), *glossed(COLUMNS, 240), *filled(290, 20)],
            column("right words of a row here,", 10, x=215),
        ),
    ],
    ids=["two columns", "above text over the whole width"],
)
def test_columns_are_read_one_after_the_other(left: list[Run], right: list[Run]) -> None:
    text = text_of([*left, *right])
    first, second = left[0].text, right[0].text
    assert text.rindex(first) < text.index(second)


def test_examples_in_the_columns_of_a_whole_book_are_not_read_across() -> None:
    cells = [("bark-s", "bark-3SG"), ("dog", "dog")]

    def examples(label: str, x: float) -> list[Run]:
        tops = [80 + 4 * LEADING * at for at in range(7)]
        labels = (word(f"{label}{at})", x, top) for at, top in enumerate(tops))
        below = (line(f"‘The dog barks at {label}{at} now.’", top + 2 * LEADING, x + 20) for at, top in enumerate(tops))
        return [
            *labels,
            *(run for top in tops for run in glossed(cells, top, x + 20, 12)),
            *(r for runs in below for r in runs),
        ]

    pages = [page([*examples("a", LEFT), *examples("b", 250)], number=number) for number in range(1, 5)]
    text = " ".join(piece.text for piece in read_pieces(pages[0], learn(pages, 4)))
    places = [text.find(f"at {label}{at} now") for label in "ab" for at in range(7)]
    assert places == sorted(places)
    assert -1 not in places


def test_words_without_width_are_no_columns() -> None:
    runs = [word("a", LEFT, 80 + LEADING * at)._replace(x1=LEFT) for at in range(20)]
    assert learn([page(runs)], 1).gutter is None


def test_a_few_examples_that_count_upward_show_how_a_book_numbers_them() -> None:
    tops = [80 + 5 * LEADING * at for at in range(6)]
    labels = [word(f"{at})", LEFT, top) for at, top in enumerate(tops, 1)]
    runs = [run for top in tops for run in glossed(COLUMNS * 2, top)]
    runs += [run for top in tops for run in line("‘The dog barks.’", top + 2 * LEADING, 90)]
    value, _ = learn([page([*labels, *runs])], 1).learned["examples.number"]
    assert value == ("{n})",)


def test_footnotes_come_last_and_keep_their_marks() -> None:
    runs = [*filled(80), word("1", 300, 101, 6.0)]
    for number, text, y in (("1", "A note of one line.", 570), ("2", "Another note.", 580)):
        runs += [word(number, LEFT, y - 4, 6.0), *line(text, y, LEFT + 6, 8.0)]
    found = [piece.text for piece in read_pieces(page(runs), PROFILE) if piece.kind == "footnote"]
    assert found == ["¹ A note of one line.", "² Another note."]


def test_items_of_lists_are_read_one_by_one() -> None:
    pieces = read_pieces(page([*filled(80), *drawn("• full phrases\n• pronouns", 140, 75.0)]), PROFILE)
    assert kinds(pieces) == ["paragraph", "list_item", "list_item"]
    assert [piece.text for piece in pieces[1:]] == ["full phrases", "pronouns"]


def test_lines_that_leave_room_for_the_next_word_are_a_list() -> None:
    entries = [f"word{at} a thing of the {'high north' if at == 3 else 'sea'}, {at}.1" for at in range(6)]
    pieces = read_pieces(page([*filled(80), *drawn("\n".join(entries), 140)]), PROFILE)
    assert [piece.text for piece in pieces if piece.kind == "list_item"] == entries
    assert kinds(pieces) == ["paragraph", *["list_item"] * 6]


def test_no_word_is_lost() -> None:
    example = [*line("(9)", 130), *glossed(COLUMNS, 130), *line("‘The dog barks.’", 154, 90)]
    runs = [*example, *filled(190), *filled(300, 2, 120)]
    shown = "".join("".join(piece.text.split()) for piece in read_pieces(page(runs), PROFILE))
    assert sorted(shown) == sorted("".join(run.text for run in runs))


def test_words_in_a_script_from_right_to_left_stand_in_reading_order() -> None:
    found = rows([word("word:", 60, 80), word("يعني", 120, 80), word("كلمة", 95, 80)])
    assert found[0].text == "word: يعني كلمة"


class TestHeads:
    NAMES = ("nouns", "verbs", "clauses", "negation", "aspect", "voice", "order", "particles")

    def book(self) -> list[PageData]:
        pages = []
        for number in range(1, 9):
            head = f"Chapter of forms {number}" if number % 2 else "A grammar of nothing"
            runs = [*line(head, 40), *line(str(number), 650, 240), *filled(110, 4), *filled(200, 8), *filled(332, 3)]
            runs += line(f"{number} The forms of nouns", 80, size=16, font="Bold")
            runs += line(f"{number}.1 Number and case", 180, font="Bold")
            runs += [*line(f"{number}.1.1 Singulative", 320, font="Bold"), *line("The form is rare here and", 320, 190)]
            pages.append(page(runs, number=number))
        return pages

    def test_headings_have_levels_and_running_heads_and_page_numbers_are_left_out(self) -> None:
        pages = self.book()
        pieces = read_pieces(pages[2], learn(pages, len(pages)))
        found = [(piece.text, piece.level) for piece in pieces if piece.kind == "heading"]
        assert found == [("3 The forms of nouns", 1), ("3.1 Number and case", 2), ("3.1.1 Singulative", 3)]
        paragraphs = [piece.text for piece in pieces if piece.kind == "paragraph"]
        assert not any("Chapter of forms" in text or text == "3" for text in paragraphs)
        # A heading that runs into its paragraph leaves it whole.
        assert paragraphs[-1].startswith("The form is rare here and words")

    @pytest.mark.parametrize(("head", "y", "kept"), [("On {}", 40, False), ("forms of {} that go", 80, True)])
    def test_rows_that_name_each_page_anew_are_running_heads_where_they_stand_apart(
        self, head: str, y: float, kept: bool
    ) -> None:
        pages = [
            page([*line(head.format(name), y), *filled(80 if y < 80 else 92, 30), *line(str(at), 650, 240)], number=at)
            for at, name in enumerate(self.NAMES, start=1)
        ]
        pieces = read_pieces(pages[3], learn(pages, len(pages)))
        assert any(head.format("negation") in piece.text for piece in pieces) is kept


def italic(runs: list[Run]) -> list[Run]:
    return [run._replace(italic=True) for run in runs]


WRAPPED = [*italic(line("keno nela-", 80, 350)), *italic(line("lomuvi", 92)), *line("is said", 92, 110)]


@pytest.mark.parametrize(
    ("runs", "spans"),
    [
        (
            [*italic(line("kenot muvir,", 80)), *line("never *", 80, 130), *italic(line("muvir kenot.", 80, 180))],
            ["kenot muvir", "muvir kenot."],
        ),
        ([*line("one two three four five six seven eight nine ten and", 80), *WRAPPED], ["keno nelalomuvi"]),
        (
            [*line("kenot", 80, font="Bold"), *italic(line("muvir", 80, 90)), *line("is said", 80, 130)],
            ["kenot", "muvir"],
        ),
    ],
    ids=["without the comma behind it", "over a line end", "bold beside italics"],
)
def test_emphasised_words_are_one_stretch(runs: list[Run], spans: list[str]) -> None:
    piece = only(read_pieces(page(runs), PROFILE), "paragraph")
    assert [piece.text[start:end] for start, end in piece.emphasis] == spans


class TestFormsOfLetters:
    """What a font's glyphs are, by how wide they are: counts of (font, character, glyph, width)."""

    WIDTHS: ClassVar = dict(
        zip("abcdenABCDEN", (450, 510, 430, 520, 440, 540, 700, 640, 660, 720, 600, 740), strict=True)
    )
    LIGHT = "AAAAAA+Serif"

    def glyphs(self, font: str, first: int = 20) -> Counter[tuple[str, str, int, int]]:
        widths = enumerate(self.WIDTHS.items(), start=first)
        return Counter({(font, char, glyph, width): 30 for glyph, (char, width) in widths})

    def capitals(self) -> Counter[tuple[str, str, int, int]]:
        small = enumerate("abcden", start=60)
        return Counter({(self.LIGHT, char, glyph, int(0.8 * self.WIDTHS[char.upper()])): 5 for glyph, char in small})

    def test_small_capitals_and_raised_letters_and_figures_are_told_apart(self) -> None:
        raised = Counter({(self.LIGHT, "a", 90, 300): 2, (self.LIGHT, "1", 86, 307): 4, (self.LIGHT, "2", 87, 480): 4})
        figures = Counter({(self.LIGHT, str(figure), 40 + figure, 514): 30 for figure in range(10)})
        forms = find_forms(self.glyphs(self.LIGHT) | self.capitals() | raised | figures)
        assert forms.raised == {(self.LIGHT, 90), (self.LIGHT, 86)}
        # The one of `b` is as wide as the usual letter.
        assert forms.small == {(self.LIGHT, glyph) for glyph in range(60, 66)}

    def test_the_small_capital_of_a_letter_may_be_its_usual_form(self) -> None:
        """As of `j` in a book in English whose glosses have `SBJ`: fonts number their small capitals in a row."""
        moved = Counter(
            {(font, char, glyph + 100, width): n for (font, char, glyph, width), n in self.capitals().items()}
        )
        moved[self.LIGHT, "d", 163, int(0.8 * self.WIDTHS["D"])] += 40
        forms = find_forms(self.glyphs(self.LIGHT) + moved)
        assert {glyph for _, glyph in forms.small} == set(range(160, 166))
        # A usual form in that row which is as wide as a small letter is one.
        near = {(self.LIGHT, "d", 158, 520): 99, (self.LIGHT, "d", 163, int(0.8 * self.WIDTHS["D"])): 2}
        forms = find_forms(
            Counter({key: n for key, n in (self.glyphs(self.LIGHT) + moved).items() if key[1] != "d"} | near)
        )
        assert {glyph for _, glyph in forms.small} == set(range(160, 166))

    def test_subsets_of_one_font_have_no_small_capitals(self) -> None:
        assert not any(find_forms(self.glyphs(self.LIGHT) | self.glyphs("BBBBBB+Serif", first=60)))
