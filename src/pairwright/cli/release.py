"""`pairwright release create --dry-run | verify | diff | publish`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pairwright.core.errors import ReleaseError, counted
from pairwright.core.workspace import Workspace
from pairwright.pipeline.context import Context
from pairwright.pipeline.release import check, find_release
from pairwright.release.changelog import difference_lines
from pairwright.release.consistency import verify_contents
from pairwright.release.difference import difference, next_version
from pairwright.release.publish import plan, publish
from pairwright.release.verify import read_pairs, read_release, verified


def check_lines(context: Context, name: str, version: str, **options: Any) -> Iterator[str]:
    """The findings on a release that is not frozen yet, a line each, and a last one with their number.

    options  those of `pairwright.pipeline.release.check`

    Ends the command with exit code 2 where an error would stop the release.
    """
    findings = check(context, name, version, **options)
    n_errors = sum(finding.level == "error" for finding in findings)
    state = "can't be frozen" if n_errors else "can be frozen"
    n_warnings = len(findings) - n_errors
    counts = f"{counted(n_errors, 'error')}, {counted(n_warnings, 'warning')}"
    yield from map(str, findings)
    yield f"{name} {version}: {state} ({counts})"
    if n_errors:
        sys.exit(2)


def verify_lines(workspace: Workspace, name: str) -> Iterator[str]:
    """Checks every file and every pair of a release. Raises ReleaseError with the file and the reason."""
    directory = find_release(workspace, name)
    release, notes = verify_contents(directory)
    n_pairs = counted(release.info.n_pairs, "pair")
    yield f"{directory}: {release.name} {release.version}, {n_pairs}, every file as it was frozen"
    yield from notes
    yield f"sha256 of MANIFEST.sha256: {release.sha256}"


def diff_lines(workspace: Workspace, old: str, new: str) -> Iterator[str]:
    """The pairs that were added, withdrawn or changed between two releases, and the version that has to follow."""
    frozen = find_release(workspace, old)
    before, after = verified(frozen), read_release(find_release(workspace, new))
    change = difference(before.info, read_pairs(frozen), after.info, after.pairs)
    yield from difference_lines(change)
    changed = len(change.reworded) + len(change.turned) + len(change.described)
    yield (
        f"{before.name} {before.version} -> {after.name} {after.version}: {len(change.added)} added, "
        f"{len(change.removed)} withdrawn, {changed} changed"
    )
    following = next_version(before.version, change.step)
    yield f"a {change.step} version ({'; '.join(change.reasons()[:3])}): after {before.version} comes {following}"


def publish_lines(workspace: Workspace, name: str, to: str, send: bool) -> Iterator[str]:
    """Says what goes where, and sends it only if `send` is true. Raises ReleaseError."""
    if "://" not in to and not to.startswith("hf:") and Path(to).is_file():
        raise ReleaseError(f"{to}: a file; give a folder, s3://bucket/path or hf:owner/name")
    upload = plan(find_release(workspace, name), to)
    release, size = upload.release, sum(n_bytes for _, n_bytes in upload.files) / 1e6
    yield from upload.notes
    n_files = counted(len(upload.files), "file")
    yield f"{release.name} {release.version}: {n_files}, {size:.1f} MB -> {upload.destination}"
    if not send:
        yield from (f"  {n_bytes:>12,}  {name}" for name, n_bytes in upload.files)
        yield "a dry run: nothing was sent; add --yes to publish"
        return
    yield f"published at {publish(upload)}; sha256 of MANIFEST.sha256: {release.sha256}"
