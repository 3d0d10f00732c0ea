"""A queue goes to Label Studio, is annotated there, and comes back."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from review_queue import NOW, QueueFixture

from pairwright.core.records import Decision, Judgement, QueueKind
from pairwright.review.assign.export import write_tasks
from pairwright.review.log import QueueFolder, latest_entries
from pairwright.review.sheets.exchange import ImportResult, import_answers

Answers = dict[str, Any]


def by_label_studio(path: Path, answers: list[Answers]) -> Path:
    """Tasks with annotations, as the CSV export of Label Studio holds them: no column of a control that nobody used."""
    tasks = json.loads(path.read_text(encoding="utf-8"))
    about = {"annotator": "4", "annotation_id": "17", "created_at": "2026-03-11T09:30:00Z", "lead_time": "4.2"}
    rows = [
        given | task["data"] | about | {"id": task.get("id", 1)} for task, given in zip(tasks, answers, strict=True)
    ]
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as handle:
        names = sorted({name for row in rows for name in row})
        writer = csv.DictWriter(handle, names, quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows(rows)
    return path.with_suffix(".csv")


def write(queue: QueueFixture, name: str, reviewer: str) -> Path:
    files = write_tasks(queue.context(name), queue.annotations.parent / "tasks")
    return next(path for path in files if path.name == f"{name}-{reviewer}.label-studio.json")


def take_back(queue: QueueFixture, name: str, path: Path) -> ImportResult:
    return import_answers(QueueFolder(queue.annotations, name), queue.language, NOW, files=[path])


def test_every_decision_correction_and_comment_comes_back(exported: QueueFixture) -> None:
    path = write(exported, "linksniai", "ana")
    tasks = json.loads(path.read_text(encoding="utf-8"))
    shown = [task["data"] for task in tasks]
    assert {row["good"] for row in shown} == {exported.good(number) for number in range(5)}
    answers: list[Answers] = [
        {"decision": "approve"},
        {"decision": "fix", "fixed_good": "=Vaikai labai nori ledų.", "comment": "„taip“;\nšnekama"},
        {"decision": "fix", "fixed_bad": "Klaidingas sakinys kitaip."},
        {"decision": "reject", "comment": "'ne pora"},
        {"decision": "unsure"},
    ]
    sent = by_label_studio(path, answers)
    assert take_back(exported, "linksniai", sent).doubts == ()
    latest = latest_entries(QueueFolder(exported.annotations, "linksniai").entries("pairs"))
    for row, given in zip(shown, answers, strict=True):
        (pair_id,) = (one.id for one in exported.known.values() if one.good == row["good"])
        entry = latest[pair_id, "ana"]
        assert isinstance(entry, Decision)
        expected = ("ana", given["decision"], given.get("fixed_good"), given.get("fixed_bad"), given.get("comment", ""))
        assert (entry.reviewer, entry.decision, entry.good, entry.bad, entry.comment) == expected
    assert take_back(exported, "linksniai", sent).sheets[0].n_new == 0
    assert not any(name.stem.startswith("linksniai-ana") for name in write_tasks(exported.context(), path.parent))
    # The form asks for what comes back.
    view = ElementTree.parse(path.with_name("linksniai.label-studio-form.xml")).getroot()
    controls = {one.get("name") for one in view if one.tag in ("Choices", "TextArea")}
    assert controls == {"decision", "fixed_good", "fixed_bad", "comment"}
    assert [one.get("alias") for one in view.iter("Choice")] == ["approve", "fix", "reject", "unsure"]


@pytest.mark.parametrize(("kind", "field", "options"), [("choice", "choice", "ABAB"), ("likert", "rating", "1743")])
def test_every_choice_and_rating_comes_back(kind: QueueKind, field: str, options: str, queue: QueueFixture) -> None:
    queue.export("tyrimas", kind)
    path = write(queue, "tyrimas", "jonas")
    tasks = json.loads(path.read_text(encoding="utf-8"))
    assert "good" not in path.read_text(encoding="utf-8")
    items = [task["data"]["item_id"] for task in tasks]
    given = [{field: options[number % 4], "comment": f"nr. {number}"} for number in range(len(tasks))]
    assert take_back(queue, "tyrimas", by_label_studio(path, given)).doubts == ()
    latest = latest_entries(QueueFolder(queue.annotations, "tyrimas").entries(kind))
    rows = {row["Eilutės ID"]: row for row in queue.rows("jonas", queue="tyrimas")}
    for item, answer in zip(items, given, strict=True):
        entry = latest[item, "jonas"]
        assert isinstance(entry, Judgement)
        assert entry.comment == answer["comment"]
        if kind == "likert":
            assert entry.rating == int(answer[field])
        else:
            good = {queue.good(number) for number in range(5)}
            chosen = rows[item]["Sakinys A" if answer[field] == "A" else "Sakinys B"]
            assert (entry.prefers == "good") == (chosen in good)
