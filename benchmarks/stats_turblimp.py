"""What the published judgements of TurBLiMP say, by phenomenon: `python benchmarks/stats_turblimp.py DIR`.

DIR holds base_judgments.xlsx and experimental_judgments.xlsx. Each experiment is z-scored by itself; that on
subordination with the baselines of the first survey, as it was published.
"""

from collections.abc import Sequence
from pathlib import Path

import click

from pairwright.report.analysis.human import rater_preferences
from pairwright.report.external.judgements import HumanRating, read_turblimp

ORDERS = ("SOV", "SVO", "OSV", "OVS", "VSO", "VOS")
BASELINE = "Argument_Structure"


@click.command(help=__doc__)
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(directory: Path) -> None:
    base = read_turblimp(directory / "base_judgments.xlsx")
    experiments = read_turblimp(directory / "experimental_judgments.xlsx")
    orders = [item for item in experiments if item.phenomenon.endswith(ORDERS)]
    subordination = [item for item in experiments if not item.phenomenon.endswith(ORDERS)]
    baselines = [item for item in base if item.phenomenon.startswith(BASELINE)]
    show("phenomena", base)
    show("word orders", orders)
    show("subordination", [*subordination, *baselines])


def show(title: str, ratings: Sequence[HumanRating]) -> None:
    """A line a phenomenon: raters who prefer the good sentences, ties, and the mean difference in z."""
    print(f"{title:<34}{'prefer':>8}{'tied':>6}{'of':>4}{'z':>7}")
    for item in rater_preferences(ratings):
        difference = "" if item.mean_difference is None else f"{item.mean_difference:.2f}"
        print(f"  {item.group:<32}{item.n_prefer:>8}{item.n_tied:>6}{item.n_raters:>4}{difference:>7}")


if __name__ == "__main__":
    main()
