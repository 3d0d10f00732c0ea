"""A pair that is asked about again says why, and the latest word of each reviewer counts."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from review_queue import DECISION, QueueFixture

from pairwright.core.errors import ReviewError
from pairwright.review.assign.design import export_recheck, read_reasons
from pairwright.review.log import source_votes
from pairwright.review.sheets.exchange import QueueExport

LATER = datetime(2026, 5, 2, tzinfo=UTC)
RECHECK, REASON = "mini-recheck", "Kodėl klausiama dar kartą"


def ask(queue: QueueFixture, reasons: dict[str, str]) -> QueueExport:
    return export_recheck(queue.context(), reasons)


def rows(queue: QueueFixture, reviewer: str) -> list[dict[str, str]]:
    return queue.rows(reviewer, queue=RECHECK)


def answer(queue: QueueFixture, reviewer: str, word: str) -> None:
    queue.save([{**row, DECISION: word} for row in rows(queue, reviewer)], reviewer, RECHECK)


def test_the_latest_word_of_those_who_decided_counts(exported: QueueFixture) -> None:
    for reviewer in ("ana", "jonas"):
        exported.answer(dict.fromkeys(range(5), "gerai"), reviewer)
    before = {reviewer: exported.path(reviewer).read_bytes() for reviewer in ("ana", "jonas")}
    found = ask(exported, {exported.id(1): "all 4 models miss it", "pair-gone": "x"})
    assert [sheet.n_new for sheet in found.sheets] == [1, 1]
    (row,) = rows(exported, "ana")
    assert (row["Poros ID"], row[REASON], row[DECISION]) == (exported.id(1), "all 4 models miss it", "")
    answer(exported, "ana", "atmesti")
    assert exported.import_sheets(now=LATER, queue=RECHECK).doubts == ()
    votes = source_votes(exported.annotations, "mini", exported.known)
    assert votes.cast[exported.id(1)] == {"ana": "reject", "jonas": "approve"}
    assert votes.cast[exported.id(0)] == {"ana": "approve", "jonas": "approve"}
    assert votes.adjudicated == {}
    assert before == {reviewer: exported.path(reviewer).read_bytes() for reviewer in before}


def test_a_pair_is_asked_about_again_once_of_those_who_voted_and_the_page_says_why(queue: QueueFixture) -> None:
    queue.export()
    queue.answer({3: "gerai"}, "jonas")
    ask(queue, {queue.id(0): "all 4 models <prefer> it", queue.id(3): "doubtful"})
    assert {row["Poros ID"] for row in rows(queue, "ana")} == {queue.id(0)}
    answer(queue, "jonas", "gerai")
    found = ask(queue, {queue.id(0): "another reason", queue.id(2): "second"})
    assert [(sheet.n_new, sheet.n_kept) for sheet in found.sheets] == [(1, 1), (1, 2)]
    assert [(row[REASON], row[DECISION]) for row in rows(queue, "jonas")] == [
        ("all 4 models <prefer> it", "gerai"), ("doubtful", "gerai"), ("second", ""),
    ]  # fmt: skip
    with queue.page(queue=RECHECK) as client:
        shown = client.get("/").text
    assert REASON in shown
    assert "all 4 models &lt;prefer&gt; it" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_id,why\npair-1,x\n", r"t\.csv:1.*column 'reason' is missing"),
        ("pair_id,reason\npair-1,\n", r"t\.csv:2.*needs its id and a reason"),
        ("pair_id,reason\npair-1,x\npair-1,y\n", r"t\.csv:3: a second reason for pair-1; write both into one row"),
    ],
)
def test_a_table_without_reasons_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=message):
        read_reasons(path, "cp1257")
