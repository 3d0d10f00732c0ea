"""Import: what reviewers decided gets into the log once, letter by letter; a doubtful sheet changes nothing."""

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from review_queue import COMMENT, DECISION, GOOD, QueueFixture, make_pair

from made_records import make_checked
from pairwright.languages import load_language
from pairwright.review.sheets.spreadsheet import DecisionVocabulary

LATER = datetime(2026, 4, 1, 12, 0, tzinfo=timezone(timedelta(hours=3)))


def decided(queue: QueueFixture, reviewer: str = "ana") -> dict[str, tuple[str | None, str | None, str | None, str]]:
    """The logged answers of a reviewer by the pair's acceptable sentence."""
    return {
        queue.known[pair_id].good: (entry.decision, entry.good, entry.bad, entry.comment)
        for (pair_id, name), entry in queue.latest.items()
        if name == reviewer
    }


def test_decisions_come_out_as_they_were_written(exported: QueueFixture) -> None:
    exported.fill(
        {
            0: "gerai",
            1: {DECISION: "taisyti", GOOD: "Ieškome gero žąsų šėrėjo.", COMMENT: "„naujas“ – dviprasmis"},
            2: {DECISION: "atmesti", COMMENT: " abu; tinka\nvisai "},
            3: "neaišku",
            4: {COMMENT: "dar pagalvosiu"},
        }
    )
    result = exported.import_sheets()
    assert decided(exported) == {
        exported.good(0): ("approve", None, None, ""),
        exported.good(1): ("fix", "Ieškome gero žąsų šėrėjo.", None, "„naujas“ – dviprasmis"),
        exported.good(2): ("reject", None, None, " abu; tinka\nvisai "),
        exported.good(3): ("unsure", None, None, ""),
    }
    ana, jonas = result.sheets
    assert (ana.n_decided, ana.n_new, ana.n_changed, ana.cleared) == (4, 4, 0, ())
    assert (jonas.n_decided, jonas.n_new) == (0, 0)
    assert {entry.at for entry in exported.latest.values()} == {"2026-03-11T09:30:00+00:00"}


def test_a_changed_mind_is_appended_and_an_emptied_answer_stands_and_is_reported(exported: QueueFixture) -> None:
    exported.answer({0: "gerai", 1: "gerai"})
    before = exported.log.read_bytes()
    exported.fill({0: "atmesti"})
    assert exported.import_sheets(LATER).sheets[0].n_changed == 1
    assert exported.log.read_bytes().startswith(before)
    latest = exported.latest[exported.id(0), "ana"]
    assert (latest.decision, latest.at) == ("reject", "2026-04-01T09:00:00+00:00")
    assert exported.answer({0: {COMMENT: "tikrai"}}).sheets[0].n_changed == 1
    assert exported.answer({0: {DECISION: "", COMMENT: ""}}).sheets[0].cleared == (exported.id(0),)
    assert decided(exported)[exported.good(0)] == ("reject", None, None, "tikrai")


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ("approve", ["gerai", " GERAI. ", "Taip!", "ok", "approve", "ger", "„gerai“", "'gerai'", "\u200bgerai\u00a0"]),
        ("reject", ["ne", "Atmesti", "reject", "Atm."]),
        ("unsure", ["NEAIŠKU", "neais\u030cku", "?", "neaisku"]),
    ],
)
def test_words_are_read_in_the_language_or_in_english_in_any_case(
    decision: str, words: list[str], queue: QueueFixture
) -> None:
    queue.add_pairs(len(words) - len(queue.pairs))
    queue.export()
    assert queue.answer(dict(enumerate(words))).doubts == ()
    assert queue.decided() == dict.fromkeys(map(queue.id, range(len(words))), decision)


def test_columns_may_be_moved_added_named_in_english_and_helps_removed(exported: QueueFixture) -> None:
    exported.fill({0: {DECISION: "gerai", COMMENT: "taip"}})
    names = {"Poros ID": "pair_id", "Vertintojas": "Reviewer", DECISION: "decision:", COMMENT: " PASTABA "}
    rows = [
        {"Mano eilė": str(number), **{names.get(name, name): cell for name, cell in reversed(row.items())}}
        for number, row in enumerate(exported.rows())
    ]
    for row in rows:
        for name in ("Kuo skiriasi", "Taisyklė", "Šaltinis", "Kiti taisymai", "Klaidingas sakinys"):
            del row[name]
    exported.save(rows)
    exported.import_sheets()
    assert decided(exported) == {exported.good(0): ("approve", None, None, "taip")}


def test_sentences_that_a_program_set_in_typography_are_still_those_of_the_pair(queue: QueueFixture) -> None:
    queue.pairs = [make_checked(make_pair('Sakau "taip" - ir... viskas.', 'Sakau "taip" - ir... visko.'))]
    queue.export()
    shown = {
        "Taisyklingas sakinys": "Sakau\u00a0„taip“ – ir… viskas.",
        "Klaidingas sakinys": "Sakau “taip” — ir... visko.",
    }
    fixed = {DECISION: "taisyti", GOOD: "Sakau „gerai“ – ir… viskas."}
    assert queue.answer({0: {**shown, **fixed}}).doubts == ()
    # The correction gets the signs of the pair's other member, so that the two differ in words alone.
    assert decided(queue) == {queue.good(0): ("fix", 'Sakau "gerai" - ir... viskas.', None, "")}


@pytest.mark.parametrize("cells", [{DECISION: "{}"}, {DECISION: "taisyti", GOOD: "{}"}])
@pytest.mark.parametrize(
    ("number", "taken"), [("2", "Sulauksiu troleibuso."), (" 1.0 ", "Palaukiu troleibuso."), ("3", "")]
)
def test_a_number_takes_the_listed_correction(
    cells: dict[str, str], number: str, taken: str, queue: QueueFixture
) -> None:
    others = ("Palaukiu troleibuso.", "Sulauksiu troleibuso.")
    queue.pairs = [make_checked(make_pair("Laukiu troleibuso.", "Laukiu troleibusą.", alternatives=others))]
    queue.export()
    assert queue.rows()[0]["Kiti taisymai"] == "1) Palaukiu troleibuso. | 2) Sulauksiu troleibuso."
    doubts = queue.answer({0: {title: cell.format(number) for title, cell in cells.items()}}).doubts
    found = [(entry.decision, entry.good) for entry in queue.latest.values()]
    assert found == ([("fix", taken)] if taken else [])
    assert ["listed here (2)" in str(doubt) for doubt in doubts] == ([] if taken else [True])
    assert [sheet.n_new + sheet.n_changed for sheet in queue.import_sheets().sheets] == [0, 0]


@pytest.mark.parametrize("code", ["de", "en", "fr", "lb", "lt", "tr"])
def test_english_words_are_read_in_every_language(code: str) -> None:
    vocabulary = DecisionVocabulary(load_language(code))
    assert [vocabulary.read(word) for word in ("ok", "Yes", "unsure")] == ["approve", "approve", "unsure"]


def test_new_rows_go_to_a_second_sheet_if_the_first_is_saved_meanwhile(
    exported: QueueFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, link = exported.path().read_bytes(), os.link
    exported.pairs.append(make_checked(make_pair("Noriu arbatos.", "Noriu arbatą.")))

    def saved_first(source: Path, target: Path, **options: bool) -> None:
        if Path(target) == exported.path():
            exported.path().write_bytes(before)
        link(source, target, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", saved_first)
        paths = {sheet.reviewer: sheet.path for sheet in exported.export().sheets}
    assert exported.path().read_bytes() == before
    assert paths == {"ana": exported.path("ana-2"), "jonas": exported.path("jonas")}
    assert [row["Taisyklingas sakinys"] for row in exported.rows("ana-2")] == ["Noriu arbatos."]
    exported.save([{**row, DECISION: "gerai"} for row in exported.rows("ana-2")], "ana-2")
    assert exported.import_sheets().doubts == ()
    assert decided(exported) == {"Noriu arbatos.": ("approve", None, None, "")}
    exported.export()
    assert [row[DECISION] for row in exported.rows() if row[DECISION]] == ["gerai"]
