"""What a reader of a grammar's pages relies on, on typed pages that are set here word by word."""

from hypothesis import given, settings
from hypothesis import strategies as st
from typed_pages import (
    COLUMNS,
    LEADING,
    LEFT,
    PROFILE,
    RIGHT,
    SIZE,
    filled,
    glossed,
    kinds,
    line,
    only,
    page,
    tabbed,
    width,
    word,
)

from pairwright.documents.lines.data import PageData, Profile, RuledLine
from pairwright.documents.lines.profile import learn
from pairwright.documents.lines.rows import rows
from pairwright.documents.pages.layout import PagePiece, read_pieces


class TestGlossedExamples:
    def test_words_and_glosses_are_aligned_and_the_rest_has_its_place(self) -> None:
        runs = [*filled(80), *line("(9)", 130), *glossed(COLUMNS, 130)]
        runs += [*line("‘The dog barks loudly.’", 154, 90), *line("[LT-12]", 154, RIGHT - width("[LT-12]"))]
        piece = only(read_pieces(page([*runs, *filled(180)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.number == "9"
        assert piece.gloss.segmentation == ("šuo", "loj-a", "garsiai")
        assert piece.gloss.glosses == (("dog.NOM", "bark-PRS.3", "loudly"),)
        assert piece.gloss.translation == "The dog barks loudly."
        assert piece.gloss.source == "LT-12"

    def test_wrapped_lines_are_joined(self) -> None:
        first = [
            ("vakar", "yesterday"),
            ("senas", "old.NOM"),
            ("žmogus", "man.NOM"),
            ("lėtai", "slowly"),
            ("ėjo", "go.PST.3"),
        ]
        second = [("namučių-link", "home-towards")]
        wide = glossed(first, 130, gap=24)
        assert max(run.x1 for run in wide) + width("home-towards") > RIGHT - 14
        runs = [*line("(1)", 130), *wide, *glossed(second, 154)]
        runs += line("‘Yesterday an old man walked slowly home.’", 178, 90)
        piece = only(read_pieces(page([*filled(80), *runs, *filled(210)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.segmentation == ("vakar", "senas", "žmogus", "lėtai", "ėjo", "namučių-link")
        assert piece.gloss.glosses[0][-1] == "home-towards"

    def test_an_object_line_may_be_repeated_cut_into_morphemes(self) -> None:
        runs = line("(2)", 130)
        x = 90.0
        for surface, cut, gloss in [("vaikai", "vaik-ai", "child-NOM.PL"), ("žaidžia", "žaidž-ia", "play-PRS.3")]:
            runs += [word(surface, x, 130), word(cut, x, 142), word(gloss, x, 154)]
            x += width(gloss) + 6
        runs += line("‘Children are playing.’", 166, 90)
        piece = only(read_pieces(page([*filled(80), *runs]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert (piece.gloss.surface, piece.gloss.segmentation) == ("vaikai žaidžia", ("vaik-ai", "žaidž-ia"))
        assert piece.gloss.glosses == (("child-NOM.PL", "play-PRS.3"),)

    def test_sub_examples_and_marks_of_judgement(self) -> None:
        runs = [*line("(3)", 130), *line("a.", 130, 90), *glossed([("aš", "I"), ("einu", "go.PRS.1SG")], 130, 110)]
        runs += line("‘I go.’", 154, 110)
        runs += [*line("b.", 166, 90), *glossed([("*aš", "I"), ("eina", "go.PRS.3")], 166, 110)]
        runs += line("intended: ‘I go.’", 190, 110)
        piece = only(read_pieces(page([*filled(80), *runs, *filled(220)]), PROFILE), "gloss")
        assert piece.gloss is not None
        first, second = piece.gloss.parts
        assert (first.number, first.judgement, first.translation) == ("a", None, "I go.")
        assert (second.number, second.judgement) == ("b", "*")
        assert second.segmentation == ("aš", "eina")

    def test_sub_examples_side_by_side_are_parted(self) -> None:
        runs = [*line("(4)", 130), *line("a.", 130, 90), *line("b.", 130, 250)]
        runs += [*glossed([("nam-as", "house-NOM")], 130, 110), *glossed([("nam-o", "house-GEN")], 130, 270)]
        runs += [*line("‘house’", 154, 110), *line("‘of the house’", 154, 270)]
        piece = only(read_pieces(page([*filled(80), *runs, *filled(190)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert [part.segmentation for part in piece.gloss.parts] == [("nam-as",), ("nam-o",)]
        assert [part.translation for part in piece.gloss.parts] == ["house", "of the house"]

    def test_the_language_is_named_above_the_lines(self) -> None:
        runs = [*line("(5)", 130), *line("Lithuanian", 130, 90), *glossed(COLUMNS, 142)]
        runs += line("‘The dog barks loudly.’", 166, 90)
        piece = only(read_pieces(page([*filled(80), *runs]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.language == "Lithuanian"
        assert piece.gloss.segmentation == ("šuo", "loj-a", "garsiai")

    def test_a_line_of_prose_that_begins_with_a_number_is_no_example(self) -> None:
        text = "(9) and the forms in the section above are alike in all but one of their vowels, which is long here"
        runs = [*filled(80, 2), *line(text[:72], 104), *filled(116, 2)]
        assert kinds(read_pieces(page(runs), PROFILE)) == ["paragraph"]

    def test_bare_letters_at_the_head_of_a_page_go_on_from_the_page_before(self) -> None:
        runs = [*line("c.", 80, 90), *glossed(COLUMNS, 80, 110), *line("‘The dog barks loudly.’", 104, 110)]
        piece = only(read_pieces(page([*runs, *filled(140)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.open_start
        assert [part.number for part in piece.gloss.parts] == ["c"]

    def test_an_example_in_a_footnote_keeps_its_structure(self) -> None:
        notes = [word("1", LEFT, 546, 6.0), *line("Compare the example:", 550, LEFT + 6, 8.5)]
        inner = [*line("(i)", 566, LEFT + 6, 8.5)]
        x = 90.0
        for surface, gloss in COLUMNS:
            inner += [word(surface, x, 566, 8.5), word(gloss, x, 577, 8.5)]
            x += 70
        inner += line("‘The dog barks loudly.’", 588, 90, 8.5)
        pieces = read_pieces(page([*filled(80), *notes, *inner], [RuledLine(LEFT, 535, 160, 535)]), PROFILE)
        assert kinds(pieces) == ["paragraph", "footnote", "gloss"]

    @settings(max_examples=20)
    @given(
        st.lists(
            st.tuples(
                st.from_regex(r"[a-zėšž]{1,8}(-[a-z]{1,3})?", fullmatch=True),
                st.from_regex(r"[a-z]{1,9}(\.[A-Z]{2,3})?", fullmatch=True),
            ),
            min_size=2,
            max_size=5,
        ),
        st.from_regex(r"[A-Z][a-z]{1,9}( [a-z]{2,8}){0,3}\.", fullmatch=True),
    )
    def test_any_aligned_words_come_back(self, columns: list[tuple[str, str]], translation: str) -> None:
        runs = [*line("(7)", 130), *glossed(columns, 130), *line(f"‘{translation}’", 154, 90)]
        piece = only(read_pieces(page([*filled(80), *runs, *filled(190)]), PROFILE), "gloss")
        assert piece.gloss is not None
        assert piece.gloss.segmentation == tuple(surface for surface, _ in columns)
        assert piece.gloss.glosses == (tuple(gloss for _, gloss in columns),)
        assert piece.gloss.translation == translation


class TestParagraphsAndNotes:
    def test_words_that_are_cut_at_line_ends_are_joined(self) -> None:
        runs = [*line("the pho-", 80), *line("neme of North-", 92), *line("East and pre-", 104), *line("school", 116)]
        profile = Profile(body_font="Text", body_size=SIZE, leading=LEADING, words=frozenset({"pre-school"}))
        pieces = read_pieces(page(runs), profile)
        assert [piece.text for piece in pieces] == ["the phoneme of North-East and pre-school"]

    def test_two_columns_are_read_one_after_the_other(self) -> None:
        left = [run for i in range(20) for run in line(f"left words of row {i:02d} here", 80 + i * LEADING)]
        right = [run for i in range(20) for run in line(f"right words of row {i:02d} here", 80 + i * LEADING, 250)]
        texts = " ".join(piece.text for piece in read_pieces(page([*left, *right]), PROFILE))
        assert texts.index("left words of row 19") < texts.index("right words of row 00")

    def test_columns_above_text_over_the_whole_width_are_read_one_after_the_other(self) -> None:
        left = [run for i in range(10) for run in line(f"left words of row {i:02d} here and", 80 + i * LEADING)]
        right = [run for i in range(10) for run in line(f"right words of row {i:02d} here also", 80 + i * LEADING, 215)]
        runs = [*left, *right, *glossed(COLUMNS, 240), *filled(290, 20)]
        pieces = read_pieces(page(runs), PROFILE)
        assert kinds(pieces) == ["paragraph", "paragraph", "gloss", "paragraph"]
        assert "right" not in pieces[0].text

    def test_footnotes_come_last_and_keep_their_marks(self) -> None:
        runs = [*filled(80), word("1", 300, 101, 6.0)]
        runs += [word("1", LEFT, 566, 6.0), *line("A note of one line.", 570, LEFT + 6, 8.0)]
        runs += [word("2", LEFT, 576, 6.0), *line("Another note.", 580, LEFT + 6, 8.0)]
        pieces = read_pieces(page(runs), PROFILE)
        assert [piece.text for piece in pieces if piece.kind == "footnote"] == [
            "¹ A note of one line.",
            "² Another note.",
        ]

    def test_bullets_make_list_items(self) -> None:
        runs = [*filled(80), *line("• full phrases", 124, 75), *line("• pronouns", 136, 75)]
        pieces = read_pieces(page(runs), PROFILE)
        assert [piece.text for piece in pieces if piece.kind == "list_item"] == ["full phrases", "pronouns"]

    def test_no_word_is_lost(self) -> None:
        runs = [
            *line("(9)", 130),
            *glossed(COLUMNS, 130),
            *line("‘The dog barks.’", 154, 90),
            *filled(190),
            *filled(300, 2, 120),
        ]
        pieces = read_pieces(page(runs), PROFILE)
        shown = "".join("".join(piece.text.split()) for piece in pieces)
        assert sorted(shown) == sorted("".join(run.text for run in runs))


class TestHeadings:
    def book(self) -> list[PageData]:
        pages = []
        for number in range(1, 9):
            runs = [
                *line(f"Chapter of forms {number}" if number % 2 else "A grammar of nothing", 40),
                *line(str(number), 650, 240),
            ]
            runs += line(f"{number} The forms of nouns", 80, size=16, font="Bold")
            runs += [*filled(110, 4), *line(f"{number}.1 Number and case", 180, font="Bold"), *filled(200, 8)]
            runs += [*line(f"{number}.1.1 Singulative", 320, font="Bold"), *line("The form is rare here and", 320, 190)]
            runs += filled(332, 3)
            pages.append(page(runs, number=number))
        return pages

    def test_styles_and_numbers_give_headings_with_levels(self) -> None:
        pages = self.book()
        profile = learn(pages, len(pages))
        found = [(piece.text, piece.level) for piece in read_pieces(pages[2], profile) if piece.kind == "heading"]
        assert found == [("3 The forms of nouns", 1), ("3.1 Number and case", 2), ("3.1.1 Singulative", 3)]

    def test_running_heads_and_page_numbers_are_left_out(self) -> None:
        pages = self.book()
        texts = [piece.text for piece in read_pieces(pages[2], learn(pages, len(pages)))]
        assert not any("Chapter of forms" in text or text == "3" for text in texts)

    def test_a_run_in_heading_leaves_its_paragraph_whole(self) -> None:
        pages = self.book()
        texts = [piece.text for piece in read_pieces(pages[2], learn(pages, len(pages))) if piece.kind == "paragraph"]
        assert texts[-1].startswith("The form is rare here and words")


class TestTables:
    def cells(self, pieces: list[PagePiece]) -> tuple[tuple[str, ...], ...]:
        table = only(pieces, "table").table
        assert table is not None
        return table.cells

    def test_a_table_between_rules_has_its_head_and_cells(self) -> None:
        runs = [*filled(80), *line("Table 1: The case forms", 134, 120)]
        for index, row in enumerate(
            [["", "singular", "plural"], ["nom", "nam-as", "nam-ai"], ["gen", "nam-o", "nam-ų"]]
        ):
            runs += tabbed(
                [(x, text) for x, text in zip((105, 150, 230), row, strict=True) if text], 160 + index * LEADING
            )
        rules = [RuledLine(100, y, 300, y) for y in (148, 164, 190)]
        pieces = read_pieces(page([*runs, *filled(220)], rules), PROFILE)
        assert kinds(pieces) == ["paragraph", "caption", "table", "paragraph"]
        assert self.cells(pieces) == (
            ("", "singular", "plural"),
            ("nom", "nam-as", "nam-ai"),
            ("gen", "nam-o", "nam-ų"),
        )
        assert only(pieces, "table").table.header_rows == 1  # type: ignore[union-attr]

    def test_a_table_without_rules_is_found(self) -> None:
        rows_of_forms = [
            ["nom", "nam-as", "nam-ai"],
            ["gen", "nam-o", "nam-ų"],
            ["dat", "nam-ui", "nam-ams"],
            ["acc", "nam-ą", "nam-us"],
        ]
        runs = filled(80)
        for index, row in enumerate(rows_of_forms):
            runs += tabbed(list(zip((105.0, 150.0, 230.0), row, strict=True)), 140 + index * LEADING)
        assert self.cells(read_pieces(page([*runs, *filled(220)]), PROFILE)) == tuple(map(tuple, rows_of_forms))

    def test_merged_cells_of_a_grid_stand_once(self) -> None:
        rules = [RuledLine(100, y, 300, y) for y in (140, 154, 168)]
        rules += [RuledLine(x, 140, x, 168) for x in (100, 160, 300)] + [RuledLine(230, 154, 230, 168)]
        runs = [
            *tabbed([(105, "case"), (200, "form")], 150),
            *tabbed([(105, "nom"), (165, "nam-as"), (235, "nam-ai")], 164),
        ]
        rules = [
            *rules,
            RuledLine(230, 168, 230, 182),
            *(RuledLine(x, 168, x, 182) for x in (100, 160, 300)),
            RuledLine(100, 182, 300, 182),
        ]
        runs += tabbed([(105, "gen"), (165, "nam-o"), (235, "nam-ų")], 178)
        table = only(read_pieces(page(runs, rules), PROFILE), "table").table
        assert table
        assert [" ".join(row) for row in table.cells] == ["case form ", "nom nam-as nam-ai", "gen nam-o nam-ų"]
        assert list(table.boxes[0][1] or ()) == [160, 140, 300, 154]
        assert [box is None for box in table.boxes[0]] == [False, False, True]


def test_words_in_a_script_from_right_to_left_stand_in_reading_order() -> None:
    found = rows([word("word:", 60, 80), word("يعني", 120, 80), word("كلمة", 95, 80)])
    assert found[0].text == "word: يعني كلمة"
