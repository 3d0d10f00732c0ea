"""`pairwright matrices`: problems of Blackbird Language Matrices."""

from collections.abc import Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import click

from pairwright.cli.options import Place, language_option, llm_options, stacked, workspace_option
from pairwright.errors import counted
from pairwright.pipeline.options import LLMOptions

if TYPE_CHECKING:
    from pairwright.items.matrices.make import Variation


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


@matrices.command()
@_options
@click.option("--size", type=click.IntRange(min=2), default=3000, show_default=True, help="Problems in all.")
@click.option("--test", type=click.IntRange(min=0), help="Of them for testing; else a tenth.")
@click.option("--out", required=True, type=Place(file_okay=False), help="A new folder.")
@workspace_option
def make(
    template: str,
    variation: "Variation",
    seed: int,
    size: int,
    test: int | None,
    out: Path,
    workspace: Path,
    **words: Any,
) -> Iterator[str]:
    """Make problems of a template, for training and for testing; the same words never stand in both.

    TEMPLATE is a name such as en-cos, of matrix_templates/ in the workspace or of those that come with pairwright.
    """
    from pairwright.cli.terminal import terminal_context
    from pairwright.items.matrices.make import MatrixSettings
    from pairwright.pipeline.matrices.make import default_test, open_template, write_matrices

    if test is not None and test > size:
        raise click.UsageError(f"--test {test}: more than --size {size}")
    context = terminal_context(workspace)
    loaded = open_template(context, template, **words)
    n_test = default_test(context, loaded, size) if test is None else test
    info = write_matrices(context, loaded, MatrixSettings(size - n_test, n_test, variation, seed), out)
    for condition, n in info.counts["matrix"].items():
        yield f"{condition}: {counted(n, 'problem')}, {size - n_test:,} for training and {n_test:,} for testing"
    yield f"problems of {info.release}: {out}"


@matrices.command()
@_options
@workspace_option
def show(template: str, variation: "Variation", seed: int, workspace: Path, **words: Any) -> Iterator[str]:
    """Draw a problem of a template as a table in Markdown."""
    from pairwright.items.matrices.make import MatrixMaker, MatrixSettings
    from pairwright.pipeline.context import Context
    from pairwright.pipeline.matrices.make import open_template
    from pairwright.workspace import Workspace

    loaded = open_template(Context(Workspace(workspace)), template, **words)
    item = next(MatrixMaker(*loaded, MatrixSettings(1, 0, variation, seed)).items())
    yield f"**{loaded.path.stem}**: {loaded.template.title}, type {loaded.template.type}, {variation}"
    yield ""
    yield "| | row | sentence | |"
    yield "|---|---|---|---|"
    for number, (row, sentence) in enumerate(zip(loaded.template.context, item.context, strict=True), start=1):
        yield f"| {number} | {row} | {sentence} | |"
    yield f"| {len(item.context) + 1} | ? | | |"
    for letter, option in zip(ascii_uppercase, item.options, strict=False):
        label, _, row = option.label.partition(" ")
        yield f"| {letter} | {row or loaded.template.right} | {option.text} | {label or '**right**'} |"


def _propose(workspace: Path, lexicon: str, llm: LLMOptions, **options: Any) -> None:
    """Propose words for a slot of a LEXICON; native speakers approve or reject them in lexicons/matrices-LEXICON.tsv.

    Words come from the slot lexicon, ranked by a causal model; from a fill-mask model; from a chat model (cloze); or
    from treebanks. Problems use approved words, beside those that the lexicon itself has. A template whose sentences
    come from treebanks, such as he-caus, stands for LEXICON; its problems use approved sentences alone.
    """
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.matrices.words import WordOptions, propose_words

    propose_words(terminal_context(workspace), lexicon, WordOptions(**options), llm)


matrices.command("propose")(
    stacked(
        click.argument("lexicon"),
        click.option("--slot", default="", help="The slot of a lexicon, such as patient."),
        click.option(
            "--method",
            type=click.Choice(["lexicon", "masked-lm", "cloze", "treebank"]),
            default="lexicon",
            show_default=True,
        ),
        click.option("--model", help="Ranks words (a causal model; else embedded) or fills gaps (a fill-mask model)."),
        click.option("--words", type=click.IntRange(min=1), default=25, show_default=True, help="Of each head."),
        click.option(
            "--treebank",
            "treebanks",
            multiple=True,
            type=Place(),
            help="A built source or a CoNLL-U file.",
        ),
        llm_options,
        workspace_option,
    )(_propose)
)


@matrices.command()
@click.argument("data", nargs=-1, required=True, type=Place(exists=True))
@click.option("--name", help="Of responses and report under output/; else that of the first of DATA.")
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    help="Of the baseline: minilm (English), embedded, a folder, a GGUF file or a hub id; else embedded.",
)
@click.option("--model", "models", multiple=True, help="A language model to ask, named as for evaluate.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Networks of each.")
@click.option("--shuffled", is_flag=True, help="Train a control too, whose right answers are drawn at random.")
@language_option(default="en", show_default=True, help="Of published tables.")
@click.option(
    "--test-share",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.1,
    show_default=True,
    help="Of the problems of published tables.",
)
@workspace_option
def solve(
    data: tuple[Path, ...],
    name: str | None,
    encoders: tuple[str, ...],
    models: tuple[str, ...],
    seeds: int,
    shuffled: bool,
    language: str,
    test_share: float,
    workspace: Path,
) -> list[str]:
    """Solve problems by a trained baseline and by language models; one report on all of them.

    DATA are folders that matrices make wrote, or published tables, separated by TABs. The baseline embeds each
    sentence by an encoder and trains a small network on the problems for training; the others are for testing.
    Language models are not trained: a loaded one goes on with the sentences, a served one is asked. Sentences are
    embedded once.
    """
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.models.solving import DEFAULT_ENCODER, SolveOptions, solve_matrices

    chosen = encoders if encoders or models else (DEFAULT_ENCODER,)
    options = SolveOptions(name or data[0].stem, chosen, models, seeds, shuffled, language, test_share)
    return [f"report     {solve_matrices(terminal_context(workspace), data, options)}"]
