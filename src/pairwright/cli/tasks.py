"""`pairwright tasks RELEASE`."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.core.workspace import Workspace
from pairwright.pipeline.release import find_release
from pairwright.release.again import make_tasks
from pairwright.tasks.make import REJECTED, ItemSettings
from pairwright.tasks.sentence_tasks import TextFile


def make_lines(
    workspace: Workspace, release: str, out: Path, settings: ItemSettings, texts: TextFile | None = None
) -> Iterator[str]:
    """Makes the items of a release; yields how many there are of each task. Raises ReleaseError and SourceError."""
    info = make_tasks(find_release(workspace, release), out, settings, texts)
    for task, counts in info.counts.items():
        conditions = ", ".join(f"{condition} {n}" for condition, n in counts.items() if condition) or "one condition"
        yield f"{task:<16} {sum(counts.values()):>6,}  {conditions if counts else 'the release has no material for it'}"
    with (out / REJECTED).open(encoding="utf-8") as lines:
        n_rejected = sum(1 for _ in lines)
    if n_rejected:
        yield f"rejected         {n_rejected:>6,}  {REJECTED} says why"
    yield f"items of {info.release}: {out}"
