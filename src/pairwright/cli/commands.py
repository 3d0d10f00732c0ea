"""The commands that look, score, check and set up. Each imports what it needs when it runs."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pairwright.cli.command import Column, Language, PageLanguage, Password
from pairwright.core.errors import ConfigError, ReleaseError, at, counted
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

# Of the pairs that a model judges otherwise than before.
_MOST_SHOWN = 5

Folder = Annotated[Path, Option(kind="folder")]


def init(
    directory: Folder,
    *,
    language: Annotated[
        str | None, Option("Language to work on, such as lt; if you leave it out, a terminal asks.", kind="language")
    ] = None,
    votes: Annotated[
        int | None, Option("Approvals that a pair needs (default: 2; a terminal asks).", least=1, most=20)
    ] = None,
    sample: Annotated[bool, Option("Add the sample sources and their filled-in sheets.")] = False,
) -> Iterator[str]:
    """Make a workspace for a language.

    A workspace is a folder for sources, annotations, flows, prompts and output.
    """
    from pairwright.cli.init import asked_language, asked_votes, make_workspace, what_is_there

    if Workspace(directory).config_file.exists():
        return what_is_there(Workspace(directory), language, sample=sample)
    language = language or asked_language(directory)
    # The sample has its own reviewers.
    votes = votes or (2 if sample else asked_votes())
    return make_workspace(directory, language, sample=sample, votes=votes)


def doctor(workspace: Workspace) -> Iterator[str]:
    """Show what is installed, what is missing, and what to do.

    Lists programs, models and dictionaries, and what this workspace lacks.
    """
    from pairwright.cli.inspect.doctor import doctor_lines

    return doctor_lines(workspace)


def docs(*, path: Annotated[bool, Option("Only print its path.")] = False) -> Iterator[str]:
    """Open the documentation in the browser.

    In a clone, opens the site with search if `make docs` has built it, otherwise plain pages. Needs no network.
    """
    from pairwright.cli.docs import open_docs

    return open_docs(browser=not path)


def status(workspace: Workspace, queue: Annotated[tuple[str, ...], Option()] = ()) -> Iterator[str]:
    """Show what is done and what to do next.

    Lists sources, queues, releases and scores. For a QUEUE, shows what is done and left, by reviewer and by rule.
    """
    from pairwright.cli.inspect.status import source_lines, status_lines

    if queue:
        from pairwright.cli.review import lines
        from pairwright.review.log.queue import QueueFolder
        from pairwright.review.results.status import queue_status

        for name in queue:
            if (workspace.sources / name).is_dir() and not QueueFolder(workspace.annotations, name).find_info():
                yield from source_lines(workspace, name)
            else:
                yield from lines.status_lines(queue_status(lines.queue_context(workspace, name)))
        return
    yield from status_lines(workspace)


def trace(workspace: Workspace, pair_id: str) -> Iterator[str]:
    """Trace a pair back to its source.

    Shows its scores, votes, findings, rule, and the line or page of the document with its hash.
    """
    from pairwright.cli.inspect.trace import trace_lines

    return trace_lines(workspace, pair_id)


def show(
    workspace: Workspace,
    what: str,
    *,
    pages: Annotated[str | None, Option("Show these pages, such as 10-14,20, and what was read there.")] = None,
    html: Annotated[bool, Option("Write the rules as a page, with quotations, places and pairs.")] = False,
    source: Annotated[str | None, Option("Source of the block, if two sources have it.")] = None,
    file: Annotated[str | None, Option("File of the source, if it has several.")] = None,
    out: Annotated[Path | None, Option("File or folder to write (default: under output).")] = None,
    password: Password = None,
) -> Iterator[str]:
    """Show a source's rules, its pages, or a block.

    WHAT is the id or folder of a source, or the first digits of a block's id. Of a source you see the rules and which
    of them give pairs; with --pages, pictures of its pages and how each part was read. Of a block you see what was
    read and a picture of its place.
    """
    if pages is not None and html:
        raise ConfigError("--html is a page of rules, --pages one of what was read; give one of them")
    if pages is not None:
        from pairwright.cli.inspect.pages import preview_lines

        return preview_lines(workspace, what, pages, file, out)
    from pairwright.documents.source import BLOCK_ID

    is_source = (workspace.sources / what).is_dir() or Path(what).is_dir()
    if not is_source and BLOCK_ID.fullmatch(what.strip()):
        from pairwright.cli.inspect.show import show_lines

        return show_lines(workspace, what, source, out)
    from pairwright.cli.inspect.rules import rules_lines

    return rules_lines(workspace, what, html, out)


def try_notation(
    workspace: Workspace,
    file: Path,
    *,
    notation: Annotated[
        str | None, Option("Notation of the list (default: the one that finds most corrections).")
    ] = None,
    language: Language,
    encoding: Annotated[str, Option("Encoding of the text, such as cp1257.")] = "utf-8",
) -> Iterator[str]:
    """Show how an error list is read, line by line.

    Changes nothing: the list doesn't become a source.
    """
    from pairwright.cli.notation import notation_lines

    return notation_lines(workspace, file, notation, language, encoding)


def add_notation(
    workspace: Workspace,
    name: str,
    *,
    like: Annotated[str, Option("Similar known notation, such as not-but.", metavar="NOTATION")],
    wrong_marks: Annotated[tuple[str, ...], Option("Sign before the wrong words.", "wrong", "SIGN")] = (),
    right_marks: Annotated[tuple[str, ...], Option("Sign before the right words.", "right", "SIGN")] = (),
    arrows: Annotated[tuple[str, ...], Option("Sign between the wrong and the right words.", "arrow", "SIGN")] = (),
) -> Iterator[str]:
    """Add a notation: a known one with your own signs.

    Writes notations/NAME.toml, which is tried on every error list from then on. A sign may be a word. You can give each
    option several times.
    """
    from pairwright.cli.notation import add_notation as lines

    signs = {"wrong_marks": wrong_marks, "right_marks": right_marks, "arrows": arrows}
    return lines(workspace, name, like, {key: given for key, given in signs.items() if given})


def try_contrasts(workspace: Workspace, file: Path, treebank: Path, *, language: Language) -> Iterator[str]:
    """Show what the contrasts of a file find in a treebank.

    TREEBANK is a CoNLL-U file, or the id or folder of a source. Changes nothing.
    """
    from pairwright.cli.contrast import contrast_lines

    return contrast_lines(workspace, file, treebank, language)


def check(
    workspace: Workspace,
    file: Path,
    *,
    language: Language,
    level: Annotated[Literal["error", "warning", "info"], Option("Lowest level to show.")] = "warning",
    good: Column = None,
    bad: Column = None,
) -> Iterator[str]:
    """Check the pairs of a file.

    FILE is CSV, TSV, JSONL, JSON or Parquet. The exit code is 1 if a pair has an error.
    """
    from pairwright.checks.registry import check_pairs
    from pairwright.languages import load_language
    from pairwright.pairfiles import read_pairs

    settings, loaded = workspace.config().checks, load_language(language, workspace.root)
    levels = ("error", "warning", "info")
    shown = levels[: levels.index(level) + 1]
    counts: Counter[str] = Counter()
    n_pairs = n_rejected = 0
    for checked in check_pairs(
        read_pairs(file, good=good, bad=bad, encoding=loaded.legacy_encoding), {}, loaded, settings
    ):
        n_pairs += 1
        n_rejected += checked.verdict == "reject"
        counts.update(finding.check for finding in checked.findings)
        for finding in checked.findings:
            if finding.level in shown:
                side = f" ({finding.side} sentence)" if finding.side else ""
                place = at(file, checked.candidate.evidence.line)
                yield f"{place}: {finding.level}: {finding.check}: {finding.message}{side}"
    yield f"{counted(n_pairs, 'pair')}, {n_rejected} with errors"
    yield from (f"  {name} {count}" for name, count in counts.most_common())
    if n_rejected:
        sys.exit(1)


def verify(workspace: Workspace, release: str) -> Iterator[str]:
    """Check that a release is as it was frozen.

    RELEASE is a folder or a name with its version. Compares files with the manifest, and pairs with tables.
    """
    from pairwright.pipeline.release import find_release
    from pairwright.release.consistency import verify_contents

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
    from pairwright.pipeline.release import find_release
    from pairwright.release.changelog import difference_lines
    from pairwright.release.difference import difference, next_version
    from pairwright.release.verify import read_pairs, read_release, verified

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

    RELEASE is a folder or a name with its version.
    """
    from pairwright.pipeline import release as releases
    from pairwright.release import publish as publishing

    if "://" not in to and not to.startswith("hf:") and Path(to).is_file():
        raise ReleaseError(f"{to}: a file; give a folder, s3://bucket/path or hf:owner/name")
    upload = publishing.plan(releases.find_release(workspace, release), to)
    sent, size = upload.release, sum(n_bytes for _, n_bytes in upload.files) / 1e6
    yield from upload.notes
    n_files = counted(len(upload.files), "file")
    yield f"{sent.name} {sent.version}: {n_files}, {size:.1f} MB -> {upload.destination}"
    if not yes:
        yield from (f"  {n_bytes:>12,}  {name}" for name, n_bytes in upload.files)
        yield "a dry run: nothing was sent; add --yes to publish"
        return
    yield f"published at {publishing.publish(upload)}; sha256 of MANIFEST.sha256: {sent.sha256}"


def tasks(
    workspace: Workspace,
    release: str,
    *,
    out: Annotated[Path, Option("Folder to make.", kind="folder")],
    items: Annotated[int, Option("Most questions per task.", least=1)] = 500,
    sweep: Annotated[
        bool, Option("Also vary the number of rules and sentences from 2 to 10, with --items questions per size.")
    ] = False,
    seed: Annotated[int, Option("Random seed.")] = 0,
    texts: Annotated[Path | None, Option("Table of other texts to translate.")] = None,
    text_column: Annotated[str, Option("Column of --texts in the release's language.")] = "text",
    english_column: Annotated[str, Option("Column of --texts in English.")] = "english",
) -> Iterator[str]:
    """Make questions for language models from a release.

    RELEASE is a name with its version, or a folder. Releases already have questions: this makes other numbers of them,
    or questions for a release without any.
    """
    from pairwright.pipeline.release import find_release
    from pairwright.release.again import make_tasks
    from pairwright.tasks.make import REJECTED, ItemSettings
    from pairwright.tasks.sentence_tasks import TextFile

    file = TextFile(texts, text_column, english_column) if texts else None
    info = make_tasks(find_release(workspace, release), out, ItemSettings(items, sweep, seed), file)
    for task, counts in info.counts.items():
        conditions = ", ".join(f"{condition} {n}" for condition, n in counts.items() if condition) or "one condition"
        yield f"{task:<16} {sum(counts.values()):>6,}  {conditions if counts else 'the release has no material for it'}"
    with (out / REJECTED).open(encoding="utf-8") as lines:
        n_rejected = sum(1 for _ in lines)
    if n_rejected:
        yield f"rejected         {n_rejected:>6,}  {REJECTED} says why"
    yield f"items of {info.release}: {out}"


def compare(first: Path, second: Path) -> Iterator[str]:
    """Compare two reports.

    Shows what changed: models, accuracies, and pairs that a model now gets right or wrong.
    """
    from pairwright.reporting.render.compare import compare_reports, read_summary

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
    from pairwright.cli.leaderboard import leaderboard_lines

    return leaderboard_lines(workspace, added, page_language)


def add_language(workspace: Workspace, code: Annotated[str, Option(kind="language")]) -> Iterator[str]:
    """Write languages/CODE.toml with every key, explained.

    CODE is ISO 639, such as sje.
    """
    from pairwright.cli.language import language_lines

    return language_lines(workspace.root, code)
