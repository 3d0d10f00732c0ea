"""Doubtful sheets: each doubt is one line with its place and remedy, the rest is taken over, and nothing is dropped."""

import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from review_queue import BAD, COMMENT, DECISION, GOOD, QueueFixture, make_pair, one_doubt
from workspace_parts import no_superuser, write_words

from made_records import make_checked
from pairwright.core.errors import PairwrightError
from pairwright.languages import load_language

SENTENCE = "Taisyklingas sakinys"


def quarantined(queue: QueueFixture) -> list[dict[str, Any]]:
    path = queue.path().parent / "quarantine.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def row_of(queue: QueueFixture, number: int, reviewer: str = "ana") -> int:
    """The row of a pair, as a spreadsheet program shows it."""
    return 2 + [row["Poros ID"] for row in queue.rows(reviewer)].index(queue.id(number))


@pytest.mark.parametrize(
    ("answer", "column", "words"),
    [
        ({DECISION: "gerei"}, DECISION, "unknown decision 'gerei'; .*; did you mean gerai?"),
        ({DECISION: "aprove"}, DECISION, "did you mean approve?"),
        ({DECISION: "xyzzy"}, DECISION, "'xyzzy'; write one of: gerai, taisyti, atmesti, neaišku"),
        ({DECISION: "n"}, DECISION, "'n' may mean no or netinka or ne or neaišku or nežinau; write more"),
        ({DECISION: "1"}, DECISION, "'1' is no number of the corrections"),
        ({DECISION: "9" * 5_000}, DECISION, "unknown decision"),
        ({DECISION: "ta"}, DECISION, "'ta' may mean taip or taisyti or taisytina"),
        ({DECISION: "taisyti"}, DECISION, "sentence is missing; write a corrected one into 'Pataisytas taisyklingas'"),
        ({DECISION: "taisyti", GOOD: " \u00a0"}, DECISION, "a corrected sentence is missing"),
        ({DECISION: "taisyti", SENTENCE: "Laukiu mūsų autobuso."}, SENTENCE, "write into 'Pataisytas taisyklingas'"),
        ({DECISION: "taisyti", GOOD: "Laukiu  autobuso."}, DECISION, "are those of the pair"),
        ({DECISION: "taisyti", GOOD: "Laukiu autobusą."}, DECISION, "both sentences are the same"),
        ({DECISION: "taisyti", GOOD: "Laukiu tavęs.", BAD: "Laukiu tavęs."}, DECISION, "both sentences are the same"),
        *(
            ({DECISION: "taisyti", GOOD: cell}, DECISION, "is a formula of the spreadsheet")
            for cell in ("=SUM(A1)", "+SUM(A1)", "{=A1}", "=\u00a0+A1", "#N/A", "#NAME?", "#DIV/0!")
        ),
        ({DECISION: "gerai", GOOD: "Laukiu tavęs."}, GOOD, "needs the decision 'taisyti'"),
        ({DECISION: "atmesti", BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        ({BAD: "Laukiu tave."}, BAD, "needs the decision 'taisyti'"),
        ({DECISION: "gerai", SENTENCE: "Laukiu tavęs."}, SENTENCE, "write into 'Pataisytas taisyklingas'"),
        ({DECISION: "gerai", "Klaidingas sakinys": ""}, "Klaidingas sakinys", "write into 'Pataisytas klaidingas'"),
        ({DECISION: "gerai", "Vertintojas": "jonas"}, "Vertintojas", "the row is of 'jonas', the file of 'ana'"),
        ({DECISION: "gerai", "Poros ID": "x"}, "Poros ID", "'x' was not given to 'ana'; put the id back"),
        ({DECISION: "gerai", "Poros ID": ""}, "Poros ID", "'' was not given to 'ana'; put the id back"),
    ],
)
def test_a_doubtful_row_is_named_with_its_place_and_remedy_and_the_others_are_taken_over(
    answer: dict[str, str], column: str, words: str, exported: QueueFixture
) -> None:
    place = row_of(exported, 0)
    doubt = one_doubt(exported.answer({1: "gerai", exported.good(0): answer}))
    letter = "ABCDEFGHIJKLMN"[list(exported.rows()[0]).index(column)]
    assert doubt.startswith(f"{exported.path()}:{place}:{letter}: column '{column}': ")
    assert re.search(words, doubt)
    assert exported.decided() == {exported.id(1): "approve"}
    (kept,) = quarantined(exported)
    assert (kept["file"], kept["row"]) == ("ana.csv", place)
    assert {name: kept["cells"].get(name, "") for name in answer} == {
        name: text if text.strip() else "" for name, text in answer.items()
    }
    assert kept["reason"] in doubt


def test_a_row_that_a_person_wrote_into_is_put_into_quarantine_once_and_taken_over_when_it_is_mended(
    exported: QueueFixture, tmp_path: Path
) -> None:
    written = {SENTENCE: "Laukiu tavęs."}, {"Vertintojas": "jonas"}, {DECISION: "gerei", COMMENT: "tikrai"}
    first = exported.answer(dict(enumerate(written)))
    assert (first.n_quarantined, len(first.doubts)) == (3, 3)
    assert {row["cells"].get(DECISION) for row in quarantined(exported)} == {None, "gerei"}
    # What is wrong with a row may change with the words of the language.
    write_words(tmp_path, "lt", "decisions-approve = approve\n")
    exported.language = load_language("lt", tmp_path)
    again = exported.import_sheets()
    assert (again.n_quarantined, len(again.doubts), len(quarantined(exported))) == (0, 3, 3)
    exported.language = load_language("lt")
    assert len(exported.answer({2: "gerai"}).doubts) == 2
    assert exported.decided() == {exported.id(2): "approve"}


@pytest.mark.parametrize(("shown", "lost"), [("Laukiu autobusa.", "a"), ("Laukiu autobus?.", "?")])
def test_letters_that_were_lost_in_saving_are_reported_with_a_correction_and_a_plain_decision_still_counts(
    shown: str, lost: str, exported: QueueFixture
) -> None:
    assert exported.answer({0: {DECISION: "gerai", "Klaidingas sakinys": shown}}).doubts == ()
    assert exported.decided() == {exported.id(0): "approve"}
    fixed = {DECISION: "taisyti", GOOD: f"Laukiu t{lost}vo autobuso."}
    assert "letters were lost" in one_doubt(exported.answer({0: fixed}))
    assert exported.decided() == {exported.id(0): "approve"}
    assert quarantined(exported)[0]["cells"][GOOD] == f"Laukiu t{lost}vo autobuso."


def test_two_rows_of_a_pair_count_once_where_they_agree_and_not_at_all_where_they_differ(
    exported: QueueFixture,
) -> None:
    exported.fill({0: "gerai", 1: "gerai"})
    rows = exported.rows()
    doubled = [row for row in rows if row["Poros ID"] == exported.id(0)]
    other = [{**row, DECISION: "atmesti"} for row in rows if row["Poros ID"] == exported.id(1)]
    empty = [{**row, DECISION: ""} for row in doubled]
    exported.save([*rows, *doubled, *other, *empty])
    result = exported.import_sheets()
    assert len(result.doubts) == 2
    assert all(f"{exported.id(1)} has different answers in rows" in str(doubt) for doubt in result.doubts)
    assert exported.decided() == {exported.id(0): "approve"}
    assert [kept["cells"][DECISION] for kept in quarantined(exported)] == ["gerai", "atmesti"]


@pytest.mark.parametrize("column", [DECISION, BAD, COMMENT])
@pytest.mark.parametrize("misspelt", [False, True])
def test_a_missing_column_is_named_and_the_other_sheets_are_read(
    column: str, misspelt: bool, exported: QueueFixture
) -> None:
    exported.fill({0: "gerai"}, "jonas")
    new = f"{column[:-2]}x{column[-1]}" if misspelt else ""
    exported.edit(f";{column};", f";{new};")
    doubt = one_doubt(exported.import_sheets())
    assert doubt.startswith(f"{exported.path()}:1: column '{column}' is missing; ")
    assert (f"rename '{new}'" if new else "put it back") in doubt
    assert exported.decided("jonas") == {exported.id(0): "approve"}


@pytest.mark.parametrize("name", ["ana.xlsx", "ana.numbers", "jonas (1).csv", "ana - kopija.csv", "petras.ods"])
def test_a_file_that_may_hold_answers_but_cannot_be_read_is_named(name: str, exported: QueueFixture) -> None:
    (exported.path().parent / name).write_bytes(b"PK\x03\x04")
    assert f"{name}: " in one_doubt(exported.import_sheets())


@pytest.mark.parametrize("name", ["ana (1).csv", "Ana.csv", "ana - kopija.csv", "ana.tsv"])
def test_copies_beside_a_sheet_are_read_and_not_what_spreadsheet_programs_leave(
    name: str, exported: QueueFixture
) -> None:
    for left in ("~$ana.xlsx", ".~lock.ana.csv#", "pastabos.txt"):
        (exported.path().parent / left).write_bytes(b"x")
    exported.fill({0: "gerai"})
    exported.path().rename(exported.path().with_name(name))
    result = exported.import_sheets()
    assert (result.doubts, len(result.sheets)) == ((), 2)
    assert exported.decided() == {exported.id(0): "approve"}


def test_a_workbook_that_was_sent_back_is_taken_over_and_the_sheet_brought_up_to_date(
    exported: QueueFixture, tmp_path: Path
) -> None:
    rows = exported.rows()
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        answer = {DECISION: "taisyti", GOOD: "Laukiu „mūsų“ autobuso."} if row["Poros ID"] == exported.id(0) else {}
        book.active.append(list({**row, **answer}.values()))
    path = tmp_path / "Anos lapas.xlsx"
    book.save(path)
    result = exported.import_files(path)
    assert (result.doubts, result.sheets[0].n_new) == ((), 1)
    assert [(row[DECISION], row[GOOD]) for row in exported.rows() if row[DECISION]] == [
        ("taisyti", "Laukiu „mūsų“ autobuso.")
    ]
    before = {item.name: item.read_bytes() for item in exported.path().parent.iterdir() if item.is_file()}
    again = exported.import_files(path)
    assert (again.sheets[0].n_new, again.sheets[0].n_changed, again.doubts) == (0, 0, ())
    assert {item.name: item.read_bytes() for item in exported.path().parent.iterdir() if item.is_file()} == before
    # What the reviewer changes in the sheet afterwards is newer than the workbook, which is not believed again.
    assert exported.answer({0: {DECISION: "atmesti", GOOD: ""}}).sheets[0].n_changed == 1
    assert "an earlier answer of ana, changed since" in one_doubt(exported.import_files(path))
    assert exported.decided() == {exported.id(0): "reject"}


def test_a_file_that_says_nowhere_whose_it_is_needs_a_name(exported: QueueFixture, tmp_path: Path) -> None:
    exported.fill({0: "gerai"})
    exported.save([{name: cell for name, cell in row.items() if name != "Vertintojas"} for row in exported.rows()])
    path = tmp_path / "lapas.csv"
    exported.path().rename(path)
    doubt = exported.import_files(path).doubts[0]
    assert doubt.endswith("unknown reviewer ''; write one of ana, jonas, or give --reviewer")
    assert exported.decided() == {}
    assert exported.import_files(path, reviewer="ana").sheets[0].n_new == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (os.mkfifo, "a named pipe"),
        (os.mkdir, "a folder"),
        (lambda path: path.symlink_to("gone"), "a link to gone"),
        (lambda path: path.write_bytes(b"\0"), "not a text file"),
    ],
)
def test_a_sheet_in_whose_place_something_else_stands_is_named(
    make: Callable[[Path], object], words: str, exported: QueueFixture
) -> None:
    exported.fill({0: "gerai"}, "jonas")
    exported.path().unlink()
    make(exported.path())
    assert f"ana.csv: {words}" in one_doubt(exported.import_sheets())
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))
    (fault,) = exported.export().faults
    assert f"ana.csv: {words}" in fault
    assert len(exported.rows("jonas")) == 6
    assert set(exported.latest) == {(exported.id(0), "jonas")}


def test_a_pipe_in_place_of_the_instructions_holds_nobody_up(exported: QueueFixture) -> None:
    (path,) = exported.path().parent.glob("INSTRUCTIONS.*")
    written = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))
    exporting = threading.Thread(target=exported.export, daemon=True)
    exporting.start()
    exporting.join(10)
    assert path.is_file()
    assert path.read_bytes() == written


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that every user of the machine may reach."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("name", ["queue.json", "assignments.jsonl", "pairs.jsonl", "decisions.jsonl", ""])
def test_a_queue_that_may_not_be_read_or_written_is_named(name: str, queue: QueueFixture, everybodys: Path) -> None:
    queue.annotations = everybodys / "annotations"
    queue.export()
    queue.answer({0: "gerai"})
    for path in (everybodys, *everybodys.rglob("*")):
        path.chmod(0o777)
    locked = queue.path().parent / name
    locked.chmod(0o555 if not name else 0)
    queue.fill({1: "gerai"})
    (locked / ".queue.json.lock" if not name else locked).chmod(0)
    with no_superuser(), pytest.raises(PairwrightError, match=r"(may not be read|Permission denied); [^\n]*$"):
        queue.import_sheets()
    locked.chmod(0o777)
