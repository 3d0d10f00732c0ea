"""`pairwright score FILES`, as its user runs it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_lines import Run
from said import Said

from pairwright.core.errors import ConfigError, ModelError, SourceError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.evaluate import evaluate
from pairwright.pipeline.options import EvaluationOptions, PairOptions, TaskOptions


def score(
    pairs: Path | list[Path],
    models: tuple[str, ...] = (),
    out: Path | None = None,
    *,
    lines: list[str] | None = None,
    tasks: TaskOptions | None = None,
    judgements: Path | None = None,
    like: Any = None,
    **options: Any,
) -> list[str]:
    """What the command says; also in `lines`, where it ends with an error."""
    said = Said()
    said.lines = [] if lines is None else lines
    given = EvaluationOptions(models, like=like, judgements=judgements)
    places = tuple(map(str, pairs if isinstance(pairs, list) else [pairs]))
    evaluate(Context(Workspace(), said), places, PairOptions(out=out, **options), given, tasks or TaskOptions())
    return said.lines


def test_scores_accuracies_and_report_and_a_second_run_that_scores_nothing(
    pairs_csv: Path, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = score(Path(pairs_csv.name), (str(tiny_model),), language="lt")
    assert lines[0] == "pairs      6 from pairs.csv, by phenomenon"
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
    again = score(Path(pairs_csv.name), (str(tiny_model), "again"), language="lt")
    assert sum(line.startswith("finished   6 of 6 pairs by tiny-gpt2 before, on 20") for line in again) == 2
    assert run_record.stat().st_mtime_ns == written


def test_scores_as_another_program_gives_them_stand_beside_ours_and_those_of_other_models(
    pairs_csv: Path, tiny_model: Path, tmp_path: Path
) -> None:
    """A space before the sentence counts, after one token: what lm-evaluation-harness sends to a model for BLiMP."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    other = shutil.copytree(tiny_model, tmp_path / "other")
    out = tmp_path / "out"
    lines = score(pairs_csv, (str(tiny_model),), out, like="lm-eval")
    assert any("tiny-gpt2 (lm-eval), ties as correct: acc " in line for line in lines)
    (path,) = out.glob("scores/*/scores.parquet")
    scores = pd.read_parquet(path)
    model: Any = AutoModelForCausalLM.from_pretrained(tiny_model)
    tokenizer: Any = AutoTokenizer.from_pretrained(tiny_model)
    ids = [tokenizer.bos_token_id, *tokenizer.encode(f" {scores.sentence[0]}", add_special_tokens=False)]
    with torch.no_grad():
        logprobs = model(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    expected = sum(float(logprobs[place, token]) for place, token in enumerate(ids[1:]))
    assert scores.sum_logprob[0] == pytest.approx(expected, abs=1e-4)
    score(pairs_csv, (str(tiny_model), str(other)), out)
    table = pd.read_csv(out / "accuracy.csv", keep_default_na=False)
    assert set(table["model"]) == {"other", "tiny-gpt2", "tiny-gpt2 (lm-eval)"}
    summary = json.loads((out / "report" / "summary.json").read_text(encoding="utf-8"))
    assert {run["policy"]["prefix"] for run in summary["runs"].values()} == {"", " "}
    assert set(summary["runs"]) == {"other", "tiny-gpt2", "tiny-gpt2 (lm-eval)"}
    assert set(summary["frames"]["models"]["family"]) == {"other", "tiny-gpt2"}
    report = (out / "report" / "index.html").read_text(encoding="utf-8")
    assert "Unreviewed set, SHA-256 of its pairs" in report
    assert "Nobody reviewed these pairs here" in report
    pairs_csv.write_text(pairs_csv.read_text(encoding="utf-8").replace("katės", "pelės"), encoding="utf-8")
    left_out = [line for line in score(pairs_csv, (str(other),), out) if "score this release with it" in line]
    assert len(left_out) == 2


def test_a_model_that_can_score_no_pair_has_failed(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    long = "Ji laukia svečių " * 20
    path.write_text("good;bad\n" + f"{long}čia.;{long}ten.\n" * 4, encoding="utf-8")
    lines: list[str] = []
    with pytest.raises(ModelError, match="1 of 1 model"):
        score(path, (str(tiny_model),), tmp_path / "out", lines=lines)
    assert lines[-1].startswith("failed     ")
    assert "none of the 4 pairs got a score" in lines[-1]
    assert "longer than the model's context" in lines[-1]
    assert any(line.startswith("repeated   3 pairs ") for line in lines)


def test_rows_that_are_no_pair_are_left_out_with_reasons_and_groups_of_one_pair_counted_apart(
    tiny_model: Path, tmp_path: Path
) -> None:
    path, out = tmp_path / "mine.tsv", tmp_path / "out"
    rows = ("Ji bijo vilko.\tJi bijo vilką.\tcase  ", "Jis eina.\tJis  eina.\tcase", "Jis yra.\t\tcase", "Čia.\t\tb")
    more = ("Ji nori vyno.\tJi nori vyną.\tcase", "Jis eina.\tJie eina.\tagreement")
    path.write_text("Right\tWrong\trule\n" + "\n".join([*rows, *more]), encoding="utf-8")
    with pytest.raises(SourceError) as fault:
        score(path, strict=True)
    same, empty = f"{path}:3: 'Right' and 'Wrong' are the same sentence", f"{path}:4, {path}:5: 'Wrong' is empty"
    assert str(fault.value).startswith(same)
    assert empty in str(fault.value)
    lines = score(path, (str(tiny_model),), out, by=("rule",))
    rejected = out / "pairs.rejected.jsonl"
    assert lines[:2] == [
        f"pairs      3 from {path}, by rule",
        f"rejected   3 rows left out, with reasons in {rejected}",
    ]
    assert f"{path}:3" in next(line for line in lines if line.startswith("left out"))
    assert any("mean over 2 groups by rule" in line for line in lines)
    kept = [json.loads(line) for line in rejected.read_text(encoding="utf-8").splitlines()]
    assert [(item["file"], item["line"], item["text"]) for item in kept] == [
        (str(path), 3 + n, row) for n, row in enumerate(rows[1:])
    ]
    assert "Rows left out, as they are no pair: 3" in (out / "report" / "report.md").read_text(encoding="utf-8")


def test_a_folder_of_files_is_one_table_of_phenomena_and_paradigms(tiny_model: Path, tmp_path: Path) -> None:
    """As BLiMP has them: each file a paradigm with its own ids, some rows of no use, and one pair in two files."""
    names = [f"paradigm_{n}" for n in range(6)]
    for number, name in enumerate(names):
        rows = [
            {"sentence_good": f"Ji mato {k} namus ir {number}.", "sentence_bad": f"Ji mato {k} namai ir {number}."}
            for k in range(8)
        ]
        rows += [{"sentence_good": "Ji eina.", "sentence_bad": "Ji eina." if number < 2 else "Ji eiti."}]
        more = {"linguistics_term": f"phenomenon_{number % 2}", "UID": name}
        texts = [json.dumps({**row, **more, "pairID": str(k)}) for k, row in enumerate(rows)]
        (tmp_path / "blimp").mkdir(exist_ok=True)
        (tmp_path / "blimp" / f"{name}.jsonl").write_text("\n".join(texts), encoding="utf-8")
    lines = score(tmp_path / "blimp", (str(tiny_model),), tmp_path / "out")
    assert lines[0].endswith("by linguistics_term, UID")
    assert "rejected   2 rows left out" in lines[1]
    assert any(line.startswith("repeated   3 pairs ") and "paradigm_3-8 (as paradigm_2-8)" in line for line in lines)
    table = [line.split()[0] for line in lines if line.startswith((" " * 11 + "phenomenon_", " " * 13 + "paradigm_"))]
    assert table == ["phenomenon_0", *names[::2], "phenomenon_1", *names[1::2]]
    assert [" ".join(line.split()[:6]) for line in lines if "mean over" in line][:1] == ["mean over 6 groups by UID"]
    groups = pd.read_csv(tmp_path / "out" / "accuracy.csv", keep_default_na=False)
    assert groups["by"].value_counts().to_dict() == {"UID": 12, "linguistics_term": 4, "": 2}
    pattern = score(tmp_path / "blimp" / "*_[01].jsonl", (str(tiny_model),), tmp_path / "two")
    assert pattern[0].startswith("pairs      16 from ")


def test_tasks_are_made_of_files_and_asked(pairs_csv: Path, tiny_model: Path, tmp_path: Path) -> None:
    tasks = TaskOptions(names=("minimal-pair",))
    with pytest.raises(ConfigError, match="say the language"):
        score(pairs_csv, (str(tiny_model),), tmp_path / "out", tasks=tasks)
    lines = score(pairs_csv, (str(tiny_model),), tmp_path / "out", tasks=tasks, language="lt")
    assert any(line.startswith("asked      minimal-pair: ") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "error: none.csv: no such file; check the path"),
        (("none*.csv",), "error: none*.csv: no file matches; check the pattern"),
        (("none",), "error: none: no such release; those that exist: none"),
        (("pairs.csv", "--by", "rule"), "error: pairs.csv: no column 'rule'; found: pairID, phenomenon"),
        (("bare.csv", "--by", "rule"), "error: bare.csv: no column 'rule'; found: none"),
        (("pairs.csv", "--good", "x"), "error: pairs.csv:1: no column 'x'; found: "),
    ],
)
@pytest.mark.parametrize("command", ["score", "evaluate"])
def test_a_users_fault_is_one_line_and_exit_code_2(
    pairs_csv: Path, command: str, arguments: tuple[str, ...], message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pairs_csv.parent)
    Path("bare.csv").write_text("good,bad\nJi eina.,Ji eiti.\n", encoding="utf-8")
    assert run.refused(command, *arguments).startswith(message)


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
    lines = score(base, (str(tiny_model),), tmp_path / "out", conditions=(f"OVS={other}",))
    assert lines[0].endswith("by condition")
    assert [line.split()[:2] for line in lines if " OVS " in line] == [["OVS", "3"]]
    table = pd.read_csv(tmp_path / "out" / "report" / "tables" / "conditions.csv")
    assert table["Condition"].tolist() == ["baseline", "OVS"] * 2
    assert table["With a baseline"].tolist()[1] == 3
    text = (tmp_path / "out" / "report" / "report.md").read_text(encoding="utf-8")
    assert "| Model | Baseline | OVS |" in text
    assert "The pairs of 2 conditions count together in this: Baseline, OVS." in text
    assert "Rules: 2" not in text
    assert "Accuracy by rule" not in text


def test_files_whose_rows_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    base, other = conditions(tmp_path, rows=2)
    with pytest.raises(SourceError, match=r"ovs\.csv: 2 pairs, and 3 in .*base\.csv"):
        score(base, conditions=(f"OVS={other}",))
    with pytest.raises(SourceError, match="write each once, as NAME=FILE"):
        score(base, conditions=("ovs.csv",))
    with pytest.raises(SourceError, match="write each once"):
        score(base, conditions=(f"OVS={base}", f"OVS={other}"))
    with pytest.raises(SourceError, match="name it otherwise"):
        score(base, conditions=(f"baseline={base}",))
