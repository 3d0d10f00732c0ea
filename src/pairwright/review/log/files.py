"""The files of a queue, read and replaced so that nothing is lost: damaged logs, sheets that are saved meanwhile."""

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pairwright.core.errors import ReviewError, StoreError, at
from pairwright.core.files import open_file
from pairwright.core.records import Record
from pairwright.core.store import atomic, log_faults, log_lines, logged_record, read_log

R = TypeVar("R", bound=Record)

SAVED_MEANWHILE = "saved-meanwhile"
FROM_VERSION_CONTROL = "take the file back from the version control"
# Only these logs can be made whole without their lost lines: from the sheets, or at the price of repeated doubts.
_REBUILT = ("decisions.jsonl", "judgements.jsonl", "seen.jsonl", "quarantine.jsonl")
_MOVED_ASIDE = re.compile(r"\.(?P<sheet>.+)\.(?P<sha256>[0-9a-f]{64})\.aside")


def read_queue_log(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a log in a queue's folder; none if it is missing. Raises StoreError that says how to mend it."""
    try:
        yield from read_log(path, kind)
    except OSError as fault:
        raise StoreError(f"{path}: can't be read: {fault.strerror}; {FROM_VERSION_CONTROL}") from None
    except StoreError as fault:
        raise StoreError(f"{fault}; {_remedy(path)}") from None


def damaged_logs(folder: Path) -> Iterator[str]:
    """The logs of a queue that are not as they were written: the first such line, how many more, and the remedy."""
    for path in sorted(folder.glob("*.jsonl")):
        try:
            numbers = log_faults(path) if ".damaged-" not in path.name else []
        except OSError as fault:
            yield f"{path}: can't be read: {fault.strerror}; {_remedy(path)}"
            continue
        if numbers:
            more = f", nor are {len(numbers) - 1} more lines" if len(numbers) > 1 else ""
            yield f"{at(path, numbers[0])}: not as it was written{more}; {_remedy(path)}"


def _remedy(path: Path) -> str:
    if path.name in _REBUILT:
        return f"rebuild it with pairwright review import --queue {path.parent.name} --rebuild"
    # What git ignores.
    return "take it back from a backup, or delete it and begin anew" if path.name[0] == "." else FROM_VERSION_CONTROL


def set_damaged_aside(path: Path, kind: type[Record]) -> Path | None:
    """Copies a log that has unreadable lines, and leaves the readable ones. Returns the copy; None if it has none."""
    if not path.exists():
        return None
    with open_file(path, StoreError) as file:
        content = file.read()
    lines = log_lines(content)
    readable = [line for number, line in enumerate(lines, start=1) if _is_record(kind, line, path, number)]
    if len(readable) == len(lines):
        return None
    copy = _free_name(path.with_name(f"{path.stem}.damaged-{_now()}{path.suffix}"))
    with atomic(copy, "wb") as handle:
        handle.write(content)
    with atomic(path, "wb") as handle:
        handle.writelines(line + b"\n" for line in readable)
    return copy


def file_digest(content: bytes) -> str:
    """The SHA-256 of a sheet's bytes, by which a change is noticed."""
    return hashlib.sha256(content).hexdigest()


def replace_sheet(path: Path, content: bytes, sha256: str | None) -> None:
    """Writes a sheet whose content had the digest `sha256` when it was read, or None for a new sheet.

    The old sheet is moved aside before the new one takes its name, and neither step overwrites a file, so what another
    program saves at any moment is kept: as the sheet itself, or as `<reviewer>.saved-meanwhile-<time>.csv`.
    Raises ReviewError then, and OSError if the folder can't be written or a program holds the sheet open.
    """
    staged = path.with_name(f".{path.name}.staged.tmp")
    with atomic(staged, "wb") as handle:
        handle.write(content)
    try:
        if sha256 is not None:
            if file_digest(path.read_bytes()) != sha256:
                raise _saved_meanwhile(path)
            path.rename(path.with_name(f".{path.name}.{sha256}.aside"))
        _put(staged, path)
    except (FileExistsError, FileNotFoundError):
        raise _saved_meanwhile(path) from None
    finally:
        staged.unlink(missing_ok=True)
        kept = resolve_moved_aside(path.parent)
    if kept:
        raise ReviewError(f"{path}: another program saved it at the same moment; import what it saved, {kept[0]}")


def resolve_moved_aside(folder: Path) -> list[Path]:
    """Deletes sheets that were moved aside and replaced, in whichever process, unless they have changed since.

    Gives a sheet its name back if nothing replaced it. Returns where those that have changed are kept.
    """
    kept = []
    for aside in folder.glob(".*.aside"):
        match = _MOVED_ASIDE.fullmatch(aside.name)
        if match is None:
            continue
        sheet = folder / match["sheet"]
        try:
            _put(aside, sheet)
        except FileExistsError:
            if file_digest(aside.read_bytes()) != match["sha256"]:
                kept.append(_free_name(sheet.with_name(f"{sheet.stem}.{SAVED_MEANWHILE}-{_now()}{sheet.suffix}")))
                aside.rename(kept[-1])
        aside.unlink(missing_ok=True)
    return kept


def _put(source: Path, target: Path) -> None:
    """Gives a file another name that must be free; raises FileExistsError if it is not."""
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        # The file system has no hard links. Between the question and the renaming lie microseconds.
        if target.exists():
            raise FileExistsError(target) from None
        source.rename(target)


def _saved_meanwhile(path: Path) -> ReviewError:
    return ReviewError(f"{path}: another program saved it meanwhile; run the command again")


def _is_record(kind: type[Record], line: bytes, path: Path, number: int) -> bool:
    try:
        logged_record(kind, line, path, number)
    except StoreError:
        return False
    return True


def _free_name(path: Path) -> Path:
    """The path itself, or with a number before its suffix if there is such a file."""
    names = (path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not name.exists())


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
