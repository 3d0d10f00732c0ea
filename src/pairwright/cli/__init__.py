"""The command line of pairwright: a tree of commands, each a function."""

from collections.abc import Iterator

import click

from pairwright import __version__
from pairwright.cli.command import Commands, command, echo, run_command
from pairwright.extras import matrices, scala, segmentation
from pairwright.pipeline.extra import Extra

ABOUT = """From grammar books and official error lists to reviewed minimal-pair benchmarks, and models measured on them.

From a source to a score: init DIRECTORY --language CODE, build DOCUMENT, review reviewer add NAME, review sync SOURCE,
release create --name NAME --version 1.0.0, evaluate NAME-1.0.0 --model MODEL. status says what is next. The flows in
flows/ run the same steps under Prefect.
"""
# The one place that imports extras: commands, flows and steps take them from here.
EXTRAS: tuple[Extra, ...] = (matrices.EXTRA, scala.EXTRA, segmentation.EXTRA)


def _of_extra(it: Extra) -> click.Command:
    if len(it.commands) == 1:
        return command(it.commands[0], it.name)
    return Commands(it.name, it.about, {own.__name__: command(own) for own in it.commands}, it.example)


_GROUPS = (
    Commands(
        "language",
        "The languages of a workspace.",
        {"add": "cli.init:add"},
        "pairwright language add sje",
    ),
    Commands(
        "notation",
        "Notations of error lists.",
        {"try": "cli.sources:try_notation", "add": "cli.sources:add_notation"},
        "pairwright notation try list.md --language lt",
    ),
    Commands(
        "contrast",
        "Contrasts, which make pairs of a treebank's sentences.",
        {"try": "cli.sources:try_contrasts"},
        "pairwright contrast try contrasts/lt.toml lt-sample-treebank",
    ),
    Commands(
        "grow",
        "Grow approved pairs into more.",
        {
            "words": "pipeline.growth:augment",
            "orders": "pipeline.growth:paradigms",
            "lexicon": "pipeline.growth:make_lexicon",
        },
        "pairwright grow words lt-sample",
    ),
    Commands(
        "review",
        "Have native speakers decide, in a spreadsheet or in the browser. With sync, sheets are written and read.",
        {
            "sync": "pipeline.review:sync",
            "export": "cli.review.commands:export",
            "import": "cli.review.commands:take",
            "settle": "cli.review.commands:settle",
            "agreement": "cli.review.lines:agreement",
            "serve": "cli.review.page:serve_page",
            "invite": "cli.review.commands:invite",
            "questionnaire": "cli.review.commands:questionnaire",
            "reviewer": Commands(
                "reviewer",
                "Who reviews. The names stand under [review] in pairwright.toml, or in a queue.",
                {"add": "cli.review.commands:add", "remove": "cli.review.commands:remove"},
                "pairwright review reviewer add ana",
            ),
        },
        "pairwright review sync lt-sample",
    ),
    Commands(
        "release",
        "Freeze, verify, compare and publish releases.",
        {name: f"cli.release:{name}" for name in ("create", "verify", "diff", "publish")},
        "pairwright release create --name lt-cases --version 1.0.0",
    ),
    Commands(
        "report",
        "Compare reports, or list them all on one page.",
        {"compare": "cli.reports:compare", "board": "cli.reports:board"},
        "pairwright report board",
    ),
    Commands(
        "extras",
        "Extras: matrices, ScaLA, words cut into morphemes.",
        {it.name: _of_extra(it) for it in EXTRAS},
        "pairwright extras matrices make en-cos --out problems",
    ),
)
cli = Commands(
    "pairwright",
    ABOUT,
    {
        "init": "cli.init:init",
        "doctor": "cli.inspect.doctor:doctor",
        "docs": "cli.docs:docs",
        "status": "cli.inspect.status:status",
        "build": "pipeline.review:build",
        "show": "cli.inspect.show:show",
        "trace": "cli.inspect.show:trace",
        "check": "cli.sources:check",
        # Two names of one command, by what it is given: files or a release.
        "score": "pipeline.evaluate:evaluate",
        "evaluate": "pipeline.evaluate:evaluate",
        "tasks": "cli.sources:tasks",
        **{str(it.name): it for it in _GROUPS},
    },
)
cli.context_settings = {"help_option_names": ["-h", "--help"]}
click.version_option(__version__, prog_name="pairwright")(cli)


@cli.result_callback()
def _print(came: object) -> None:
    """Prints the lines that a command yields; what a step returns is for programs."""
    if isinstance(came, Iterator):
        echo(came)


def main() -> None:
    """Runs the command line of this process."""
    run_command(cli)
