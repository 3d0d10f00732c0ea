"""Notes below tables, cells that reach over several places, tables side by side and very short ones."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_pages import COLUMNS, LEADING, PROFILE, filled, glossed, kinds, line, only, page, tabbed, width, word

from pairwright.documents.lines.data import RuledLine, Run
from pairwright.documents.lines.rows import Word
from pairwright.documents.pages.layout import PagePiece, read_pieces
from pairwright.documents.tables.table import FoundTable, split_mark

Lines = list[list[tuple[float, str]]]
BODY: Lines = [[(100, name), (180, f"tama{at}"), (260, f"moli{at}")] for at, name in enumerate(("nom", "gen", "dat"))]


def typed(rows: Lines, top: float = 150, leading: float = LEADING) -> list[Run]:
    return [run for number, cells in enumerate(rows) for run in tabbed(cells, top + leading * number)]


def across(*heights: float, x0: float = 95, x1: float = 330) -> list[RuledLine]:
    return [RuledLine(x0, y, x1, y) for y in heights]


def read(runs: list[Run], rules: list[RuledLine] | None = None) -> list[PagePiece]:
    return read_pieces(page(runs, rules), PROFILE)


def table(runs: list[Run], rules: list[RuledLine] | None = None) -> FoundTable:
    (found,) = [piece.table for piece in read(runs, rules) if piece.table]
    return found


def raised(mark: str, after: str, x: float, y: float) -> Run:
    """A small mark right behind a word that begins at `x`."""
    return word(mark, x + width(after), y - 4, 6)


def note(mark: str, text: str, y: float) -> list[Run]:
    return [*([word(mark, 100, y - 3, 5)] if mark else []), *line(text, y, 104 if mark else 100, 8)]


BOOK = typed([[(100, "case"), (180, "house"), (260, "tree")], *BODY])
RULES = across(140, 154, 190)


class TestNotes:
    @pytest.mark.parametrize("mark", ["a", "1"])
    def test_raised_marks_go_from_the_words_to_their_notes(self, mark: str) -> None:
        runs = [*BOOK, raised(mark, "moli1", 260, 174), *note(mark, "Also molin.", 202), *filled(220)]
        found = table(runs, RULES)
        assert found.cells[2] == ("gen", "tama1", "moli1")
        assert [(one.mark, one.text, one.cells) for one in found.notes] == [(mark, "Also molin.", ((2, 2),))]

    def test_each_mark_begins_a_note_and_a_note_may_have_lines(self) -> None:
        marks = [raised("a", "tama0", 180, 162), raised("b", "tama2", 180, 186)]
        notes = [*note("a", "Only of people and of", 198), *line("animals.", 207, 104, 8), *note("b", "Rare.", 216)]
        found = table([*BOOK, *marks, *notes, *filled(240)])
        assert [one.printed for one in found.notes] == ["a Only of people and of animals.", "b Rare."]
        assert [row[1] for row in found.cells] == ["house", "tama0", "tama1", "tama2"]

    def test_signs_on_the_line_are_marks_where_a_cell_has_them(self) -> None:
        body: Lines = [*BODY[:2], [(100, "dat"), (180, "tama2*"), (260, "moli2")]]
        runs = typed([[(100, "case"), (180, "house"), (260, "tree")], *body])
        found = table([*runs, *line("* Also tamol.", 198, 100), *filled(230)])
        assert found.cells[3][1] == "tama2"
        assert found.notes[0].printed == "* Also tamol."

    def test_small_lines_and_labelled_lines_right_below_need_no_mark(self) -> None:
        small = table([*BOOK, *note("", "Forms of the north.", 202), *filled(220)], RULES)
        labelled = table([*BOOK, *line("Source: own notes.", 202, 100), *filled(220)], RULES)
        assert [found.notes[0].printed for found in (small, labelled)] == ["Forms of the north.", "Source: own notes."]

    def test_text_captions_and_footnotes_below_a_table_are_none_of_its_notes(self) -> None:
        for below in (
            filled(204),
            line("Table 3: Cases", 202, 100, 8),
            [*note("7", "A footnote of the page.", 640)],
            [*note("7", "Another mark.", 202), *filled(220)],
        ):
            assert table([*BOOK, *below], RULES).notes == ()

    def test_a_mark_without_a_note_stays_at_its_word(self) -> None:
        found = table([*BOOK, raised("2", "moli1", 260, 174), *filled(220)], RULES)
        assert found.cells[2][2] == "moli1²"

    def test_the_text_of_the_table_has_its_notes_and_no_mark_in_its_rows(self) -> None:
        runs = [*BOOK, raised("a", "moli1", 260, 174), *note("a", "Also molin.", 202), *filled(220)]
        piece = only(read(runs, RULES), "table")
        assert piece.text.splitlines()[2:] == ["gen\ttama1\tmoli1", "dat\ttama2\tmoli2", "a Also molin."]

    @given(st.text("aʰ¹²ᵃᵇ*†,x-", min_size=1, max_size=8))
    def test_a_word_keeps_all_but_the_marks_behind_it(self, text: str) -> None:
        rest, marks = split_mark(Word((word(text, 100, 100),)))
        assert text.startswith(rest.text)
        assert rest.text
        assert bool(marks) == (rest.text != text)


def boxes(found: FoundTable) -> list[list[bool]]:
    """Whether each place has a box of its own: what a merged cell covers has none."""
    return [[box is not None for box in row] for row in found.boxes]


class TestMergedCells:
    HEAD: ClassVar[Lines] = [
        [(100, "case"), (212, "singular"), (378, "plural")],
        [(180, "one"), (260, "two"), (340, "one"), (420, "two")],
    ]
    FORMS: ClassVar[Lines] = [
        [(100, name), *((180 + 80 * at, f"tama{at}") for at in range(4))] for name in ("nom", "gen", "dat")
    ]

    def test_a_head_that_is_centred_over_columns_has_their_box(self) -> None:
        found = table(typed([*self.HEAD, *self.FORMS]))
        assert found.cells[0] == ("case", "singular", "", "plural", "")
        assert boxes(found)[:2] == [[True, True, False, True, False], [False, True, True, True, True]]
        box = found.boxes[0][1]
        assert box is not None
        assert (box[0], box[2]) == (180, 285)

    def test_a_rule_under_a_head_says_what_it_covers(self) -> None:
        head: Lines = [[(215, "singular"), (420, "due")], *self.HEAD[1:]]
        rules = [*across(140, 166, 210, x1=460), RuledLine(178, 153, 365, 153)]
        assert table(typed([*head, *self.FORMS]), rules).cells[0] == ("", "singular", "", "", "due")

    def test_a_label_holds_for_the_blank_places_below_it(self) -> None:
        rows: Lines = [[(100, "first"), (180, "sg"), (260, "ne")], [(180, "pl"), (260, "ner")]]
        rows += [[(100, "second"), (180, "sg"), (260, "to")], [(180, "pl"), (260, "tor")]]
        found = table(typed([[(100, "Person"), (180, "Number"), (260, "Form")], *rows]))
        assert [row[0] for row in boxes(found)] == [True, True, False, True, False]

    def test_a_blank_cell_has_a_place_of_its_own(self) -> None:
        rows: Lines = [*BODY[:2], [(100, "dat"), (260, "moli2")]]
        found = table(typed([[(100, "case"), (180, "house"), (260, "tree")], *rows]), RULES)
        assert found.cells[3] == ("dat", "", "moli2")
        assert boxes(found)[3] == [True, True, True]


class TestHeads:
    def test_two_rows_with_a_rule_under_each_are_the_head(self) -> None:
        runs = typed([[(207, "singular")], [(180, "house"), (260, "tree")], *BODY])
        assert table(runs, across(140, 153, 165, 200)).header_rows == 2

    def test_a_rule_between_groups_of_rows_ends_no_head(self) -> None:
        runs = typed([*BODY, *BODY, *BODY])
        assert table(runs, across(140, 141, 201, 252)).header_rows == 0

    def test_a_head_that_has_no_room_goes_on_in_the_next_row(self) -> None:
        runs = typed([[(100, "case"), (180, "after a long"), (260, "use")], [(180, "consonant")], *BODY])
        found = table(runs, across(140, 165, 215))
        assert found.cells[:2] == (("case", "after a long consonant", "use"), ("nom", "tama0", "moli0"))
        assert found.header_rows == 1

    def test_a_row_goes_on_where_a_word_is_cut_and_the_others_had_no_room(self) -> None:
        rows: Lines = [[(100, "Ergative"), (180, "agent of a sen-"), (270, "rare in tales")]]
        rows += [[(180, "tence"), (270, "of the west")], [(100, "Allative"), (180, "goal"), (270, "often")]]
        rows += [[(100, "Instrumen-"), (180, "tool"), (270, "often")], [(100, "tal")]]
        found = table(typed([[(100, "case"), (180, "use"), (270, "place")], *rows]), across(140, 154, 215, x1=340))
        assert found.cells[1] == ("Ergative", "agent of a sentence", "rare in tales of the west")
        assert found.cells[3] == ("Instrumental", "tool", "often")

    def test_two_full_rows_show_the_columns_over_which_a_cell_reaches(self) -> None:
        rows: Lines = [[(100, word_), (150, "yes"), (185, "yes"), (220, "no")] for word_ in ("na", "ka")]
        found = table(typed([*rows, [(100, "ro"), (150, "in questions"), (220, "no")]]), across(140, 190))
        assert found.cells == (("na", "yes", "yes", "no"), ("ka", "yes", "yes", "no"), ("ro", "in questions", "", "no"))


class TestSideBySide:
    LEFT: ClassVar[Lines] = [
        [(100, "nom"), (140, "tama")],
        [(100, "gen"), (140, "taman")],
        [(100, "dat"), (140, "tamal")],
    ]
    RIGHT: ClassVar[Lines] = [[(250, "nom"), (290, "moli")], [(250, "gen"), (290, "molin")]]

    @pytest.mark.parametrize(
        ("one", "two", "kind"), [("Table 1: One", "Table 2: Two", "caption"), ("(4) One", "(5) Two", "paragraph")]
    )
    def test_each_has_its_caption_its_rows_and_its_labels(self, one: str, two: str, kind: str) -> None:
        right: Lines = [*self.RIGHT, [(250, "dat"), (290, "molil")]]
        rows = [[*left, *other] for left, other in zip(self.LEFT, right, strict=True)]
        pieces = read([*filled(100), *tabbed([(100, one), (250, two)], 148), *typed(rows, 164), *filled(224)])
        assert kinds(pieces) == ["paragraph", kind, "table", kind, "table", "paragraph"]
        assert {one, two} < {piece.text for piece in pieces}
        assert [piece.table.cells[1] for piece in pieces if piece.table] == [("gen", "taman"), ("gen", "molin")]

    def test_they_may_differ_in_length(self) -> None:
        rows = [self.LEFT[0] + self.RIGHT[0], self.LEFT[1] + self.RIGHT[1], self.LEFT[2]]
        captions = tabbed([(100, "Table 1: One"), (250, "Table 2: Two")], 148)
        tables = [piece.table for piece in read([*captions, *typed(rows, 164), *filled(224)]) if piece.table]
        assert [len(found.cells) for found in tables] == [3, 2]


class TestShortTables:
    ROWS: ClassVar[Lines] = [[(90, "-u"), (140, "indicative")], [(90, "-a"), (140, "subjunctive")]]

    def test_two_rows_apart_from_the_text_are_a_table(self) -> None:
        found = table([*filled(100), *typed(self.ROWS, 150), *filled(190)])
        assert found.cells == (("-u", "indicative"), ("-a", "subjunctive"))

    def test_a_glossed_example_is_none(self) -> None:
        pieces = read([*filled(100), *glossed(COLUMNS, 150), *filled(200)])
        assert "table" not in kinds(pieces)
