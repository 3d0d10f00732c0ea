"""`pairwright report`: two reports compared, and a page of all releases with the models that were scored on them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.core.errors import ReleaseError, StoreError, counted
from pairwright.core.store import whole_folder
from pairwright.core.workspace import Workspace
from pairwright.evaluate.scoring.runs.evaluation import REJECTED, RUN, SCORES, read_table
from pairwright.languages.locale import english_instead, load_words
from pairwright.pipeline.options import Option, PageLanguage
from pairwright.release.verify import read_release
from pairwright.reporting.data import read_evaluations
from pairwright.reporting.render.page import board as board_of
from pairwright.reporting.render.page import compare_reports, read_summary, write_leaderboard

# Of the pairs that a model judges otherwise than before.
_MOST_SHOWN = 5


def compare(first: Path, second: Path) -> Iterator[str]:
    """Compare two reports.

    Shows what changed: models, accuracies, and pairs that a model now gets right or wrong.
    """
    reports = read_summary(first), read_summary(second)
    found, releases = compare_reports(*reports), [f"{it.release} {it.version}".strip() for it in reports]
    if not found.shared and found.tasks.empty:
        sizes = zip((found.only_first, found.only_second), releases, strict=True)
        counts = ", ".join(f"{counted(n, 'pair')} in {release}" for n, release in sizes)
        again = "pairwright evaluate RELEASE --model MODEL"
        raise ReleaseError(f"{first} and {second}: no pair is in both ({counts}); score the same release: {again}")
    same = "the same release" if reports[0].release_sha256 == reports[1].release_sha256 else "different releases"
    yield f"{'reports':<10} {releases[0]} and {releases[1]}, {same}"
    yield (
        f"{'pairs':<10} {found.shared} in both, {found.only_first} in the first alone, "
        f"{found.only_second} in the second alone"
    )
    for label, own, other in (("the first", *reports), ("the second", *reports[::-1])):
        if alone := [model for model in own.runs if model not in other.runs]:
            yield f"{'models':<10} in {label} alone: {', '.join(alone)}"
    for row in found.models.to_dict("records"):
        start = f"{row['measure']:<10} {row['model']}:"
        if not row["n"]:
            yield f"{start} no pair was scored in both"
            continue
        line = f"{start} {row['before']:.3f} -> {row['after']:.3f} on {counted(row['n'], 'pair')}"
        if row["tested"]:
            p = f"p {row['p']:.3f}, McNemar p {row['p_mcnemar']:.3f}"
            yield f"{line} ({row['only_a']:.0f} better, {row['only_b']:.0f} worse, {p})"
        else:
            yield f"{line}; scored under another policy or number format, so the two do not compare"
        if changed := row["changed"]:
            more = f" and {len(changed) - _MOST_SHOWN} more" if len(changed) > _MOST_SHOWN else ""
            yield f"{'':<10} judged otherwise: {', '.join(changed[:_MOST_SHOWN])}{more}"
    for row in found.tasks.to_dict("records"):
        policy = "" if row["same_way"] else "; about other items or asked otherwise, so the two do not compare"
        yield (
            f"{'tasks':<10} {row['model']}, {row['column']}: {row['before']:.3f} -> {row['after']:.3f} "
            f"({row['n_before']:,} and {counted(row['n_after'], 'answer')}, no test){policy}"
        )
    if found.models.empty and found.tasks.empty:
        yield f"{'models':<10} none is in both reports; next: pairwright evaluate RELEASE --model MODEL"


def board(
    workspace: Workspace,
    *,
    added: Annotated[
        tuple[Path, ...],
        Option("Folder of a model scored elsewhere: run.json, scores.parquet, scores.rejected.jsonl.", "add"),
    ] = (),
    page_language: PageLanguage = None,
) -> Iterator[str]:
    """Write a leaderboard of all releases and models.

    Checks the scores against their release.
    """
    for folder in added:
        yield f"added      {_add(workspace, folder)}"
    code = page_language or workspace.config().report.language
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
            boards.append(board_of(read_release(path), evaluations, words))
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
