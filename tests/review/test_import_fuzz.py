"""Whatever is done to a sheet on its way: the importer does not fall, and what a person wrote is in the log or kept."""

import csv
import io
import random
import re
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_queue import COMMENT, DECISION, QueueFixture

from pairwright.review.sheets.exchange import ImportResult

MEANING = {"gerai": "approve", "atmesti": "reject", "neaišku": "unsure"}
Lines = list[str]


def kept(queue: QueueFixture, result: ImportResult) -> str:
    """Everything that an import keeps of what people wrote."""
    folder = queue.path().parent
    texts = [path.read_text(encoding="utf-8") for path in (queue.log, folder / "quarantine.jsonl") if path.exists()]
    # What can't be read at all stays as it was sent.
    if all(sheet.path != queue.path() for sheet in result.sheets):
        data = queue.path().read_bytes()
        texts += [data.decode(encoding, "ignore") for encoding in ("utf-8", "utf-16", "utf-32", "cp1257")]
    return "\n".join(texts)


def at_line(harm: Callable[[str], str]) -> Callable[[Lines, int, random.Random], Lines]:
    """Harm to one line."""
    return lambda lines, at, draw: [*lines[:at], harm(lines[at]), *lines[at + 1 :]]


HARM: dict[str, Callable[[Lines, int, random.Random], Lines]] = {
    "swapped": lambda lines, at, draw: [lines[0], *draw.sample(lines[1:], len(lines) - 1)],
    "doubled": lambda lines, at, draw: [*lines[: at + 1], *lines[at:]],
    "blank": lambda lines, at, draw: [*lines[:at], "", ";;;;;;", *lines[at:]],
    "without titles": lambda lines, at, draw: [line for line in lines if "Poros ID" not in line],
    "below a line": lambda lines, at, draw: ["Mano lapas;;;", *lines],
    "an open quote": at_line(lambda line: line.replace("Laukiu", '"Laukiu', 1)),
    "an inner quote": at_line(lambda line: line.replace("žyma", '"ž"yma', 1)),
    "a cut id": at_line(lambda line: re.sub("pair-[0-9a-f]{4}", "", line)),
    "more cells": at_line(lambda line: line + ";;dar vienas"),
    "misspelt": at_line(lambda line: line.replace("gerai", "geray").replace("atmesti", "atmeti")),
}


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    words=st.lists(st.sampled_from(["gerai", "atmesti", "neaišku", "ger", "xyz", ""]), min_size=5, max_size=5),
    harm=st.lists(st.tuples(st.sampled_from(sorted(HARM)), st.integers(1, 5)), max_size=3),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1257"]),
    separator=st.sampled_from(";,\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    line_end=st.sampled_from(["\r\n", "\n", "\r"]),
    seed=st.integers(0, 10**6),
)
def test_nothing_that_a_person_wrote_is_lost(
    words: list[str],
    harm: list[tuple[str, int]],
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
        lines = HARM[damage](lines, min(at, len(lines) - 1), draw)
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
