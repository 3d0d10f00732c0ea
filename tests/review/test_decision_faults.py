"""Doubtful sheets: each doubt is one line with its place and remedy, the rest is taken over, and nothing is dropped."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.review.log.votes import latest_decisions
from pairwright.review.sheets.importing import ImportResult
from pairwright.review.sheets.spreadsheet import column_letters

if TYPE_CHECKING:
    from pathlib import Path

    from tests.review.conftest import Desk

DECISION, GOOD, BAD, COMMENT = "Sprendimas", "Pataisytas taisyklingas", "Pataisytas klaidingas", "Pastaba"


def quarantined(desk: Desk) -> list[dict[str, Any]]:
    path = desk.path().parent / "quarantine.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def row_of(desk: Desk, number: int, reviewer: str = "ana") -> int:
    """The row of a pair, as a spreadsheet program shows it."""
    return 2 + [row["Poros ID"] for row in desk.rows(reviewer)].index(desk.id(number))


def decided(desk: Desk, reviewer: str = "ana") -> dict[str, str | None]:
    return {
        desk.known[pair_id].good: entry.decision
        for (pair_id, name), entry in latest_decisions(desk.log).items()
        if name == reviewer
    }


def one_doubt(result: ImportResult) -> str:
    (doubt,) = result.doubts
    assert "\n" not in doubt
    return doubt


@pytest.mark.parametrize(
    ("answer", "column", "words"),
    [
        ({DECISION: "gerei"}, DECISION, "unknown decision 'gerei'; did you mean 'gerai'"),
        ({DECISION: "aprove"}, DECISION, "did you mean 'approve'"),
        ({DECISION: "xyzzy"}, DECISION, "'xyzzy'; write one of: gerai, taisyti, atmesti, neaišku"),
        ({DECISION: "n"}, DECISION, "unknown decision 'n'"),
        ({DECISION: "ta"}, DECISION, "unknown decision 'ta'"),
        ({DECISION: "taisyti"}, DECISION, "needs a corrected sentence; write it into 'Pataisytas taisyklingas'"),
        ({DECISION: "taisyti", GOOD: " \u00a0"}, DECISION, "needs a corrected sentence"),
        ({DECISION: "taisyti", GOOD: "Laukiu  autobuso."}, DECISION, "are those of the pair"),
        ({DECISION: "taisyti", GOOD: "Laukiu autobusą."}, DECISION, "both sentences are the same"),
        ({DECISION: "taisyti", GOOD: "Laukiu tavęs.", BAD: "Laukiu tavęs."}, DECISION, "both sentences are the same"),
        ({DECISION: "gerai", GOOD: "Laukiu tavęs."}, GOOD, "needs the decision 'taisyti'"),
        ({DECISION: "atmesti", BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        ({BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        (
            {DECISION: "gerai", "Taisyklingas sakinys": "Laukiu tavęs."},
            "Taisyklingas sakinys",
            "write into 'Pataisytas taisyklingas'",
        ),
        ({DECISION: "gerai", "Klaidingas sakinys": ""}, "Klaidingas sakinys", "write into 'Pataisytas klaidingas'"),
        ({DECISION: "gerai", "Vertintojas": "jonas"}, "Vertintojas", "the row is of 'jonas', the file of 'ana'"),
    ],
)
def test_a_doubtful_row_is_named_with_its_place_and_remedy_and_the_others_are_taken_over(
    answer: dict[str, str], column: str, words: str, desk: Desk
) -> None:
    desk.export()
    place = row_of(desk, 0)
    desk.fill({desk.good(1): {DECISION: "gerai"}, desk.good(0): answer})
    doubt = one_doubt(desk.take_over())
    letters = column_letters(list(desk.rows()[0]).index(column))
    assert doubt.startswith(f"{desk.path()}:{place}:{letters}: column '{column}': ")
    assert re.search(words, doubt)
    assert decided(desk) == {desk.good(1): "approve"}
    (kept,) = quarantined(desk)
    assert (kept["file"], kept["row"]) == ("ana.csv", place)
    assert {name: kept["cells"].get(name, "") for name in answer} == {
        name: text if text.strip() else "" for name, text in answer.items()
    }
    assert kept["reason"] in doubt


def test_a_doubtful_row_is_put_into_quarantine_once_and_taken_over_when_it_is_mended(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerei", COMMENT: "tikrai"}})
    assert desk.take_over().n_quarantined == 1
    again = desk.take_over()
    assert (again.n_quarantined, len(again.doubts), len(quarantined(desk))) == (0, 1, 1)
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    assert desk.take_over().doubts == ()
    assert decided(desk) == {desk.good(0): "approve"}


@pytest.mark.parametrize("identity", ["", "pair-0000000000000000", "pair-"])
def test_a_row_that_lost_its_id_is_known_by_its_sentences(identity: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai", "Poros ID": identity}})
    assert desk.take_over().doubts == ()
    assert decided(desk) == {desk.good(0): "approve"}


def test_a_row_that_lost_its_id_and_a_sentence_is_kept_in_quarantine(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai", "Poros ID": "", "Klaidingas sakinys": ""}})
    assert "the row has no pair" in one_doubt(desk.take_over())
    assert quarantined(desk)[0]["cells"][DECISION] == "gerai"


def test_a_row_about_a_pair_that_was_given_to_another_is_kept_apart(desk: Desk) -> None:
    desk.settings = desk.settings.model_copy(update={"per_pair": 1})
    desk.export()
    foreign = desk.rows("jonas")[0]
    desk.save([*desk.rows(), {**foreign, "Vertintojas": "ana", DECISION: "gerai"}])
    assert f"{foreign['Poros ID']} was not given to 'ana'" in one_doubt(desk.take_over())
    assert decided(desk) == {}


def test_a_correction_written_over_the_sentence_is_a_correction(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "taisyti", "Taisyklingas sakinys": "Laukiu mūsų autobuso."}})
    assert desk.take_over().doubts == ()
    entry = latest_decisions(desk.log)[desk.id(0), "ana"]
    assert (entry.decision, entry.good, entry.bad) == ("fix", "Laukiu mūsų autobuso.", None)


def test_rows_whose_sentences_were_sorted_apart_from_their_ids_are_not_taken_for_corrections(desk: Desk) -> None:
    desk.export()
    rows = desk.rows()
    names = ("Taisyklingas sakinys", "Klaidingas sakinys")
    shown = [{name: row[name] for name in names} for row in rows]
    desk.save([{**row, **shown[number - 1], DECISION: "taisyti"} for number, row in enumerate(rows)])
    assert len(desk.take_over().doubts) >= 5
    assert decided(desk) == {}
    assert len(quarantined(desk)) == 5


@pytest.mark.parametrize(("shown", "lost"), [("Laukiu autobusa.", "a"), ("Laukiu autobus?.", "?")])
def test_letters_that_were_lost_in_saving_are_reported_and_a_plain_decision_still_counts(
    shown: str, lost: str, desk: Desk
) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai", "Klaidingas sakinys": shown}})
    assert "letters were lost" in one_doubt(desk.take_over())
    assert decided(desk) == {desk.good(0): "approve"}
    desk.fill({desk.good(0): {DECISION: "taisyti", GOOD: f"Laukiu t{lost}vo autobuso."}})
    desk.take_over()
    assert decided(desk) == {desk.good(0): "approve"}
    assert quarantined(desk)[0]["cells"][GOOD] == f"Laukiu t{lost}vo autobuso."


def test_two_rows_of_a_pair_count_once_where_they_agree_and_not_at_all_where_they_differ(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}, desk.good(1): {DECISION: "gerai"}})
    rows = desk.rows()
    doubled = [row for row in rows if row["Poros ID"] == desk.id(0)]
    other = [{**row, DECISION: "atmesti"} for row in rows if row["Poros ID"] == desk.id(1)]
    empty = [{**row, DECISION: ""} for row in doubled]
    desk.save([*rows, *doubled, *other, *empty])
    result = desk.take_over()
    assert len(result.doubts) == 2
    assert all(f"{desk.id(1)} has different answers in rows" in doubt for doubt in result.doubts)
    assert decided(desk) == {desk.good(0): "approve"}
    assert [kept["cells"][DECISION] for kept in quarantined(desk)] == ["gerai", "atmesti"]


@pytest.mark.parametrize("column", [DECISION, BAD, COMMENT])
def test_a_missing_column_is_named_the_file_is_kept_and_the_other_sheets_are_read(column: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}}, "jonas")
    desk.save([{name: cell for name, cell in row.items() if name != column} for row in desk.rows()])
    assert one_doubt(desk.take_over()).startswith(f"{desk.path()}:1: column '{column}' is missing; put it back")
    assert decided(desk, "jonas") == {desk.good(0): "approve"}
    (kept,) = (desk.path().parent / "quarantine").iterdir()
    assert kept.read_bytes() == desk.path().read_bytes()


@pytest.mark.parametrize("column", ["Poros ID", "Vertintojas", "Taisyklingas sakinys"])
def test_a_column_without_which_rows_can_still_be_placed_may_be_missing(column: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    desk.save([{name: cell for name, cell in row.items() if name != column} for row in desk.rows()])
    assert desk.take_over().doubts == ()
    assert decided(desk) == {desk.good(0): "approve"}


def test_a_misspelt_column_is_recognised(desk: Desk) -> None:
    desk.export()
    desk.edit(f";{DECISION};", ";Sprendmas;")
    assert "column 'Sprendimas' is missing; rename 'Sprendmas'" in one_doubt(desk.take_over())


def test_a_sheet_in_which_every_row_is_wrong_is_reported_in_time(desk: Desk) -> None:
    desk.pairs = [
        desk.checked(desk.make_pair(f"Laukiu {number} autobuso.", f"Laukiu {number} autobusą."))
        for number in range(600)
    ]
    desk.export()
    desk.save([{**row, DECISION: "taisyti"} for row in desk.rows()])
    assert len(desk.take_over().doubts) == 600


def test_what_stands_in_columns_of_their_own_or_none_is_kept(desk: Desk) -> None:
    desk.export()
    rows = desk.rows()
    desk.save([{**row, "Mano stulpelis": "pasitarti su Ona" if not number else ""} for number, row in enumerate(rows)])
    desk.edit(";pasitarti su Ona", ";pasitarti su Ona;ir su Jonu")
    assert "stands in a column without a title" in one_doubt(desk.take_over())
    assert [kept["cells"] for kept in quarantined(desk)] == [
        {"Mano stulpelis": "pasitarti su Ona", "column 15": "ir su Jonu"}
    ]


def test_what_stands_above_the_titles_is_kept(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    text = desk.path().read_bytes().decode("utf-8-sig")
    desk.path().write_bytes(f"Onos lapas, kovo 3 d.;;\r\n{text}".encode())
    desk.take_over()
    assert decided(desk) == {desk.good(0): "approve"}
    assert quarantined(desk)[0]["cells"] == {"0": "Onos lapas, kovo 3 d."}


def test_a_quotation_mark_that_is_left_open_costs_one_row(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(number): {DECISION: "atmesti", COMMENT: "„taip“"} for number in range(5)})
    number = row_of(desk, 2)
    lines = desk.path().read_bytes().decode("utf-8-sig").split("\r\n")
    lines[number - 1] = lines[number - 1].replace("„taip“", '"taip')
    lines[-2] = lines[-2].replace("„taip“", '""ne"')
    desk.path().write_bytes("\r\n".join(lines).encode())
    result = desk.take_over()
    assert f"{desk.path()}:{number}: a quotation mark" in result.doubts[0]
    assert len(decided(desk)) >= 3
    assert len(decided(desk)) + len(quarantined(desk)) == 5


@pytest.mark.parametrize("name", ["ana.xlsx", "ana.numbers", "jonas (1).csv", "ana - kopija.csv", "petras.ods"])
def test_a_file_that_may_hold_answers_but_cannot_be_read_is_named_and_kept(name: str, desk: Desk) -> None:
    desk.export()
    (desk.path().parent / name).write_bytes(b"PK\x03\x04")
    assert f"{name}: " in one_doubt(desk.take_over())
    assert [path.name.endswith(name) for path in (desk.path().parent / "quarantine").iterdir()] == [True]


@pytest.mark.parametrize("name", ["ana (1).csv", "Ana.csv", "ana - kopija.csv", "ana.tsv"])
def test_copies_beside_a_sheet_are_read_too(name: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    desk.path().rename(desk.path().with_name(name))
    assert desk.take_over().doubts == ()
    assert decided(desk) == {desk.good(0): "approve"}


def test_a_workbook_that_was_sent_back_is_taken_over_and_the_sheet_brought_up_to_date(
    desk: Desk, tmp_path: Path
) -> None:
    desk.export()
    rows = desk.rows()
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        answer = {DECISION: "taisyti", GOOD: "Laukiu „mūsų“ autobuso."} if row["Poros ID"] == desk.id(0) else {}
        book.active.append(list({**row, **answer}.values()))
    path = tmp_path / "Anos lapas.xlsx"
    book.save(path)
    result = desk.take_over_files(path)
    assert (result.doubts, result.sheets[0].reviewers, result.sheets[0].n_new) == ((), ("ana",), 1)
    assert [(row[DECISION], row[GOOD]) for row in desk.rows() if row[DECISION]] == [
        ("taisyti", "Laukiu „mūsų“ autobuso.")
    ]
    before = {item.name: item.read_bytes() for item in desk.path().parent.iterdir() if item.is_file()}
    again = desk.take_over_files(path)
    assert (again.sheets[0].n_new, again.sheets[0].n_changed, again.doubts) == (0, 0, ())
    assert {item.name: item.read_bytes() for item in desk.path().parent.iterdir() if item.is_file()} == before
    # What the reviewer changes in the sheet afterwards is newer than the workbook, which is not believed again.
    desk.fill({desk.good(0): {DECISION: "atmesti", GOOD: ""}})
    assert desk.take_over().sheets[0].n_changed == 1
    assert "an earlier answer of ana, changed since" in one_doubt(desk.take_over_files(path))
    assert decided(desk) == {desk.good(0): "reject"}


def test_a_file_that_says_nowhere_whose_it_is_needs_a_name(desk: Desk, tmp_path: Path) -> None:
    desk.export()
    desk.fill({desk.good(0): {DECISION: "gerai"}})
    desk.save([{name: cell for name, cell in row.items() if name != "Vertintojas"} for row in desk.rows()])
    path = tmp_path / "lapas.csv"
    desk.path().rename(path)
    assert "names no reviewer" in desk.take_over_files(path).doubts[0]
    assert decided(desk) == {}
    assert desk.take_over_files(path, reviewer="ana").sheets[0].n_new == 1
    path.rename(tmp_path / "jonas-2.csv")
    assert desk.take_over_files(tmp_path / "jonas-2.csv").sheets[0].reviewers == ("jonas",)


def test_an_answer_that_was_changed_back_counts(desk: Desk) -> None:
    desk.export()
    for word in ("gerai", "atmesti", "gerai"):
        desk.fill({desk.good(0): {DECISION: word}})
        desk.take_over()
    assert decided(desk) == {desk.good(0): "approve"}
    assert len(desk.log.read_bytes().splitlines()) == 3


def test_what_spreadsheet_programs_leave_behind_does_not_matter(desk: Desk) -> None:
    desk.export()
    for name in ("~$ana.xlsx", ".~lock.ana.csv#", "pastabos.txt"):
        (desk.path().parent / name).write_bytes(b"x")
    assert len(desk.take_over().sheets) == 2


def test_a_queue_that_is_not_there_is_named_and_not_made(desk: Desk) -> None:
    from pairwright.errors import ReviewError

    with pytest.raises(ReviewError, match="export the queue first"):
        desk.take_over()
    assert not desk.annotations.exists()


def mangle(content: bytes, cut: tuple[int, int], junk: bytes) -> bytes:
    start, end = sorted(position % (len(content) + 1) for position in cut)
    return content[:start] + junk + content[end:]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cut=st.tuples(st.integers(0, 5000), st.integers(0, 5000)),
    junk=st.one_of(st.binary(max_size=6), st.sampled_from([b'"', b";", b"\r\n", b"\n;;;", b"gerai"])),
    encoding=st.sampled_from(["utf-8-sig", "utf-16", "cp1257"]),
)
def test_a_damaged_sheet_gives_no_decision_that_nobody_took(
    cut: tuple[int, int], junk: bytes, encoding: str, desk: Desk
) -> None:
    desk = desk.fresh()
    desk.export()
    desk.fill({desk.good(number): {DECISION: "atmesti"} for number in range(5)})
    desk.resave(encoding)
    desk.path().write_bytes(mangle(desk.path().read_bytes(), cut, junk))
    result = desk.take_over()
    assert not any("\n" in doubt for doubt in result.doubts)
    assert set(decided(desk).values()) <= {"reject"} | ({"approve"} if junk == b"gerai" else set())
