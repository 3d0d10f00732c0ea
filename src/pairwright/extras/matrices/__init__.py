"""Blackbird Language Matrices: problems about a hidden pattern.

Their sentences follow it, and one continuation is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Annotated, Literal

from pairwright.core.errors import ConfigError, counted
from pairwright.pipeline.extra import Extra, Reported
from pairwright.pipeline.options import Option

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context
    from pairwright.reporting.render.sections import PageSection

Variation = Literal["MINLEX", "ONEWORD", "MAXLEX"]
# How the words of a template are drawn.
_HoldOut = Annotated[
    tuple[str, ...], Option("Slot, such as verb, whose words training and test don't share.", metavar="SLOT")
]
_Variation = Annotated[
    Variation, Option("Words: one set per problem, one other word per sentence, or other words in each sentence.")
]
_Seed = Annotated[int, Option("Random seed.")]


def make(
    context: "Context",
    template: str,
    *,
    hold_out: _HoldOut = (),
    variation: _Variation = "MINLEX",
    seed: _Seed = 0,
    size: Annotated[int, Option("Number of problems.", least=2)] = 3000,
    test: Annotated[int | None, Option("Number of problems for testing (default: a tenth).", least=0)] = None,
    out: Annotated[Path, Option("Folder to make.")],
) -> Iterator[str]:
    """Make problems of a template, to train and to test.

    Training and test share no words.

    TEMPLATE is the name of a template, such as en-cos, from pairwright or from matrix_templates/ in the workspace.
    """
    from pairwright.extras.matrices.make import MatrixSettings, default_test, open_template, write_matrices

    if test is not None and test > size:
        raise ConfigError(f"--test {test}: more than --size {size}")
    loaded = open_template(context, template, hold_out)
    n_test = default_test(context, loaded, size) if test is None else test
    info = write_matrices(context, loaded, MatrixSettings(size - n_test, n_test, variation, seed), out)
    for condition, n in info.counts["matrix"].items():
        yield f"{condition}: {counted(n, 'problem')}, {size - n_test:,} for training and {n_test:,} for testing"
    yield f"problems of {info.release}: {out}"


def show(
    context: "Context",
    template: str,
    *,
    hold_out: _HoldOut = (),
    variation: _Variation = "MINLEX",
    seed: _Seed = 0,
) -> Iterator[str]:
    """Print a problem of a template as a Markdown table."""
    from pairwright.extras.matrices.make import MatrixMaker, MatrixSettings, open_template

    loaded = open_template(context, template, hold_out)
    item = next(MatrixMaker(loaded, MatrixSettings(1, 0, variation, seed)).items())
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


@dataclass(frozen=True)
class WordOptions:
    """How words are proposed, and how many of each head reviewers see."""

    slot: Annotated[str, Option("Slot of the lexicon, such as patient.")] = ""
    model: Annotated[str | None, Option("Causal model that ranks words (default: embedded).")] = None
    words: Annotated[int, Option("Words per head.", least=1)] = 25
    treebanks: Annotated[tuple[Path, ...], Option("Built source or CoNLL-U file.", name="treebank")] = ()


def propose(context: "Context", lexicon: str, options: WordOptions) -> None:
    """Propose words for a slot of a LEXICON.

    Native speakers approve or reject them in lexicons/matrices-LEXICON.tsv.

    Words come from the slot lexicon, ranked by a causal model. Problems use the lexicon's own words and the approved
    ones. For a template whose sentences come from treebanks, such as
    he-caus, LEXICON is the template; its problems use only approved sentences.
    """
    from pairwright.extras.matrices.words import propose_words

    propose_words(context, lexicon, options)


@dataclass(frozen=True)
class SolveOptions:
    """Who solves problems, and how published ones are divided. `name` is what responses and report are kept under."""

    name: Annotated[str | None, Option("Name of the results in output/ (default: that of the first DATA).")] = None
    encoders: Annotated[
        tuple[str, ...],
        Option(
            "Of the baseline: minilm (English), embedded, a folder, a GGUF file or a hub id; else embedded.",
            name="encoder",
        ),
    ] = ()
    models: Annotated[tuple[str, ...], Option("A language model to ask, named as for evaluate.", name="model")] = ()
    seeds: Annotated[int, Option("Networks to train per encoder.", least=1)] = 3
    shuffled: Annotated[bool, Option("Also train a control on random answers.")] = False
    language: Annotated[str, Option("Language of published tables.")] = "en"
    test_share: Annotated[
        float, Option("Share of published problems to test; with few, cross-validation.", least=0, most=0.5)
    ] = 0.1


def solve(context: "Context", data: tuple[Path, ...], options: SolveOptions) -> Iterator[str]:
    """Solve problems with a baseline and with language models.

    DATA are folders made by `matrices make`, or published tables, separated by TABs. The baseline embeds each sentence
    and trains a small network on the training problems. Language models are not trained: a loaded one is compared by
    the probability of each continuation, a server is asked.
    """
    from pairwright.extras.matrices.solve import solve_matrices

    yield f"report     {solve_matrices(context, data, options)}"


def _sections(report: Reported) -> "Iterator[PageSection | None]":
    if report.summary.asked:
        from pairwright.extras.matrices.solve import matrix_section

        yield matrix_section(report.summary.asked, report.words)


EXTRA = Extra(
    "matrices",
    __doc__,
    "pairwright extras matrices make en-cos --out problems",
    commands=(make, show, propose, solve),
    sections=_sections,
)
