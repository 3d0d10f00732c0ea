"""Workspaces whose files were deleted, cut, replaced or damaged; disks that are full or can't be written."""

import os
from collections.abc import Generator
from pathlib import Path

from attempts import FINE, REFUSED, FullDisk, Outcome, attempt
from parts import workspace

Attack = Generator[tuple[str | Path, ...], Outcome, None]
STAGES = ("blocks", "rules", "candidates", "checked")


def work(root: Path, stage: str) -> Path:
    return root / "output" / "work" / "sarasas" / f"{stage}.jsonl"


@attempt("workspaces", FINE, slow=True)
def stages_that_were_deleted_and_are_built_again(folder: Path) -> Attack:
    root = workspace(folder)
    for stage in STAGES:
        work(root, stage).unlink()
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", FINE, slow=True)
def manifests_of_stages_that_are_damaged(folder: Path) -> Attack:
    root = workspace(folder)
    for stage in STAGES:
        work(root, stage).with_suffix(".manifest.json").write_bytes(b"\x00{")
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "rules.jsonl", "pairwright build")
def a_stage_with_a_line_that_is_no_record(folder: Path) -> Attack:
    root = workspace(folder)
    work(root, "rules").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    yield ("rules", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "checked.jsonl", slow=True)
def a_folder_where_a_stage_should_be(folder: Path) -> Attack:
    root = workspace(folder)
    work(root, "checked").unlink()
    work(root, "checked").mkdir()
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", FINE, "checked.jsonl", "pipe", slow=True)
def a_pipe_where_a_stage_should_be(folder: Path) -> Attack:
    root = workspace(folder)
    work(root, "checked").unlink()
    os.mkfifo(work(root, "checked"))
    yield ("status", "--workspace", root)


@attempt("workspaces", REFUSED, "output")
def a_file_where_the_output_should_be(folder: Path) -> Attack:
    root = workspace(folder)
    os.replace(root / "output", folder / "output")
    (root / "output").write_text("x", encoding="utf-8")
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "pairwright.toml")
def a_configuration_that_is_a_pipe(folder: Path) -> Attack:
    root = workspace(folder)
    (root / "pairwright.toml").unlink()
    os.mkfifo(root / "pairwright.toml")
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "pairwright.toml")
def a_configuration_that_is_a_folder(folder: Path) -> Attack:
    root = workspace(folder)
    (root / "pairwright.toml").unlink()
    (root / "pairwright.toml").mkdir()
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "pairwright.toml")
def a_configuration_with_ten_thousand_nested_tables(folder: Path) -> Attack:
    root = workspace(folder)
    (root / "pairwright.toml").write_text("a = " + "[" * 10_000, encoding="utf-8")
    yield ("build", "sarasas", "--workspace", root)


@attempt("workspaces", REFUSED, "sarasas")
def a_disk_that_is_full(folder: Path) -> Attack:
    root = workspace(folder)
    work(root, "rules").unlink()
    yield FullDisk(("build", "sarasas", "--workspace", root))
    assert not [path for path in root.rglob(".*.tmp")], "half a file was left"


@attempt("workspaces", REFUSED, "pseudonyms.key")
def a_key_of_pseudonyms_that_is_cut(folder: Path) -> Attack:
    root = workspace(folder)
    (root / "annotations" / "pseudonyms.key").write_text("00", encoding="ascii")
    yield ("release", "create", "--name", "cases", "--version", "1.0.1", "--workspace", root)


@attempt("workspaces", REFUSED, "models.toml", slow=True)
def a_list_of_models_that_is_no_table(folder: Path) -> Attack:
    root = workspace(folder)
    (root / "models.toml").write_text("models = 3\n", encoding="utf-8")
    yield ("evaluate", "cases-1.0.0", "--workspace", root)


@attempt("workspaces", REFUSED, "no such pair")
def a_pair_whose_id_is_a_pattern(folder: Path) -> Attack:
    yield ("trace", "pair-*/../..", "--workspace", workspace(folder))


@attempt("workspaces", REFUSED)
def a_workspace_that_does_not_exist(folder: Path) -> Attack:
    yield ("build", "sarasas", "--workspace", folder / "nowhere")


@attempt("workspaces", REFUSED, "no such block")
def a_block_whose_id_is_a_path(folder: Path) -> Attack:
    root = workspace(folder)
    path = work(root, "blocks")
    first = path.read_text(encoding="utf-8").splitlines()[0]
    block = first[first.index("block-") : first.index("block-") + 22]
    path.write_text(first.replace(block, f"{block}/../../../../../escaped") + "\n", encoding="utf-8")
    path.with_suffix(".manifest.json").unlink()
    yield ("show", block, "--workspace", root)
    assert not list(folder.rglob("escaped*")), "a file was written outside"
