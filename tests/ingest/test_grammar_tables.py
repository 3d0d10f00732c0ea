"""Tables of grammars: cells of several lines, tables side by side, heads, labels, rules between some cells only."""

from dataclasses import replace
from typing import ClassVar

import pytest
from typed_pages import LEADING, PROFILE, filled, page, tabbed

from pairwright.documents.lines.data import RuledLine, Run
from pairwright.documents.pages.layout import read_pieces

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
    LEFT: ClassVar = [("", "one"), ("nom", "tama"), ("gen", "taman"), ("dat", "tamal")]
    RIGHT: ClassVar = [("", "many"), ("nom", "tamak"), ("gen", "tamakin"), ("dat", "tamakil")]

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


def heads(runs: list[Run], rules: list[RuledLine] | None = None) -> list[int]:
    """How many rows are the head of each table on a page with these runs."""
    return [piece.table.header_rows for piece in read_pieces(page(runs, rules), PROFILE) if piece.table]


class TestHeadsOfTablesWithoutRules:
    BODY: ClassVar[Lines] = [
        [(100, name), (180, f"tama{at}"), (260, f"moli{at}")] for at, name in enumerate(("nom", "gen", "dat", "loc"))
    ]

    @pytest.mark.parametrize(
        ("head", "n_head"),
        [
            ([[(180, "house"), (260, "tree")]], 1),
            ([[(180, "Near"), (260, "Far")], [(180, "house"), (260, "tree")]], 2),
            ([[(100, "abl"), (180, "tamako"), (260, "moliko")]], 0),
        ],
        ids=["no corner", "two rows", "no head"],
    )
    def test_it_is_known_by_its_empty_corner(self, head: Lines, n_head: int) -> None:
        assert heads(set_rows([[*head, *self.BODY]], 150, 12, 12)) == [n_head]

    def test_in_a_grid_it_reaches_as_far_down_as_a_cell_over_columns_needs(self) -> None:
        runs = tabbed([(105, "class"), (185, "forms")], 152)
        runs += tabbed([(185, "one"), (265, "many")], 166)
        runs += set_rows([[[(105, f"k{at}"), (185, f"tama{at}"), (265, f"moli{at}")] for at in range(3)]], 180, 14, 14)
        rules = [*across(142, *(170 + 14 * at for at in range(4)), x0=100, x1=340), RuledLine(180, 156, 340, 156)]
        rules += [RuledLine(x, 142, x, 212) for x in (100, 180, 340)] + [RuledLine(260, 156, 260, 212)]
        assert heads(runs, rules) == [2]


def test_heads_that_reach_over_columns_do_not_hide_them() -> None:
    runs = tabbed([(195, "labial"), (255, "dental"), (315, "velar")], 150)
    runs += tabbed([(190, "-v"), (220, "+v"), (250, "-v"), (280, "+v"), (310, "-v"), (340, "+v")], 162)
    runs += tabbed([(100, "stop"), *((190 + 30 * at, sound) for at, sound in enumerate("pbtdkg"))], 174)
    runs += tabbed([(100, "emphatic"), (250, "T"), (280, "D")], 186)
    runs += tabbed([(100, "fricative"), *((190 + 30 * at, sound) for at, sound in enumerate("fvszxh"))], 198)
    runs += tabbed([(100, "nasal"), (220, "m"), (280, "n")], 210)
    runs += tabbed([(100, "trill"), (280, "r")], 222)
    (grid,) = grids(runs)
    assert grid[3] == ("emphatic", "", "", "T", "D", "", "")
    assert heads(runs) == [2]


def test_the_lines_of_a_table_of_contents_are_no_table() -> None:
    lines: Lines = [[(100, f"{at}.1"), (130, "Nouns and forms" + " ." * 12), (340, str(at))] for at in range(3, 7)]
    assert grids(set_rows([lines], 150, 12, 12)) == []


def test_the_rule_under_a_running_head_is_none_of_a_table_of_its_width() -> None:
    rows: Lines = [[(100, f"dir{at}"), (180, f"tama{at}"), (280, f"molin{at}")] for at in range(4)]
    runs = [*filled(80, x=95, until=400), *set_rows([rows], 150, LEADING, LEADING)]
    profile = replace(PROFILE, head_below=40.0)
    pieces = read_pieces(page(runs, across(44, 138, 190)), profile)
    assert [len(piece.table.cells) for piece in pieces if piece.table] == [4]
    assert pieces[0].kind == "paragraph"


def test_columns_are_parted_by_white_where_only_the_first_has_a_rule() -> None:
    runs = set_rows(
        [[[(105, f"dir{at}"), (165, f"tama{at}"), (225, f"moli{at}"), (285, f"karu{at}")] for at in range(5)]],
        150,
        13,
        13,
    )
    frame = [*across(138, 210, x0=100, x1=330), *(RuledLine(x, 138, x, 210) for x in (100, 155, 330))]
    assert grids(runs, frame)[0][2] == ("dir2", "tama2", "moli2", "karu2")


def test_a_label_between_two_rows_names_both() -> None:
    runs = tabbed([(100, "Stem"), (180, "Voice"), (260, "Form")], 150)
    for at, stem in enumerate(("basic", "intensive")):
        y = 164 + 28 * at
        runs += [*tabbed([(180, "active"), (260, f"zalen{at}")], y), *tabbed([(100, stem)], y + 7)]
        runs += tabbed([(180, "passive"), (260, f"zulen{at}")], y + 14)
    assert grids(runs)[0][1:] == [
        ("basic", "active", "zalen0"),
        ("", "passive", "zulen0"),
        ("intensive", "active", "zalen1"),
        ("", "passive", "zulen1"),
    ]
