"""The command line of pairwright.

Commands import what they need when they run, so that the command line itself starts at once.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pairwright import __version__
from pairwright.cli.augment import AUGMENT, lexicon
from pairwright.cli.extras import extra_command
from pairwright.cli.faults import run_command
from pairwright.cli.options import (
    FILE,
    Place,
    columns_options,
    draft_options,
    encoding_option,
    language_option,
    page_language_option,
    password_option,
    preferred_language,
    workspace_option,
)
from pairwright.cli.review.commands import review
from pairwright.cli.steps import (
    BUILD_HERE,
    CREATE_HERE,
    EVALUATE_HERE,
    GENERATE_HERE,
    INGEST_HERE,
    SYNC_HERE,
)
from pairwright.cli.terminal import echo
from pairwright.core.workspace import Workspace
from pairwright.plug import EXTRAS


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pairwright")
def cli() -> None:
    """From grammar books and official error lists to reviewed minimal-pair benchmarks, and models measured on them.

    The way of a source: build SOURCE, review sync SOURCE, release create --name NAME --version 1.0.0, evaluate
    RELEASE --model MODEL. The flows in flows/ run the same steps under Prefect.
    """


# Prints the lines that a command returns.
cli.result_callback()(echo)


@cli.command()
@workspace_option
def status(workspace: Path) -> Iterator[str]:
    """What stands in the workspace: sources and their stages, queues, conflicts, releases, scores."""
    from pairwright.cli.inspect.status import status_lines

    return status_lines(Workspace(workspace))


@cli.command()
@click.argument("pair_id")
@workspace_option
def trace(pair_id: str, workspace: Path) -> Iterator[str]:
    """The whole way of a pair: score, votes, findings, rule, and the line or page of the hashed document."""
    from pairwright.cli.inspect.trace import trace_lines

    return trace_lines(Workspace(workspace), pair_id)


@cli.command()
@click.argument("block_id")
@click.option("--source", help="Id or folder of the source, where two sources have the block.")
@click.option("--out", type=Place(dir_okay=False), help="PNG file; else output/show/BLOCK_ID.png.")
@password_option
@workspace_option
def show(block_id: str, source: str | None, out: Path | None, password: str | None, workspace: Path) -> Iterator[str]:
    """A block as it was read, and a picture of its place on the page. The first digits of its id are enough."""
    from pairwright.cli.inspect.show import show_lines

    return show_lines(Workspace(workspace), block_id, source, out, password)


@cli.command()
@click.argument("source")
@click.option("--pages", required=True, help="Pages of the document, such as 10-14,20; they count from 1.")
@click.option("--file", help="Which file of a source with several.")
@click.option("--out", type=Place(), help="Folder or .html file; else output/previews.")
@password_option
@workspace_option
def preview(
    source: str, pages: str, file: str | None, out: Path | None, password: str | None, workspace: Path
) -> Iterator[str]:
    """One HTML page with the picture of each page and what the reader took each of its parts for.

    SOURCE is the id of a source under sources/ or a source folder.
    """
    from pairwright.cli.inspect.pages import preview_lines

    return preview_lines(Workspace(workspace), source, pages, file, out, password)


@cli.command()
@click.argument("source")
@click.option("--html", is_flag=True, help="Write one HTML page: rule, quotation, page and examples side by side.")
@click.option("--out", type=Place(), help="Folder or .html file of --html; else output/previews.")
@password_option
@workspace_option
def rules(source: str, html: bool, out: Path | None, password: str | None, workspace: Path) -> Iterator[str]:
    """The rules of a source, with the pairs that they license.

    SOURCE is the id of a source under sources/ or a source folder.
    """
    from pairwright.cli.inspect.rules import rules_lines

    return rules_lines(Workspace(workspace), source, html, out, password)


@cli.group()
def notation() -> None:
    """Notations of error lists."""


@notation.command("try")
@click.argument("file", type=Place())
@click.option("--notation", help="Its name; else the one that finds most corrections.")
@language_option(required=True, help="Language of the list, such as lt; else the workspace's only one.")
@encoding_option
@workspace_option
def notation_try(
    file: Path, notation: str | None, language: str, encoding: str | None, workspace: Path
) -> Iterator[str]:
    """What is read of an error list, line by line, before it becomes a source."""
    from pairwright.cli.notation import notation_lines

    return notation_lines(Workspace(workspace), file, notation, language, encoding or "utf-8")


@notation.command("add")
@click.argument("name")
@click.option("--like", required=True, metavar="NOTATION", help="The known one that it resembles, such as not-but.")
@click.option(
    "--wrong", multiple=True, metavar="SIGN", help="A sign or word before the wrong wording; may be repeated."
)
@click.option("--right", multiple=True, metavar="SIGN", help="Likewise, before the right wording.")
@click.option("--arrow", multiple=True, metavar="SIGN", help="A sign between the two.")
@workspace_option
def notation_add(
    name: str, like: str, wrong: tuple[str, ...], right: tuple[str, ...], arrow: tuple[str, ...], workspace: Path
) -> Iterator[str]:
    """Write notations/NAME.toml: a known notation with signs of your own. Lists are read by it, too, from then on."""
    from pairwright.cli.notation import add_notation

    signs = {"wrong_marks": wrong, "right_marks": right, "arrows": arrow}
    return add_notation(Workspace(workspace), name, like, {key: given for key, given in signs.items() if given})


@cli.command()
@click.argument("file", type=Place())
@language_option(
    required=True, help="Language of the pairs, such as lt, whose checks run; else the workspace's only one."
)
@click.option("--level", type=click.Choice(["error", "warning", "info"]), default="warning", show_default=True)
@columns_options
@workspace_option
def check(file: Path, language: str, level: str, good: str | None, bad: str | None, workspace: Path) -> None:
    """Check the pairs of a CSV, TSV, JSONL, JSON or Parquet file. Exit code 1 where a pair has an error."""
    from pairwright.cli.check import check_lines

    lines, n_rejected = check_lines(Workspace(workspace), file, language, level, good, bad)
    echo(lines)
    if n_rejected:
        sys.exit(1)


@cli.command()
@click.argument("pairs", type=Place())
@click.option("--model", "models", multiple=True, default=("embedded",), help="Model to score; several are compared.")
@columns_options
@click.option("--by", multiple=True, help="Column to group the pairs by; else those of usual names.")
@language_option(help="Language of the sentences, such as lt.")
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME=FILE",
    help="The same pairs in another condition, row by row; PAIRS is the baseline.",
)
@click.option("--judgements", type=FILE, help="Ratings or choices of people: CSV or JSONL.")
@click.option("--skip-unusable", is_flag=True, help="Go on without rows that can't be used, and write down why.")
@click.option("--like", type=click.Choice(["lm-eval"]), help="Score as lm-evaluation-harness does in its task blimp.")
@click.option("--out", type=Place(file_okay=False), help="Folder of the results; else NAME-scores.")
def score(pairs: Path, models: tuple[str, ...], out: Path | None, **options: Any) -> Iterator[str]:
    """Score the minimal pairs of a CSV, TSV, JSONL, JSON or Parquet file, and write accuracies and a report.

    A model is embedded (needs no network), a folder, a GGUF file, a hub id or a server's address. Run again, it scores
    only what is new.
    """
    from pairwright.cli.score import score_lines

    return score_lines(pairs, models, out, **options)


@cli.command()
@click.argument("source", type=Place())
@click.option("--conditions", default="", metavar="NAME,...", help="Orders such as SVO, and clauses; else all.")
@click.option("--undecided", is_flag=True, help="Also take treebank pairs on which nobody decided yet.")
@workspace_option
def paradigm(source: Path, conditions: str, undecided: bool, workspace: Path) -> None:
    """Put the seeds of a source into other word orders and subordinate clauses, tied together as paradigms.

    Seeds are the approved pairs of a treebank, and those that you mark up in paradigms.txt beside source.toml:
    [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].
    """
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.growth.paradigms import paradigms

    names = tuple(name.strip() for name in conditions.split(",") if name.strip())
    paradigms(terminal_context(workspace), source, names, undecided=undecided)


@cli.command()
@click.argument("source")
@workspace_option
def calibrate(source: str, workspace: Path) -> Iterator[str]:
    """How far the language model that judges a source's pairs agrees with its reviewers."""
    from pairwright.cli.inspect.calibrate import calibration_lines

    return calibration_lines(Workspace(workspace), source)


@cli.group()
def release() -> None:
    """Frozen releases."""


_release_folder = Place(file_okay=False)


@release.command("check")
@draft_options
@workspace_option
def release_check(workspace: Path, **options: Any) -> Iterator[str]:
    """What is wrong with a release before it is frozen, a line each. Exit code 2 where an error would stop it."""
    from pairwright.cli.release import check_lines

    lines, n_errors = check_lines(workspace, **options)
    yield from lines
    if n_errors:
        sys.exit(2)


@release.command()
@click.argument("directory", type=_release_folder)
def verify(directory: Path) -> Iterator[str]:
    """Check every file of a release against its manifest, and its pairs and tables against each other."""
    from pairwright.cli.release import verify_lines

    return verify_lines(directory)


@release.command()
@click.argument("old", type=_release_folder)
@click.argument("new", type=_release_folder)
def diff(old: Path, new: Path) -> Iterator[str]:
    """The pairs that were added, withdrawn or changed between two releases."""
    from pairwright.cli.release import diff_lines

    return diff_lines(old, new)


@release.command()
@click.argument("directory", type=_release_folder)
@click.option(
    "--to",
    required=True,
    type=Place(addresses=True),
    help="A folder, s3://bucket/path or another address of fsspec, or hf:owner/name.",
)
@click.option("--yes", is_flag=True, help="Send the files; without it, only say what would be sent.")
def publish(directory: Path, to: str, yes: bool) -> Iterator[str]:
    """Put a release where others get it. A dry run, unless --yes is given."""
    from pairwright.cli.release import publish_lines

    return publish_lines(directory, to, yes)


@cli.group()
def tasks() -> None:
    """Questions with options for language models, made from releases."""


@tasks.command()
@click.argument("release")
@click.option("--out", required=True, type=Place(file_okay=False), help="A new folder.")
@click.option("--items", type=click.IntRange(min=1), default=500, show_default=True, help="The most items of a task.")
@click.option("--sweep", is_flag=True, help="Also 2 to 10 rules and sentences; --items counts for each size apart.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is drawn.")
@click.option("--texts", type=Place(dir_okay=False), help="A table of texts to translate, too.")
@click.option("--text-column", default="text", show_default=True, help="Of --texts: in the release's language.")
@click.option("--english-column", default="english", show_default=True, help="Of --texts: in English.")
@workspace_option
def make(
    release: str,
    out: Path,
    items: int,
    sweep: bool,
    seed: int,
    texts: Path | None,
    text_column: str,
    english_column: str,
    workspace: Path,
) -> Iterator[str]:
    """Make the items of a release in other numbers than it was frozen with, or of one without them.

    RELEASE is a name with its version, or a folder. A new pair changes no item that was made without it.
    """
    from pairwright.cli.tasks import make_lines
    from pairwright.tasks.make import ItemSettings
    from pairwright.tasks.sentence_tasks import TextFile

    file = TextFile(texts, text_column, english_column) if texts else None
    return make_lines(Workspace(workspace), release, out, ItemSettings(items, sweep, seed), file)


@cli.command()
@click.argument("first", type=Place())
@click.argument("second", type=Place())
def compare(first: Path, second: Path) -> Iterator[str]:
    """What changed from one report to another: models, accuracies, and the pairs that are judged otherwise."""
    from pairwright.cli.inspect.compare import compare_lines

    return compare_lines(first, second)


@cli.command()
@click.option(
    "--add",
    "added",
    multiple=True,
    type=Place(file_okay=False),
    help="A folder with the run.json, scores.parquet and scores.rejected.jsonl of a model that was scored elsewhere.",
)
@page_language_option
@workspace_option
def leaderboard(added: tuple[Path, ...], page_language: str | None, workspace: Path) -> Iterator[str]:
    """Write a page with all releases and the models scored on them, each checked against its release."""
    from pairwright.cli.leaderboard import leaderboard_lines

    return leaderboard_lines(Workspace(workspace), added, page_language)


@cli.command()
@workspace_option
def doctor(workspace: Path) -> Iterator[str]:
    """What is installed, which models and dictionaries are found, what this workspace lacks, and what to do."""
    from pairwright.cli.inspect.doctor import doctor_lines

    return doctor_lines(Workspace(workspace))


@cli.command()
@click.argument("directory", type=Place(file_okay=False))
@language_option(help="Code of the language to work on, such as lt; asked for on a terminal.")
@click.option("--sample", is_flag=True, help="Put the sample source and its reviewed sheets into the workspace.")
def init(directory: Path, language: str | None, sample: bool) -> Iterator[str]:
    """Make a workspace for a language: flows, sources, prompts, annotations, output."""
    from pairwright.cli.init import asked_language, make_workspace, what_is_there

    if Workspace(directory).config_file.exists():
        return what_is_there(Workspace(directory))
    return make_workspace(directory, language or asked_language(directory), sample=sample)


@cli.group()
def language() -> None:
    """The languages of a workspace."""


@language.command()
@click.argument("code", callback=preferred_language)
@workspace_option
def add(code: str, workspace: Path) -> Iterator[str]:
    """Write languages/CODE.toml, with every key and what it costs to leave it out. CODE is ISO 639, such as sje."""
    from pairwright.cli.language import language_lines

    return language_lines(workspace, code)


for _step in (INGEST_HERE, GENERATE_HERE, BUILD_HERE, AUGMENT, lexicon, EVALUATE_HERE, review):
    cli.add_command(_step)
for _extra in EXTRAS:
    cli.add_command(extra_command(_extra))
release.add_command(CREATE_HERE)
review.add_command(SYNC_HERE)


def main() -> None:
    """Runs the command line of this process."""
    run_command(cli)
