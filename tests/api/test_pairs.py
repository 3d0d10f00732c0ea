"""Pairs as people have them, in files and tables, sound and broken; and through the checks."""

import codecs
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pairwright as pw
from pairwright.core.config import CheckSettings
from pairwright.pairfiles import COLUMNS, read_pairs, read_rows
from pairwright.release.verify import read_release

GOOD, BAD = "Ji laukia svečių.", "Ji laukia svečius."
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of the given name from text or bytes."""

    def to_file(content: str | bytes, name: str = "pairs.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def sentences(path: Path, **options: Any) -> list[tuple[str, str, int | None]]:
    return [(pair.good, pair.bad, pair.evidence.line) for pair in read_pairs(path, **options)]


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
    with pytest.raises(pw.SourceError, match="'cp1' is no encoding"):
        list(read_rows(write(text.encode("cp1257")), encoding="cp1"))
    with pytest.raises(pw.SourceError, match=r"a\.csv:2:3: byte 0x98 is not UTF-8 nor cp1257"):
        list(read_rows(write(b"good;bad\nJ\xe2\x98;x\n\x98", "a.csv"), encoding="cp1257"))


def test_parquet_has_rows_for_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"UID": ["a", None], "good": [GOOD, BAD], "bad": [BAD, GOOD]}), path)
    assert sentences(path) == [(GOOD, BAD, 1), (BAD, GOOD, 2)]
    assert [pair.rule_id for pair in read_pairs(path)] == ["a", ""]


def test_named_columns_go_before_the_usual_names(write: Write) -> None:
    path = write(f"good;Right one;wrong one;bad\nx;{GOOD};{BAD};y\n")
    assert sentences(path, good="Right one", bad="WRONG ONE") == [(GOOD, BAD, 2)]
    with pytest.raises(pw.SourceError, match=r"p\.csv:1: no column 'better'; found: 'good, bad'; give one of these"):
        sentences(write("good;bad\n", "p.csv"), good="better")


def test_cells_over_several_lines_keep_the_line_of_their_row(write: Write) -> None:
    path = write(f'good;bad\n"Ji laukia\nsvečių.";{BAD}\n{GOOD};{BAD}\n')
    assert [line for *_, line in sentences(path)] == [2, 4]
    assert next(read_pairs(path)).evidence.quote == f'"Ji laukia\nsvečių.";{BAD}'


@pytest.mark.parametrize(
    ("name", "content", "place", "what", "remedy"),
    [
        ("a.csv", b"", "a.csv:", "empty", ""),
        ("a.csv", "good;bad\n", "a.csv:", "no pairs", "one pair a line"),
        ("a.csv", b"good;bad\n\x00\x01", "a.csv:", "binary", "save the file as UTF-8"),
        ("a.xlsx", b"PK\x03\x04rest", "a.xlsx:", "Excel", "CSV UTF-8"),
        ("a.csv", "good;bad\nVeža šieną;x\n".encode("cp1257"), "a.csv:2:3:", "byte 0xfe", "--language lt"),
        ("a.csv", codecs.BOM_UTF8 + b"good;bad\n\xc5\xa1x\xff;\n", "a.csv:2:3:", "byte 0xff", "UTF-8"),
        ("a.csv", f"{GOOD};{BAD}\n", "a.csv:1:", "no column for the good sentence", "name one of: sentence_good"),
        ("a.csv", f"good;text\n{GOOD};{BAD}\n", "a.csv:1:", "no column for the bad sentence", "found: 'good, text'"),
        ("a.csv", f'good;bad\n"Jis" bėga;{BAD}\n', "a.csv:2:", "expected after", "double those inside"),
        ("a.csv", "good;bad\n" + "x" * 20_000 + ";y\n", "a.csv:2:", "20,000 characters", "one sentence a cell"),
        ("a.csv", "good;bad\n" + "x" * 200_000 + ";y\n", "a.csv:2:", "field larger", "quotation marks"),
        ("a.jsonl", '{"good": "a", "bad": "b"}\n{"good": "a" "bad"}\n', "a.jsonl:2:14:", "not JSON", ""),
        ("a.jsonl", '{"good": 1, "bad": "b"}\n', "a.jsonl:1:", "'good' is not text", "quotation marks"),
        ("a.jsonl", '{"good": "a"}\n', "a.jsonl:1:", "no column for the bad sentence", "or say --bad NAME"),
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
    with pytest.raises(pw.SourceError) as fault:
        list(read_pairs(write(content, name)))
    message = str(fault.value)
    assert place in message
    assert what in message
    assert remedy in message
    assert message.isprintable()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(lambda tail: b"good;bad\na;b\n" + tail)))
@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p"])
def test_any_bytes_are_read_or_refused_in_one_line(write: Write, name: str, content: bytes) -> None:
    message = ""
    try:
        list(read_pairs(write(content, name)))
    except pw.SourceError as fault:
        message = str(fault)
    assert len(message.splitlines()) <= 1


def test_a_table_loads_like_a_file_and_loading_twice_changes_nothing(pairs: pd.DataFrame) -> None:
    assert pairs["id"].tolist() == ["1", "2", "3", "4", "5", "6"]
    pd.testing.assert_frame_equal(pw.load_pairs(pairs), pairs)
    plain = pd.DataFrame({"right": [GOOD], "wrong": [BAD], "note": [float("nan")], "n": [3]})
    loaded = pw.load_pairs(plain, good="right", bad="wrong", by="n")
    assert loaded.drop(columns="id").to_dict("records") == [{"sentence_good": GOOD, "sentence_bad": BAD, "n": 3}]


def test_ids_that_repeat_are_made_anew_and_stay_apart() -> None:
    table = pd.DataFrame({"pairID": ["0", "0", "0"], "good": [GOOD] * 3, "bad": [BAD, BAD, "Ji laukia svečiams."]})
    first = pw.load_pairs(table)["id"].tolist()
    assert len(set(first)) == 3
    assert first == pw.load_pairs(table)["id"].tolist()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (f"good;bad\n{GOOD};{BAD}\n{GOOD};\n", {"strict": True}, r"p\.csv:3: 'bad' is empty"),
        (f"good;bad\n{GOOD}; {GOOD} \n", {}, r"p\.csv:2: 'good' and 'bad' are the same sentence.*no other row is left"),
        (f"good;bad\n{GOOD};{BAD}\n", {"by": "rule"}, r"p\.csv:2: no column 'rule'; found: good, bad"),
    ],
)
def test_a_fault_is_one_line_with_file_line_and_column(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(pw.SourceError, match=message) as fault:
        pw.load_pairs(path, **options)
    assert len(str(fault.value).splitlines()) == 1


def test_rows_without_a_pair_are_left_out_and_kept_with_their_reasons() -> None:
    table = pd.DataFrame({"good": [GOOD, GOOD, ""], "bad": [BAD, GOOD, BAD]})
    pairs = pw.load_pairs(table)
    assert len(pairs) == 1
    assert [(it.line, it.reason.split(";")[0]) for it in pairs.attrs["rejected"]] == [
        (2, "'good' and 'bad' are the same sentence"),
        (3, "'good' is empty"),
    ]
    assert pw.load_pairs(pairs).attrs["rejected"] == pairs.attrs["rejected"]
    for faulty, reason in ((table, r"DataFrame, row 2: .*; DataFrame, row 3: "), (table.head(0), "no row")):
        with pytest.raises(pw.SourceError, match=reason):
            pw.load_pairs(faulty, strict=True)


LONG = [
    {"sentence": GOOD, "label": 1, "pair_id": "a", "phenomenon": "case"},
    {"sentence": "Jis eina.", "label": 1, "pair_id": "b", "phenomenon": "agreement"},
    {"sentence": BAD, "label": 0, "pair_id": "a", "phenomenon": "case"},
    {"sentence": "Jis eiti.", "label": 0, "pair_id": "b", "phenomenon": "agreement"},
]
BOTH = [(GOOD, BAD), ("Jis eina.", "Jis eiti.")]


def test_a_sentence_a_row_and_nested_objects_and_tuples_are_pairs(tmp_path: Path) -> None:
    def sentences(source: Any, **options: Any) -> list[tuple[str, str]]:
        pairs = pw.load_pairs(source, **options)
        return list(zip(pairs["sentence_good"], pairs["sentence_bad"], strict=True))

    frame = pd.DataFrame(LONG)
    frame.to_csv(tmp_path / "long.csv", index=False)
    frame.assign(label=frame["label"].map({1: "acceptable", 0: "unacceptable"})).to_parquet(tmp_path / "l.parquet")
    for source in (frame, tmp_path / "long.csv", tmp_path / "l.parquet", BOTH):
        assert sentences(source) == BOTH
    long = pw.load_pairs(tmp_path / "long.csv")
    assert (long["id"].tolist(), long["phenomenon"].tolist()) == (["a", "b"], ["case", "agreement"])
    nested = [
        {"pair": {"good": good, "x": {"wrong one": bad}}, "meta": {"id": n}} for n, (good, bad) in enumerate(BOTH)
    ]
    path = tmp_path / "nested.jsonl"
    path.write_text("\n".join(map(json.dumps, nested)), encoding="utf-8")
    assert sentences(path, bad="pair.x.wrong one") == BOTH
    assert pw.load_pairs(path, good="pair.good", bad="pair.x.wrong one")["id"].tolist() == ["0", "1"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"sentence": GOOD, "label": "so-so", "pair_id": "b"}, "'label' is 'so-so'; write 1"),
        ({"sentence": "Ji.", "label": 1, "pair_id": "a"}, "pair a has a second good sentence"),
    ],
)
def test_a_sentence_of_no_side_is_named(row: dict[str, Any], message: str) -> None:
    with pytest.raises(pw.SourceError, match=f"DataFrame, row 5: {message}"):
        pw.load_pairs(pd.DataFrame([*LONG, row]))


def test_several_files_tell_their_pairs_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.csv").write_text(f"id;good;bad\n1;{GOOD} {name};{BAD}\n", encoding="utf-8")
    pairs = pw.load_pairs([tmp_path / "one" / "p.csv", tmp_path / "two"])
    assert pairs["file"].tolist() == ["one/p", "two/p"]
    assert pairs["id"].tolist() == ["one/p-1", "two/p-1"]
    assert pw.load_pairs(str(tmp_path / "*" / "*.csv"))["file"].tolist() == ["one/p", "two/p"]
    with pytest.raises(pw.SourceError, match="no file of pairs in this folder"):
        pw.load_pairs(tmp_path)


def test_findings_are_a_table_and_name_the_line_of_a_loaded_pair(write: Write) -> None:
    path = write(f"good;bad;rule\n{GOOD};{BAD};a\nJi  laukia;{BAD};b\n{GOOD};{BAD};c\n{GOOD}\n", "mine.csv")
    limited = CheckSettings.model_validate({"limits": {"mine/a": {"max_edit_share": 0.1}}})
    checked = pw.check_pairs(pw.load_pairs(path), "lt")
    said = [(pair.verdict, pair.candidate.evidence.line) for pair in checked]
    assert said == [("pass", 2), ("pass", 3), ("reject", 4)]
    table = pw.findings(checked)
    assert {"form-whitespace"} <= set(table["check"][table["line"] == 3])
    assert "error" in set(table["level"])
    assert list(pw.findings([]).columns) == list(table.columns)
    first, *_, last = pw.check_pairs(read_pairs(path), "lt", settings=limited)
    assert "contrast-not-minimal" in {finding.check for finding in first.findings}
    assert {finding.check for finding in last.findings} == {"form-empty"}


def test_a_release_is_verified_and_its_pairs_are_a_table(release: Path, tmp_path: Path) -> None:
    loaded = pw.load_release(release)
    assert (loaded.info.name, loaded.sha256) == ("mini", read_release(release).sha256)
    assert loaded.pairs["id"].tolist() == [pair.id for pair in read_release(release).pairs]
    assert set(loaded.pairs["rule_id"]) <= {rule.id for rule in loaded.rules}
    assert {pair.verdict for pair in pw.check_pairs(loaded.pairs.head(20), "lt")} == {"pass"}
    with pytest.raises(pw.ReleaseError, match="no such release"):
        pw.load_release(tmp_path / "none")
