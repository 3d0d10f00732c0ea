"""Pair files as people have them, sound and broken."""

import codecs
import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairwright.checks.registry import check_pairs
from pairwright.core.config import CheckSettings
from pairwright.core.errors import SourceError
from pairwright.core.files import MAX_BYTES
from pairwright.languages import Language, load_language
from pairwright.pairfiles import COLUMNS, read_pairs, read_rows

GOOD, BAD = "Ji laukia svečių.", "Ji laukia svečius."
Write = Callable[..., Path]


@pytest.fixture(scope="module")
def lithuanian() -> Language:
    return load_language("lt")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of the given name from text or bytes."""

    def to_file(content: str | bytes, name: str = "pairs.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def sentences(path: Path) -> list[tuple[str, str, int | None]]:
    return [(pair.good, pair.bad, pair.evidence.line) for pair in read_pairs(path)]


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_tables_with_any_separator_line_end_and_mark(write: Write, separator: str, end: str, mark: bytes) -> None:
    header = separator.join(["Good sentence", "bad_sentence", "note"])
    text = end.join([header, separator.join([GOOD, BAD, "x"]), "", separator.join([GOOD, BAD, ""])])
    assert sentences(write(mark + text.encode())) == [(GOOD, BAD, 2), (GOOD, BAD, 4)]


ROWS = [{"good": GOOD, "bad": BAD}, {"good": BAD, "bad": GOOD}]
TABLE = f"good\tbad\n{GOOD}\t{BAD}\n"


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("p.json", json.dumps(ROWS, indent=1), (2, 6)),
        # Its content decides where the suffix says nothing.
        ("p.data", json.dumps(ROWS[0]), (1,)),
        ("p.data", TABLE, (2,)),
        *(("p.txt", TABLE.encode(encoding), (2,)) for encoding in ("utf-16", "utf-32", "utf-8-sig")),
        *(("p.csv", f"{good};sentence_bad\n{GOOD};{BAD}\n", (2,)) for good in COLUMNS["good"]),
        *(("p.jsonl", json.dumps({"good": GOOD, bad.upper(): BAD}), (1,)) for bad in COLUMNS["bad"]),
    ],
)
def test_each_form_and_name_of_a_column_is_known(
    write: Write, name: str, content: str | bytes, lines: tuple[int, ...]
) -> None:
    expected = [(row["good"], row["bad"], line) for row, line in zip(ROWS, lines, strict=False)]
    assert sentences(write(content, name)) == expected


def test_json_lines_with_rule_id_and_blank_lines(write: Write) -> None:
    rows = [
        {"sentence_good": GOOD, "sentence_bad": BAD, "rule": 3, "id": "p1", "note": None},
        {"good": BAD, "bad": GOOD},
    ]
    path = write("\n".join(["", json.dumps(rows[0]), "", json.dumps(rows[1], ensure_ascii=False)]), "pairs.jsonl")
    first, second = read_pairs(path)
    assert (first.id, first.rule_id, first.source_id, first.evidence.line) == ("p1", "3", "pairs", 2)
    assert first.evidence.file == str(path)
    assert (second.rule_id, second.evidence.line) == ("", 4)
    assert second.id.startswith("pair-")


def test_a_named_encoding_counts_only_where_the_file_is_not_utf_8(write: Write) -> None:
    text = f"good;bad\n{GOOD};{BAD}\n"
    for encoded in (text.encode("cp1257"), text.encode()):
        (row,) = read_rows(write(encoded), encoding="cp1257")
        assert row.text("good") == GOOD
    with pytest.raises(SourceError, match="'cp1' is no encoding"):
        list(read_rows(write(text.encode("cp1257")), encoding="cp1"))
    with pytest.raises(SourceError, match=r"a\.csv:2:3: byte 0x98 is not UTF-8 nor cp1257"):
        list(read_rows(write(b"good;bad\nJ\xe2\x98;x\n\x98", "a.csv"), encoding="cp1257"))


def test_parquet_has_rows_for_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"UID": ["a", None], "good": [GOOD, BAD], "bad": [BAD, GOOD]}), path)
    assert sentences(path) == [(GOOD, BAD, 1), (BAD, GOOD, 2)]
    assert [pair.rule_id for pair in read_pairs(path)] == ["a", ""]


def test_named_columns_go_before_the_usual_names(write: Write) -> None:
    path = write(f"good;Right one;wrong one;bad\nx;{GOOD};{BAD};y\n")
    (row,) = read_rows(path, good="Right one", bad="WRONG ONE")
    assert (row.text("good"), row.text("bad")) == (GOOD, BAD)
    with pytest.raises(SourceError, match=r"p\.csv:1: no column 'better'; found: 'good, bad'; give one of these"):
        list(read_rows(write("good;bad\n", "p.csv"), good="better"))


def test_cells_over_several_lines_keep_the_line_of_their_row(write: Write) -> None:
    path = write(f'good;bad\n"Ji laukia\nsvečių.";{BAD}\n{GOOD};{BAD}\n')
    assert [line for *_, line in sentences(path)] == [2, 4]
    assert next(read_pairs(path)).evidence.quote == f'"Ji laukia\nsvečių.";{BAD}'


def test_a_missing_cell_is_an_empty_sentence_and_a_finding(write: Write, lithuanian: Language) -> None:
    (found,) = check_pairs(read_pairs(write(f"good;bad\n{GOOD}\n")), {}, lithuanian, CheckSettings())
    assert {finding.check for finding in found.findings} == {"form-empty"}


def test_limits_go_by_the_file_and_its_rule_column(write: Write, lithuanian: Language) -> None:
    path = write(f"good;bad;rule\n{GOOD};{BAD};a\n{GOOD[:-1]} ir;{BAD[:-1]} ir;b\n", "mine.csv")
    limited = CheckSettings.model_validate({"limits": {"mine/a": {"max_edit_share": 0.1}}})
    first, second = check_pairs(read_pairs(path), {}, lithuanian, limited)
    assert "contrast-not-minimal" in {finding.check for finding in first.findings}
    assert "contrast-not-minimal" not in {finding.check for finding in second.findings}


@pytest.mark.parametrize(
    ("name", "content", "place", "what", "remedy"),
    [
        ("a.csv", b"", "a.csv:", "empty", ""),
        ("a.csv", codecs.BOM_UTF8 + b" \n", "a.csv:", "empty", ""),
        ("a.csv", "good;bad\n", "a.csv:", "no pairs", "one pair a line"),
        ("a.csv", b"good;bad\n\x00\x01", "a.csv:", "binary", "save the file as UTF-8"),
        ("a.xlsx", b"PK\x03\x04rest", "a.xlsx:", "Excel", "CSV UTF-8"),
        ("a.csv", "good;bad\nVeža šieną;x\n".encode("cp1257"), "a.csv:2:3:", "byte 0xfe", "--language lt"),
        ("a.csv", codecs.BOM_UTF8 + b"good;bad\n\xc5\xa1x\xff;\n", "a.csv:2:3:", "byte 0xff", "UTF-8"),
        ("a.csv", f"{GOOD};{BAD}\n", "a.csv:1:", "no column for the good sentence", "name one of: sentence_good"),
        ("a.csv", f"good;text\n{GOOD};{BAD}\n", "a.csv:1:", "no column for the bad sentence", "found: 'good, text'"),
        ("a.csv", f"good,bad\n{GOOD},x,{BAD}\n", "a.csv:2:", "3 cells under 2 columns", "quotation marks"),
        ("a.csv", f'good;bad\n{GOOD};{BAD}\n"{GOOD};{BAD}\n', "a.csv:3:", "unexpected end", "quotation marks"),
        ("a.csv", f'good;bad\n"Jis" bėga;{BAD}\n', "a.csv:2:", "expected after", "double those inside"),
        ("a.csv", "good;bad\n" + "x" * 20_000 + ";y\n", "a.csv:2:", "20,000 characters", "one sentence a cell"),
        ("a.csv", "good;bad\n" + "x" * 200_000 + ";y\n", "a.csv:2:", "field larger", "quotation marks"),
        ("a.csv", f"good;bad;Good\n{GOOD};{BAD};x\n", "a.csv:1:", "column 'Good' stands twice", "rename or remove"),
        ("a.jsonl", '{"good": "a", "bad": "b"}\n{"good": "a" "bad"}\n', "a.jsonl:2:14:", "not JSON", ""),
        ("a.jsonl", '{"good": 1, "bad": "b"}\n', "a.jsonl:1:", "'good' is not text", "quotation marks"),
        ("a.jsonl", '{"good": ["a"], "bad": "b"}\n', "a.jsonl:1:", "'good' is not text", "quotation marks"),
        ("a.jsonl", '{"good": "a"}\n', "a.jsonl:1:", "no column for the bad sentence", "or say --bad NAME"),
        ("a.jsonl", '"good"\n', "a.jsonl:1:", "not a JSON object", "one object a line"),
        (
            "a.jsonl",
            '{"good": "a\\ud800", "bad": "b"}\n',
            "a.jsonl:1:",
            "half of a surrogate pair",
            "the character itself",
        ),
        ("a.json", '[{"good": "a", "bad": "b"}', "a.json:", "the array has no end", "get the whole file"),
        ("a.json", '[\n{"good": "a", "bad": "b"},\n "c"]', "a.json:3", "not a JSON object", "one array of objects"),
        ("a.parquet", b"PAR1 and no more", "a.parquet:", "not a Parquet file", ""),
        ("a.jsonl", '{"good": "a", "bad": "b", "id": "x\\ny"}\n', "a.jsonl:1:", "control character", "take it out"),
        ("a.jsonl", "[" * 100_000 + "]", "a.jsonl:1", "not JSON", ""),
    ],
)
def test_a_broken_file_is_one_line_with_place_and_remedy(
    write: Write, name: str, content: str | bytes, place: str, what: str, remedy: str
) -> None:
    with pytest.raises(SourceError) as fault:
        list(read_pairs(write(content, name)))
    message = str(fault.value)
    assert place in message
    assert what in message
    assert remedy in message
    assert message.isprintable()


def test_a_missing_file_a_folder_and_a_huge_file_are_one_line(tmp_path: Path, write: Write) -> None:
    with pytest.raises(SourceError, match="no such file"):
        list(read_pairs(tmp_path / "none.csv"))
    with pytest.raises(SourceError, match="a folder, not a file"):
        list(read_pairs(tmp_path))
    os.truncate(huge := write("x"), MAX_BYTES + 1)
    with pytest.raises(SourceError, match=f"{MAX_BYTES + 1:,} bytes, more than the {MAX_BYTES:,}"):
        list(read_pairs(huge))


TEXT = st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=40)
KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@KEPT
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_json_lines_are_read_as_written(write: Write, rows: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"good": good, "bad": bad}, ensure_ascii=False) for good, bad in rows]
    assert sentences(write("\n".join(lines), "p.jsonl")) == [(*row, line) for line, row in enumerate(rows, start=1)]


@KEPT
@given(rows=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5), separator=st.sampled_from([";", ",", "\t"]))
def test_tables_are_read_as_written(write: Write, rows: list[tuple[str, str]], separator: str) -> None:
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([("good", "bad"), *rows, ("Upė.", "Upę.")])
    expected = [row for row in rows if row[0].strip() or row[1].strip()]
    assert [found[:2] for found in sentences(write(table.getvalue()))][:-1] == expected


@KEPT
@given(content=st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(lambda tail: b"good;bad\na;b\n" + tail)))
@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p"])
def test_any_bytes_are_read_or_refused_in_one_line(write: Write, name: str, content: bytes) -> None:
    message = ""
    try:
        list(read_pairs(write(content, name)))
    except SourceError as fault:
        message = str(fault)
    assert len(message.splitlines()) <= 1
