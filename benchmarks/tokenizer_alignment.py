"""How tokenizers cut the words of a segmentation file: `python benchmarks/tokenizer_alignment.py FILE [--model M]`.

FILE is what `pairwright segmentation SOURCE` writes. The table is that of the report, by category.
"""

import tempfile
from itertools import chain
from pathlib import Path

import click

from pairwright.lm.models import load_tokenizer
from pairwright.reporting.external.segmentation import morphology, read_segmentation
from pairwright.scoring.runs.segments import read_segments, write_segments


@click.command(help=__doc__)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", "models", multiple=True, default=("embedded",))
def main(file: Path, models: tuple[str, ...]) -> None:
    gold = read_segmentation(file)
    tokenizers = {}
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            write_segments(Path(folder), load_tokenizer(model), chain.from_iterable(gold.values()))
            pieces_of = read_segments(Path(folder))
        if pieces_of is not None:
            tokenizers[model] = pieces_of
    click.echo("| model | category | words | edits | exact | too often | too rarely | precision | recall |")
    click.echo("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for item in morphology(gold, tokenizers):
        one = item.alignment
        shares = (f"{count / one.n:.0%}" for count in (one.exact, one.over, one.under))
        cells = (item.model, item.category or "all", one.n, f"{one.distance:.2f}", *shares)
        click.echo(f"| {' | '.join(map(str, cells))} | {one.precision or 0:.2f} | {one.recall or 0:.2f} |")


if __name__ == "__main__":
    main()
