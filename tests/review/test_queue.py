"""Queues: who gets which pair, what a sheet shows, and that no cell of a person is ever lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.config import ReviewSettings
from pairwright.errors import ConfigError, ReviewError
from pairwright.languages import Language, load_language
from pairwright.records import Finding
from pairwright.store import write_jsonl

if TYPE_CHECKING:
    from tests.review.conftest import Desk

LOREM = "Antradienį lijo ir pūtė vėjas"


def more_pairs(desk: Desk, count: int, start: int = 0) -> None:
    desk.pairs += [
        desk.checked(desk.make_pair(f"Laukiu {number} autobuso.", f"Laukiu {number} autobusą."))
        for number in range(start, start + count)
    ]


def assigned(desk: Desk, *reviewers: str) -> dict[str, list[str]]:
    return {reviewer: [row["Poros ID"] for row in desk.rows(reviewer)] for reviewer in reviewers}


def test_a_sheet_shows_the_pair_its_rule_and_its_place_and_leaves_room_for_the_answer(desk: Desk) -> None:
    pair = desk.make_pair("Prie namo auga liepa.", "Prie namą auga liepa.", alternatives=("Šalia namo auga liepa.",))
    desk.pairs = [desk.checked(pair)]
    desk.export()
    assert desk.rows("jonas") == [
        {
            "Poros ID": pair.id,
            "Vertintojas": "jonas",
            "Taisyklė": "1.1 Taisyklė 1.1",
            "Taisyklingas sakinys": "Prie namo auga liepa.",
            "Klaidingas sakinys": "Prie namą auga liepa.",
            "Kuo skiriasi": "namą → namo",
            "Kiti taisymai": "Šalia namo auga liepa.",
            "Pavyzdžiai": "Laukiu draugo. (*Laukiu draugą.) | Noriu miego.",
            "Šaltinis": "Klaidų sąrašas, klaidos.md:7",
            "Sprendimas": "",
            "Pataisytas taisyklingas": "",
            "Pataisytas klaidingas": "",
            "Pastaba": "",
        }
    ]


def test_a_pair_of_a_page_names_the_page_and_a_missing_word_is_shown(desk: Desk) -> None:
    desk.pairs = [desk.checked(desk.make_pair("Einu į namus.", "Einu namus.", page=12, line=None))]
    desk.export()
    assert desk.rows()[0]["Šaltinis"] == "Klaidų sąrašas, klaidos.md, p. 12"
    assert desk.rows()[0]["Kuo skiriasi"] == "∅ → į"


def test_only_pairs_that_passed_are_asked_about_and_alternatives_only_on_request(desk: Desk) -> None:
    default = desk.make_pair("Laukiu traukinio.", "Laukiu traukinį.")
    other = desk.make_pair("Sulaukiu traukinio.", "Laukiu traukinį.", parent_id=default.id)
    mended = desk.make_pair("Laukiu greitojo traukinio.", "Laukiu traukinį.", parent_id=default.id, method="manual")
    broken = desk.make_pair("Laukiu", "Laukia")
    desk.pairs = [
        desk.checked(default),
        desk.checked(other),
        desk.checked(mended),
        desk.checked(broken, "no full stop"),
    ]
    desk.export()
    assert set(assigned(desk, "ana")["ana"]) == {default.id, mended.id}
    desk.settings = desk.settings.model_copy(update={"alternatives": True})
    desk.export()
    assert assigned(desk, "ana")["ana"][-1] == other.id


def test_rows_are_grouped_by_rule_in_the_order_of_the_source_where_that_is_asked_for(desk: Desk) -> None:
    desk.settings = desk.settings.model_copy(update={"order": "source"})
    desk.pairs.reverse()
    desk.export()
    assert [row["Taisyklė"][:3] for row in desk.rows()] == ["1.1", "1.1", "1.1", "1.2", "1.2"]


def test_the_instructions_stand_beside_the_sheets_and_are_rewritten_only_when_they_change(desk: Desk) -> None:
    path = desk.export().instructions
    assert path.name == "INSTRUCTIONS.lt.txt"
    text = path.read_bytes().decode("utf-8-sig")
    for decision in ("gerai", "taisyti", "atmesti", "neaišku"):
        assert decision in text
    before = path.stat().st_mtime_ns
    desk.export()
    assert path.stat().st_mtime_ns == before
    path.write_text("senos taisyklės", encoding="utf-8")
    desk.export()
    assert path.read_bytes().decode("utf-8-sig") == text


def test_a_language_without_a_file_gets_english_titles_and_instructions(desk: Desk) -> None:
    desk.language = load_language("sjd")
    assert "approve" in desk.export().instructions.read_text(encoding="utf-8-sig")
    assert {"Pair ID", "Decision", "Comment"} <= set(desk.rows()[0])


def test_a_language_file_with_an_unknown_or_doubled_column_is_refused(desk: Desk) -> None:
    desk.language = Language(code="xx", name="x", autonym="x", columns={"decison": "Otsus"})
    with pytest.raises(ConfigError, match="unknown column 'decison'"):
        desk.export()
    desk.language = Language(code="xx", name="x", autonym="x", columns={"good": "Lause", "bad": "lause:"})
    with pytest.raises(ConfigError, match="two columns have the same title"):
        desk.export()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n_pairs=st.integers(1, 40), n_reviewers=st.integers(1, 5), per_pair=st.integers(1, 5), start=st.integers(0, 10**6)
)
def test_each_pair_goes_to_as_many_reviewers_as_asked_and_the_sheets_are_even(
    n_pairs: int, n_reviewers: int, per_pair: int, start: int, desk: Desk
) -> None:
    desk = desk.fresh()
    names = tuple(f"r{number}" for number in range(n_reviewers))
    per_pair = min(per_pair, n_reviewers)
    desk.settings = ReviewSettings(reviewers=names, per_pair=per_pair)
    desk.pairs = []
    more_pairs(desk, n_pairs, start=start)
    export = desk.export()
    sizes = [sheet.n_new for sheet in export.sheets]
    assert sum(sizes) == n_pairs * per_pair
    assert max(sizes) - min(sizes) <= 1
    again = desk.export()
    assert [(sheet.n_new, sheet.n_kept) for sheet in again.sheets] == [(0, size) for size in sizes]


def test_reviewers_do_not_always_meet_the_same_colleague(desk: Desk) -> None:
    desk.settings = ReviewSettings(reviewers=("ana", "jonas", "ona", "petras"), per_pair=2)
    more_pairs(desk, 60)
    desk.export()
    sheets = assigned(desk, "ana", "jonas", "ona", "petras")
    met = Counter(name for name in ("jonas", "ona", "petras") for pair in sheets["ana"] if pair in sheets[name])
    assert min(met[name] for name in ("jonas", "ona", "petras")) >= 3


def test_the_same_pairs_are_assigned_the_same_way_on_every_machine(desk: Desk, tmp_path: Path) -> None:
    desk.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2)
    desk.export()
    first = assigned(desk, "ana", "jonas", "ona")
    desk.annotations = tmp_path / "elsewhere"
    desk.export()
    assert assigned(desk, "ana", "jonas", "ona") == first


def test_topping_up_appends_and_moves_nothing(desk: Desk) -> None:
    desk.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2)
    desk.export()
    before = assigned(desk, "ana", "jonas", "ona")
    more_pairs(desk, 12)
    random.Random(1).shuffle(desk.pairs)
    export = desk.export()
    after = assigned(desk, "ana", "jonas", "ona")
    for sheet in export.sheets:
        assert after[sheet.reviewer][: sheet.n_kept] == before[sheet.reviewer]
        assert len(after[sheet.reviewer]) == sheet.n_kept + sheet.n_new
    assert set(Counter(pair for pairs in after.values() for pair in pairs).values()) == {2}


def test_a_reviewer_who_joins_later_gets_new_pairs_and_takes_none_away(desk: Desk) -> None:
    desk.export()
    before = assigned(desk, "ana", "jonas")
    desk.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2)
    assert [sheet.n_new for sheet in desk.export().sheets] == [0, 0, 0]
    assert not desk.path("ona").exists()
    more_pairs(desk, 5)
    desk.export()
    after = assigned(desk, "ana", "jonas", "ona")
    assert len(after["ona"]) == 5
    for name, pairs in before.items():
        assert after[name][: len(pairs)] == pairs


def test_what_a_leaver_did_not_decide_goes_to_another(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {"Sprendimas": "gerai"}}, "jonas")
    desk.take_over()
    desk.settings = ReviewSettings(reviewers=("ana", "ona"), per_pair=2)
    desk.export()
    assert set(assigned(desk, "ona")["ona"]) == set(desk.known) - {desk.id(0)}
    assert desk.rows("jonas")[0]["Sprendimas"] == "gerai"


def test_nobody_is_asked_about_a_pair_that_they_made(desk: Desk) -> None:
    desk.settings = ReviewSettings(reviewers=("ana", "jonas"), per_pair=2)
    desk.export()
    desk.fill({desk.good(0): {"Sprendimas": "taisyti", "Pataisytas taisyklingas": "Laukiu tavo autobuso."}})
    desk.take_over()
    parent = desk.pairs[0].candidate
    child = desk.make_pair("Laukiu tavo autobuso.", parent.bad, parent_id=parent.id, method="manual")
    desk.pairs.append(desk.checked(child))
    desk.export()
    assert child.id in assigned(desk, "jonas")["jonas"]
    assert child.id not in assigned(desk, "ana")["ana"]


def test_nobody_gets_more_rows_than_their_quota_and_what_is_left_over_is_counted(desk: Desk) -> None:
    desk.settings = ReviewSettings(reviewers=("ana", "jonas", "ona"), per_pair=2, quota=3)
    export = desk.export()
    assert [sheet.n_new for sheet in export.sheets] == [3, 3, 3]
    assert export.n_short == 1
    desk.settings = desk.settings.model_copy(update={"quota": 4})
    export = desk.export()
    assert sum(sheet.n_new for sheet in export.sheets) == 1
    assert export.n_short == 0


def test_a_sheet_that_is_gone_is_written_again_with_the_answers_that_were_taken_over(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {"Sprendimas": "g", "Pastaba": "=tikrai"}})
    desk.take_over()
    order = assigned(desk, "ana")
    desk.path().unlink()
    desk.export()
    assert assigned(desk, "ana") == order
    row = next(row for row in desk.rows() if row["Poros ID"] == desk.id(0))
    assert (row["Sprendimas"], row["Pastaba"]) == ("gerai", "'=tikrai")
    assert desk.take_over().sheets[0].n_changed == 0


def test_what_the_checks_say_is_shown_only_on_request(desk: Desk) -> None:
    pair = desk.pairs[0]
    finding = Finding(check="judge", level="warning", message="both may be acceptable")
    desk.pairs[0] = pair.model_copy(update={"findings": (finding,)})
    desk.export()
    assert b"both may be acceptable" not in desk.path().read_bytes()
    desk.settings = desk.settings.model_copy(update={"show_findings": True})
    desk.export("atvira")
    text = (desk.annotations / "atvira" / "ana.csv").read_bytes().decode("utf-8-sig")
    assert "both may be acceptable" in text


# What people put into their cells: formulas, quotation marks, separators, line breaks.
human = st.text(alphabet="aąž \"';,\t\n=+-@.", max_size=12)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.tuples(human, human, human, human, human), min_size=5, max_size=5),
    separator=st.sampled_from(";,\t"),
    seed=st.integers(0, 10**9),
)
def test_no_cell_of_a_person_changes_when_a_sheet_is_topped_up(
    cells: list[tuple[str, ...]], separator: str, seed: int, desk: Desk
) -> None:
    desk = desk.fresh()
    desk.export()
    rows = desk.rows()
    for row, answer in zip(rows, cells, strict=True):
        row["Mano stulpelis"] = answer[4]
        row.update(
            zip(("Sprendimas", "Pataisytas taisyklingas", "Pataisytas klaidingas", "Pastaba"), answer, strict=False)
        )
    columns = list(rows[0])
    random.Random(seed).shuffle(columns)
    rows = [{column: row[column] for column in columns} for row in rows]
    desk.save(rows)
    more_pairs(desk, 2, start=100)
    desk.settings = desk.settings.model_copy(update={"separator": separator})
    desk.export()
    found = desk.rows() if separator == ";" else desk.rows(separator=separator)
    # A cell that would run as a formula is guarded; nothing else changes, and the columns keep their order.
    plain = [{column: unguarded(cell) for column, cell in row.items()} for row in found]
    assert plain[:5] == [{column: unguarded(cell) for column, cell in row.items()} for row in rows]
    assert [row["Taisyklingas sakinys"] for row in found[5:]] == ["Laukiu 100 autobuso.", "Laukiu 101 autobuso."]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for row in found for cell in row.values())


def unguarded(cell: str) -> str:
    bare = cell.lstrip("'")
    return cell[1:] if cell.startswith("'") and bare.startswith(("=", "+", "-", "@", "\t", "\n")) else cell


def test_a_sheet_that_gets_nothing_new_is_not_touched(desk: Desk) -> None:
    desk.export()
    desk.resave("utf-16", "\t")
    before = desk.path().read_bytes()
    desk.export()
    assert desk.path().read_bytes() == before


@pytest.mark.parametrize("encoding", ["cp1257", "utf-16", "utf-8"])
def test_a_sheet_that_excel_saved_is_topped_up_with_its_answers(encoding: str, desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(1): {"Sprendimas": "neaišku", "Pastaba": "žąsų šėrėjas? „gal“"}})
    desk.resave(encoding)
    more_pairs(desk, 1)
    desk.export()
    assert {row["Taisyklingas sakinys"]: row["Pastaba"] for row in desk.rows() if row["Pastaba"]} == {
        desk.good(1): "žąsų šėrėjas? „gal“"
    }
    assert len(desk.rows()) == 6
    assert desk.path().read_bytes().startswith(b"\xef\xbb\xbf")


def test_rows_about_pairs_that_are_no_longer_proposed_stay(desk: Desk) -> None:
    desk.export()
    desk.fill({desk.good(0): {"Sprendimas": "atmesti", "Pastaba": LOREM}})
    gone = desk.pairs.pop(0).candidate
    more_pairs(desk, 1)
    desk.export()
    row = desk.rows()[0]
    assert (row["Poros ID"], row["Sprendimas"], row["Pastaba"]) == (gone.id, "atmesti", LOREM)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda content: b"", "no row of column titles"),
        (lambda content: content.replace(b";Laukiu", b';"Laukiu'), "a quotation mark"),
        (lambda content: content[:-2] + b'"ne\r\n', "a quotation mark"),
        (lambda content: b"PK\x03\x04\0\0" + content, "not a workbook"),
        (lambda content: content.replace(b"Sprendimas", b"Spremdimas"), "'Sprendimas' is missing; rename"),
        (lambda content: content.replace(b"Pastaba", b"Sprendimas"), "stands twice"),
    ],
)
def test_a_damaged_sheet_is_named_and_nothing_is_written(
    damage: Callable[[bytes], bytes], words: str, desk: Desk, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    desk.export()
    desk.path("jonas").write_bytes(damage(desk.path("jonas").read_bytes()))
    before = snapshot(desk.path().parent)
    more_pairs(desk, 3)
    with pytest.raises(ReviewError, match=words) as fault:
        desk.export()
    assert "jonas.csv" in str(fault.value)
    assert snapshot(desk.path().parent) == before


def test_a_sheet_in_an_encoding_that_nothing_tells_is_not_written_on(desk: Desk) -> None:
    desk.pairs = desk.pairs[:3]
    desk.export()
    # Bytes of an encoding that is not among the known ones: the sentences come out wrong under all of them.
    text = desk.path().read_bytes().decode("utf-8-sig")
    desk.path().write_bytes(text.encode("cp775", "replace"))
    before = desk.path().read_bytes()
    more_pairs(desk, 1)
    with pytest.raises(ReviewError, match=r"ana\.csv:2:[DE]: column '.*the encoding of the file is in doubt"):
        desk.export()
    assert desk.path().read_bytes() == before


@pytest.mark.parametrize("name", ["../ana", "Ana", "", "a b", "ąna", "-ana", "a/b", ".ana", "a\n", "a" * 65])
def test_names_that_are_not_plain_are_refused(name: str, desk: Desk) -> None:
    with pytest.raises(ReviewError, match="not a plain name"):
        desk.export(name)
    desk.settings = ReviewSettings(reviewers=("ana", name))
    with pytest.raises(ReviewError, match="not a plain name"):
        desk.export()
    assert not desk.annotations.exists()


@pytest.mark.parametrize(
    ("reviewers", "per_pair", "words"),
    [(("ana",), 2, "name more or lower per_pair"), ((), 1, "0 named"), (("ana", "ana"), 2, "named twice")],
)
def test_settings_that_cannot_be_met_are_refused(
    reviewers: tuple[str, ...], per_pair: int, words: str, desk: Desk
) -> None:
    desk.settings = ReviewSettings(reviewers=reviewers, per_pair=per_pair)
    with pytest.raises(ReviewError, match=words):
        desk.export()
    assert not desk.annotations.exists()


def test_a_pair_of_an_unknown_rule_is_named(desk: Desk) -> None:
    desk.rules.popitem()
    with pytest.raises(ReviewError, match="unknown rule"):
        desk.export()


ENDLESS_EXPORT = """
import sys
from pathlib import Path
from pairwright.config import ReviewSettings
from pairwright.languages import load_language
from pairwright.records import CheckedPair, Rule, Source
from pairwright.review.queue.export import export_queue
from pairwright.store import read_jsonl

folder = Path(sys.argv[1])
pairs = list(read_jsonl(folder / "pairs.jsonl", CheckedPair))
rules = {rule.id: rule for rule in read_jsonl(folder / "rules.jsonl", Rule)}
source = Source(id="mini", title="t", language="lt", kind="error-list", licence="x", citation="x",
                files=[{"path": "a", "sha256": "0" * 64}])
print("ready", flush=True)
for count in range(6, len(pairs)):
    export_queue(folder / "annotations", "linksniai", pairs[:count], rules, source, load_language("lt"),
                 ReviewSettings(reviewers=("ana", "jonas")))
"""


def test_an_export_killed_at_any_moment_loses_no_cell(desk: Desk, tmp_path: Path) -> None:
    desk.export()
    answers = {
        desk.good(number): {"Sprendimas": "neaišku", "Pastaba": f"{LOREM} {number}"}
        for number in range(len(desk.pairs))
    }
    desk.fill(answers)
    filled = [list(row.values()) for row in desk.rows()]
    more_pairs(desk, 1500)
    write_jsonl(tmp_path / "pairs.jsonl", desk.pairs)
    write_jsonl(tmp_path / "rules.jsonl", desk.rules.values())
    chance = random.Random(7)
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_EXPORT, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.0, 0.3))
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert [list(row.values()) for row in desk.rows()][: len(filled)] == filled
    assert len(filled) < len(desk.rows()) < len(desk.pairs)
    desk.export()
    assert [list(row.values()) for row in desk.rows()][: len(filled)] == filled
    assert len(desk.rows()) == len(desk.rows("jonas")) == len(desk.pairs)
    assert not list(desk.path().parent.glob(".*.tmp"))
