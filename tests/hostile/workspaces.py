"""Workspaces whose files were deleted, cut, replaced or damaged; disks that are full or can't be written."""

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path

from attempts import FINE, MODEL_MIB, REFUSED, FullDisk, Outcome, attempt
from parts import workspace

Attack = Generator[tuple[str | Path, ...], Outcome, None]
BUILD = ("build", "sarasas")
STAGES = ("blocks", "rules", "candidates", "checked")


def broken(
    code: int, *words: str, command: tuple[str, ...] = BUILD, slow: bool = False
) -> Callable[[Callable[[Path], None]], None]:
    """Registers a change of a workspace, after which a command is run."""

    def register(change: Callable[[Path], None]) -> None:
        def script(folder: Path) -> Attack:
            root = workspace(folder)
            change(root)
            yield (*command, "--workspace", root)

        attempt("workspaces", code, *words, slow=slow, name=change.__name__)(script)

    return register


def work(root: Path, stage: str) -> Path:
    return root / "output" / "work" / "sarasas" / f"{stage}.jsonl"


@broken(FINE, slow=True)
def stages_that_were_deleted_and_are_built_again(root: Path) -> None:
    for stage in STAGES:
        work(root, stage).unlink()


@broken(FINE, slow=True)
def manifests_of_stages_that_are_damaged(root: Path) -> None:
    for stage in STAGES:
        work(root, stage).with_suffix(".manifest.json").write_bytes(b"\x00{")


@broken(REFUSED, "rules.jsonl", "pairwright build", command=("show", "sarasas"))
def a_stage_with_a_line_that_is_no_record(root: Path) -> None:
    work(root, "rules").write_text("<<<<<<< HEAD\n", encoding="utf-8")


@broken(REFUSED, "checked.jsonl", slow=True)
def a_folder_where_a_stage_should_be(root: Path) -> None:
    work(root, "checked").unlink()
    work(root, "checked").mkdir()


@broken(FINE, "checked.jsonl", "pipe", command=("status",), slow=True)
def a_pipe_where_a_stage_should_be(root: Path) -> None:
    work(root, "checked").unlink()
    os.mkfifo(work(root, "checked"))


@attempt("workspaces", REFUSED, "output")
def a_file_where_the_output_should_be(folder: Path) -> Attack:
    root = workspace(folder)
    os.replace(root / "output", folder / "output")
    (root / "output").write_text("x", encoding="utf-8")
    yield ("build", "sarasas", "--workspace", root)


@broken(REFUSED, "pairwright.toml")
def a_configuration_that_is_a_pipe(root: Path) -> None:
    (root / "pairwright.toml").unlink()
    os.mkfifo(root / "pairwright.toml")


@broken(REFUSED, "pairwright.toml", "digits")
def a_configuration_with_a_number_of_five_thousand_digits(root: Path) -> None:
    (root / "pairwright.toml").write_text(f"[review]\nseed = {'9' * 5000}\n", encoding="utf-8")


@broken(REFUSED, "decisions.jsonl", "a named pipe", command=("status", "sarasas"))
def a_log_of_decisions_that_is_a_pipe(root: Path) -> None:
    log = root / "annotations" / "sarasas" / "decisions.jsonl"
    log.unlink()
    os.mkfifo(log)


@broken(REFUSED, ".links.jsonl:1", command=("review", "invite", "--queue", "sarasas"))
def a_link_that_expires_soon(root: Path) -> None:
    link = {"id": "a", "reviewer": "ana", "token_sha256": "b", "created": "now", "expires": "soon"}
    (root / "annotations" / "sarasas" / ".links.jsonl").write_text(json.dumps(link) + "\n", encoding="utf-8")


@attempt("workspaces", REFUSED, "weight_map", slow=True, memory_mib=MODEL_MIB)
def a_model_whose_index_names_numbers(folder: Path) -> Attack:
    model = folder / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    (model / "model-1.safetensors").touch()
    (model / "model.safetensors.index.json").write_text('{"weight_map": {"a": 1}}', encoding="utf-8")
    yield ("evaluate", "cases-1.0.0", "--model", model, "--workspace", workspace(folder))


@attempt("workspaces", REFUSED, "~nosuch/model: no such file", slow=True, memory_mib=MODEL_MIB)
def a_model_in_the_home_of_nobody(folder: Path) -> Attack:
    yield ("evaluate", "cases-1.0.0", "--model", "~nosuch/model", "--workspace", workspace(folder))


@broken(REFUSED, "pairwright.toml")
def a_configuration_that_is_a_folder(root: Path) -> None:
    (root / "pairwright.toml").unlink()
    (root / "pairwright.toml").mkdir()


@broken(REFUSED, "pairwright.toml")
def a_configuration_with_ten_thousand_nested_tables(root: Path) -> None:
    (root / "pairwright.toml").write_text("a = " + "[" * 10_000, encoding="utf-8")


@attempt("workspaces", REFUSED, "sarasas")
def a_disk_that_is_full(folder: Path) -> Attack:
    root = workspace(folder)
    work(root, "rules").unlink()
    yield FullDisk(("build", "sarasas", "--workspace", root))
    assert not [path for path in root.rglob(".*.tmp")], "half a file was left"


@broken(REFUSED, "pseudonyms.key", command=("release", "create", "--name", "cases", "--version", "1.0.1"))
def a_key_of_pseudonyms_that_is_cut(root: Path) -> None:
    (root / "annotations" / "pseudonyms.key").write_text("00", encoding="ascii")


@broken(REFUSED, "models.toml", command=("evaluate", "cases-1.0.0"), slow=True)
def a_list_of_models_that_is_no_table(root: Path) -> None:
    (root / "models.toml").write_text("models = 3\n", encoding="utf-8")


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
