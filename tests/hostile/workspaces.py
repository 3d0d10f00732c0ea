"""Workspaces whose files were deleted, damaged, forged or replaced: what a command says then, and that no harm is done.

What a release, a sheet or a log says to single changes stands in tests/release and tests/review.
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from attempts import ATTEMPTS, DOUBTS, FINE, MEMORY_MIB, MODEL_MIB, REFUSED, Attempt, Outcome
from parts import workspace
from workspace_parts import sheet

from pairwright.core.records import Decision
from pairwright.core.store import append_log, read_log

Attack = Generator[tuple[str | Path, ...], Outcome, None]
Command = tuple[str | Path, ...]
BUILD: Command = ("build", "sarasas")
SYNC: Command = ("review", "sync", "sarasas")
EVALUATE: Command = ("evaluate", "cases-1.0.0")
MANY_DIGITS = "9" * 5000
# A text of ten to the power of eleven letters.
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))


def work(root: Path, stage: str) -> Path:
    return root / "output" / "work" / "sarasas" / f"{stage}.jsonl"


def replaced(path: Path, put: Callable[[Path], object]) -> None:
    path.unlink()
    put(path)


def in_release(root: Path, name: str, change: Callable[[str], str]) -> None:
    """Changes a file of the release, and its manifest as somebody would who hides that."""
    directory = root / "output" / "releases" / "cases-1.0.0"
    path, manifest = directory / name, directory / "MANIFEST.sha256"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    after = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def many_pairs(text: str) -> str:
    return json.dumps(json.loads(text) | {"n_pairs": 0}).replace('"n_pairs": 0', f'"n_pairs": {MANY_DIGITS}')


def multiplying(root: Path) -> None:
    with zipfile.ZipFile(root / "annotations" / "sarasas" / "ana (1).xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", f'<!DOCTYPE d [<!ENTITY e0 "ha">{ENTITIES}]><workbook>&e11;</workbook>')


def voted_by_a_path(root: Path) -> None:
    log = root / "annotations" / "sarasas" / "decisions.jsonl"
    append_log(log, [next(read_log(log, Decision)).model_copy(update={"reviewer": "../../../../tmp/x"})])


def not_utf_8(root: Path) -> None:
    texts = pa.array([b"Laukiu ve\xe0io."]).view(pa.string())
    pq.write_table(pa.table({"good": texts, "bad": texts}), root / "pairs.parquet")


def numbered_index(root: Path) -> None:
    model = root / "model"
    model.mkdir()
    (model / "config.json").write_text("{}", encoding="utf-8")
    (model / "model-1.safetensors").touch()
    (model / "model.safetensors.index.json").write_text('{"weight_map": {"a": 1}}', encoding="utf-8")


Change = Callable[[Path], object]
# By name: the exit code, words that are printed, the command, and what was done to the workspace before.
CHANGES: dict[str, tuple[int, tuple[str, ...], Command, Change]] = {
    "a pipe where a stage should be": (
        *(FINE, ("checked.jsonl", "pipe"), ("status",)),
        lambda root: replaced(work(root, "checked"), os.mkfifo),
    ),
    "a log of decisions that is a pipe": (
        *(REFUSED, ("decisions.jsonl", "a named pipe"), ("status", "sarasas")),
        lambda root: replaced(root / "annotations" / "sarasas" / "decisions.jsonl", os.mkfifo),
    ),
    "a configuration with a number of five thousand digits": (
        *(REFUSED, ("pairwright.toml", "digits"), BUILD),
        lambda root: (root / "pairwright.toml").write_text(f"[review]\nseed = {MANY_DIGITS}\n", encoding="utf-8"),
    ),
    "a configuration with ten thousand nested tables": (
        *(REFUSED, ("pairwright.toml",), BUILD),
        lambda root: (root / "pairwright.toml").write_text("a = " + "[" * 10_000, encoding="utf-8"),
    ),
    "a list of models that is no table": (
        *(REFUSED, ("models.toml",), (*EVALUATE, "--model", "own")),
        lambda root: (root / "models.toml").write_text("models = 3\n", encoding="utf-8"),
    ),
    "a model whose index names numbers": (
        *(REFUSED, ("weight_map",), (*EVALUATE, "--model", "model")),
        numbered_index,
    ),
    "a model in the home of nobody": (
        *(REFUSED, ("~nosuch/model: no such file",), (*EVALUATE, "--model", "~nosuch/model")),
        lambda root: None,
    ),
    "a pair whose id is a pattern": (
        *(REFUSED, ("no such pair",), ("trace", "pair-*/../..")),
        lambda root: None,
    ),
    "a release that was changed and is evaluated": (
        *(REFUSED, ("changed",), (*EVALUATE, "--report-only")),
        lambda root: (root / "output" / "releases" / "cases-1.0.0" / "pairs.jsonl").write_text("", encoding="utf-8"),
    ),
    "a record nested a hundred thousand deep with a new manifest": (
        *(REFUSED, ("pairs.jsonl:1",), ("release", "verify", "cases-1.0.0")),
        lambda root: in_release(root, "pairs.jsonl", lambda _: '{"id": ' + "[" * 100_000 + "\n"),
    ),
    "a description with a number of five thousand digits": (
        *(REFUSED, ("release.json",), ("release", "verify", "cases-1.0.0")),
        lambda root: in_release(root, "release.json", many_pairs),
    ),
    "a device in place of a sheet": (
        *(FINE, ("ana.csv",), SYNC),
        lambda root: replaced(sheet(root, "ana"), lambda path: path.symlink_to("/dev/zero")),
    ),
    "a workbook whose entities multiply": (
        *(DOUBTS, ("ana (1).xlsx",), ("review", "import", "--queue", "sarasas")),
        multiplying,
    ),
    "votes whose reviewer is a path": (
        *(REFUSED, ("assignments.jsonl",), ("status", "sarasas")),
        voted_by_a_path,
    ),
    "a table whose texts are not utf 8": (
        *(REFUSED, ("pairs.parquet", "utf-8"), ("check", "pairs.parquet", "--language", "lt")),
        not_utf_8,
    ),
}
# Those that take over a second.
SLOW = {
    name for name, (*_, command, _) in CHANGES.items() if command in (BUILD, ("status",)) or command[:2] == EVALUATE
}
SLOW -= {name for name in CHANGES if name.startswith("a configuration")}


def changed(command: Command, change: Change) -> Callable[[Path], Attack]:
    """An attempt in which a command is run after a change of a workspace."""

    def script(folder: Path) -> Attack:
        root = workspace(folder)
        change(root)
        yield (*(root / word if (root / word).exists() else word for word in command), "--workspace", root)

    return script


for _name, (_code, _words, _command, _change) in CHANGES.items():
    _mib = MODEL_MIB if "--model" in _command else MEMORY_MIB
    ATTEMPTS.append(Attempt(_name, changed(_command, _change), _code, _words, _name in SLOW, _mib))
