"""Reads releases, after checking that their bytes are those that were frozen; `consistency` checks what they say.

MANIFEST.sha256 lists every file, in the format of `sha256sum`. Python keeps compiled copies of the two small programs
in a release, for lm-evaluation-harness and EuroEval, in folders `__pycache__`; these are no part of the release.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError

from pairwright.errors import ReleaseError, StoreError, at
from pairwright.ids import file_sha256
from pairwright.records import Record
from pairwright.records.release import FrozenRelease, Release, ReleaseInfo, ReleasePair
from pairwright.store import read_jsonl

R = TypeVar("R", bound=Record)

MANIFEST = "MANIFEST.sha256"
PAIRS = "pairs.jsonl"
RULES = "rules.jsonl"
EXCLUDED = "excluded.jsonl"
ORIGINS = "provenance.jsonl"
INFO = "release.json"

MANIFEST_LINE = re.compile(r"([0-9a-f]{64}) [ *]([^\\]+)")
REMEDY = "get the release again from where it was published"


def verify_files(directory: Path) -> None:
    """Compares every file of a release with its manifest.

    Raises ReleaseError that names the first file that has changed, is missing, is not in the manifest or is a link,
    and the line of the manifest that leads out of the directory or can't be read.
    """
    if not directory.is_dir():
        raise ReleaseError(f"{directory}: no such release; give the directory that holds {MANIFEST}")
    listed = _read_manifest(directory / MANIFEST)
    present = {path.relative_to(directory).as_posix(): path for path in sorted(directory.rglob("*"))}
    for name, path in present.items():
        if path.is_symlink():
            raise ReleaseError(f"{path}: a link, which a release never holds; {REMEDY}")
        if not path.is_dir() and name != MANIFEST and name not in listed and not _is_compiled(path, listed, directory):
            raise ReleaseError(f"{path}: not in {MANIFEST}; take it out of the release")
    for name, expected in listed.items():
        path = directory / name
        if name not in present or not path.is_file():
            raise ReleaseError(f"{path}: missing, but listed in {MANIFEST}; {REMEDY}")
        if file_sha256(path) != expected:
            raise ReleaseError(f"{path}: changed since the release was frozen; {REMEDY}")


def _is_compiled(path: Path, listed: dict[str, str], directory: Path) -> bool:
    """Whether a file is Python's compiled copy of a program of the release."""
    if path.parent.name != "__pycache__" or path.suffix != ".pyc":
        return False
    return (path.parent.parent / f"{path.name.split('.')[0]}.py").relative_to(directory).as_posix() in listed


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
        info = ReleaseInfo.model_validate_json(path.read_bytes())
    except ValidationError as fault:
        reason = fault.errors(include_url=False)[0]["msg"]
        raise ReleaseError(f"{path}: not the description of a release: {reason}; {REMEDY}") from None
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


def _read_manifest(manifest: Path) -> dict[str, str]:
    """SHA-256 by path. Refuses paths that lead out of the release or come twice, and a list without its main files."""
    try:
        text = manifest.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReleaseError(f"{manifest}: missing, so this is no release or a damaged one; {REMEDY}") from None
    except (UnicodeDecodeError, IsADirectoryError):
        raise ReleaseError(f"{manifest}: not a text file; {REMEDY}") from None
    listed: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        match = MANIFEST_LINE.fullmatch(line)
        if match is None:
            raise ReleaseError(f"{at(manifest, number)}: not '<sha256>  <file>'; {REMEDY}")
        sha256, name = match.groups()
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or PurePosixPath(name).as_posix() != name or name == MANIFEST:
            raise ReleaseError(f"{at(manifest, number)}: '{name}' is no file inside the release; {REMEDY}")
        if name in listed:
            raise ReleaseError(f"{at(manifest, number)}: '{name}' is listed twice; {REMEDY}")
        listed[name] = sha256
    for name in (PAIRS, INFO):
        if name not in listed:
            raise ReleaseError(f"{manifest}: {name} is not listed, so the release is not whole; {REMEDY}")
    return listed
