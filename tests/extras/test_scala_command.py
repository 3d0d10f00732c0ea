"""`pairwright extras scala`, and pairs of corrupted sentences, as their user makes them."""

import csv
import json
from pathlib import Path

import pytest
from command_lines import Run
from workspace_parts import records

# form, part of speech, head, relation
WORDS = (
    ("Mokytoja", "NOUN", 3, "nsubj"),
    ("vėl", "ADV", 3, "advmod"),
    ("skaito", "VERB", 0, "root"),
    ("storą", "ADJ", 5, "amod"),
    ("knygą", "NOUN", 3, "obj"),
    ("apie", "ADP", 8, "case"),
    ("{}", "NUM", 8, "nummod"),
    ("upes", "NOUN", 5, "nmod"),
    (".", "PUNCT", 3, "punct"),
)


def sentence(number: int) -> str:
    lines = [f"# sent_id = {number}"]
    for place, (form, upos, head, relation) in enumerate(WORDS, start=1):
        form, after = form.format(number), "SpaceAfter=No" if place == len(WORDS) - 1 else "_"
        feats = "Mood=Ind|VerbForm=Fin" if upos == "VERB" else "_"
        lines.append("\t".join((str(place), form, form.lower(), upos, "_", feats, str(head), relation, "_", after)))
    return "\n".join(lines) + "\n\n"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "lt_bank-ud-train.conllu"
    path.write_text("".join(map(sentence, range(100, 220))) + sentence(100), encoding="utf-8")
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_treebank_becomes_data_of_acceptability(run: Run, workspace: Path, treebank: Path, tmp_path: Path) -> None:
    at = ["--workspace", workspace]
    out = run.done("extras", "scala", treebank, "--language", "lt", "--out", tmp_path / "data", *at)
    assert "1 sentence: it repeats an earlier sentence" in out
    assert "train 128, val 64, test 48, full_train 128 rows of 120 sentences" in out
    with (tmp_path / "data" / "test.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert list(rows[0]) == ["text", "corruption_type", "label"]
    assert sum(row["label"] == "correct" for row in rows) == 24
    assert {row["corruption_type"] for row in rows if row["label"] == "incorrect"} == {"delete", "flip_neighbours"}
    assert [row["text"] for row in records(tmp_path / "data" / "test.jsonl")] == [row["text"] for row in rows]
    about = json.loads((tmp_path / "data" / "scala.json").read_text(encoding="utf-8"))
    assert (about["behaviour"], about["seed"]) == ("corrected", 4242)
    assert about["left_out"] == {"it repeats an earlier sentence": 1}
    # The same again gives the same bytes; another seed or behaviour gives others; and nothing is overwritten.
    run("extras", "scala", "lt-bank-ud-train", "--out", tmp_path / "again", *at)
    assert files(tmp_path / "again") == files(tmp_path / "data")
    other = ("--behaviour", "published", "--seed", "1", "--out", tmp_path / "other")
    run("extras", "scala", "lt-bank-ud-train", *other, *at)
    assert files(tmp_path / "other") != files(tmp_path / "data")
    assert "is there already; name another folder" in run.refused(
        "extras", "scala", "lt-bank-ud-train", "--out", tmp_path / "data", *at
    )


def test_what_is_no_treebank_or_too_small(run: Run, workspace: Path, document: Path, tmp_path: Path) -> None:
    at = ["--language", "lt", "--workspace", workspace, "--out", tmp_path / "data"]
    assert "ScaLA corrupts the sentences of a treebank, not those of a source of kind error-list" in run.refused(
        "extras", "scala", document, *at
    )
    small = tmp_path / "small.conllu"
    small.write_text(sentence(1), encoding="utf-8")
    err = run.refused("extras", "scala", small, *at)
    assert "only 1 sentence can be corrupted, and 97 are needed" in err
    assert not (tmp_path / "data").exists()


def test_corrupted_sentences_are_pairs_where_the_settings_say_so(run: Run, workspace: Path, treebank: Path) -> None:
    at = ["--workspace", workspace]
    assert "pairs of corrupted sentences" not in run.done("build", treebank, "--language", "lt", *at)
    config = workspace / "pairwright.toml"
    settings = "\n[treebank]\ncorruptions = true\npairs_per_contrast = 7\n"
    config.write_text(config.read_text(encoding="utf-8") + settings, encoding="utf-8")
    assert "corruptions 14 corrupted pairs" in run.done("build", "lt-bank-ud-train", *at)
    work = workspace / "output" / "work" / "lt-bank-ud-train"
    candidates = records(work / "candidates.jsonl")
    assert [pair["derivation"]["kind"] for pair in candidates].count("delete") == 7
    assert {pair["rule_id"] for pair in candidates} <= {rule["id"] for rule in records(work / "rules.jsonl")}
