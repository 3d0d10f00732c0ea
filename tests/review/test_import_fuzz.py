"""Whatever is done to a sheet on its way: the importer does not fall, and what a person wrote is in the log or kept."""

import csv
import io
import random
import re
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_queue import COMMENT, DECISION, QueueFixture

from pairwright.review.sheets.importing import ImportResult

MEANING = {"gerai": "approve", "atmesti": "reject", "neaišku": "unsure"}
Lines = list[str]


def kept(queue: QueueFixture, result: ImportResult) -> str:
    """Everything that an import keeps of what people wrote."""
    folder = queue.path().parent
    texts = [path.read_text(encoding="utf-8") for path in (queue.log, folder / "quarantine.jsonl") if path.exists()]
    # What can't be read at all stays as it was sent.
    if all(sheet.path != queue.path() for sheet in result.sheets):
        data = queue.path().read_bytes()
        texts += [data.decode(encoding, "ignore") for encoding in ("utf-8", "utf-16", "cp1257")]
    return "\n".join(texts)


def swap(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [lines[0], *draw.sample(lines[1:], len(lines) - 1)]


def double(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[: at + 1], lines[at], *lines[at + 1 :]]


def blank(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], "", ";;;;;;", *lines[at:]]


def open_quote(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], lines[at].replace("Laukiu", '"Laukiu', 1), *lines[at + 1 :]]


def inner_quote(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], lines[at].replace("žyma", '"ž"yma', 1), *lines[at + 1 :]]


def cut_id(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], re.sub("pair-[0-9a-f]{4}", "", lines[at]), *lines[at + 1 :]]


def more_cells(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], lines[at] + ";;dar vienas", *lines[at + 1 :]]


def misspell(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [*lines[:at], lines[at].replace("gerai", "geray").replace("atmesti", "atmeti"), *lines[at + 1 :]]


def no_header(lines: Lines, at: int, draw: random.Random) -> Lines:
    return [line for line in lines if "Poros ID" not in line]


def title(lines: Lines, at: int, draw: random.Random) -> Lines:
    return ["Mano lapas;;;", *lines]


HARM: list[Callable[[Lines, int, random.Random], Lines]] = [
    swap, double, blank, open_quote, inner_quote, cut_id, more_cells, misspell, no_header, title,
]  # fmt: skip


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(["gerai", "atmesti", "neaišku", "ger", "xyz", ""]), min_size=5, max_size=5),
    harm=st.lists(st.tuples(st.sampled_from(HARM), st.integers(1, 5)), max_size=3),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1257"]),
    separator=st.sampled_from(";,\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    line_end=st.sampled_from(["\r\n", "\n", "\r"]),
    seed=st.integers(0, 10**6),
)
def test_nothing_that_a_person_wrote_is_lost(
    words: list[str],
    harm: list[tuple[Callable[[Lines, int, random.Random], Lines], int]],
    encoding: str,
    separator: str,
    quoting: int,
    line_end: str,
    seed: int,
    queue: QueueFixture,
) -> None:
    queue, draw = queue.fresh(), random.Random(seed)
    queue.export()
    rows = queue.rows()
    for number, (row, word) in enumerate(zip(rows, words, strict=True)):
        row.update({DECISION: word, COMMENT: f"žyma{number}ž; pastaba, ne"})
    columns = draw.sample(list(rows[0]), len(rows[0]))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, delimiter=separator, lineterminator="\n", quoting=quoting)  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows(rows)
    lines = out.getvalue().splitlines()
    for damage, at in harm:
        lines = damage(lines, min(at, len(lines) - 1), draw)
    queue.path().write_bytes(line_end.join([*lines, ""]).encode(encoding, "replace"))
    result = queue.import_sheets()
    assert not any("\n" in str(doubt) for doubt in result.doubts)
    text = kept(queue, result).replace('\\"', "").replace('"', "")
    for number in range(5):
        assert f"žyma{number}ž" in text
    logged = {queue.known[pair_id].good: entry.decision for (pair_id, _), entry in queue.latest.items()}
    meant = {
        row["Taisyklingas sakinys"]: MEANING.get("gerai" if word == "ger" else word)
        for row, word in zip(rows, words, strict=True)
    }
    assert all(meant[good] == decision for good, decision in logged.items())
    if not harm:
        assert logged == {good: decision for good, decision in meant.items() if decision}
    before = {path.name: path.read_bytes() for path in queue.path().parent.iterdir() if path.is_file()}
    queue.import_sheets()
    assert {path.name: path.read_bytes() for path in queue.path().parent.iterdir() if path.is_file()} == before
