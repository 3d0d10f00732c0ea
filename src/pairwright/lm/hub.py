"""Models of the Hugging Face hub: fetched where there is room, named in one line where they can't be, let go again."""

import shutil
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from pairwright.errors import ModelError
from pairwright.lm.hf_errors import one_line


def fetch(name: str, revision: str | None, patterns: Sequence[str]) -> Path:
    """The folder of a hub model, from the cache or the network; its name is the commit. Raises ModelError."""
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    try:
        _require_room(name, revision, patterns)
        found = huggingface_hub.snapshot_download(
            name, revision=revision, allow_patterns=list(patterns), ignore_patterns=["*/*", "consolidated*"]
        )
    except ModelError:
        raise
    except HFValidationError:
        raise ModelError(f"{name}: no such directory, and not a hub id; give a local directory") from None
    # The errors of the network are those of requests, httpx or httpx2, by the version of huggingface_hub.
    except Exception as fault:
        raise ModelError(
            f"{name}: not on this machine, and the hub can't give it ({_reason(fault)}); "
            "give a local directory, or download it where there is network"
        ) from None
    return Path(found)


def forget(name: str, revision: str) -> None:
    """Takes a commit of a model out of the hub's cache, to make room for the next one."""
    import huggingface_hub

    cache = huggingface_hub.scan_cache_dir(cache_folder())
    commits = [
        commit.commit_hash
        for repository in cache.repos
        if repository.repo_id == name
        for commit in repository.revisions
        if commit.commit_hash == revision
    ]
    cache.delete_revisions(*commits).execute()


def is_cached(name: str, revision: str | None) -> bool:
    """Whether the cache holds a model already."""
    import huggingface_hub

    found = huggingface_hub.try_to_load_from_cache(name, "config.json", cache_dir=cache_folder(), revision=revision)
    return isinstance(found, str)


def cache_folder() -> Path:
    """Where the hub's library keeps what it downloads."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _require_room(name: str, revision: str | None, patterns: Sequence[str]) -> None:
    """Raises ModelError where the hub says that a model is larger than the disk has room; else says nothing."""
    import huggingface_hub
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or is_cached(name, revision):
        return
    try:
        files = huggingface_hub.HfApi().model_info(name, revision=revision, files_metadata=True).siblings or []
    except Exception:  # whatever it is, the download that follows meets it too and names it
        return
    needed = sum(file.size or 0 for file in files if any(fnmatch(file.rfilename, pattern) for pattern in patterns))
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    if needed > free:
        raise ModelError(
            f"{name}: needs {needed / 1e9:.1f} GB, and {cache} has {free / 1e9:.1f} GB free; make room, or set HF_HOME"
        )


def _reason(fault: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

    if isinstance(fault, GatedRepoError):
        return "gated: accept its licence on the hub and log in"
    if isinstance(fault, RepositoryNotFoundError):
        return "no such model, or private"
    if isinstance(fault, LocalEntryNotFoundError):
        return "no network"
    return one_line(fault)
