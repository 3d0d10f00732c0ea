"""How tokenizers cut the words of a segmentation file: `python benchmarks/tokenizer_alignment.py FILE [--model M]`.

FILE is what `pairwright extras segmentation SOURCE` writes. The table is that of the report, by category.
"""

import tempfile
from pathlib import Path

import click

from pairwright.extras.segmentation.alignment import aligned, read_cuts, write_cuts
from pairwright.extras.segmentation.gold import read_segmentation
from pairwright.models.load.models import load_tokenizer


@click.command(help=__doc__)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", "models", multiple=True, default=("embedded",))
def main(file: Path, models: tuple[str, ...]) -> None:
    gold = read_segmentation(file)
    click.echo("| model | category | words | edits | exact | too often | too rarely | precision | recall |")
    click.echo("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            write_cuts(Path(folder), load_tokenizer(model), gold)
            pieces_of = read_cuts(Path(folder))
        for one in aligned(gold, model, pieces_of) if pieces_of else ():
            shares = (f"{share:.0%}" for share in (one.exact, one.over, one.under))
            cells = (model, one.category or "all", one.n, f"{one.distance:.2f}", *shares)
            click.echo(f"| {' | '.join(map(str, cells))} | {one.precision or 0:.2f} | {one.recall or 0:.2f} |")


if __name__ == "__main__":
    main()
