"""Publishes a release: to a folder, a bucket or the Hugging Face Hub.

The manifest goes last, so that nobody takes what a broken upload leaves for a release; the next upload goes on from it.
"""

import glob
import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pairwright.core.errors import ReleaseError, one_line
from pairwright.core.records.release import FrozenRelease
from pairwright.release.consistency import verify_contents
from pairwright.release.verify import MANIFEST, read_manifest

HUB = "hf:"


@dataclass(frozen=True)
class Upload:
    """What is sent where: the files by their path inside the release, with their sizes in bytes, the manifest last.

    notes  what was compared less closely when the release was verified
    """

    release: FrozenRelease
    destination: str
    files: tuple[tuple[str, int], ...]
    notes: tuple[str, ...] = ()


def plan(directory: Path, to: str) -> Upload:
    """What `publish` would do, after checking the release. Raises ReleaseError as `verify_contents` does.

    `to` is a folder, an address that fsspec knows such as `s3://bucket/path`, or `hf:owner/name`, a dataset on the Hub.
    """
    release, notes = verify_contents(directory)
    files = tuple(
        (name, (directory / name).stat().st_size) for name in (*read_manifest(directory / MANIFEST), MANIFEST)
    )
    if to.startswith(HUB) and not re.fullmatch(rf"{HUB}[\w.-]+/[\w.-]+", to):
        raise ReleaseError(f"{to}: give the dataset on the Hub as hf:owner/name")
    if "memory://" in to:
        raise ReleaseError(f"{to}: nothing is kept there when the command ends; give a folder, a bucket or the Hub")
    destination = to if to.startswith(HUB) else f"{to.rstrip('/')}/{release.name}-{release.version}"
    return Upload(release=release, destination=destination, files=files, notes=notes)


def publish(upload: Upload, progress: Callable[[str], None] = lambda _: None) -> str:
    """Sends the files and returns the address of the release. `progress` gets the name of each file that is sent.

    Files that are there already with the same bytes are not sent again. Raises ReleaseError where another release of
    this version is there, where a package or a key for the place is missing, and where sending fails.
    """
    if upload.destination.startswith(HUB):
        return _to_hub(upload)
    try:
        return _to_file_system(upload, progress)
    except ImportError as fault:
        # fsspec says which package is missing in words of its own, above Python's error.
        package = fault.name or getattr(fault.__cause__, "name", None) or fault
        raise ReleaseError(f"{upload.destination}: this needs another package: {package}") from None
    except ReleaseError:
        raise
    except ValueError as fault:
        raise ReleaseError(f"{upload.destination}: {fault}") from None
    # The errors of the network are those of each file system's own library, such as botocore for s3.
    except Exception as fault:
        reason = (isinstance(fault, OSError) and fault.strerror) or one_line(fault)
        raise ReleaseError(f"{upload.destination}: can't be written: {reason}; run it again to go on") from None


def _to_file_system(upload: Upload, progress: Callable[[str], None]) -> str:
    import fsspec

    place, root = fsspec.core.url_to_fs(upload.destination)
    if place.isfile(root):
        raise ReleaseError(f"{upload.destination}: a file; take it away or publish elsewhere")
    # A version that is published never changes: its manifest is this one's, or it isn't there yet.
    manifest = f"{root}/{MANIFEST}"
    if place.isfile(manifest) and place.cat_file(manifest) != (upload.release.path / MANIFEST).read_bytes():
        raise ReleaseError(
            f"{upload.destination}: another release of this version is published there; raise the version"
        )
    if place.exists(root):
        _refuse_other_files(place, root, upload)
    # The path of an object store begins with the bucket, which making folders would make, too, misspelt or not.
    bucket = root.split("/")[0]
    if bucket and not place.exists(bucket):
        raise ReleaseError(f"{upload.destination}: there is no bucket {bucket}, or this key may not see it")
    for name, size in upload.files:
        source, target = upload.release.path / name, f"{root}/{name}"
        if place.exists(target) and place.size(target) == size and place.cat_file(target) == source.read_bytes():
            continue
        place.makedirs(posixpath.dirname(target), exist_ok=True)
        place.put_file(str(source), target)
        progress(name)
    for name, _ in upload.files:
        if place.cat_file(f"{root}/{name}") != (upload.release.path / name).read_bytes():
            raise ReleaseError(f"{upload.destination}/{name}: not what was sent; run it again")
    return upload.destination


def _refuse_other_files(place: Any, root: str, upload: Upload) -> None:
    """Raises ReleaseError for what is not of the release, for a link, which leads elsewhere, and for a pipe."""
    listed = {name for name, _ in upload.files}
    for path, status in sorted(place.find(root, withdirs=True, detail=True).items()):
        name = path.split(f"{root.rstrip('/')}/", 1)[-1]
        kind = status["type"]
        if status.get("islink") or kind not in ("file", "directory"):
            raise ReleaseError(f"{upload.destination}/{name}: a link or no plain file; take it away first")
        if kind == "file" and name not in listed:
            raise ReleaseError(f"{upload.destination}/{name}: not of this release; take it away first")


def _outdated(api: Any, repository: str, upload: Upload) -> list[str]:
    """The files that the manifest of the version before lists and this one lacks; nothing else is ever deleted."""
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RevisionNotFoundError

    with TemporaryDirectory(prefix="pairwright-") as folder:
        try:
            manifest = api.hf_hub_download(repository, MANIFEST, repo_type="dataset", local_dir=folder)
            listed = read_manifest(Path(manifest))
        except LocalEntryNotFoundError as fault:
            raise fault.__cause__ or fault from None
        except (EntryNotFoundError, RevisionNotFoundError, ReleaseError):
            return []
    escaped = (glob.escape(name) for name in listed.keys() - {name for name, _ in upload.files})
    return sorted(escaped)


def _to_hub(upload: Upload) -> str:
    """One commit on the Hub with the version as its tag; the token comes from the environment or `hf auth login`."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import LocalTokenNotFoundError

    api = HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
    repository, release = upload.destination.removeprefix(HUB), upload.release
    tag = f"v{release.version}"
    try:
        api.create_repo(repository, repo_type="dataset", exist_ok=True)
        if tag in {ref.name for ref in api.list_repo_refs(repository, repo_type="dataset").tags}:
            raise ReleaseError(f"{upload.destination}: {tag} is published there already; raise the version")
        api.upload_folder(
            repo_id=repository,
            repo_type="dataset",
            folder_path=release.path,
            commit_message=f"{release.name} {release.version}",
            delete_patterns=_outdated(api, repository, upload),
        )
        api.create_tag(repository, repo_type="dataset", tag=tag, tag_message=f"manifest {release.sha256}")
    except LocalTokenNotFoundError:
        raise ReleaseError(f"{upload.destination}: no key for the Hub; set HF_TOKEN or run hf auth login") from None
    except ReleaseError:
        raise
    # The errors of the network are those of requests, httpx or httpx2, by the version of huggingface_hub.
    except Exception as fault:
        raise ReleaseError(f"{upload.destination}: the Hub refused or can't be reached: {one_line(fault)}") from None
    return f"https://huggingface.co/datasets/{repository}/tree/{tag}"
