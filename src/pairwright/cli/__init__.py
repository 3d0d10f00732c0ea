"""The command line of pairwright: a tree of commands, each a function."""

import click

from pairwright import __version__
from pairwright.cli import commands, steps
from pairwright.cli.command import command, group
from pairwright.cli.faults import run_command
from pairwright.cli.review import commands as reviewing
from pairwright.cli.terminal import echo
from pairwright.extras import matrices, scala, segmentation
from pairwright.pipeline.extra import Extra

ABOUT = """From grammar books and official error lists to reviewed minimal-pair benchmarks, and models measured on them.

From a source to a score: build SOURCE, review sync SOURCE, release create --name NAME --version 1.0.0, evaluate RELEASE
--model MODEL. The flows in flows/ run the same steps under Prefect.
"""
# The one place that imports extras: commands, flows and steps take them from here.
EXTRAS: tuple[Extra, ...] = (matrices.EXTRA, scala.EXTRA, segmentation.EXTRA)
_EXTRAS = [
    command(it.commands[0], it.name) if len(it.commands) == 1 else group(it.name, it.about, it.example, *it.commands)
    for it in EXTRAS
]
_TOP = (
    *(commands.init, commands.doctor, commands.docs, commands.status, steps.build, commands.show, commands.trace),
    *(commands.check, commands.tasks),
)
_GROUPS = (
    group(
        "language",
        "The languages of a workspace.",
        "pairwright language add sje",
        command(commands.add_language, "add"),
    ),
    group(
        "notation",
        "Notations of error lists.",
        "pairwright notation try list.md --language lt",
        *(command(commands.try_notation, "try"), command(commands.add_notation, "add")),
    ),
    group(
        "contrast",
        "Contrasts, which make pairs of a treebank's sentences.",
        "pairwright contrast try contrasts/lt.toml lt-sample-treebank",
        command(commands.try_contrasts, "try"),
    ),
    group(
        "grow",
        "Grow approved pairs into more.",
        "pairwright grow words lt-sample",
        *(steps.words, steps.orders, steps.lexicon),
    ),
    group(
        "review",
        "Have native speakers decide, in a spreadsheet or in the browser. Nothing that they do is lost.",
        "pairwright review sync lt-sample",
        *(steps.sync, *reviewing.COMMANDS),
    ),
    group(
        "release",
        "Frozen releases.",
        "pairwright release create --name lt-cases --version 1.0.0",
        *(steps.create, commands.verify, commands.diff, commands.publish),
    ),
    group(
        "report",
        "Compare reports, or list them all on one page.",
        "pairwright report board",
        *(commands.compare, commands.board),
    ),
    group(
        "extras",
        "Extras: matrices, ScaLA, words cut into morphemes.",
        "pairwright extras matrices make en-cos --out problems",
        *_EXTRAS,
    ),
)
# Two names of one command, by what it is given.
_SCORING = (command(steps.score), command(steps.score, "evaluate"))
_COMMANDS = [*(command(it) for it in _TOP[:-1]), *_SCORING, command(_TOP[-1]), *_GROUPS]
cli = click.Group(
    "pairwright",
    {it.name: it for it in _COMMANDS if it.name},
    help=ABOUT,
    context_settings={"help_option_names": ["-h", "--help"]},
    result_callback=echo,
)
click.version_option(__version__, prog_name="pairwright")(cli)


def main() -> None:
    """Runs the command line of this process."""
    run_command(cli)
