"""`pairwright score PAIRS`, as its user runs it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pairwright.cli import main
from pairwright.cli.score import score_lines
from pairwright.core.errors import ModelError, SourceError


def test_scores_accuracies_and_report_and_a_second_run_that_scores_nothing(
    pairs_csv: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = list(score_lines(Path(pairs_csv.name), (str(tiny_model),), None, language="lt"))
    assert lines[0] == "pairs      6 from pairs.csv, by phenomenon"
    assert "by phenomenon:" in lines
    assert lines[-1] == "report     pairs-scores/report/index.html"
    out = tmp_path / "pairs-scores"
    table = pd.read_csv(out / "accuracy.csv", keep_default_na=False)
    assert table["group"].tolist() == ["all pairs"] * 2 + ["case"] * 2 + ["agreement"] * 2
    assert table["n"].tolist() == [6, 6, 3, 3, 3, 3]
    assert (out / "report" / "index.html").exists()
    (run_record,) = out.glob("scores/*/run.json")
    written = run_record.stat().st_mtime_ns
    # No model is loaded, and a link leads to one that is finished.
    (tmp_path / "again").symlink_to(tiny_model)
    monkeypatch.setattr("pairwright.evaluate.scoring.scorers.registry.load_model", None)
    again = list(score_lines(Path(pairs_csv.name), (str(tiny_model), "again"), None, language="lt"))
    assert [again[0], *again[3:]] == [lines[0], *lines[2:]]
    assert all(line.startswith("finished   6 of 6 pairs by tiny before, on 20") for line in again[1:3])
    assert run_record.stat().st_mtime_ns == written


def test_what_was_scored_in_another_way_or_by_another_model_stays_in_table_and_report(
    pairs_csv: Path, tiny_model: Path, tmp_path: Path
) -> None:
    other = shutil.copytree(tiny_model, tmp_path / "other")
    out = tmp_path / "out"
    for model, like in ((tiny_model, None), (tiny_model, "lm-eval"), (other, None)):
        lines = list(score_lines(pairs_csv, (str(model),), out, like=like))
    assert [line.split(":")[0].rsplit(",", 1)[0] for line in lines if line.startswith("kept ")] == [
        f"kept       {path}" for path in sorted(out.glob("scores*/tiny-*"))
    ]
    table = pd.read_csv(out / "accuracy.csv", keep_default_na=False)
    assert set(table["model"]) == {"other", "tiny", "tiny (lm-eval)"}
    summary = json.loads((out / "report" / "summary.json").read_text(encoding="utf-8"))
    assert {run["policy"]["prefix"] for run in summary["runs"].values()} == {"", " "}
    assert set(summary["runs"]) == {"other", "tiny", "tiny (lm-eval)"}
    assert set(summary["frames"]["models"]["family"]) == {"other", "tiny"}
    pairs_csv.write_text(pairs_csv.read_text(encoding="utf-8").replace("katės", "pelės"), encoding="utf-8")
    left_out = [line for line in score_lines(pairs_csv, (str(other),), out) if line.startswith("left out")]
    assert [line.endswith("score these with that model, or take the folder away") for line in left_out] == [True] * 2


def test_scores_as_another_program_gives_them(pairs_csv: Path, tiny_model: Path, tmp_path: Path) -> None:
    """A space before the sentence counts, after one token: what lm-evaluation-harness sends to a model for BLiMP."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    lines = list(score_lines(pairs_csv, (str(tiny_model),), tmp_path / "out", like="lm-eval"))
    assert any(line.startswith("lm-eval counts ties as correct: acc ") for line in lines)
    (path,) = (tmp_path / "out").glob("scores-lm-eval/*/scores.parquet")
    scores = pd.read_parquet(path)
    model: Any = AutoModelForCausalLM.from_pretrained(tiny_model)
    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_model)
    ids = [tokenizer.bos_token_id, *tokenizer.encode(f" {scores.sentence[0]}", add_special_tokens=False)]
    with torch.no_grad():
        logprobs = model(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    expected = sum(float(logprobs[place, token]) for place, token in enumerate(ids[1:]))
    assert scores.sum_logprob[0] == pytest.approx(expected, abs=1e-4)
    report = (tmp_path / "out" / "report" / "index.html").read_text(encoding="utf-8")
    assert "Unreviewed set, SHA-256 of its pairs" in report
    assert "Nobody reviewed these pairs here" in report


def test_a_model_that_fails_is_named_and_the_others_are_scored(
    pairs_csv: Path, tiny_model: Path, tmp_path: Path
) -> None:
    lines: list[str] = []
    with pytest.raises(ModelError, match=r"1 of 2 models could not be scored: \./none"):
        lines.extend(score_lines(pairs_csv, ("./none", str(tiny_model)), tmp_path / "here"))
    assert lines[1].startswith("failed     ./none: no such file or directory")
    assert lines[-1].endswith("index.html")
    assert (tmp_path / "here" / "report" / "index.html").exists()


def test_a_model_that_can_score_no_pair_has_failed(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    long = "Ji laukia svečių " * 20
    path.write_text("good;bad\n" + f"{long}čia.;{long}ten.\n" * 4, encoding="utf-8")
    lines: list[str] = []
    with pytest.raises(ModelError, match="1 of 1 model"):
        lines.extend(score_lines(path, (str(tiny_model),), tmp_path / "out"))
    assert lines[-1].startswith("failed     ")
    assert "none of the 4 pairs got a score" in lines[-1]
    assert "longer than the model's context" in lines[-1]


def test_rows_that_cannot_be_used_are_named_at_once_or_left_out_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    rows = ("Ji bijo vilko.\tJi bijo vilką.\tcase  ", "Jis eina.\tJis  eina.\tcase", "Jis yra.\t\tcase", "Čia.\t\tb")
    path.write_text("Right\tWrong\trule\n" + "\n".join([*rows, "Ji nori vyno.\tJi nori vyną.\tcase"]), encoding="utf-8")
    with pytest.raises(SourceError) as fault:
        next(score_lines(path, (), None))
    same, empty = f"{path}:3: 'Right' and 'Wrong' are the same sentence", f"{path}:4, {path}:5: 'Wrong' is empty"
    assert str(fault.value).startswith(same)
    assert empty in str(fault.value)
    lines = list(score_lines(path, (), tmp_path / "out", skip_unusable=True))
    rejected = tmp_path / "out" / "pairs.rejected.jsonl"
    assert lines == [f"pairs      2 from {path}", f"rejected   3 rows, with reasons in {rejected}"]
    kept = [json.loads(line) for line in rejected.read_text(encoding="utf-8").splitlines()]
    assert [(item["file"], item["line"], item["text"]) for item in kept] == [
        (str(path), 3 + n, row) for n, row in enumerate(rows[1:])
    ]
    with pytest.raises(SourceError, match="can't go with --condition"):
        next(score_lines(path, (), None, conditions=(f"OVS={path}",), skip_unusable=True))


def test_a_group_that_a_column_of_results_would_replace_is_refused_before_anything_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "levels.csv"
    path.write_text("good;bad;level\nMums trūksta laiko.;Mums trūksta laikas.;A1\n", encoding="utf-8")
    with pytest.raises(SourceError, match="'level' is the name of a column of results"):
        list(score_lines(path, ("./none",), tmp_path / "out", by=("level",)))


def test_a_text_in_the_encoding_of_its_language(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_bytes("good;bad\nMums trūksta laiko.;Mums trūksta laikas.\n".encode("cp1257"))
    assert next(score_lines(path, (), None, language="lt")).startswith("pairs      1 from")
    with pytest.raises(SourceError, match="byte 0xfb is not UTF-8"):
        next(score_lines(path, (), None))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "error: none.csv: no such file; check the path"),
        (("pairs.csv", "--by", "rule"), "error: pairs.csv: no column 'rule'; found: pairID, phenomenon"),
        (("pairs.csv", "--good", "x"), "error: pairs.csv:1: no column 'x'; found: "),
    ],
)
def test_a_users_fault_is_one_line_and_exit_code_2(
    pairs_csv: Path,
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(pairs_csv.parent)
    monkeypatch.setattr("sys.argv", ["pairwright", "score", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert printed.err.startswith(message)
    assert len(printed.err.splitlines()) == 1


def conditions(folder: Path, rows: int = 3) -> tuple[Path, Path]:
    """A file of pairs and one of the same pairs in another order; its last rows may be missing."""
    nouns = (("knygos", "knygą"), ("laiško", "laišką"), ("namo", "namą"))
    base, other = folder / "base.csv", folder / "ovs.csv"
    base.write_text("good;bad\n" + "".join(f"Ji nemato {g}.;Ji nemato {b}.\n" for g, b in nouns), encoding="utf-8")
    moved = (f"{good.capitalize()} nemato ji.;{bad.capitalize()} nemato ji.\n" for good, bad in nouns[:rows])
    other.write_text("good;bad\n" + "".join(moved), encoding="utf-8")
    return base, other


def test_files_of_the_same_pairs_are_compared_by_condition(tiny_model: Path, tmp_path: Path) -> None:
    base, other = conditions(tmp_path)
    ratings = tmp_path / "ratings.csv"
    rows = (
        f"q{n},r{r},{side},{score},OVS\n" for n in (1, 2) for r in (1, 2) for side, score in (("good", 6), ("bad", n))
    )
    ratings.write_text("pair_id,rater,side,rating,condition\n" + "".join(rows), encoding="utf-8")
    lines = list(
        score_lines(base, (str(tiny_model),), tmp_path / "out", conditions=(f"OVS={other}",), judgements=ratings)
    )
    assert lines[0].endswith("by condition")
    assert "by condition:" in lines
    table = pd.read_csv(tmp_path / "out" / "report" / "tables" / "conditions.csv")
    assert table["Condition"].tolist() == ["baseline", "OVS"] * 2
    assert table["With a baseline"].tolist()[1] == 3
    text = (tmp_path / "out" / "report" / "report.md").read_text(encoding="utf-8")
    assert "| People | – | 100.0 |" in text
    assert "The pairs of 2 conditions count together in this: Baseline, OVS." in text
    assert "Rules: 2" not in text
    assert "Accuracy by rule" not in text


def test_files_whose_rows_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    base, other = conditions(tmp_path, rows=2)
    with pytest.raises(SourceError, match=r"ovs\.csv: 2 pairs, and 3 in .*base\.csv"):
        next(score_lines(base, (), None, conditions=(f"OVS={other}",)))
    with pytest.raises(SourceError, match="write each once, as NAME=FILE"):
        next(score_lines(base, (), None, conditions=("ovs.csv",)))
    with pytest.raises(SourceError, match="write each once"):
        next(score_lines(base, (), None, conditions=(f"OVS={base}", f"OVS={other}")))
    with pytest.raises(SourceError, match="name it otherwise"):
        next(score_lines(base, (), None, conditions=(f"baseline={base}",)))
