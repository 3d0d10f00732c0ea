"""TurBLiMP (Başar et al. 2025, CC BY 4.0) in DATA/turblimp: its judgements and its experiments."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from python_calamine import CalamineError, CalamineWorkbook

from common import counts, need, share
from pairwright.reporting.analysis.comparisons import ORDERS, rater_preferences
from pairwright.reporting.external import HumanRating

CONDITIONS = {"DIK": "dik", "Finite": "finite", "IncA": "ince", "ken": "ken"}
BASELINES = {"Argument_Structure_Transitive": "transitive", "Argument_Structure_Ditransitive": "ditransitive"}
# Başar et al. (2025): raters of 30 who prefer the good sentences, and the mean difference in z.
PUBLISHED = {
    "transitive": {
        "SOV": (30, 1.98), "SVO": (30, 1.92), "OSV": (30, 1.81),
        "OVS": (29, 1.70), "VSO": (30, 1.68), "VOS": (30, 1.75),
        "baseline": (30, 1.97), "finite": (30, 1.60), "dik": (30, 1.95), "ince": (24, 0.98), "ken": (28, 0.92),
    },
    "ditransitive": {
        "SOV": (30, 1.81), "SVO": (30, 1.56), "OSV": (28, 1.47),
        "OVS": (28, 1.62), "VSO": (30, 1.45), "VOS": (29, 1.29),
        "baseline": (29, 2.00), "finite": (29, 1.27), "dik": (30, 1.59), "ince": (29, 1.38), "ken": (28, 1.08),
    },
}  # fmt: skip
# The same for the phenomena of base_judgments.xlsx, of 30 raters.
PREFER = {
    "Ellipsis": 27,
    "Island_Effects": 26,
    "Determiners": 28,
    "Passives": 29,
    "Argument_Structure_Ditransitive": 29,
}
Row = dict[str, str]


class DataError(Exception):
    """A file is not one of TurBLiMP."""


def phenomena(data: Path) -> pd.DataFrame:
    """Raters who prefer the good sentences of each phenomenon, and the mean difference in z."""
    frame = rater_preferences(read_turblimp(need(data / "turblimp") / "base_judgments.xlsx"))
    published = [PREFER.get(name, 30) for name in frame["phenomenon"]]
    return pd.DataFrame(
        {
            "phenomenon": frame["phenomenon"].str.replace("_", " "),
            "prefer the good one": frame["n_prefer"].astype(str) + " of " + frame["n_raters"].astype(str),
            "published": published,
            "tied": frame["n_tied"],
            "z": frame["mean_difference"].map("{:.2f}".format),
        }
    )


def conditions(data: Path) -> pd.DataFrame:
    """Raters by condition beside the published figures.

    Our z take the deviation of a rater's n ratings over n - 1; the published ones agree where it is over n.
    """
    ratings, rows = list(all_ratings(need(data / "turblimp"))), []
    # Ratings of orders are z-scored by themselves, others with the baseline.
    for of_orders in (True, False):
        own = [it for it in ratings if (it.phenomenon.partition(" ")[2] in ORDERS) == of_orders]
        (n,) = set(Counter(it.rater for it in own).values())
        found = {row["phenomenon"]: row for row in rater_preferences(own).to_dict("records")}
        for structure, of in PUBLISHED.items():
            for condition in (name for name in of if f"{structure} {name}" in found):
                ours, (prefer, z) = found[f"{structure} {condition}"], of[condition]
                own = ours["mean_difference"]
                over_n = {
                    "z": f"{own:.2f}",
                    "z, over n": f"{own * (n / (n - 1)) ** 0.5:.2f}",
                    "published z": f"{z:.2f}",
                }
                named = {"experiment": f"{structure} {condition}", "prefer": ours["n_prefer"], "published": prefer}
                rows.append({**named, **over_n})
    return pd.DataFrame(rows)


def judgements(data: Path) -> pd.DataFrame:
    """How many of the published figures come out."""
    first, second = phenomena(data), conditions(data)
    prefer = first["prefer the good one"].str.split().str[0].astype(int)
    apart = (second["z, over n"].astype(float) - second["published z"].astype(float)).abs().max()
    same = {"16 phenomena": (prefer == first["published"]), "22 conditions": (second["prefer"] == second["published"])}
    rows = {f"raters who prefer the good sentence, {name}": share(int(it.sum()), len(it)) for name, it in same.items()}
    return counts({**rows, "largest difference of the mean z by condition": f"{apart:.2f}"}, "as published")


def all_ratings(directory: Path) -> Iterator[HumanRating]:
    """The ratings of both surveys with the structure and the condition as phenomenon."""
    for name in ("base_judgments.xlsx", "experimental_judgments.xlsx"):
        for rating in read_turblimp(directory / name):
            structure, _, condition = rating.phenomenon.partition("_")
            if rating.phenomenon in BASELINES:
                structure, condition = BASELINES[rating.phenomenon], "baseline"
            elif name.startswith("base"):
                continue
            condition = CONDITIONS.get(condition, condition)
            yield rating.model_copy(update={"phenomenon": f"{structure.lower()} {condition}"})


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
        raise DataError(f"{path}: not a table of TurBLiMP; row 2 has to say Phenomenon_good or Phenomenon_bad")
    pair_ids = _pair_ids(rows[1], material) if material is not None else {}
    ratings = []
    for number, row in enumerate(rows[2:], start=3):
        for column, cell in enumerate(row):
            if cell == "":
                continue
            if not isinstance(cell, int | float):
                raise DataError(f"{path}: row {number}, column {column + 1}: {cell!r} is no rating")
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
        raise DataError(f"{material}: its two sheets have different numbers of rows; they give the same pairs")
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for version, sheet in enumerate(sheets):
        for row, (_, phenomenon, side) in enumerate(sheet):
            places[version][f"{phenomenon}_{side}"].append(row)
    pair_ids = {}
    for column, label in enumerate(labels):
        version = int(column >= len(labels) / 2)
        if not places[version][str(label)]:
            raise DataError(f"{material}: sheet {version + 1} has too few rows of {label}; is it of this survey?")
        row = places[version][str(label)].pop(0)
        sides = {str(sheet[row][2]): str(sheet[row][0]).strip() for sheet in sheets}
        pair_ids[column] = f"{sides.get('good', '')}\t{sides.get('bad', '')}"
    return pair_ids


def _sheet(path: Path, sheet: int) -> list[list[Any]]:
    """The cells of a sheet, the empty ones as empty texts."""
    try:
        rows: list[list[Any]] = CalamineWorkbook.from_path(path).get_sheet_by_index(sheet).to_python()
    except (CalamineError, OSError, ValueError) as fault:
        raise DataError(f"{path}: can't be read as a spreadsheet: {str(fault).splitlines()[0]}") from None
    return rows
