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
        str | None, Option("Code of the language to work on, such as lt; asked for on a terminal.", kind="language")
    ] = None,
    votes: Annotated[
        int | None, Option("Reviewers who have to approve a pair; asked for on a terminal, else 2.", least=1, most=20)
    ] = None,
    sample: Annotated[bool, Option("Put the sample source and its reviewed sheets into the workspace.")] = False,
) -> Iterator[str]:
    """Make a workspace for a language.

    It has folders for flows, sources, prompts, annotations and output.
    """
    from pairwright.cli.init import asked_language, asked_votes, make_workspace, what_is_there

    if Workspace(directory).config_file.exists():
        return what_is_there(Workspace(directory))
    language = language or asked_language(directory)
    # The sample has its own reviewers.
    votes = votes or (2 if sample else asked_votes())
    return make_workspace(directory, language, sample=sample, votes=votes)


def doctor(workspace: Workspace) -> Iterator[str]:
    """What is installed, found and missing, and what to do.

    Models, dictionaries, programs, and what this workspace lacks.
    """
    from pairwright.cli.inspect.doctor import doctor_lines

    return doctor_lines(workspace)


def docs(*, path: Annotated[bool, Option("Only print where it is.")] = False) -> Iterator[str]:
    """Open the documentation in the browser.

    The site that `make docs` built in a clone, with search; else plain pages. Neither needs a network.
    """
    from pairwright.cli.docs import open_docs

    return open_docs(browser=not path)


def status(workspace: Workspace, queue: Annotated[tuple[str, ...], Option()] = ()) -> Iterator[str]:
    """How far the workspace or a queue is.

    Sources, queues, releases and scores; with the names of queues, what is done and left in those, by reviewer and by
    rule, and at what pace.
    """
    if queue:
        from pairwright.cli.review.lines import status_lines as queue_lines

        for name in queue:
            yield from queue_lines(workspace, name)
        return
    from pairwright.cli.inspect.status import status_lines

    yield from status_lines(workspace)


def trace(workspace: Workspace, pair_id: str) -> Iterator[str]:
    """Trace a pair back: scores, votes, checks, rule, source.

    Score, votes, findings, rule, and the line or page of the document with its hash.
    """
    from pairwright.cli.inspect.trace import trace_lines

    return trace_lines(workspace, pair_id)


def show(
    workspace: Workspace,
    what: str,
    *,
    pages: Annotated[str | None, Option("Show what was read on these pages, such as 10-14,20.")] = None,
    html: Annotated[bool, Option("The rules as a page: quotation, place in the book and examples.")] = False,
    source: Annotated[str | None, Option("Source of the block, if two sources have it.")] = None,
    file: Annotated[str | None, Option("Which file of a source with several.")] = None,
    out: Annotated[Path | None, Option("File or folder; else under output.")] = None,
    password: Password = None,
) -> Iterator[str]:
    """A source's rules, what was read of its pages, or a block.

    WHAT is a source, by its id or folder, or the first digits of a block's id. A source is shown by its rules and the
    pairs that they license; with --pages, by pictures of its pages and what the reader took each of their parts for. A
    block is shown as it was read, with a picture of its place.
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
    notation: Annotated[str | None, Option("Its name; else the one that finds most corrections.")] = None,
    language: Language,
    encoding: Annotated[str, Option("Of a text that is not UTF-8, such as cp1257.")] = "utf-8",
) -> Iterator[str]:
    """What is read of an error list, line by line.

    It shows how a list is read before it becomes a source.
    """
    from pairwright.cli.notation import notation_lines

    return notation_lines(workspace, file, notation, language, encoding)


def add_notation(
    workspace: Workspace,
    name: str,
    *,
    like: Annotated[str, Option("The known one that it resembles, such as not-but.", metavar="NOTATION")],
    wrong_marks: Annotated[tuple[str, ...], Option("A sign before the wrong wording.", "wrong", "SIGN")] = (),
    right_marks: Annotated[tuple[str, ...], Option("Likewise, before the right one.", "right", "SIGN")] = (),
    arrows: Annotated[tuple[str, ...], Option("A sign between the two.", "arrow", "SIGN")] = (),
) -> Iterator[str]:
    """Write a notation: a known one with signs of your own.

    It is notations/NAME.toml; error lists are read by it, too, from then on. A sign may be a word; each may be given
    several times.
    """
    from pairwright.cli.notation import add_notation as lines

    signs = {"wrong_marks": wrong_marks, "right_marks": right_marks, "arrows": arrows}
    return lines(workspace, name, like, {key: given for key, given in signs.items() if given})


def check(
    workspace: Workspace,
    file: Path,
    *,
    language: Language,
    level: Annotated[Literal["error", "warning", "info"], Option("The least that is shown.")] = "warning",
    good: Column = None,
    bad: Column = None,
) -> Iterator[str]:
    """Check the pairs of a file.

    FILE is CSV, TSV, JSONL, JSON or Parquet; the checks are those of its language. Exit code 1 where a pair has an
    error.
    """
    from pairwright.cli.check import check_lines

    lines, n_rejected = check_lines(workspace, file, language, level, good, bad)
    yield from lines
    if n_rejected:
        sys.exit(1)


def verify(workspace: Workspace, release: str) -> Iterator[str]:
    """Check every file of a release, and its pairs and tables.

    RELEASE is a folder or a name with its version. Files are checked against the manifest, pairs and tables against
    each other.
    """
    from pairwright.cli.release import verify_lines

    return verify_lines(workspace, release)


def diff(workspace: Workspace, old: str, new: str) -> Iterator[str]:
    """Pairs that differ between two releases.

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
    yes: Annotated[bool, Option("Send the files; without it, only say what would be sent.")] = False,
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
    out: Annotated[Path, Option("A new folder.", kind="folder")],
    items: Annotated[int, Option("The most items of a task.", least=1)] = 500,
    sweep: Annotated[bool, Option("Also 2 to 10 rules and sentences; --items counts for each size apart.")] = False,
    seed: Annotated[int, Option("Of all that is drawn.")] = 0,
    texts: Annotated[Path | None, Option("A table of texts to translate, too.")] = None,
    text_column: Annotated[str, Option("Of --texts: in the release's language.")] = "text",
    english_column: Annotated[str, Option("Of --texts: in English.")] = "english",
) -> Iterator[str]:
    """Make questions for language models of a release.

    RELEASE is a name with its version, or a folder. Releases are frozen with items: this makes them in other numbers,
    or for a release without any. A new pair changes no item that was made without it.
    """
    from pairwright.cli.tasks import make_lines
    from pairwright.tasks.make import ItemSettings
    from pairwright.tasks.sentence_tasks import TextFile

    file = TextFile(texts, text_column, english_column) if texts else None
    return make_lines(workspace, release, out, ItemSettings(items, sweep, seed), file)


def compare(first: Path, second: Path) -> Iterator[str]:
    """What changed from one report to another.

    Models, accuracies, and the pairs that are judged otherwise.
    """
    from pairwright.cli.inspect.compare import compare_lines

    return compare_lines(first, second)


def board(
    workspace: Workspace,
    *,
    added: Annotated[
        tuple[Path, ...],
        Option("Folder with run.json, scores.parquet and scores.rejected.jsonl of a model scored elsewhere.", "add"),
    ] = (),
    page_language: PageLanguage = None,
) -> Iterator[str]:
    """Write a page with all releases and their scores.

    The scores of each are checked against its release.
    """
    from pairwright.cli.leaderboard import leaderboard_lines

    return leaderboard_lines(workspace, added, page_language)


def add_language(workspace: Workspace, code: Annotated[str, Option(kind="language")]) -> Iterator[str]:
    """Write languages/CODE.toml, with every key and what it is for.

    Comments say what it costs to leave a key out. CODE is ISO 639, such as sje.
    """
    from pairwright.cli.language import language_lines

    return language_lines(workspace.root, code)
