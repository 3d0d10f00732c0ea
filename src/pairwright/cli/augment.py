"""`pairwright augment SOURCE`: approved pairs grow."""

from pathlib import Path
from typing import Any

import click

from pairwright.cli.options import Place, language_option, llm_options, source_argument, stacked, workspace_option
from pairwright.pipeline.options import AugmentOptions, LLMOptions

_HELP = """Make more pairs of a source's approved ones: other words in the places that both sentences share.

SOURCE is the id of a built source, or its folder. The new words come from the slot lexicon of the workspace, ranked by
a causal model (lexicon, which needs no network), from a fill-mask model (masked-lm) or from a chat model (cloze). They
are inflected as the words that they replace, and what agrees with them follows. The pairs go through the checks;
pairwright review sync asks reviewers about them.
"""

augment_options = stacked(
    click.option(
        "--method", type=click.Choice(["lexicon", "masked-lm", "cloze"]), default="lexicon", show_default=True
    ),
    click.option("--model", help="Ranks words (a causal model; else embedded) or fills gaps (a fill-mask model)."),
    click.option("--per-rule", type=click.IntRange(min=1), help="Pairs of each rule; else 1,000, or 100 proposals."),
    click.option("--propose", is_flag=True, help="One new word a pair; reviewers are asked about each such pair."),
    click.option("--seeds", type=click.Choice(["approved", "checked"]), default="approved", show_default=True),
    click.option("--rule", "rules", multiple=True, metavar="CODE", help="Only this rule; may be repeated."),
)


def _run(workspace: Path, source: Path, llm: LLMOptions, **options: Any) -> None:
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.growth.augment import augment

    augment(terminal_context(workspace), source, AugmentOptions(**options), llm)


AUGMENT = click.command("augment", help=_HELP)(
    stacked(source_argument, augment_options, llm_options, workspace_option)(_run)
)


@click.group()
def lexicon() -> None:
    """The slot lexicons of a workspace, whose words take the places of others."""


def _make(workspace: Path, language: str, sources: tuple[Path, ...], llm: LLMOptions) -> None:
    """Make lexicons/CODE.tsv of the words of built sources, or add to it; what a cell says stays.

    Treebanks are read as they are annotated, other sources by the language's dictionaries. Fill in the classes by hand,
    or have a chat model do it by --llm; words without a class take no part.
    """
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.growth.lexicon import make_lexicon

    make_lexicon(terminal_context(workspace), language, sources, llm)


lexicon.command("make")(
    stacked(
        click.argument("sources", nargs=-1, required=True, type=Place()),
        language_option(required=True, help="Code of the language, such as lt; else the workspace's only one."),
        llm_options,
        workspace_option,
    )(_make)
)
