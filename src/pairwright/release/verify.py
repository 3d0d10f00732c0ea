"""Reads releases, after checking that their bytes are those that were frozen; `consistency` checks what they say.

MANIFEST.sha256 lists every file, in the format of `sha256sum`, and nothing else may lie in a release: programs load the
Python of the exports, so that a file which nobody checked could run.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError

from pairwright.core.errors import ReleaseError, StoreError, at, one_line
from pairwright.core.files import read_file
from pairwright.core.ids import file_sha256
from pairwright.core.records import Record
from pairwright.core.records.items import Item
from pairwright.core.records.release import FORMAT, RESERVED, FrozenRelease, Release, ReleaseInfo, ReleasePair
from pairwright.core.store import MAX_RECORD_BYTES, read_jsonl

R = TypeVar("R", bound=Record)

MANIFEST = "MANIFEST.sha256"
PAIRS = "pairs.jsonl"
RULES = "rules.jsonl"
EXCLUDED = "excluded.jsonl"
ORIGINS = "provenance.jsonl"
GLOSSES = "glosses.jsonl"
MATRICES = "tasks/matrix.jsonl"
LOTS = "lots.jsonl"
INFO = "release.json"
CHANGES = "CHANGELOG.md"

MANIFEST_LINE = re.compile(r"([0-9a-f]{64})  ([^\\]+)")
# Plain names, which mean the same file on every system: no case of Unicode, no end that Windows takes away.
PLAIN_NAME = re.compile(r"\.?[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*", re.ASCII)
COMPILED = "__pycache__"
REMEDY = "get the release again from where it was published"


def verify_files(directory: Path) -> None:
    """Compares every file of a release with its manifest.

    Raises ReleaseError that names the first thing that has changed, is missing, is not in the manifest or is no plain
    file, such as a link or a pipe; and the line of the manifest that leads out of the directory or can't be read.
    """
    if not directory.is_dir():
        raise ReleaseError(f"{directory}: no such release; give the directory that holds {MANIFEST}")
    try:
        present = dict(_files_below(directory))
    except OSError as fault:
        raise ReleaseError(f"{fault.filename or directory}: can't be read: {fault.strerror}; {REMEDY}") from None
    listed = read_manifest(directory / MANIFEST)
    files = {*listed, MANIFEST}
    folders = {parent.as_posix() for name in listed for parent in PurePosixPath(name).parents}
    # Files first: what lies in a stray folder says more than the folder.
    for name, is_folder in sorted(present.items(), key=itemgetter(1)):
        if name in (folders if is_folder else files):
            continue
        path = directory / name
        if COMPILED in path.parts or path.suffix == ".pyc":
            folder = next((parent for parent in path.parents if parent.name == COMPILED), path)
            raise ReleaseError(
                f"{path}: compiled by Python, not in {MANIFEST}, and would run unchecked; delete {folder}, and set "
                "PYTHONDONTWRITEBYTECODE=1 for the program that left it"
            )
        empty = "an empty folder, " if is_folder else ""
        raise ReleaseError(f"{path}: {empty}not in {MANIFEST}; take it out of the release")
    for name, expected in listed.items():
        path = directory / name
        if present.get(name, True):
            raise ReleaseError(f"{path}: missing, but listed in {MANIFEST}; {REMEDY}")
        if file_sha256(path, ReleaseError) != expected:
            raise ReleaseError(f"{path}: changed since the release was frozen; {REMEDY}")


def _files_below(directory: Path, prefix: str = "") -> Iterator[tuple[str, bool]]:
    """Everything below a directory by its path in the release, and whether it is a folder.

    Raises ReleaseError for what is neither a folder nor a plain file, and OSError where a folder can't be read.
    """
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        path, name = Path(entry.path), f"{prefix}{entry.name}"
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise ReleaseError(f"{path}: a link, which a release never holds; {REMEDY}")
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise ReleaseError(f"{path}: a pipe, socket or device, which a release never holds; {REMEDY}")
        yield name, stat.S_ISDIR(mode)
        if stat.S_ISDIR(mode):
            yield from _files_below(path, f"{name}/")


def read_release(directory: Path) -> Release:
    """A release with its pairs, after verifying it. Raises ReleaseError as `verified` and `read_pairs` do."""
    return with_pairs(verified(directory))


def with_pairs(release: FrozenRelease) -> Release:
    """A verified release with its pairs. Raises ReleaseError as `read_pairs` does."""
    return Release(**dict(release), pairs=tuple(read_pairs(release.path)))


def verified(directory: Path) -> FrozenRelease:
    """A release without its pairs. Raises ReleaseError as `verify_files` does, and where release.json can't be read."""
    verify_files(directory)
    path = directory / INFO
    try:
        info = ReleaseInfo.model_validate_json(read_file(path, MAX_RECORD_BYTES, ReleaseError))
    except ValidationError as fault:
        error = fault.errors(include_url=False)[0]
        if error["loc"] == ("format",):
            raise ReleaseError(
                f"{path}: format {one_line(error['input'], 20)}, and this version of pairwright reads format {FORMAT}; "
                "take the version that froze it, or freeze it again"
            ) from None
        field = ".".join(map(str, error["loc"]))
        raise ReleaseError(f"{path}: not the description of a release: {field}: {error['msg']}; {REMEDY}") from None
    if not info.version:
        raise ReleaseError(f"{path}: no version, so this is no release; {REMEDY}")
    return FrozenRelease(path=directory, sha256=file_sha256(directory / MANIFEST), info=info)


def read_pairs(directory: Path) -> Iterator[ReleasePair]:
    """The pairs of a release one by one, in order. Raises ReleaseError with the line that is no pair."""
    return read_records(directory / PAIRS, ReleasePair)


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a file of a release. Raises ReleaseError with the line that is no such record."""
    try:
        yield from read_jsonl(path, kind)
    except StoreError as fault:
        raise ReleaseError(f"{fault}; {REMEDY}") from None


def read_matrices(directory: Path) -> Iterator[Item]:
    """The problems of matrices of a release, none where it was frozen without. Raises ReleaseError."""
    path = directory / MATRICES
    return read_records(path, Item) if path.exists() else iter(())


def read_manifest(manifest: Path) -> dict[str, str]:
    """SHA-256 by path. Refuses whatever `manifest_text` would not write, and a list without the main files."""
    if not manifest.exists():
        raise ReleaseError(f"{manifest}: missing, so this is no release or a damaged one; {REMEDY}")
    try:
        text = read_file(manifest, MAX_RECORD_BYTES, ReleaseError).decode()
    except UnicodeDecodeError:
        raise ReleaseError(f"{manifest}: not a text file; {REMEDY}") from None
    listed: dict[str, str] = {}
    same_on_some_systems: dict[str, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        match = MANIFEST_LINE.fullmatch(line)
        if match is None:
            raise ReleaseError(f"{at(manifest, number)}: not '<sha256>  <file>'; {REMEDY}")
        sha256, name = match.groups()
        parts = name.split("/")
        reserved = any(part.split(".")[0].lower() in RESERVED for part in parts)
        if name == MANIFEST or reserved or not all(map(PLAIN_NAME.fullmatch, parts)):
            raise ReleaseError(f"{at(manifest, number)}: '{name}' is no file inside the release; {REMEDY}")
        other = same_on_some_systems.setdefault(name.lower(), name)
        if name in listed or other != name:
            double = "is listed twice" if name in listed else f"differs from '{other}' by case alone"
            raise ReleaseError(f"{at(manifest, number)}: '{name}' {double}; {REMEDY}")
        listed[name] = sha256
    for name in (PAIRS, INFO):
        if name not in listed:
            raise ReleaseError(f"{manifest}: {name} is not listed, so the release is not whole; {REMEDY}")
    if text != manifest_text(listed):
        raise ReleaseError(f"{manifest}: not in the order of its files' names, or its last line has no end; {REMEDY}")
    return listed


def manifest_text(files: Mapping[str, str]) -> str:
    """MANIFEST.sha256 for the SHA-256 of files by their path: what `sha256sum --check` reads, in the files' order."""
    return "".join(f"{files[name]}  {name}\n" for name in sorted(files))
