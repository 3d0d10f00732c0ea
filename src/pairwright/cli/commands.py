"""The commands that look, score, check and set up. Each imports what it needs when it runs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pairwright.cli.command import Column, Language, PageLanguage, Password
from pairwright.core.errors import ConfigError
from pairwright.core.workspace import Workspace
from pairwright.pipeline.options import Option

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
        return what_is_there(Workspace(directory))
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
    if queue:
        from pairwright.cli.review.lines import status_lines as queue_lines

        for name in queue:
            yield from queue_lines(workspace, name)
        return
    from pairwright.cli.inspect.status import status_lines

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
    from pairwright.cli.check import check_lines

    lines, n_rejected = check_lines(workspace, file, language, level, good, bad)
    yield from lines
    if n_rejected:
        sys.exit(1)


def verify(workspace: Workspace, release: str) -> Iterator[str]:
    """Check that a release is as it was frozen.

    RELEASE is a folder or a name with its version. Compares files with the manifest, and pairs with tables.
    """
    from pairwright.cli.release import verify_lines

    return verify_lines(workspace, release)


def diff(workspace: Workspace, old: str, new: str) -> Iterator[str]:
    """Show the pairs that differ between two releases.

    OLD and NEW are folders or names with their versions.
    """
    from pairwright.cli.release import diff_lines

    return diff_lines(workspace, old, new)


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
    from pairwright.cli.release import publish_lines

    return publish_lines(workspace, release, to, yes)


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
    from pairwright.cli.tasks import make_lines
    from pairwright.tasks.make import ItemSettings
    from pairwright.tasks.sentence_tasks import TextFile

    file = TextFile(texts, text_column, english_column) if texts else None
    return make_lines(workspace, release, out, ItemSettings(items, sweep, seed), file)


def compare(first: Path, second: Path) -> Iterator[str]:
    """Compare two reports.

    Shows what changed: models, accuracies, and pairs that a model now gets right or wrong.
    """
    from pairwright.cli.inspect.compare import compare_lines

    return compare_lines(first, second)


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
