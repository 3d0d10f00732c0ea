"""Tables without rules between their cells: cells of several lines, tables side by side."""

import pytest
from typed_pages import LEADING, PROFILE, line, page, tabbed

from pairwright.ingest.layout.reading_order import read_pieces
from pairwright.ingest.page.data import RuledLine, Run

Lines = list[list[tuple[float, str]]]


def set_rows(rows: list[Lines], top: float, leading: float, gap: float) -> list[Run]:
    """Rows of several lines: `leading` points between the lines of one row, `gap` from a row's last to the next."""
    runs, y = [], top
    for lines in rows:
        for cells in lines:
            runs += tabbed(cells, y)
            y += leading
        y += gap - leading
    return runs


def grids(runs: list[Run], rules: list[RuledLine] | None = None) -> list[list[tuple[str, ...]]]:
    """The cells of the tables on a page with these runs."""
    pieces = read_pieces(page(runs, rules), PROFILE)
    return [list(piece.table.cells) for piece in pieces if piece.table]


def across(*heights: float, x0: float = 95, x1: float = 400) -> list[RuledLine]:
    return [RuledLine(x0, y, x1, y) for y in heights]


class TestCellsOfSeveralLines:
    ROWS = [
        [[(100, "to hear"), (180, "indicative"), (280, "stands at the end")], [(280, "of its clause")]],
        [
            [(100, "to wish"), (180, "subjunctive,"), (280, "with one subject")],
            [(180, "negated"), (280, "no word is")],
            [(280, "put before it")],
        ],
        [[(100, "to fear"), (180, "indicative"), (280, "the negation is")], [(100, "that"), (280, "only a habit")]],
        [[(100, "to know"), (180, "indicative")]],
    ]

    def test_lines_that_stand_closer_than_rows_are_one_row(self) -> None:
        head = tabbed([(100, "verb"), (180, "mood"), (280, "remarks")], 150)
        runs = [*head, *set_rows(self.ROWS, 165, 10.5, 14)]
        assert grids(runs, across(140, 154, 250))[0][1:] == [
            ("to hear", "indicative", "stands at the end of its clause"),
            ("to wish", "subjunctive, negated", "with one subject no word is put before it"),
            ("to fear that", "indicative", "the negation is only a habit"),
            ("to know", "indicative", ""),
        ]

    def test_forms_that_stand_closer_in_groups_stay_rows(self) -> None:
        cases = ("nom", "gen", "dat")
        groups: list[Lines] = [
            [[(100, f"{case}{number}"), (180, f"tama{number}"), (280, f"molin{number}")] for case in cases]
            for number in (1, 2, 3)
        ]
        runs = [*tabbed([(100, "case"), (180, "house"), (280, "tree")], 150), *set_rows(groups, 165, 10.5, 15)]
        assert len(grids(runs, across(140, 154, 280))[0]) == 10

    def test_stacked_forms_under_an_empty_label_stay_rows(self) -> None:
        groups: list[Lines] = [
            [[(100, "infinitive"), (180, "tama-n")], [(180, "root-INF")]],
            [[(100, "past"), (180, "tamo-li-n")], [(180, "root-PST-1SG")]],
        ]
        runs = [*tabbed([(100, "form"), (180, "verb")], 150), *set_rows(groups, 165, 10.5, 15)]
        assert len(grids(runs, across(140, 154, 215))[0]) == 5

    def test_a_label_that_is_cut_goes_on_in_the_next_row(self) -> None:
        lines: Lines = [
            [(100, "forms of the noun that were bor-"), (300, "4.1")],
            [(100, "rowed")],
            [(100, "forms of the verb"), (300, "5.2")],
        ]
        runs = [*tabbed([(100, "feature"), (300, "section")], 150), *set_rows([lines], 165, LEADING, LEADING)]
        assert grids(runs, across(140, 154, 195))[0][1:] == [
            ("forms of the noun that were borrowed", "4.1"),
            ("forms of the verb", "5.2"),
        ]

    def test_a_translation_that_is_closed_does_not_go_on(self) -> None:
        lines: Lines = [
            [(100, "k"), (180, "tama"), (240, "‘to be a house’")],
            [(240, "tamanane")],
            [(100, "t"), (180, "moli"), (240, "‘tree’")],
            [(240, "molinane")],
        ]
        runs = [*tabbed([(100, "sound"), (180, "form"), (240, "meaning")], 150), *set_rows([lines], 165, 12, 12)]
        assert len(grids(runs, across(140, 154, 210))[0]) == 5


class TestTablesSideBySide:
    LEFT = [("", "one"), ("nom", "tama"), ("gen", "taman"), ("dat", "tamal")]
    RIGHT = [("", "many"), ("nom", "tamak"), ("gen", "tamakin"), ("dat", "tamakil")]

    def test_rules_of_their_own_make_two_tables(self) -> None:
        runs = []
        for number, (left, right) in enumerate(zip(self.LEFT, self.RIGHT, strict=True)):
            cells = [(100, left[0]), (150, left[1]), (260, right[0]), (310, right[1])]
            runs += tabbed([cell for cell in cells if cell[1]], 152 + 13 * number + (4 if number else 0))
        rules = [*across(140, 157, 200, x0=95, x1=190), *across(140, 157, 200, x0=255, x1=360)]
        assert grids(runs, rules) == [self.LEFT, self.RIGHT]

    def test_labels_outside_a_frame_belong_to_its_table(self) -> None:
        runs = [*tabbed([(150, "front"), (220, "back"), (290, "low")], 150)]
        for number, name in enumerate(("stop", "nasal", "trill")):
            runs += tabbed(
                [(100, name), (150, f"p{number}"), (220, f"t{number}"), (290, f"k{number}")], 164 + 13 * number
            )
        frame = [*across(154, 194, x0=128, x1=320), RuledLine(128, 154, 128, 194), RuledLine(320, 154, 320, 194)]
        assert [len(row) for row in grids(runs, frame)[0]] == [4] * 4
