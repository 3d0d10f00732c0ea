"""What the published judgements of TurBLiMP say, by phenomenon: `python benchmarks/stats_turblimp.py DIR`.

DIR holds base_judgments.xlsx and experimental_judgments.xlsx. Each experiment is z-scored by itself; that on
subordination with the baselines of the first survey, as it was published.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from python_calamine import CalamineError, CalamineWorkbook

from pairwright.reporting.analysis.people import rater_preferences
from pairwright.reporting.external.judgements import HumanRating

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
    for row in rater_preferences(ratings).to_dict("records"):
        counts = f"{row['n_prefer']:>8}{row['n_tied']:>6}{row['n_raters']:>4}"
        print(f"  {row['phenomenon']:<32}{counts}{row['mean_difference']:>7.2f}")


def read_turblimp(path: Path, material: Path | None = None) -> list[HumanRating]:
    """The ratings of a judgement file of TurBLiMP.

    Its first row has question ids, its second `Phenomenon_good` or `Phenomenon_bad`; then comes a rater a row. An empty
    cell was not asked. The first half of the columns is version 1 of the survey, the second half version 2.

    material  survey_material.xlsx, whose two sheets have the sentences of the versions in the order of the columns.
              With it, the pair id of a rating is the two sentences, good first, with a tab between; without it, the
              phenomenon and the question

    Raises ClickException for any other layout. Source: Başar et al. (2025), TurBLiMP: A Turkish Benchmark of Linguistic
    Minimal Pairs.
    """
    rows = _sheet(path, 0)
    if len(rows) < 3 or not all(str(cell).endswith(("_good", "_bad")) for cell in rows[1]):
        raise click.ClickException(
            f"{path}: not a table of TurBLiMP; row 2 has to say Phenomenon_good or Phenomenon_bad"
        )
    pair_ids = _pair_ids(rows[1], material) if material is not None else {}
    ratings = []
    for number, row in enumerate(rows[2:], start=3):
        for column, cell in enumerate(row):
            if cell == "":
                continue
            if not isinstance(cell, int | float):
                raise click.ClickException(f"{path}: row {number}, column {column + 1}: {cell!r} is no rating")
            phenomenon, _, side = str(rows[1][column]).rpartition("_")
            ratings.append(
                HumanRating(
                    pair_id=pair_ids.get(column, f"{phenomenon} {rows[0][column]}"),
                    side="good" if side == "good" else "bad",
                    rater=f"rater {number - 2}",
                    rating=float(cell),
                    phenomenon=phenomenon,
                )
            )
    return ratings


def _pair_ids(labels: Sequence[Any], material: Path) -> dict[int, str]:
    """The two sentences of each column's pair: the nth column of a condition is its nth row in the sheet."""
    sheets = [[row[:3] for row in _sheet(material, version)[1:]] for version in (0, 1)]
    if len(sheets[0]) != len(sheets[1]):
        raise click.ClickException(
            f"{material}: its two sheets have different numbers of rows; they give the same pairs"
        )
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for version, sheet in enumerate(sheets):
        for row, (_, phenomenon, side) in enumerate(sheet):
            places[version][f"{phenomenon}_{side}"].append(row)
    pair_ids = {}
    for column, label in enumerate(labels):
        version = int(column >= len(labels) / 2)
        if not places[version][str(label)]:
            raise click.ClickException(
                f"{material}: sheet {version + 1} has too few rows of {label}; is it of this survey?"
            )
        row = places[version][str(label)].pop(0)
        sides = {str(sheet[row][2]): str(sheet[row][0]).strip() for sheet in sheets}
        pair_ids[column] = f"{sides.get('good', '')}\t{sides.get('bad', '')}"
    return pair_ids


def _sheet(path: Path, sheet: int) -> list[list[Any]]:
    """The cells of a sheet, the empty ones as empty texts."""
    try:
        rows: list[list[Any]] = CalamineWorkbook.from_path(path).get_sheet_by_index(sheet).to_python()
    except (CalamineError, OSError, ValueError) as fault:
        raise click.ClickException(f"{path}: can't be read as a spreadsheet: {str(fault).splitlines()[0]}") from None
    return rows


if __name__ == "__main__":
    main()
