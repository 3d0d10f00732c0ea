"""`pairwright release`: pairs frozen, verified, compared and published."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.core.errors import ReleaseError, counted
from pairwright.core.records.release import ReleaseResult
from pairwright.core.workspace import Workspace
from pairwright.pipeline import release as releases
from pairwright.pipeline.context import Context
from pairwright.pipeline.evaluate import evaluate
from pairwright.pipeline.options import EvaluationOptions, Option, ReleaseOptions
from pairwright.pipeline.release import find_release
from pairwright.release import publish as publishing
from pairwright.release.consistency import verify_contents
from pairwright.release.difference import difference, next_version
from pairwright.release.papers import difference_lines
from pairwright.release.verify import read_pairs, read_release, verified


def create(
    context: Context,
    wanted: ReleaseOptions,
    *,
    score: Annotated[bool, Option("Also score the release.", "evaluate")] = False,
    models: Annotated[tuple[str, ...], Option("Model to score with --evaluate (default: embedded).", "model")] = (),
    dry_run: Annotated[bool, Option("Only list problems; the exit code is 2 if one stops the release.")] = False,
) -> ReleaseResult | None:
    """Freeze the approved pairs as a release.

    Without --source, the release has all built sources with sheets.
    """
    if dry_run:
        findings = releases.check(context, wanted)
        for finding in findings:
            context.say("preflight", str(finding))
        n_errors = sum(finding.level == "error" for finding in findings)
        counts = f"{counted(n_errors, 'error')}, {counted(len(findings) - n_errors, 'warning')}"
        if n_errors:
            raise ReleaseError(f"{wanted.name} {wanted.version}: can't be frozen ({counts})")
        context.say("dry run", f"{wanted.name} {wanted.version}: can be frozen ({counts})")
        return None
    result = releases.create(context, wanted)
    if score:
        evaluate(context, result.path.name, given=EvaluationOptions(models))
    return result


def verify(workspace: Workspace, release: str) -> Iterator[str]:
    """Check that a release is as it was frozen.

    RELEASE is its folder, or its name with its version, such as lt-cases-1.0.0. Compares files with the manifest,
    and pairs with tables.
    """
    directory = find_release(workspace, release)
    found, notes = verify_contents(directory)
    n_pairs = counted(found.info.n_pairs, "pair")
    yield f"{directory}: {found.name} {found.version}, {n_pairs}, every file as it was frozen"
    yield from notes
    yield f"sha256 of MANIFEST.sha256: {found.sha256}"


def diff(workspace: Workspace, old: str, new: str) -> Iterator[str]:
    """Show the pairs that differ between two releases.

    OLD and NEW are folders or names with their versions.
    """
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


def publish(
    workspace: Workspace,
    release: str,
    *,
    to: Annotated[
        str, Option("A folder, s3://bucket/path or another address of fsspec, or hf:owner/name.", kind="target")
    ],
    yes: Annotated[bool, Option("Send the files (default: only list them).")] = False,
) -> Iterator[str]:
    """Publish a release. Sends nothing without --yes.

    RELEASE is its folder, or its name with its version, such as lt-cases-1.0.0.
    """
    if "://" not in to and not to.startswith("hf:") and Path(to).is_file():
        raise ReleaseError(f"{to}: a file; give a folder, s3://bucket/path or hf:owner/name")
    upload = publishing.plan(find_release(workspace, release), to)
    sent, size = upload.release, sum(n_bytes for _, n_bytes in upload.files) / 1e6
    yield from upload.notes
    n_files = counted(len(upload.files), "file")
    yield f"{sent.name} {sent.version}: {n_files}, {size:.1f} MB -> {upload.destination}"
    if not yes:
        yield from (f"  {n_bytes:>12,}  {name}" for name, n_bytes in upload.files)
        yield "a dry run: nothing was sent; add --yes to publish"
        return
    yield f"published at {publishing.publish(upload)}; sha256 of MANIFEST.sha256: {sent.sha256}"
