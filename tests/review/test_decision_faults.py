"""Doubtful sheets: each fault is one line with its place and remedy, and nothing is taken over."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.errors import ReviewError
from pairwright.review.decisions import latest_decisions

if TYPE_CHECKING:
    from tests.review.conftest import Desk

DECISION, GOOD, BAD, COMMENT = "Sprendimas", "Pataisytas taisyklingas", "Pataisytas klaidingas", "Pastaba"


def fault_of(desk: Desk) -> str:
    with pytest.raises(ReviewError) as fault:
        desk.take_over()
    assert "\n" not in str(fault.value)
    assert not desk.log.exists()
    return str(fault.value)


@pytest.mark.parametrize(
    ("answer", "column", "words"),
    [
        ({DECISION: "gerei"}, DECISION, "unknown decision 'gerei'; did you mean 'gerai'"),
        ({DECISION: "neaisku"}, DECISION, "did you mean 'neaišku'"),
        ({DECISION: "aprove"}, DECISION, "did you mean 'approve'"),
        ({DECISION: "xyzzy"}, DECISION, "'xyzzy'; write one of: gerai, taisyti, atmesti, neaišku"),
        ({DECISION: "n"}, DECISION, "unknown decision 'n'"),
        ({DECISION: "taisyti"}, DECISION, "needs a corrected sentence; write it into 'Pataisytas taisyklingas'"),
        ({DECISION: "taisyti", GOOD: " \u00a0"}, DECISION, "needs a corrected sentence"),
        ({DECISION: "taisyti", GOOD: "Laukiu  autobuso."}, DECISION, "are those of the pair"),
        ({DECISION: "taisyti", GOOD: "Laukiu autobusą."}, DECISION, "both sentences are the same"),
        ({DECISION: "taisyti", GOOD: "Laukiu tavęs.", BAD: "Laukiu tavęs."}, DECISION, "both sentences are the same"),
        ({DECISION: "gerai", GOOD: "Laukiu tavęs."}, GOOD, "needs the decision 'taisyti'"),
        ({DECISION: "atmesti", BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        ({BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        ({"Taisyklingas sakinys": "Laukiu tavęs."}, "Taisyklingas sakinys", "write into 'Pataisytas taisyklingas'"),
        ({"Klaidingas sakinys": ""}, "Klaidingas sakinys", "write into 'Pataisytas klaidingas'"),
        ({"Klaidingas sakinys": "Laukiu autobusa."}, "Klaidingas sakinys", "letters were lost.*CSV UTF-8"),
        ({"Klaidingas sakinys": "Laukiu autobus?."}, "Klaidingas sakinys", "letters were lost.*CSV UTF-8"),
        ({"Poros ID": "pair-0000000000000000"}, "Poros ID", "unknown pair 'pair-0000000000000000'"),
        ({"Poros ID": ""}, "Poros ID", "the row has no pair"),
        ({"Vertintojas": "jonas"}, "Vertintojas", "the row is of 'jonas', the file of 'ana'"),
    ],
)
def test_a_doubtful_cell_is_named_with_its_place_and_remedy_and_nothing_is_written(
    answer: dict[str, str], column: str, words: str, desk: Desk
) -> None:
    desk.export()
    desk.fill({desk.good(1): {DECISION: "gerai"}, desk.good(0): answer})
    message = fault_of(desk)
    line, place = place_in_file(desk, 0, column)
    assert message.startswith(f"{desk.path()}:{line}:{place}: column '{column}': ")
    assert re.search(words, message)


def place_in_file(desk: Desk, row: int, column: str) -> tuple[int, int]:
    """Where a cell begins in a sheet whose cells before it need no quotation marks, by counting."""
    header, *lines = desk.path().read_bytes().decode("utf-8-sig").split("\r\n")
    cells = lines[row].split(";")
    index = header.split(";").index(column)
    return row + 2, sum(len(cell) + 1 for cell in cells[:index]) + 1


@pytest.mark.parametrize(("word", "kind"), [("gerai", "with the same answer"), ("atmesti", "with another answer")])
def test_a_pair_that_stands_twice_is_named_with_both_lines(word: str, kind: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    rows = desk.rows()
    desk.save([*rows, {**rows[0], DECISION: word}])
    assert fault_of(desk) == (
        f"{desk.path()}:7:1: column 'Poros ID': {desk.id(0)} stands in line 2 already, {kind}; keep one of the rows"
    )


@pytest.mark.parametrize("column", ["Poros ID", "Vertintojas", "Taisyklingas sakinys", DECISION, BAD, COMMENT])
def test_a_missing_column_is_named(column: str, desk: Desk) -> None:
    desk.export()
    desk.save([{name: cell for name, cell in row.items() if name != column} for row in desk.rows()])
    assert fault_of(desk).startswith(f"{desk.path()}:1:1: column '{column}' is missing; put it back")


def test_a_misspelt_column_is_recognised(desk: Desk) -> None:
    desk.export()
    desk.edit(f";{DECISION};", ";Sprendmas;")
    assert "column 'Sprendimas' is missing; rename 'Sprendmas'" in fault_of(desk)


def test_all_faults_of_all_sheets_are_counted_and_the_first_one_shown(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(2): {DECISION: "gal"}, desk.good(0): {DECISION: "taisyti"}, desk.good(1): {DECISION: "gerai"}})
    desk.path("jonas").write_bytes(b"")
    message = fault_of(desk)
    assert message.startswith(f"{desk.path('ana')}:2:")
    assert message.endswith("(and 2 more)")


def test_a_sheet_in_which_every_row_is_wrong_is_reported_in_time(desk: Desk) -> None:
    desk.pairs = [
        desk.checked(desk.make_pair(f"Laukiu {number} autobuso.", f"Laukiu {number} autobusą."))
        for number in range(3000)
    ]
    desk.export()
    desk.save([{**row, DECISION: "taisyti"} for row in desk.rows()])
    assert fault_of(desk).endswith("(and 2999 more)")


def test_text_to_the_right_of_the_last_column_is_not_passed_over(desk: Desk) -> None:
    desk.export()
    desk.edit(";;;;\r\n", ";gerai;;;taip; bet ne visai\r\n")
    assert re.search(r":2:\d+: ' ?bet ne visai' stands to the right of the last column", fault_of(desk))


@pytest.mark.parametrize("name", ["ana.xlsx", "ana.ods", "jonas (1).csv", "Ana.csv", "ana - kopija.csv", "ana.CSV"])
def test_a_file_that_may_hold_answers_but_cannot_be_read_is_named(name: str, desk: Desk) -> None:
    desk.export()
    (desk.path().parent / name).write_bytes(b"PK")
    assert f"{name}: " in fault_of(desk)


def test_what_spreadsheet_programs_leave_behind_does_not_matter(desk: Desk) -> None:
    desk.export()
    for name in ("~$ana.xlsx", ".~lock.ana.csv#", "pastabos.txt"):
        (desk.path().parent / name).write_bytes(b"x")
    assert len(desk.take_over().sheets) == 2


def test_a_queue_without_sheets_is_named_and_not_made(desk: Desk) -> None:
    assert "export the queue first" in fault_of(desk)
    assert not desk.annotations.exists()


def mangle(content: bytes, cut: tuple[int, int], junk: bytes) -> bytes:
    start, end = sorted(position % (len(content) + 1) for position in cut)
    return content[:start] + junk + content[end:]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cut=st.tuples(st.integers(0, 5000), st.integers(0, 5000)),
    junk=st.one_of(st.binary(max_size=6), st.sampled_from([b'"', b";", b"\r\n", b"\n;;;", b"gerai"])),
    encoding=st.sampled_from(["utf-8-sig", "utf-16", "cp1257"]),
)
def test_a_damaged_sheet_is_taken_over_rightly_or_refused(
    cut: tuple[int, int], junk: bytes, encoding: str, desk: Desk, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    desk = desk.fresh()
    desk.export()
    desk.fill({desk.good(number): {DECISION: "atmesti"} for number in range(5)})
    desk.resave(encoding)
    desk.path().write_bytes(mangle(desk.path().read_bytes(), cut, junk))
    before = snapshot(desk.path().parent)
    message = ""
    try:
        desk.take_over()
    except ReviewError as fault:
        message = str(fault)
    assert "\n" not in message
    if message:
        assert snapshot(desk.path().parent) == before
    else:
        assert {entry.decision for entry in latest_decisions(desk.log).values()} <= {"reject"}
