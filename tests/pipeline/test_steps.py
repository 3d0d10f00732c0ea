"""The steps as their user runs them: from a document to sheets, a release, scores and a report; and wrong input."""

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from command_lines import Run
from workspace_parts import approve_all, decide, license_source, save_sheet, sheet, sheet_rows

from pairwright.cli.inspect.show import trace
from pairwright.cli.inspect.status import status
from pairwright.core.workspace import Workspace


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder with the hash of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_from_a_document_to_a_report_and_back(run: Run, workspace: Path, document: Path, tiny_model: Path) -> None:
    at = ["--workspace", workspace]
    assert "rules      1 rule" in run.done("build", document, "--language", "lt", *at)
    decide(sheet(workspace, "ana"), "gerai")
    decide(sheet(workspace, "jonas"), "gerai")
    assert "licence" in run.refused("release", "create", "--name", "lt-test", "--version", "1.0.0", *at)
    license_source(workspace)
    private = ("audit.jsonl", ".links.jsonl", ".questionnaire.jsonl")
    for path in (workspace / "questionnaire.toml", *(sheet(workspace, "ana").with_name(name) for name in private)):
        path.write_text("SLAPTA", encoding="utf-8")
    create = ("release", "create", "--name", "lt-test", "--version", "1.0.0", "--evaluate", "--model", tiny_model)
    out = run.done(*create, *at)
    assert "4 pairs" in out
    frozen = (workspace / "output" / "releases" / "lt-test-1.0.0").rglob("*")
    assert not any(b"SLAPTA" in path.read_bytes() for path in frozen if path.is_file())
    page = workspace / "output" / "reports" / "lt-test-1.0.0" / "index.html"
    assert str(page) in out
    text = page.with_name("report.md").read_text(encoding="utf-8")
    assert all(part in text for part in ("# lt-test 1.0.0", "Pairs: 4", "Rules: 1"))

    pairs = (workspace / "output" / "releases" / "lt-test-1.0.0" / "pairs.jsonl").read_text(encoding="utf-8")
    (line,) = (line for line in pairs.splitlines() if "kalnus" in line)
    pair_id = line.split('"id":"')[1].split('"')[0]
    traced = "\n".join(trace(Workspace(workspace), pair_id))
    for step in ("sarasas.md:4", hashlib.sha256(document.read_bytes()).hexdigest(), "ana: approve", "sum_logprob"):
        assert step in traced
    said = "\n".join(status(Workspace(workspace)))
    assert "4 of 4 decided" in said
    assert "release lt-test-1.0.0: 4 pairs" in said


def test_a_release_is_checked_before_it_is_frozen(run: Run, workspace: Path, document: Path) -> None:
    arguments = ("--name", "lt-test", "--version", "1.0.0", "--workspace", workspace)
    run("build", document, "--language", "lt", "--workspace", workspace)
    code, out, _ = run("release", "create", "--dry-run", *arguments)
    assert code == 2
    assert "error: source 'sarasas': no licence" in out
    approve_all(workspace)
    log = workspace / "annotations" / "sarasas" / "decisions.jsonl"
    code, out, _ = run("release", "create", "--dry-run", *arguments)
    assert (code, "8 answers of the sheets not in the log" in out, log.exists()) == (2, True, False)
    run("review", "sync", "sarasas", "--workspace", workspace)
    out = run.done("release", "create", "--dry-run", *arguments)
    assert "never shown" not in out
    assert "lt-test 1.0.0: can be frozen (0 errors, 2 warnings)" in out
    assert not (workspace / "output" / "releases").exists()
    assert "warning: pairwright.toml: no authors" in run.done("release", "create", *arguments)


def test_a_release_without_selection_takes_what_is_built_and_names_the_rest(
    run: Run, workspace: Path, document: Path
) -> None:
    options = ("--name", "lt-test", "--version", "1.0.0", "--workspace", workspace)
    run("build", document, "--language", "lt", "--workspace", workspace)
    approve_all(workspace)
    # Sheets came with it, as with the sample, but nobody built it here.
    for folder in (workspace / "sources", workspace / "annotations"):
        shutil.copytree(folder / "sarasas", folder / "kitas")
    for path in (workspace / "sources" / "kitas" / "source.toml", workspace / "annotations" / "kitas" / "queue.json"):
        path.write_text(path.read_text(encoding="utf-8").replace('"sarasas"', '"kitas"'), encoding="utf-8")
    out = run.done("release", "create", *options)
    assert [line for line in out.splitlines() if "kitas" in line and "build kitas" in line]
    assert "4 pairs" in out
    shutil.rmtree(workspace / "output")
    err = run.refused("release", "create", *options)
    assert all(f"build {source}" in err for source in ("kitas", "sarasas"))


def test_a_second_build_changes_nothing_and_a_corrected_pair_goes_to_the_other_reviewer(
    run: Run, workspace: Path, document: Path
) -> None:
    built = run.done("build", document, "--language", "lt", "--workspace", workspace)
    assert "pairwright review sync sarasas" in built.splitlines()[-1]
    (told,) = (line for line in run.done("status", "--workspace", workspace).splitlines() if "next " in line)
    assert told.split(maxsplit=1) == built.splitlines()[-1].split(maxsplit=1)
    before = tree(workspace)
    code, out, _ = run("build", document, "--workspace", workspace)
    assert (code, out.count("(up to date)")) == (0, 4)
    assert tree(workspace) == before
    path = sheet(workspace, "ana")
    first, *others = sheet_rows(path)
    corrected = {"Pataisytas taisyklingas": "Nematau jokių kalnų.", "Pataisytas klaidingas": "Nematau jokius kalnus."}
    save_sheet(path, [first | {"Sprendimas": "taisyti"} | corrected, *others], "cp1257")
    out = run.done("review", "sync", "sarasas", "--workspace", workspace)
    assert "jonas.csv: 1 new row," in out
    assert "ana.csv: 0 new rows" in out
    assert "Nematau jokių kalnų." in sheet(workspace, "jonas").read_bytes().decode("utf-8-sig")


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("tuscias.md", b"", ["--language", "lt"], "the file is empty"),
        ("be.md", b"# A\n\nNo bracket here.\n", ["--language", "lt"], "no correction found in any known notation"),
        ("list.md", b"Nematau kalnus (= kalnu).", ["--language", "l/t"], "language"),
        ("list.pdf", b"%PDF-1.4", ["--language", "lt"], "list.pdf: "),
    ],
)
def test_a_document_that_can_not_be_used_is_one_line_and_leaves_nothing(
    run: Run, workspace: Path, tmp_path: Path, name: str, content: bytes, options: list[str], message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    before = tree(workspace)
    err = run.refused("build", path, *options, "--workspace", workspace)
    assert message in err
    assert tree(workspace) == before


def test_a_word_that_a_list_does_not_explain_is_named_and_can_be_taught(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    entries = (
        "Nematau *kalnus*. — Zz. *kalnų*.",
        "Laukiu *draugą*. — Zz. *draugo*.",
        "Noriu *vandenį*. — Zz. *vandens*.",
    )
    path, at = tmp_path / "zodziai.md", ["--workspace", workspace]
    path.write_text("".join(f"- {entry}\n" for entry in entries), encoding="utf-8")
    run.done("build", path, "--language", "lt", *at)
    rules = workspace / "output" / "work" / "zodziai" / "rules.jsonl"
    assert rules.read_text(encoding="utf-8").count('"uncertain":true') == len(entries)
    assert "notation add NAME --like vlkk --right Zz." in rules.with_name("rules.rejected.jsonl").read_text("utf-8")
    run.done("notation", "add", "own", "--like", "vlkk", "--wrong", "Zz.", *at)
    run.done("build", "zodziai", *at)
    text = rules.read_text(encoding="utf-8")
    assert text.count('"uncertain":true') == 0
    assert '"bad":"Nematau kalnų."' in text


def test_a_model_that_is_not_there_is_named_and_the_next_one_is_scored(
    run: Run, workspace: Path, frozen: Path, tiny_model: Path, tmp_path: Path
) -> None:
    at = ["--workspace", workspace]
    missing, unusable = tmp_path / "no-model", shutil.copytree(tiny_model, tmp_path / "unusable")
    spoil(unusable)
    entries = [f'[[model]]\nname = "{name}"\n' for name in (missing, unusable, tiny_model, tiny_model)]
    models = tmp_path / "models.toml"
    models.write_text("".join(entries) + 'label = "elsewhere"\ndevice = "cuda:99"\n', encoding="utf-8")
    code, out, err = run("evaluate", frozen.name, "--models", models, *at)
    assert code == 2
    assert "loading    " in out
    assert "3 of 4 models could not be scored" in err
    report = workspace / "output" / "reports" / frozen.name
    page = (report / "index.html").read_text(encoding="utf-8")
    assert f"{missing}: no such file or directory" in out
    assert "unusable: none of the 4 pairs got a score" in page
    assert "elsewhere: device" in out
    # What is not there says nothing of a model: no report repeats a slip of the pen.
    assert run("evaluate", "lt-test-1.0.0", "--model", "./tiny-gtp2", *at)[0] == 2
    for path in (report / "index.html", report / "report.md"):
        text = path.read_text(encoding="utf-8")
        assert not [name for name in (str(missing), "cuda:99", "tiny-gtp2") if name in text]
    assert len(list((workspace / "output" / "evaluations").glob("*/*/run.json"))) == 1

    stale = report / "figures" / "of-an-earlier-report.svg"
    stale.write_text("<svg/>")
    (workspace / "models.toml").write_text("[[model]\n", encoding="utf-8")
    out = run.done("evaluate", "lt-test-1.0.0", "--model", tiny_model, *at)
    assert "models.toml: not valid TOML" in out
    assert "what it says of models is left out of the report" in out
    assert "loading" not in out
    assert re.search(r"finished +4 of 4 pairs by tiny-gpt2 before", out)
    assert "none of the 4 pairs got a score" not in (report / "index.html").read_text(encoding="utf-8")
    assert not stale.exists()


def spoil(model: Path) -> None:
    """Makes every weight of a model infinite, as an overflow does."""
    from safetensors.torch import load_file, save_file

    path = model / "model.safetensors"
    save_file({name: tensor * float("inf") for name, tensor in load_file(path).items()}, path, {"format": "pt"})
