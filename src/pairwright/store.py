"""The only writer and reader of stage files: typed JSONL, atomic replacement, run manifests, freshness.

A stage is fresh when the hashes of its inputs and settings and its version equal those in its manifest, and its files
still have the hashes that the manifest gives. Data is put in place before the manifest, so a process that is killed
between the two leaves a stage that is run again, never one that is trusted by mistake.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import Field, ValidationError

from pairwright.errors import StoreError, at
from pairwright.ids import digest, file_sha256
from pairwright.records import Record, Rejection, Stage

R = TypeVar("R", bound=Record)

STAMPED_PACKAGES = ("pairwright", "pydantic", "prefect", "pymupdf", "spylls", "torch", "transformers")


class StageInput(Record):
    """What a stage reads: the hash decides freshness, the count is for people."""

    name: str
    sha256: str
    count: int = 0


class Manifest(Record):
    """How a stage file came to be. `files` gives the SHA-256 of each file beside the manifest.

    prompts  the SHA-256 of each prompt file by its label; `assistant` is the kind of language model that was asked
    """

    stage: Stage
    inputs: tuple[StageInput, ...]
    settings_sha256: str
    prompts: dict[str, str] = Field(default_factory=dict)
    assistant: str | None = None
    files: dict[str, str]
    n_out: int
    n_rejected: int
    commit: str | None
    dirty: bool | None
    packages: dict[str, str]
    finished_at: str


class StageRun(Record):
    """What became of a stage: `ran` is False where the files were fresh."""

    path: Path
    ran: bool
    n_in: int
    n_out: int
    n_rejected: int


@contextmanager
def atomic(path: Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """A file that appears at `path` whole or not at all: written beside it, synced, renamed into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    if "b" not in mode:
        options = {"encoding": "utf-8", "newline": "\n", **options}
    try:
        with beside.open(mode, **options) as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """A text file in UTF-8 with `\\n` line ends, replaced atomically."""
    with atomic(path) as handle:
        handle.write(text)


def write_json(path: Path, value: Any) -> None:
    """A JSON file for people and programs: indented, keys in the given order, replaced atomically."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_jsonl(path: Path, records: Iterable[Record]) -> int:
    """One record a line, replaced atomically. Returns how many were written."""
    count = 0
    with atomic(path) as handle:
        for record in records:
            handle.write(record.model_dump_json() + "\n")
            count += 1
    return count


def append_jsonl(path: Path, records: Iterable[Record]) -> int:
    """Adds records to a log. A half line that a crash left at its end is cut off first. Returns how many were added."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [record.model_dump_json() + "\n" for record in records]
    with path.open("ab+") as handle:
        handle.seek(0)
        whole, rest = _whole_lines(handle.read())
        handle.truncate(len(whole) + len(rest))
        handle.seek(0, os.SEEK_END)
        handle.write((b"\n" if rest else b"") + "".join(lines).encode())
        handle.flush()
        os.fsync(handle.fileno())
    return len(lines)


def read_log(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of an append-only log, in order; a missing log is empty and a half line at its end is passed over.

    Raises StoreError with file and line where a whole line is not such a record.
    """
    if not path.exists():
        return
    whole, rest = _whole_lines(path.read_bytes())
    for number, line in enumerate((whole + rest).splitlines(), start=1):
        yield _record(kind, line, path, number)


def _whole_lines(content: bytes) -> tuple[bytes, bytes]:
    """The ended lines of a log, and its last line where that is whole JSON whose line end an editor took away."""
    end = content.rfind(b"\n") + 1
    try:
        json.loads(content[end:])
    except ValueError:
        return content[:end], b""
    return content[:end], content[end:]


def read_jsonl(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a stage file. Raises StoreError with file and line where a line is not such a record."""
    if not path.exists():
        raise StoreError(f"{path}: no such file; run the stage that writes it first")
    with path.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            yield _record(kind, line, path, number)


def _record(kind: type[R], line: str | bytes, path: Path, number: int) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as fault:
        reason = fault.errors(include_url=False)[0]["msg"]
        raise StoreError(f"{at(path, number)}: not a {kind.__name__}: {reason}") from None


def file_input(path: Path) -> StageInput:
    """A stage file as the input of the next stage: its name, hash and number of lines. A missing file is empty."""
    if not path.exists():
        return StageInput(name=path.name, sha256="", count=0)
    with path.open("rb") as handle:
        count = sum(1 for _ in handle)
    return StageInput(name=path.name, sha256=file_sha256(path), count=count)


def read_manifest(directory: Path, stage_name: str) -> Manifest | None:
    """The manifest of a stage; None where the stage never finished or the manifest is damaged."""
    try:
        text = (directory / f"{stage_name}.manifest.json").read_text(encoding="utf-8")
        return Manifest.model_validate_json(text)
    except (FileNotFoundError, ValidationError):
        return None


def run_stage(
    directory: Path,
    stage: Stage,
    inputs: Iterable[StageInput],
    settings: Mapping[str, Any],
    produce: Callable[[], Iterator[Record]],
    *,
    prompts: Mapping[str, str] | None = None,
    assistant: str | None = None,
) -> StageRun:
    """Runs a stage unless its files are fresh, and writes `<name>.jsonl`, `.rejected.jsonl` and `.manifest.json`.

    `produce` yields the stage's records and, for what it could not turn into one, `Rejection`s. Where it raises,
    nothing is written and what stood there before stays. `prompts` and `assistant` are settings that the manifest
    shows as well.
    """
    wanted = tuple(inputs)
    if prompts or assistant:
        settings = {**settings, "prompts": dict(prompts or {}), "assistant": assistant}
    fresh = fresh_stage(directory, stage, wanted, settings)
    if fresh is not None:
        return fresh
    path = directory / f"{stage.name}.jsonl"
    rejected_path = directory / f"{stage.name}.rejected.jsonl"
    rejected: list[Rejection] = []

    def kept() -> Iterator[Record]:
        for record in produce():
            if isinstance(record, Rejection):
                rejected.append(record)
            else:
                yield record

    n_out = write_jsonl(path, kept())
    write_jsonl(rejected_path, rejected)
    commit, dirty = _code_version()
    manifest = Manifest(
        stage=stage,
        inputs=wanted,
        settings_sha256=digest(settings),
        prompts=dict(prompts or {}),
        assistant=assistant,
        files={item.name: file_sha256(item) for item in (path, rejected_path)},
        n_out=n_out,
        n_rejected=len(rejected),
        commit=commit,
        dirty=dirty,
        packages=package_versions(STAMPED_PACKAGES),
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_text(directory / f"{stage.name}.manifest.json", manifest.model_dump_json(indent=2) + "\n")
    n_in = sum(item.count for item in wanted)
    return StageRun(path=path, ran=True, n_in=n_in, n_out=n_out, n_rejected=len(rejected))


def fresh_stage(
    directory: Path, stage: Stage, inputs: Iterable[StageInput], settings: Mapping[str, Any]
) -> StageRun | None:
    """The stage's earlier run where its files are fresh, else None: what `run_stage` would do, without running it."""
    wanted = tuple(inputs)
    known = read_manifest(directory, stage.name)
    if known is None or not _is_fresh(known, directory, stage, wanted, settings):
        return None
    n_in = sum(item.count for item in wanted)
    path = directory / f"{stage.name}.jsonl"
    return StageRun(path=path, ran=False, n_in=n_in, n_out=known.n_out, n_rejected=known.n_rejected)


def _is_fresh(
    known: Manifest, directory: Path, stage: Stage, inputs: tuple[StageInput, ...], settings: Mapping[str, Any]
) -> bool:
    return (
        known.stage == stage
        and known.inputs == inputs
        and known.settings_sha256 == digest(settings)
        and all((directory / name).exists() for name in known.files)
        and all(file_sha256(directory / name) == sha256 for name, sha256 in known.files.items())
    )


def package_versions(names: Iterable[str]) -> dict[str, str]:
    """The installed versions of packages; those that are not installed are left out."""
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _code_version() -> tuple[str | None, bool | None]:
    """The git commit of this code and whether it has uncommitted changes; (None, None) outside a checkout."""
    here = Path(__file__).parent
    try:
        commit = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "-C", str(here), "status", "--porcelain", "--", "."],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None, None
    return commit, bool(changed)
