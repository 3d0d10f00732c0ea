"""Blind experiments: balanced, without a sign of what is right, read back from whatever spreadsheets make of them."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_queue import QueueFixture

from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ReviewError
from pairwright.core.records import Judgement, QueueKind
from pairwright.core.store import read_log
from pairwright.core.text import words
from pairwright.review.assign.design import Filler, TrialItems, garbled, read_trial_items
from pairwright.review.log import Assignment, QueueFolder
from pairwright.review.sheets.spreadsheet import read_choice, read_rating

EXPORTED = "Kaip pateikta (nekeisti)"
Q = "tyrimas"


def given_to(queue: QueueFixture, reviewer: str) -> list[Assignment]:
    return [item for item in QueueFolder(queue.annotations, Q).assignments() if item.reviewer == reviewer]


def rows(queue: QueueFixture, reviewer: str) -> list[dict[str, str]]:
    return queue.rows(reviewer, queue=Q)


def fill(queue: QueueFixture, reviewer: str, column: str, answers: dict[str, str]) -> None:
    sheet = rows(queue, reviewer)
    queue.save([{**row, column: answers.get(row["Eilutės ID"], row[column])} for row in sheet], reviewer, Q)


def judgements(queue: QueueFixture) -> list[Judgement]:
    return list(read_log(queue.annotations / Q / "judgements.jsonl", Judgement))


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(count=st.integers(1, 25), seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.1, 0.5]))
def test_forced_choices_are_balanced_and_catch_trials_come_after_their_pair(
    count: int, seed: int, share: float, queue: QueueFixture
) -> None:
    queue = queue.fresh()
    queue.pairs = []
    queue.add_pairs(count)
    queue.set(seed=seed, catch_share=share)
    queue.export(Q, "choice")
    for reviewer in ("ana", "jonas"):
        found = given_to(queue, reviewer)
        for role, wanted in (("item", count), ("catch", round(share * count))):
            firsts = Counter(item.side for item in found if item.role == role)
            assert sum(firsts.values()) == wanted
            assert abs(firsts["good"] - firsts["bad"]) <= 1
        place = {item.pair_id: number for number, item in enumerate(found) if item.role == "item"}
        for number, item in enumerate(found):
            pair = queue.known[item.pair_id or ""]
            if item.role == "catch":
                assert number > place[item.pair_id]
                assert set(item.texts) == {pair.good, garbled(pair.good)}
            else:
                assert item.texts == ((pair.good, pair.bad) if item.side == "good" else (pair.bad, pair.good))
        assert len({item.item_id for item in found}) == len(found)


def test_a_sheet_of_choices_shows_two_sentences_in_the_order_of_the_seed_and_nothing_else(queue: QueueFixture) -> None:
    queue.add_pairs(20)

    def shown(seed: int) -> list[str]:
        fresh = queue.fresh()
        fresh.settings = fresh.settings.model_copy(update={"seed": seed})
        fresh.export(Q, "choice")
        return [row["Sakinys A"] for row in rows(fresh, "ana")]

    assert shown(1) == shown(1) != shown(2)
    queue.export(Q, "choice")
    assert list(rows(queue, "ana")[0]) == [
        "Eilutės ID", "Vertintojas", "Sakinys A", "Sakinys B", "A ar B", "Pastaba", EXPORTED,
    ]  # fmt: skip
    text = (queue.annotations / Q / "INSTRUCTIONS.lt.txt").read_text(encoding="utf-8-sig")
    assert "„A ar B“" in text
    ids = [{row["Eilutės ID"] for row in rows(queue, name)} for name in ("ana", "jonas")]
    assert not ids[0] & ids[1]
    with pytest.raises(ReviewError, match="is of choice from mini; give the new one another name"):
        queue.export(Q, "likert")


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(counts=st.lists(st.integers(1, 12), min_size=1, max_size=3), seed=st.integers(0, 10**6))
def test_versions_of_ratings_are_balanced_and_nobody_sees_both_members(
    counts: list[int], seed: int, queue: QueueFixture
) -> None:
    queue = queue.fresh()
    queue.pairs = []
    reviewers = ("ana", "jonas", "ona", "petras")
    queue.set(seed=seed, reviewers=reviewers)
    start = 0
    for count in counts:  # pairs are added while the experiment goes on
        queue.add_pairs(count, start)
        start += count
        queue.export(Q, "likert")
    shown: dict[str, dict[str, str]] = {}
    for reviewer in reviewers:
        items = [item for item in given_to(queue, reviewer) if item.role == "item"]
        shown[reviewer] = {item.pair_id or "": item.side or "" for item in items}
        assert len(shown[reviewer]) == len(items) == start
        sides = Counter(shown[reviewer].values())
        assert abs(sides["good"] - sides["bad"]) <= 1
        for rule in ("1.1", "1.2"):
            of_rule = Counter(
                side
                for pair_id, side in shown[reviewer].items()
                if queue.rules[queue.known[pair_id].rule_id].code == rule
            )
            assert abs(of_rule["good"] - of_rule["bad"]) <= 1
    assert shown["ana"] == shown["ona"]
    assert all(shown["ana"][pair_id] != shown["jonas"][pair_id] for pair_id in shown["ana"])


def test_fillers_and_catch_trials_hide_among_the_sentences(queue: QueueFixture) -> None:
    queue.set(catch_share=0.4)
    trial_items = TrialItems(
        fillers=(Filler("Ryte lijo.", "good"), Filler("Ryte lijau lietus.", "bad"), Filler("Gal.", None))
    )
    queue.export(Q, "likert", trial_items)
    found = Counter(item.role for item in given_to(queue, "ana"))
    assert found == {"item": 5, "catch": 2, "filler": 3}
    assert list(rows(queue, "ana")[0]) == [
        "Eilutės ID", "Vertintojas", "Sakinys", "Vertinimas 1–7", "Pastaba", EXPORTED,
    ]  # fmt: skip
    queue.add_pairs(2)
    queue.export(Q, "likert", trial_items)
    assert Counter(item.role for item in given_to(queue, "ana"))["filler"] == 3


def test_a_reviewer_who_joins_gets_a_version_of_their_own(queue: QueueFixture) -> None:
    queue.export(Q, "likert")
    before = given_to(queue, "ana"), given_to(queue, "jonas")
    queue.set(reviewers=("ona", "ana", "jonas"))
    queue.export(Q, "likert")
    assert (given_to(queue, "ana"), given_to(queue, "jonas")) == before
    items = [(item.pair_id, item.side) for item in given_to(queue, "ona") if item.role == "item"]
    assert set(items) == {(item.pair_id, item.side) for item in before[0] if item.role == "item"}


@pytest.mark.parametrize(
    ("cell", "rating", "choice"),
    [
        ("5", 5, None), (" 7 ", 7, None), ("1.", 1, 0), ("5,0", 5, None), ("2.00", 2, 1), ("５", 5, None),
        ("2026-05-01", None, None), ("0", None, None), ("8", None, None), ("6/7", None, None), ("2.5", None, None),
        ("", None, None), ("penki", None, None), ("57", None, None), ("9" * 5000, None, None), ("C", None, None),
        ("AB", None, None), ("A, B", None, None), ("3", 3, None), ("good", None, None), ("a b", None, None),
    ],
)  # fmt: skip
def test_what_a_cell_says_as_a_rating_and_as_a_choice(cell: str, rating: int | None, choice: int | None) -> None:
    assert (read_rating(cell), read_choice(cell)) == (rating, choice)


@pytest.mark.parametrize(("kind", "column", "cell"), [("choice", "A ar B", "abu"), ("likert", "Vertinimas 1–7", "6/7")])
def test_a_doubtful_answer_is_kept_in_quarantine(kind: QueueKind, column: str, cell: str, queue: QueueFixture) -> None:
    queue.export(Q, kind)
    fill(queue, "ana", column, {rows(queue, "ana")[0]["Eilutės ID"]: cell, rows(queue, "ana")[1]["Eilutės ID"]: "1"})
    (doubt,) = map(str, queue.import_sheets(queue=Q).doubts)
    assert f"'{cell}' is no answer" in doubt
    assert len(judgements(queue)) == 1
    assert f'"{column}":"{cell}"' in (queue.annotations / Q / "quarantine.jsonl").read_text(encoding="utf-8")


@given(st.text(alphabet="aąbcč ,.!?0123456789", min_size=3, max_size=60))
def test_a_garbled_sentence_is_another_one(sentence: str) -> None:
    if any(word != word[::-1] for word in words(sentence)):
        assert garbled(sentence) != sentence
        assert Counter(garbled(sentence)) == Counter(sentence)


def test_trial_items_are_read_from_tables_in_the_encoding_of_the_language(tmp_path: Path, queue: QueueFixture) -> None:
    (tmp_path / "gaudykles.csv").write_text("good,bad\nRyte lijo.,Rytas lijo ją.\n", encoding="utf-8")
    (tmp_path / "uzpildai.csv").write_text("sentence;acceptable\nLijo.;yes\nLijau.;no\nGal.;\n", encoding="utf-8")
    asked = ReviewSettings(catch_pairs="gaudykles.csv", fillers="uzpildai.csv")
    found = read_trial_items(tmp_path, asked, "cp1252")
    assert found.catch_pairs == (("Ryte lijo.", "Rytas lijo ją."),)
    assert found.fillers == (Filler("Lijo.", "good"), Filler("Lijau.", "bad"), Filler("Gal.", None))
    (tmp_path / "uzpildai.csv").write_text("sentence;acceptable\nLijo.;maybe\n", encoding="utf-8")
    with pytest.raises(ReviewError, match=r"uzpildai\.csv:2: write a sentence"):
        read_trial_items(tmp_path, asked, "cp1252")
    (tmp_path / "uzpildai.csv").write_text("sakinys;ar gerai\nLijo.;yes\n", encoding="utf-8")
    with pytest.raises(ReviewError, match=r":1: no row of column titles such as 'sentence'; put it back"):
        read_trial_items(tmp_path, asked, "cp1252")
    (tmp_path / "gaudykles.csv").write_bytes("good,bad\nJi šluoja kiemą.,Ji šluoja kiemui.\n".encode("cp1257"))
    found = read_trial_items(tmp_path, ReviewSettings(catch_pairs="gaudykles.csv"), queue.language.legacy_encoding)
    assert found.catch_pairs == (("Ji šluoja kiemą.", "Ji šluoja kiemui."),)
