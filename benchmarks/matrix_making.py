"""How long 8,000 problems of each template take, with its own lexicon; `--read DIR` writes 100 of each to be read.

python benchmarks/matrix_making.py [--size 8000] [--read DIR] [--seed 0] [--workspace DIR]
"""

import argparse
import csv
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pairwright.core.errors import ConfigError
from pairwright.core.records.items import Item
from pairwright.core.workspace import Workspace
from pairwright.extras.matrices import Variation
from pairwright.extras.matrices.lexicon import combinations_file
from pairwright.extras.matrices.make import LoadedTemplate, MatrixMaker, MatrixSettings, open_template
from pairwright.extras.matrices.template import FOLDER, PACKAGE
from pairwright.languages import resource_names
from pairwright.pipeline.context import Context

VARIATIONS: tuple[Variation, ...] = ("MINLEX", "ONEWORD", "MAXLEX")


def problems(loaded: LoadedTemplate, train: int, test: int, variation: Variation, seed: int = 0) -> list[Item]:
    """All problems of a setting."""
    return list(MatrixMaker(loaded, MatrixSettings(train, test, variation, seed)).items())


def write_sheet(path: Path, items: list[Item]) -> None:
    """Problems as rows: split, sentences of the context, then options with their labels; the right one is marked *."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t", lineterminator="\n")
        for item in items:
            shown = [f"{'*' if place in item.answers else ''}{option.text} [{option.label}]"
                     for place, option in enumerate(item.options)]  # fmt: skip
            writer.writerow([item.id, item.split, *item.context, *shown])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--read", type=Path, help="a folder for sheets")
    parser.add_argument("--seed", type=int, default=0, help="of the sheets")
    parser.add_argument("--workspace", type=Path, help="has approved sentences for the templates of treebanks")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        context = Context(Workspace(options.workspace or folder))
        for name in resource_names(FOLDER, package=PACKAGE):
            is_of_treebanks = name.startswith("he-")
            if is_of_treebanks and not combinations_file(context.workspace, name).exists():
                print(f"{name:<16} skipped: a --workspace with approved sentences of treebanks is needed")
                continue
            started = time.process_time()
            loaded = open_template(context, name)
            figures = [f"words {time.process_time() - started:5.1f} s"]
            for variation in VARIATIONS[: 1 if is_of_treebanks else 3]:
                started = time.process_time()
                try:
                    n_made = len(problems(loaded, options.size - options.size // 10, options.size // 10, variation))
                except ConfigError as fault:
                    figures.append(f"{variation}: {str(fault).partition(': ')[2].partition(';')[0]}")
                else:
                    figures.append(f"{variation} {n_made:,} in {time.process_time() - started:4.1f} s")
            print(f"{name:<16} {'; '.join(figures)}")
            if options.read:
                options.read.mkdir(parents=True, exist_ok=True)
                write_sheet(options.read / f"{name}.tsv", problems(loaded, 100, 0, "MINLEX", options.seed))


if __name__ == "__main__":
    main()
