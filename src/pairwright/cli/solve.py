"""`pairwright matrices solve DATA`."""

from pathlib import Path

import click

from pairwright.cli.options import stacked, workspace_option

_HELP = """Solve problems by a trained baseline and by language models; one report on all of them.

DATA are folders that matrices make wrote, or published tables, separated by TABs. The baseline embeds each sentence by
an encoder and trains a small network on the problems for training; the others are for testing. Language models are not
trained: a loaded one goes on with the sentences, a served one is asked. Sentences are embedded once.
"""


def _solve(
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
    from pairwright.cli.terminal import terminal_context
    from pairwright.pipeline.solving import DEFAULT_ENCODER, SolveOptions, solve_matrices

    chosen = encoders if encoders or models else (DEFAULT_ENCODER,)
    options = SolveOptions(name or data[0].stem, chosen, models, seeds, shuffled, language, test_share)
    return [f"report     {solve_matrices(terminal_context(workspace), data, options)}"]


SOLVE = click.command("solve", help=_HELP)(
    stacked(
        click.argument("data", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)),
        click.option("--name", help="Of responses and report under output/; else that of the first of DATA."),
        click.option(
            "--encoder",
            "encoders",
            multiple=True,
            help="Of the baseline: minilm (English), embedded, a folder, a GGUF file or a hub id; else embedded.",
        ),
        click.option("--model", "models", multiple=True, help="A language model to ask, named as for evaluate."),
        click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="Networks of each."),
        click.option("--shuffled", is_flag=True, help="Train a control too, whose right answers are drawn at random."),
        click.option("--language", default="en", show_default=True, help="Of published tables."),
        click.option(
            "--test-share",
            type=click.FloatRange(0, 0.5, min_open=True),
            default=0.1,
            show_default=True,
            help="Of the problems of published tables.",
        ),
        workspace_option,
    )(_solve)
)
