"""The one place that writes and reads stage files: typed JSONL, atomic replacement, manifests, freshness.

A stage is fresh when its manifest names the same inputs, settings and version, and its files still have the hashes in
the manifest. Data is put in place before the manifest, so a process that is killed between the two leaves a stage that
runs again, never one that is trusted by mistake.
"""

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import IO, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pairwright.core.errors import PairwrightError, StoreError, at, one_line
from pairwright.core.files import held, open_file, read_file
from pairwright.core.ids import file_sha256
from pairwright.core.records import Record, Rejection, Stage

R = TypeVar("R", bound=Record)
M = TypeVar("M", bound=BaseModel)

# A line of a log: the record, and a checksum of it as its last field.
_LOGGED = re.compile(rb'(?P<record>\{.*),"checksum":"(?P<checksum>[0-9a-f]{16})"\}', re.DOTALL)
# A file or a folder that is being written: `.NAME.PROCESS-THREAD@HOST.tmp`.
_HIDDEN = re.compile(r"\..+\.(?P<process>\d{1,9})-\d+@(?P<host>.*)\.tmp", re.DOTALL)
_FAULTS_OF_WRITING = {errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EROFS, getattr(errno, "EDQUOT", errno.ENOSPC)}
MAX_RECORD_BYTES = 500_000_000
ABANDONED_SECONDS = 7 * 24 * 3600

_hashes: dict[Path, tuple[tuple[int, ...], str]] = {}


class StageInput(Record):
    """What a stage reads: the hash decides freshness, the count is for people."""

    name: str
    sha256: str
    count: int = 0


class Manifest(Record):
    """How a stage file came to be; `files` and `prompts` give the SHA-256 of files beside it and of prompts."""

    model_config = ConfigDict(extra="ignore")

    stage: Stage
    inputs: tuple[StageInput, ...]
    prompts: dict[str, str] = Field(default_factory=dict)
    assistant: str | None = None  # the kind of language model that was asked
    files: dict[str, str]
    n_out: int
    n_rejected: int
    finished_at: str


class StageRun(Record):
    """What became of a stage: `ran` is False where the files were fresh."""

    path: Path
    ran: bool
    n_out: int
    n_rejected: int


@contextmanager
def atomic(path: Path, mode: str = "w", permissions: int = 0o666, **options: Any) -> Iterator[IO[Any]]:
    """Opens a file that appears at `path` whole or not at all. `options` are those of `open`; text is UTF-8, `\\n`.

    permissions  from the beginning, less the umask
    """
    if "b" not in mode:
        options = {"encoding": "utf-8", "newline": "\n", **options}
    opener = partial(os.open, mode=permissions)
    with replacing(path) as beside, open(beside, mode, opener=opener, **options) as handle:
        yield handle
        handle.flush()
        os.fsync(handle.fileno())


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that appears at `path` whole or not at all. Raises OSError where something is there by then."""
    with replacing(path) as beside:
        beside.mkdir()
        yield beside


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """A folder to fill that takes the place of the one at `path` as a whole; no file of that one stays."""
    before = _hidden(path.with_name(f"{path.name}-before"))
    with replacing(path) as beside:
        beside.mkdir()
        yield beside
        with suppress(FileNotFoundError):
            path.replace(before)
    _remove(before)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A hidden name beside `path` for a file or folder that is made there, and renamed to `path` at the end.

    What killed processes left half made in the folder is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear(path.parent)
    beside = _hidden(path)
    try:
        yield beside
        beside.replace(path)
    except OSError as fault:
        _name_target(fault, beside, path)
        raise
    finally:
        _remove(beside)


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id()}@{platform.node()}.tmp")


def _name_target(fault: OSError, beside: Path, path: Path) -> None:
    """Lets a fault of writing name the file that the user knows in place of the hidden one, or of none."""
    name = os.fsdecode(fault.filename) if isinstance(fault.filename, str | bytes) else ""
    if name.startswith(str(beside)):
        fault.filename = f"{path}{name.removeprefix(str(beside))}"
    elif fault.filename is None and fault.errno in _FAULTS_OF_WRITING:
        fault.filename = str(path)
    if fault.filename2 == str(path):
        del fault.filename2


def _clear(folder: Path) -> None:
    """Removes what killed processes left half written in a folder.

    A process of this machine is asked whether it runs. What another machine left, or a process whose number runs again,
    goes when nothing in it has changed for a week.
    """
    for remnant in filter(None, map(_HIDDEN.fullmatch, os.listdir(folder))):
        path = folder / remnant[0]
        ended = remnant["host"] == platform.node() and not _is_running(int(remnant["process"]))
        if ended or _last_change(path) < time.time() - ABANDONED_SECONDS:
            with suppress(OSError):  # such as one of another user
                _remove(path)


def _last_change(path: Path) -> float:
    """The newest modification time in a file or folder, in seconds since the epoch; now where it is gone already."""
    try:
        return max(each.lstat().st_mtime for each in (path, *path.rglob("*")))
    except OSError:
        return time.time()


def _is_running(process: int) -> bool:
    if os.name == "posix":  # elsewhere signal 0 doesn't only ask: it ends the process
        try:
            os.kill(process, 0)
        except OSError as fault:
            return not isinstance(fault, ProcessLookupError)
    return True


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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


def write_log(path: Path, records: Iterable[Record], permissions: int = 0o666) -> None:
    """A log in the place of the one that is there, atomically; `permissions` as in `atomic`."""
    with atomic(path, "wb", permissions=permissions) as handle:
        handle.writelines(map(_log_line, records))


def append_log(path: Path, records: Iterable[Record]) -> int:
    """Adds records to a log, after cutting off a half line that a crash left at its end. Returns how many."""
    lines = list(map(_log_line, records))
    # One lock for the logs of a folder: what looks like a half line may be one that somebody is writing.
    with held(path.with_name("logs")), path.open("ab+") as handle:
        end = handle.seek(_last_line(handle))
        if rest := handle.read():
            whole = _logged(rest) is not None
            handle.truncate(end + len(rest) * whole)
            lines[:0] = [b"\n"] * whole
        handle.seek(0, os.SEEK_END)
        handle.write(b"".join(lines))
        handle.flush()
        os.fsync(handle.fileno())
    return len(lines)


def _last_line(handle: IO[bytes]) -> int:
    """The offset behind the last line end of a log, which is read from its end only as far as that."""
    end = handle.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)
        handle.seek(start)
        if (line_end := handle.read(end - start).rfind(b"\n")) >= 0:
            return start + line_end + 1
        end = start
    return 0


def read_log(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a log; none where it is missing. A half line at its end is skipped. Raises StoreError."""
    for number, line in enumerate(_log_of(path), start=1):
        yield logged_record(kind, line, path, number)


def _log_of(path: Path) -> list[bytes]:
    if not path.exists():
        return []
    with open_file(path, StoreError) as file:
        return log_lines(file.read())


def log_lines(content: bytes) -> list[bytes]:
    """The lines of a log without their ends, less a half line at its end, which a crash left or somebody is writing."""
    *lines, rest = content.split(b"\n")
    return [*lines, rest] if _logged(rest) else lines


def logged_record(kind: type[R], line: bytes, path: Path, number: int) -> R:
    """The record in a line of a log. Raises StoreError."""
    if (record := _logged(line)) is None:
        raise StoreError(f"{at(path, number)}: not as it was written: its checksum is missing or wrong")
    return _record(kind, record, path, number)


def log_faults(path: Path) -> list[int]:
    """The numbers of the lines of a log, from 1, that are not as they were written."""
    return [number for number, line in enumerate(_log_of(path), start=1) if _logged(line) is None]


def _log_line(record: Record) -> bytes:
    content = record.model_dump_json().encode()
    return b'%b,"checksum":"%b"}\n' % (content[:-1], _checksum(content))


def _logged(line: bytes) -> bytes | None:
    """The record in a line of a log as JSON; None where the line is not as it was written."""
    if (match := _LOGGED.fullmatch(line.rstrip(b"\r"))) is None:
        return None
    record = match["record"] + b"}"
    return record if _checksum(record) == match["checksum"] else None


def _checksum(record: bytes) -> bytes:
    return hashlib.sha256(record).hexdigest()[:16].encode()


def read_jsonl(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a stage file. Raises StoreError where it is missing or not as its stage wrote it.

    Where a line is not such a record, the error names it.
    """
    if not path.exists():
        raise StoreError(f"{path}: no such file{_remedy(path)}")
    manifest = read_manifest(path.parent, path.name.partition(".")[0])
    if manifest and _sha256(path) != manifest.files.get(path.name):
        raise StoreError(f"{path}: changed since it was made{_remedy(path)}")
    with open_file(path, StoreError) as handle:
        for number, line in enumerate(handle, start=1):
            yield _record(kind, line, path, number)


def read_if_there(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a stage file, none where its stage has not run. Raises StoreError as `read_jsonl` does."""
    return read_jsonl(path, kind) if path.exists() else iter(())


def _remedy(path: Path) -> str:
    """How to get a stage file back, for the end of a message: its folder has the name of its source."""
    return f"; run pairwright build {path.parent.name}" if path.parent.parent.name == "work" else ""


def _record(kind: type[R], line: str | bytes, path: Path, number: int) -> R:
    try:
        return kind.model_validate_json(line)
    except ValidationError as fault:
        raise StoreError(f"{at(path, number)}: not a {kind.__name__}: {_reason(fault)}") from None


def read_record(path: Path, kind: type[M], what: str, remedy: str, error: type[PairwrightError] = StoreError) -> M:
    """The record in a JSON file. Raises `error` where it is missing, or holds none: not `what` it should, in words."""
    try:
        return kind.model_validate_json(read_file(path, MAX_RECORD_BYTES, error))
    except ValidationError as fault:
        raise error(f"{path}: not {what}: {_reason(fault)}; {remedy}") from None


def _reason(fault: ValidationError) -> str:
    """What is wrong with a record, and in which field."""
    first = fault.errors(include_url=False)[0]
    field = ".".join(map(str, first["loc"]))
    return one_line(f"{field}: {first['msg']}" if field else first["msg"])


def file_input(path: Path) -> StageInput:
    """A stage file as the input of the next stage: its name, hash and number of lines. A missing file is empty.

    Raises StoreError where it is no ordinary file that can be read.
    """
    if not path.exists():
        return StageInput(name=path.name, sha256="")
    with open_file(path, StoreError) as handle:
        return StageInput(name=path.name, sha256=_sha256(path), count=sum(1 for _ in handle))


def _sha256(path: Path) -> str:
    """The SHA-256 of a stage file, computed once a process as long as the file stays as it is. Raises StoreError."""
    status = path.stat()
    state = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    if _hashes.get(path, (None,))[0] != state:
        sha256 = file_sha256(path, StoreError)
        if time.time_ns() - max(state[2:]) < 2 * 10**9:
            return sha256  # a file of this moment may change again within a tick of the clock
        _hashes[path] = state, sha256
    return _hashes[path][1]


def read_manifest(directory: Path, stage_name: str) -> Manifest | None:
    """The manifest of a stage; None where the stage never finished or the manifest is damaged."""
    try:
        return Manifest.model_validate_json(read_file(directory / f"{stage_name}.manifest.json", error=StoreError))
    except (StoreError, ValidationError):
        return None


def run_stage(
    directory: Path,
    stage: Stage,
    inputs: Iterable[StageInput],
    produce: Callable[[], Iterator[Record]],
    *,
    prompts: Mapping[str, str] | None = None,
    assistant: str | None = None,
) -> StageRun:
    """Runs a stage unless its files are fresh, and writes `<name>.jsonl`, `.rejected.jsonl` and `.manifest.json`.

    `produce` yields the stage's records, and `Rejection`s for what it could not turn into one. Where it raises, nothing
    is written and the earlier files stay.
    """
    path, rejected_path = directory / f"{stage.name}.jsonl", directory / f"{stage.name}.rejected.jsonl"
    decisive = (stage, tuple(inputs), dict(prompts or {}), assistant)
    earlier = read_manifest(directory, stage.name)
    if earlier and (earlier.stage, earlier.inputs, earlier.prompts, earlier.assistant) == decisive:
        files = ((directory / name, sha256) for name, sha256 in earlier.files.items())
        if all(file.exists() and _sha256(file) == sha256 for file, sha256 in files):
            return StageRun(path=path, ran=False, n_out=earlier.n_out, n_rejected=earlier.n_rejected)
    rejected: list[Rejection] = []

    def accepted() -> Iterator[Record]:
        for record in produce():
            if isinstance(record, Rejection):
                rejected.append(record)
            else:
                yield record

    run = StageRun(path=path, ran=True, n_out=write_jsonl(path, accepted()), n_rejected=len(rejected))
    write_jsonl(rejected_path, rejected)
    manifest = Manifest(
        stage=stage,
        inputs=decisive[1],
        prompts=decisive[2],
        assistant=assistant,
        files={file.name: file_sha256(file) for file in (path, rejected_path)},
        n_out=run.n_out,
        n_rejected=run.n_rejected,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    write_text(directory / f"{stage.name}.manifest.json", manifest.model_dump_json(indent=2) + "\n")
    return run


def package_versions(names: Iterable[str]) -> dict[str, str]:
    """The installed versions of packages; those that are not installed are left out."""
    return {name: version for name in names if (version := _package_version(name)) is not None}


@cache
def _package_version(name: str) -> str | None:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None
