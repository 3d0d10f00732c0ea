"""`pairwright report board`: a page of all releases of a workspace and all models that were scored on them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import ReleaseError, StoreError, counted
from pairwright.core.store import whole_folder
from pairwright.core.workspace import Workspace
from pairwright.evaluate.scoring.runs.evaluation import REJECTED, RUN, SCORES, read_table
from pairwright.languages.locale import english_instead, load_words
from pairwright.release.verify import read_release
from pairwright.reporting.data.evaluations import read_evaluations
from pairwright.reporting.render.leaderboard import board, write_leaderboard


def leaderboard_lines(workspace: Workspace, added: tuple[Path, ...], language: str | None = None) -> Iterator[str]:
    """Takes over the evaluations in some folders, writes the page, and yields lines that say what is on it.

    An evaluation whose files changed since it was made is named and left out. Raises ReleaseError where a release has
    changed or there is nothing to show, and what `_add` raises.
    """
    for folder in added:
        yield f"added      {_add(workspace, folder)}"
    code = language or workspace.config().report.language
    words, boards = load_words("report", code, workspace.root), []
    yield from (f"page       {line}" for line in english_instead(code, words))
    for path in workspace.release_folders():
        evaluations = []
        for folder in workspace.finished_evaluations(path.name):
            try:
                evaluations.append(read_table(folder))
            except StoreError as fault:
                yield f"left out   {fault}"
        if evaluations:
            boards.append(board(read_release(path), evaluations, words))
            yield f"release    {path.name}: {counted(len(evaluations), 'model')}"
            yield from (f"warning    {fault.message}" for fault in boards[-1].faults)
    if not boards:
        raise ReleaseError(f"{workspace.releases}: no release with scores; run pairwright evaluate RELEASE first")
    yield f"page       {write_leaderboard(workspace.leaderboard, boards, words)}"


def _add(workspace: Workspace, folder: Path) -> Path:
    """Copies an evaluation that was made elsewhere to those of its release, after checking it against the release.

    Raises StoreError where its files are not those of its run record, or the model has other scores there already, and
    ReleaseError where the workspace lacks the release or it has other pairs.
    """
    table, run = read_table(folder)
    releases = [read_release(path) for path in workspace.release_folders() if path.name == run.release]
    if not releases:
        raise ReleaseError(f"{folder}: scores {run.release}, which is not in {workspace.releases}; get the release")
    read_evaluations(releases[0], [(table, run)])
    target = workspace.evaluation(run.release, run.model.slug)
    if target.exists():
        if (target / RUN).is_file() and (target / RUN).read_bytes() == (folder / RUN).read_bytes():
            return target
        raise StoreError(f"{target}: has other scores of {run.model.name}; scores are not overwritten, move them away")
    with whole_folder(target) as beside:
        for name in (SCORES, REJECTED, RUN):
            shutil.copyfile(folder / name, beside / name)
    return target
