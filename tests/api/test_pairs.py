"""Pairs as tables, from what people have."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pairwright as pw
from pairwright.release.verify import read_release

GOOD, BAD = "Ji laukia svečių.", "Ji laukia svečius."


@pytest.mark.parametrize(
    "header",
    [
        "sentence_good,sentence_bad,field,linguistics_term,UID,pairID",
        "good_sentence;bad_sentence;phenomenon",
        "sentence_number;linguistic_phenomenon;error_name;correct_sentence;incorrect_sentence;",
        "id\tsentence_good\tsentence_bad\trule_code",
    ],
)
def test_published_columns_are_known_and_all_others_kept(tmp_path: Path, header: str) -> None:
    separator = next(sign for sign in ",;\t" if sign in header)
    names = header.split(separator)
    cells = [
        GOOD if name in ("sentence_good", "good_sentence", "correct_sentence")
        else BAD if name in ("sentence_bad", "bad_sentence", "incorrect_sentence")
        else f"a {name}" if name else ""
        for name in names
    ]  # fmt: skip
    path = tmp_path / "pairs.txt"
    path.write_text(f"{header}\n{separator.join(cells)}\n", encoding="utf-8")
    pairs = pw.load_pairs(path)
    assert list(pairs.columns[:3]) == ["id", "sentence_good", "sentence_bad"]
    assert (pairs.loc[2, "sentence_good"], pairs.loc[2, "sentence_bad"]) == (GOOD, BAD)
    others = set(filter(None, names)) - {names[cells.index(GOOD)], names[cells.index(BAD)]}
    assert others <= set(pairs.columns)
    assert pairs.index.name == "line"


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
        (f"good;text\n{GOOD};{BAD}\n", {}, r"p\.csv:1: no column for the bad sentence; found: 'good, text'"),
        (f"good;text\n{GOOD};{BAD}\n", {"bad": "txt"}, r"p\.csv:1: no column 'txt'; found: 'good, text'"),
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


def test_findings_are_a_table() -> None:
    checked = pw.check_pairs(pw.load_pairs([(GOOD, BAD), (GOOD, BAD)]), "lt")
    table = pw.findings(checked)
    assert set(table["pair_id"]) <= {pair.candidate.id for pair in checked}
    assert "error" in set(table["level"])
    assert list(pw.findings([]).columns) == list(table.columns)


def test_checks_name_the_line_of_a_loaded_pair(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"good;bad\n{GOOD};{BAD}\nJi  laukia;{BAD}\n{GOOD};{BAD}\n", encoding="utf-8")
    first, second, third = pw.check_pairs(pw.load_pairs(path), "lt")
    assert (first.verdict, third.verdict, third.candidate.evidence.line) == ("pass", "reject", 4)
    assert "form-whitespace" in {finding.check for finding in second.findings}


def test_a_release_is_verified_and_its_pairs_are_a_table(release: Path, tmp_path: Path) -> None:
    loaded = pw.load_release(release)
    assert (loaded.info.name, loaded.sha256) == ("mini", read_release(release).sha256)
    assert loaded.pairs["id"].tolist() == [pair.id for pair in read_release(release).pairs]
    assert set(loaded.pairs["rule_id"]) <= {rule.id for rule in loaded.rules}
    assert {pair.verdict for pair in pw.check_pairs(loaded.pairs.head(20), "lt")} == {"pass"}
    with pytest.raises(pw.ReleaseError, match="no such release"):
        pw.load_release(tmp_path / "none")
