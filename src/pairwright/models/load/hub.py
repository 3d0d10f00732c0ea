"""Models of the Hugging Face hub: downloaded, and deleted again on request."""

from collections.abc import Sequence
from pathlib import Path

from pairwright.core.errors import UnknownModel, nearest, one_line


def download(name: str, revision: str | None, patterns: Sequence[str]) -> Path:
    """The folder of a hub model, from the cache or the network; its name is the commit.

    Raises UnknownModel where neither gives it.
    """
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    near = nearest(name, ("embedded",))
    try:
        folder = huggingface_hub.snapshot_download(
            name, revision=revision, allow_patterns=list(patterns), ignore_patterns=["*/*", "consolidated*"]
        )
    except HFValidationError:
        raise UnknownModel(f"{name}: no such directory, and not a hub id; give a local directory{near}") from None
    # The network's errors are those of requests, httpx or httpx2, by the version of huggingface_hub.
    except Exception as error:
        raise UnknownModel(
            f"{name}: not on this machine, and the hub can't give it ({_reason(error)}); "
            f"give a local directory, or download it where there is network{near}"
        ) from None
    return Path(folder)


def delete(name: str, revision: str) -> None:
    """Deletes a commit of a model from the hub's cache."""
    import huggingface_hub

    cache = huggingface_hub.scan_cache_dir(_cache_folder())
    commits = {commit.commit_hash for model in cache.repos if model.repo_id == name for commit in model.revisions}
    cache.delete_revisions(*commits & {revision}).execute()


def cached_commit(name: str, revision: str | None) -> str | None:
    """The commit of a model that the cache holds; None where it holds none, or this is no name of a model."""
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    folder = _cache_folder()
    try:
        config = huggingface_hub.try_to_load_from_cache(name, "config.json", cache_dir=folder, revision=revision)
    except HFValidationError:
        return None
    return Path(config).parent.name if isinstance(config, str) else None


def _cache_folder() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _reason(error: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return "gated: accept its licence on the hub and log in"
    if isinstance(error, RepositoryNotFoundError):
        return "no such model, or private"
    return "no network" if isinstance(error, LocalEntryNotFoundError) else one_line(error)
