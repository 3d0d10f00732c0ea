"""Matrices solved by the baseline and by a language model: what is learnt, written, kept, and reported."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_lines import Run
from matrix_parts import cells, table_text
from report_parts import rows_of
from said import Said

from answering import response, run_of
from llm_server import Say, ScriptedServer
from pairwright.core.errors import ModelError, StoreError
from pairwright.core.records.items import Response, TaskRun
from pairwright.core.store import read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.extras.matrices import SolveOptions
from pairwright.extras.matrices.solve import (
    NetworkSettings,
    Problems,
    matrix_results,
    solve_matrices,
    train_and_choose,
)
from pairwright.extras.matrices.template import read_published
from pairwright.models.load.encoders import open_encoder
from pairwright.pipeline.context import Context
from pairwright.reporting.data import AnsweredItem, AskedModel

SETTINGS = NetworkSettings(hidden=64, epochs=60, patience=10)


def made_problems(n: int, seed: int = 0) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float32]], Problems]:
    """Problems whose right option is the mean of the two vectors of the context; the four others are drawn."""
    generator = np.random.default_rng(seed)
    context = generator.normal(size=(n, 2, 12))
    options = generator.normal(size=(n, 5, 12))
    right = generator.integers(5, size=n)
    options[np.arange(n), right] = context.mean(axis=1)
    vectors = np.concatenate([context.reshape(-1, 12), options.reshape(-1, 12)]).astype(np.float32)
    return vectors, Problems(np.arange(2 * n).reshape(n, 2), 2 * n + np.arange(5 * n).reshape(n, 5), right)


def halves(problems: Problems, n: int) -> tuple[Problems, Problems]:
    return Problems(*(part[:n] for part in problems)), Problems(*(part[n:] for part in problems))


def test_a_network_learns_what_the_right_answer_is_like_and_nothing_of_drawn_labels() -> None:
    vectors, problems = made_problems(300)
    train, test = halves(problems, 200)
    chosen, curve = train_and_choose(vectors, train, test, SETTINGS, seed=0)
    assert np.mean(chosen == test.right) > 0.8
    assert min(curve.validation) < curve.validation[0]
    assert len(curve.training) == len(curve.validation) <= SETTINGS.epochs
    short = SETTINGS.model_copy(update={"epochs": 3})
    again = (train_and_choose(vectors, train, test, short, seed=0) for _ in range(2))
    assert next(again) == next(again)
    drawn = train._replace(right=np.random.default_rng(1).integers(5, size=200))
    control, _ = train_and_choose(vectors, drawn, test, SETTINGS, seed=0)
    assert np.mean(control == test.right) < 0.35


def test_a_sentence_is_the_mean_of_its_token_embeddings_whatever_stands_beside_it(tiny_model: Path) -> None:
    encoder = open_encoder(str(tiny_model))
    short, long = "Tom slept.", "The children next door slept well all night."
    together = encoder.embed([short, long], lambda done: None)
    assert np.allclose(together[0], encoder.embed([short], lambda done: None)[0], atol=1e-6)
    assert not np.allclose(together[0], together[1], atol=1e-2)


def test_all_who_solve_problems_stand_in_one_report(tmp_path: Path, tiny_model: Path) -> None:
    table = tmp_path / "break_type_I.csv"
    table.write_text(table_text(*(cells(number) for number in range(5))), encoding="utf-8")
    context = Context(Workspace(tmp_path), said := Said())
    name = str(tiny_model)
    options = SolveOptions("break", (name,), (name,), seeds=2, shuffled=True)
    report = solve_matrices(context, [table], options).read_text(encoding="utf-8")
    folders = {folder.parent.name: folder for folder in context.workspace.finished_tasks("break")}
    runs = {key: TaskRun.model_validate_json((folder / "tasks.json").read_bytes()) for key, folder in folders.items()}
    assert sorted(run.policy for run in runs.values()) == ["logprob", "trained", "trained"]
    for run in runs.values():
        assert run.model in report
    (trained,) = (key for key, run in runs.items() if run.policy == "trained" and "shuffled" not in run.model)
    (asked,) = (key for key, run in runs.items() if run.policy == "logprob")
    answers = list(read_jsonl(folders[trained] / "responses.jsonl", Response))
    assert {answer.draw for answer in answers} == {0, 1}
    assert len(answers) == 2 * 5
    trainings = json.loads((folders[trained] / "training.json").read_bytes())["trainings"]
    assert [[it[key] for key in ("condition", "seed", "fold", "n_training", "n_testing")] for it in trainings] == [
        ["break_type_I", seed, fold, 4, 1] for seed in (0, 1) for fold in range(5)
    ]
    (scored, *_) = read_jsonl(folders[asked] / "responses.jsonl", Response)
    assert len(scored.scores) == 3
    assert "Matrices: F1" in report
    assert "33.3" in report  # chance
    page = context.workspace.report("break") / "report.md"
    scored_rows = rows_of(page, "matrix-scores")
    assert {row["Model"]: row["n"] for row in scored_rows} == {run.model: "5" for run in runs.values()}
    assert "| right |  |" not in report
    assert {"Model", "Problems", "Label", "Pattern"} <= set(rows_of(page, "matrix-answers")[0])
    _again(context, table, options, said)


def _again(context: Context, table: Path, options: SolveOptions, said: Said) -> None:
    """Nothing is embedded or trained twice, and damage is named."""
    said.lines.clear()
    earlier = context.workspace.report("break") / "tables" / "matrix-unanswered.csv"
    earlier.write_text("of an earlier report\n", encoding="utf-8")
    solve_matrices(context, [table], options)
    assert not earlier.exists()
    assert not [line for line in said.lines if line.startswith("embedded ")]
    assert sum("up to date" in line for line in said.lines) == 3
    (vectors,) = (context.workspace.cache / "embeddings").iterdir()
    vectors.write_bytes(vectors.read_bytes()[:100])
    with pytest.raises(ModelError, match="1 of 2 failed"):
        solve_matrices(context, [table], options)
    assert "\n" not in "".join(said.lines)
    assert any(f"{vectors}: damaged; delete it" in line for line in said.lines)


def test_a_model_that_answers_nothing_fails_with_the_reason_and_has_no_score(tmp_path: Path) -> None:
    table = tmp_path / "mute.csv"
    table.write_text(table_text(*(cells(number) for number in range(6))), encoding="utf-8")
    context = Context(Workspace(tmp_path), said := Said())
    with ScriptedServer(lambda body, nth: Say("Who knows.")) as server:
        options = SolveOptions("mute", (), (server.base_url,))
        with pytest.raises(ModelError, match=f"1 of 1 failed: {server.base_url}"):
            solve_matrices(context, [table], options)
    report = context.workspace.report("mute")
    (mute,) = (line for line in said.lines if "no problem was answered: " in line)
    reason = mute.partition("answered: ")[2].rpartition(", ")[0]
    assert reason
    assert reason in (report / "report.md").read_text(encoding="utf-8")
    (unanswered,) = (report / "tables" / "matrix-unanswered.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert reason in unanswered
    _, score = (report / "tables" / "matrix-scores.csv").read_text(encoding="utf-8").splitlines()
    assert score.split(",")[4] == ""


def test_a_problem_without_an_answer_counts_against_a_model(tmp_path: Path) -> None:
    (tmp_path / "four.csv").write_text(table_text(*(cells(number) for number in range(4))), encoding="utf-8")
    items, _ = read_published(tmp_path / "four.csv", "en")
    answers = [response(item, item.answers) for item in items[:3]]
    answers.append(response(items[3], ()).model_copy(update={"outcome": "refused"}))
    rows = tuple(map(AnsweredItem, items, answers))
    (result,) = matrix_results([AskedModel("made", run_of("four", "0" * 64), rows)])
    assert (result["f1"], result["n_problems"]) == (pytest.approx(2 * 3 / (4 + 3)), 4)


def test_what_no_network_can_be_trained_on_and_an_encoder_without_a_tokenizer_are_refused(
    tmp_path: Path, tiny_model: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("config.json", "model.safetensors"):
        (bare / name).write_bytes((tiny_model / name).read_bytes())
    same = [cells(n, Answer_1="The vase broke.") for n in range(9)]
    for rows, encoders, words in (
        ([cells(n) for n in range(3)], (), "few: 2 problems for training and 1 for testing"),
        (same, (), "few: 0 problems for training and 9 for testing"),
        ([cells(n) for n in range(9)], (str(bare),), f"failed     {bare}: no tokenizer there; save it beside"),
    ):
        table = tmp_path / "few.csv"
        table.write_text(table_text(*rows), encoding="utf-8")
        said = Said()
        with pytest.raises((ModelError, StoreError)) as fault:
            solve_matrices(Context(Workspace(tmp_path), said), [table], SolveOptions("few", encoders))
        assert words in "\n".join([*said.lines, str(fault.value)])


def test_a_report_is_never_written_over_that_of_something_else(
    run: Run, workspace: Path, tmp_path: Path, tiny_model: Path
) -> None:
    own = ("--seeds", 1, "--workspace", workspace)
    solve = Run(lambda *arguments: run("extras", "matrices", "solve", *arguments, *own))
    first, second, third = tmp_path / "break.v1.csv", tmp_path / "break.v2.csv", tmp_path / "again" / "break.v1.csv"
    third.parent.mkdir()
    for path, numbers in ((first, range(5)), (second, range(5, 10)), (third, range(10, 15))):
        path.write_text(table_text(*map(cells, numbers)), encoding="utf-8")
    reports = workspace / "output" / "reports"
    for path in (first, second):
        assert f"report     {reports / path.stem / 'report.md'}" in solve.done(path, "--encoder", tiny_model)
    before = (reports / "break.v1" / "report.md").read_bytes()
    err = solve.refused(third, "--encoder", tiny_model)
    assert "answers to other problems of the name 'break.v1'; give another --name" in err
    assert (reports / "break.v1" / "report.md").read_bytes() == before
    released = reports / "lt-test-1.0.0"
    released.mkdir()
    (released / "index.html").write_text("of a release", encoding="utf-8")
    assert "the name of a release that was evaluated" in solve.refused(third, "--name", released.name)
    assert [path.name for path in released.iterdir()] == ["index.html"]
    assert "it names folders; write a plain name" in solve.refused(third, "--name", "a/b")
