"""Sheets and queues that come back damaged, forged, or are no sheets at all."""

import csv
import io
import os
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from attempts import DOUBTS, FINE, REFUSED, Outcome, attempt, run
from parts import workspace
from workspace_parts import sheet

from pairwright.core.records import Decision
from pairwright.core.store import append_log, read_log
from pairwright.review.log.votes import latest_decisions

Attack = Generator[tuple[str | Path, ...], Outcome, None]


def take(root: Path, *files: str | Path) -> tuple[str | Path, ...]:
    return ("review", "import", "--queue", "sarasas", *files, "--workspace", root)


def queue(root: Path) -> Path:
    return root / "annotations" / "sarasas"


def votes(root: Path) -> dict[tuple[str, str], str | None]:
    return {key: entry.decision for key, entry in latest_decisions(queue(root) / "decisions.jsonl").items()}


def answered(path: Path, word: str) -> str:
    """The text of a sheet in which every row is decided anew."""
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    column = rows[0].index("Sprendimas")
    for row in rows[1:]:
        row[column] = word
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";").writerows(rows)
    return out.getvalue()


@attempt("sheets", FINE)
def an_older_copy_of_the_log_of_decisions(folder: Path) -> Attack:
    root = workspace(folder)
    log = queue(root) / "decisions.jsonl"
    before = votes(root)
    log.write_text("".join(log.read_text(encoding="utf-8").splitlines(keepends=True)[:1]), encoding="utf-8")
    yield take(root)
    assert votes(root) == before, "votes are lost"


@attempt("sheets", FINE)
def a_log_of_decisions_that_was_never_committed(folder: Path) -> Attack:
    root = workspace(folder)
    before = votes(root)
    (queue(root) / "decisions.jsonl").unlink()
    yield take(root)
    assert votes(root) == before, "votes are lost"


@attempt("sheets", REFUSED, "decisions.jsonl:2", "delete the line")
def a_log_of_decisions_with_a_damaged_line(folder: Path) -> Attack:
    root = workspace(folder)
    log = queue(root) / "decisions.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join([lines[0], "<<<<<<< HEAD\n", *lines[1:]]), encoding="utf-8")
    yield take(root)


@attempt("sheets", FINE)
def a_log_of_decisions_whose_damaged_line_was_deleted(folder: Path) -> Attack:
    root = workspace(folder)
    before = votes(root)
    log = queue(root) / "decisions.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    log.write_text("".join([lines[0], *lines[2:]]), encoding="utf-8")
    yield take(root)
    assert votes(root) == before, "votes are lost"


@attempt("sheets", REFUSED, "assignments.jsonl")
def a_queue_whose_assignments_are_lost(folder: Path) -> Attack:
    root = workspace(folder)
    (queue(root) / "assignments.jsonl").unlink()
    yield take(root)


@attempt("sheets", REFUSED, "pairs.jsonl")
def a_queue_whose_pairs_are_lost(folder: Path) -> Attack:
    root = workspace(folder)
    (queue(root) / "pairs.jsonl").unlink()
    (root / "output" / "work" / "sarasas" / "checked.jsonl").unlink()
    yield take(root)


@attempt("sheets", REFUSED, "queue.json")
def a_queue_whose_description_is_damaged(folder: Path) -> Attack:
    root = workspace(folder)
    (queue(root) / "queue.json").write_text('{"queue": "sarasas"', encoding="utf-8")
    yield take(root)


def encoded(encoding: str) -> Callable[[Path], Attack]:
    """An attempt in which a sheet with other answers comes back in an encoding."""

    def script(folder: Path) -> Attack:
        root = workspace(folder)
        path = sheet(root, "ana")
        path.write_bytes(answered(path, "atmesti").encode(encoding))
        yield take(root)
        assert {vote for (_, name), vote in votes(root).items() if name == "ana"} == {"reject"}, "answers are lost"

    return script


attempt("sheets", FINE, name="a sheet in utf 32")(encoded("utf-32"))
attempt("sheets", FINE, name="a sheet in utf 32 without a mark")(encoded("utf-32-le"))


@attempt("sheets", DOUBTS, "ana.csv")
def a_pipe_that_is_sent_as_a_sheet(folder: Path) -> Attack:
    root = workspace(folder)
    os.mkfifo(folder / "ana.csv")
    yield take(root, folder / "ana.csv")


@attempt("sheets", DOUBTS, "ana.csv")
def a_device_in_place_of_a_sheet(folder: Path) -> Attack:
    root = workspace(folder)
    sheet(root, "ana").unlink()
    sheet(root, "ana").symlink_to("/dev/zero")
    yield take(root)


@attempt("sheets", DOUBTS, "ana.csv")
def a_folder_in_place_of_a_sheet(folder: Path) -> Attack:
    root = workspace(folder)
    sheet(root, "ana").unlink()
    sheet(root, "ana").mkdir()
    yield take(root)


@attempt("sheets", DOUBTS, "ana.xlsx")
def a_workbook_whose_entities_multiply(folder: Path) -> Attack:
    root = workspace(folder)
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    with zipfile.ZipFile(folder / "ana.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", f'<!DOCTYPE d [<!ENTITY e0 "ha">{entities}]><workbook>&e11;</workbook>')
    yield take(root, folder / "ana.xlsx")


@attempt("sheets", DOUBTS, "ana.xlsx")
def a_workbook_that_is_a_text(folder: Path) -> Attack:
    root = workspace(folder)
    (folder / "ana.xlsx").write_text("Sprendimas;gerai", encoding="utf-8")
    yield take(root, folder / "ana.xlsx")


@attempt("sheets", DOUBTS, "ana.numbers")
def a_kind_of_file_that_no_program_reads(folder: Path) -> Attack:
    root = workspace(folder)
    (folder / "ana.numbers").write_bytes(bytes(100))
    yield take(root, folder / "ana.numbers")


@attempt("sheets", DOUBTS)
def rows_that_answer_for_another_reviewer(folder: Path) -> Attack:
    root = workspace(folder)
    path = sheet(root, "ana")
    path.write_text(answered(path, "atmesti").replace("ana", "jonas"), encoding="utf-8-sig")
    yield take(root)
    mine = {vote for (_, name), vote in votes(root).items() if name == "jonas"}
    assert mine == {"approve"}, "one reviewer answered for another"


@attempt("sheets", DOUBTS)
def a_sheet_whose_sentences_were_exchanged(folder: Path) -> Attack:
    root = workspace(folder)
    path = sheet(root, "ana")
    path.write_text(answered(path, "atmesti").replace("kalnų", "jūrų"), encoding="utf-8-sig")
    before = votes(root)
    yield take(root)
    changed = [key for key, vote in votes(root).items() if before[key] != vote]
    assert len(changed) < len(before) // 2, "an answer was taken over for a sentence that nobody saw"


@attempt("sheets", FINE)
def a_comment_that_is_a_formula(folder: Path) -> Attack:
    root = workspace(folder)
    path = sheet(root, "ana")
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    rows[1][rows[0].index("Pastaba")] = '=HYPERLINK("http://x";"click")'
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";").writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8-sig")
    yield take(root)
    assert run("review", "export", "--queue", "sarasas", "--workspace", root).code == 0
    assert path.read_text("utf-8-sig").count("HYPERLINK") == 1, "the comment is lost"


@attempt("sheets", FINE, slow=True)
def a_sentence_of_the_source_that_is_a_formula(folder: Path) -> Attack:
    root = workspace(folder)
    path = root / "sources" / "formula" / "list.md"
    path.parent.mkdir()
    path.write_text(
        "# Linksniai\n\n## 1.1. Galininkas nevartotinas:\n- =SUM(A1) kalnus (= kalnų) matau čia.\n", "utf-8"
    )
    yield ("build", path, "--language", "lt", "--workspace", root)
    for made in (root / "annotations").glob("*/*.csv"):
        rows = csv.reader(io.StringIO(made.read_text("utf-8-sig"), newline=""), delimiter=";")
        assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row), "a cell is a formula"


@attempt("sheets", REFUSED, "plain name")
def a_queue_that_leads_out_of_the_annotations(folder: Path) -> Attack:
    yield ("review", "import", "--queue", "../../x", "--workspace", workspace(folder))


@attempt("sheets", REFUSED, "assignments.jsonl")
def votes_whose_reviewer_is_a_path(folder: Path) -> Attack:
    root = workspace(folder)
    log = queue(root) / "decisions.jsonl"
    first = next(read_log(log, Decision))
    append_log(log, [first.model_copy(update={"reviewer": "../../../../tmp/x"})])
    yield ("status", "sarasas", "--workspace", root)
    assert len(list(read_log(log, Decision))) > 1, "the log was changed"


@attempt("sheets", REFUSED, "pairs.parquet", "utf-8")
def a_table_whose_texts_are_not_utf_8(folder: Path) -> Attack:
    texts = pa.array([b"Laukiu ve\xe0io."]).view(pa.string())
    pq.write_table(pa.table({"good": texts, "bad": texts}), folder / "pairs.parquet")
    yield ("check", folder / "pairs.parquet", "--language", "lt", "--workspace", folder)
