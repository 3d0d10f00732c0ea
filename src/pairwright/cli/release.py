"""`pairwright release verify | diff | publish`: what is told of frozen releases."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import ReleaseError
from pairwright.release.changelog import difference_lines
from pairwright.release.consistency import verify_contents
from pairwright.release.difference import difference, next_version
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_pairs, read_release, verified


def verify_lines(directory: Path) -> Iterator[str]:
    """Checks every file and every pair of a release. Raises ReleaseError with the file and the reason."""
    found = verify_contents(directory)
    yield f"{directory}: {found.name} {found.version}, {found.info.n_pairs} pairs, every file as it was frozen"
    yield f"sha256 of MANIFEST.sha256: {found.sha256}"


def diff_lines(old: Path, new: Path) -> Iterator[str]:
    """The pairs that were added, withdrawn or changed between two releases, and the version that follows from it."""
    before, after = verified(old), read_release(new)
    change = difference(before.info, read_pairs(old), after.info, after.pairs)
    yield from difference_lines(change)
    changed = len(change.reworded) + len(change.turned) + len(change.described)
    yield (
        f"{before.name} {before.version} -> {after.name} {after.version}: {len(change.added)} added, "
        f"{len(change.removed)} withdrawn, {changed} changed"
    )
    following = next_version(before.version, change.step)
    yield f"a {change.step} version ({'; '.join(change.reasons()[:3])}): after {before.version} comes {following}"


def publish_lines(directory: Path, to: str, send: bool) -> Iterator[str]:
    """What is sent where; it is sent only where `send` says so. Raises ReleaseError."""
    if "://" not in to and not to.startswith("hf:") and Path(to).is_file():
        raise ReleaseError(f"{to}: a file; give a folder, s3://bucket/path or hf:owner/name")
    upload = plan(directory, to)
    found = upload.release
    yield f"{found.name} {found.version}: {len(upload.files)} files, {upload.size / 1e6:.1f} MB -> {upload.destination}"
    if not send:
        for name, size in upload.files:
            yield f"  {size:>12,}  {name}"
        yield "a dry run: nothing was sent; add --yes to publish"
        return
    sent: list[str] = []
    address = publish(upload, sent.append)
    yield f"published at {address}; sha256 of MANIFEST.sha256: {found.sha256}"
