"""`pairwright matrices`: problems of Blackbird Language Matrices."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pairwright.cli.options import stacked, workspace_option
from pairwright.workspace import Workspace

if TYPE_CHECKING:
    from pairwright.pipeline.matrices import LoadedTemplate


@click.group()
def matrices() -> None:
    """Blackbird Language Matrices: problems whose sentences follow a hidden pattern, with one right continuation."""


# TEMPLATE and its words, and how they are drawn.
_options = stacked(
    click.argument("template"),
    click.option("--lexicon", help="Words other than those that the template names."),
    click.option("--hold-out", multiple=True, metavar="SLOT", help="Train and test share none of its words, as verb."),
    click.option(
        "--variation",
        type=click.Choice(["MINLEX", "ONEWORD", "MAXLEX"], case_sensitive=False),
        default="MINLEX",
        show_default=True,
        help="One set of words a problem; one other word in each sentence; other words in each sentence.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of all that is drawn."),
)


def _open(workspace: Path, template: str, lexicon: str | None, hold_out: tuple[str, ...]) -> "LoadedTemplate":
    from pairwright.pipeline.matrices import open_template

    return open_template(Workspace(workspace), template, lexicon, hold_out)


@matrices.command()
@_options
@click.option("--size", type=click.IntRange(min=2), default=3000, show_default=True, help="Problems in all.")
@click.option("--test", type=click.IntRange(min=0), help="Of them for testing; else a tenth.")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@workspace_option
def make(
    template: str,
    lexicon: str | None,
    hold_out: tuple[str, ...],
    variation: Literal["MINLEX", "ONEWORD", "MAXLEX"],
    seed: int,
    size: int,
    test: int | None,
    out: Path,
    workspace: Path,
) -> Iterator[str]:
    """Make problems of a template, for training and for testing; the same words never stand in both.

    TEMPLATE is a name such as en-cos, of matrix_templates/ in the workspace or of those that come with pairwright.
    """
    from pairwright.items.matrices.make import MatrixSettings
    from pairwright.pipeline.matrices import write_matrices

    n_test = size // 10 if test is None else test
    if n_test > size:
        raise click.UsageError(f"--test {n_test}: more than --size {size}")
    settings = MatrixSettings(size - n_test, n_test, variation, seed)
    info = write_matrices(_open(workspace, template, lexicon, hold_out), settings, out)
    for condition, n in info.counts["matrix"].items():
        yield f"{condition}: {n:,} problems, {size - n_test:,} for training and {n_test:,} for testing"
    yield f"problems of {info.release}: {out}"
