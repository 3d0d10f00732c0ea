"""Releases that were changed after they were frozen, by hand or by somebody who wrote a new manifest, too."""

import hashlib
import json
import os
import py_compile
from collections.abc import Callable, Generator
from pathlib import Path

from attempts import FINE, REFUSED, Outcome, attempt
from parts import workspace

Attack = Generator[tuple[str | Path, ...], Outcome, None]
NAME = "cases-1.0.0"


def release(folder: Path) -> Path:
    return workspace(folder) / "output" / "releases" / NAME


def sign(directory: Path) -> None:
    """Writes the manifest anew, as somebody would who hides a change."""
    manifest = directory / "MANIFEST.sha256"
    files = sorted(path for path in directory.rglob("*") if path.is_file() and path != manifest)
    lines = (
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(directory).as_posix()}\n" for path in files
    )
    manifest.write_text("".join(lines), encoding="utf-8")


def changed(*words: str, signed: bool = False, slow: bool = False) -> Callable[[Callable[[Path], None]], None]:
    """Registers a change of a release that its verification has to find; who `signed` it wrote a new manifest, too."""

    def register(change: Callable[[Path], None]) -> None:
        def script(folder: Path) -> Attack:
            directory = release(folder)
            change(directory)
            if signed:
                sign(directory)
            yield ("release", "verify", directory)

        attempt("releases", REFUSED, *words, slow=slow, name=change.__name__)(script)

    return register


def first(directory: Path, pattern: str) -> Path:
    return sorted(directory.glob(pattern))[0]


def replace(directory: Path, pattern: str, old: str, new: str) -> None:
    """Changes a text in a file of a release."""
    path = first(directory, pattern)
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@attempt("releases", FINE)
def a_release_that_nobody_touched(folder: Path) -> Attack:
    yield ("release", "verify", release(folder))


@changed("pairs.jsonl", "changed")
def one_byte_of_the_pairs(directory: Path) -> None:
    data = bytearray((directory / "pairs.jsonl").read_bytes())
    data[40] ^= 1
    (directory / "pairs.jsonl").write_bytes(bytes(data))


@attempt("releases", REFUSED, "__pycache__")
def a_compiled_program_beside_the_release_s_own(folder: Path) -> Attack:
    directory = release(folder)
    program = first(directory, "euroeval/*.py")
    evil = folder / "evil.py"
    evil.write_text("raise SystemExit('ran')\n", encoding="utf-8")
    cache = program.parent / "__pycache__"
    if cache.is_file():
        cache.unlink()
    py_compile.compile(str(evil), cfile=str(cache / f"{program.stem}.cpython-311.pyc"))
    yield ("release", "verify", directory)


@changed("extra.txt")
def a_file_that_the_manifest_does_not_name(directory: Path) -> None:
    (directory / "extra.txt").write_text("x", encoding="utf-8")


@attempt("releases", REFUSED, "link")
def a_file_that_is_a_link_to_the_same_bytes(folder: Path) -> Attack:
    directory = release(folder)
    os.replace(directory / "pairs.csv", folder / "pairs.csv")
    (directory / "pairs.csv").symlink_to(folder / "pairs.csv")
    yield ("release", "verify", directory)


@changed("pairs.csv")
def a_file_that_is_a_pipe(directory: Path) -> None:
    (directory / "pairs.csv").unlink()
    os.mkfifo(directory / "pairs.csv")


@changed("blimp", signed=True)
def a_sentence_of_the_blimp_export_with_a_new_manifest(directory: Path) -> None:
    replace(directory, "blimp/*.jsonl", "kalnų", "kalnus")


@changed("minicons", signed=True)
def a_sentence_of_the_minicons_export_with_a_new_manifest(directory: Path) -> None:
    replace(directory, "minicons/*", "kalnų", "kalnus")


@changed("lm_eval", signed=True)
def a_program_of_the_lm_eval_export_with_a_new_manifest(directory: Path) -> None:
    path = first(directory, "lm_eval/**/*.py")
    path.write_text("import os\nos.system('touch /tmp/x')\n" + path.read_text(encoding="utf-8"), encoding="utf-8")


@changed("euroeval", signed=True)
def a_program_of_the_euroeval_export_with_a_new_manifest(directory: Path) -> None:
    path = first(directory, "euroeval/*.py")
    path.write_text("import os\n" + path.read_text(encoding="utf-8"), encoding="utf-8")


@changed("votes.csv", signed=True)
def a_vote_that_was_turned_with_a_new_manifest(directory: Path) -> None:
    replace(directory, "votes.csv", "approve", "reject")


@changed("README.md", signed=True)
def a_licence_on_the_card_with_a_new_manifest(directory: Path) -> None:
    text = (directory / "README.md").read_text(encoding="utf-8")
    (directory / "README.md").write_text(text + "\nFree for all.\n", encoding="utf-8")


@changed("pairs.parquet", signed=True, slow=True)
def a_table_of_pairs_without_a_row_with_a_new_manifest(directory: Path) -> None:
    import pandas as pd

    table = pd.read_parquet(directory / "pairs.parquet")
    table.iloc[1:].to_parquet(directory / "pairs.parquet")


@attempt("releases", REFUSED, "release.json")
def a_name_that_leads_out_of_the_folder(folder: Path) -> Attack:
    directory = release(folder)
    replace(directory, "release.json", '"cases"', '"../../ESCAPED"')
    sign(directory)
    yield ("release", "publish", directory, "--to", folder / "public" / "here", "--yes")
    assert not list(folder.rglob("ESCAPED*")), "files were written outside the folder"


@changed("MANIFEST.sha256:1")
def a_manifest_that_names_a_file_outside(directory: Path) -> None:
    manifest = directory / "MANIFEST.sha256"
    manifest.write_text(f"{'0' * 64}  ../../../x\n" + manifest.read_text(encoding="utf-8"), encoding="utf-8")


@changed("MANIFEST.sha256")
def a_manifest_that_is_a_pipe(directory: Path) -> None:
    (directory / "MANIFEST.sha256").unlink()
    os.mkfifo(directory / "MANIFEST.sha256")


@attempt("releases", REFUSED, "changed", slow=True)
def an_evaluation_of_a_release_that_was_changed(folder: Path) -> Attack:
    directory = release(folder)
    (directory / "pairs.jsonl").write_text("", encoding="utf-8")
    yield ("evaluate", NAME, "--report-only", "--workspace", directory.parents[2])


@changed("pairs.jsonl:1", signed=True)
def a_record_nested_a_hundred_thousand_deep_with_a_new_manifest(directory: Path) -> None:
    (directory / "pairs.jsonl").write_text('{"id": ' + "[" * 100_000 + "\n", encoding="utf-8")


@attempt("releases", REFUSED, "public")
def a_publication_to_a_file(folder: Path) -> Attack:
    directory = release(folder)
    (folder / "public").write_text("mine", encoding="utf-8")
    yield ("release", "publish", directory, "--to", folder / "public", "--yes")
    assert (folder / "public").read_text(encoding="utf-8") == "mine", "a file was overwritten"


@attempt("releases", REFUSED, "exists and never changes", slow=True)
def a_second_release_of_the_same_version(folder: Path) -> Attack:
    root = workspace(folder)
    yield ("release", "create", "--name", "cases", "--version", "1.0.0", "--workspace", root)


@attempt("releases", REFUSED)
def a_release_whose_name_is_a_path(folder: Path) -> Attack:
    root = workspace(folder)
    yield ("release", "create", "--name", "../../x", "--version", "2.0.0", "--workspace", root)
    assert not (folder / "x-2.0.0").exists(), "a release was made outside the workspace"


@changed("release.json", signed=True)
def a_description_with_a_number_of_five_thousand_digits(directory: Path) -> None:
    info = json.loads((directory / "release.json").read_text(encoding="utf-8"))
    text = json.dumps(info | {"n_pairs": 0}).replace('"n_pairs": 0', f'"n_pairs": {"9" * 5000}')
    (directory / "release.json").write_text(text, encoding="utf-8")
