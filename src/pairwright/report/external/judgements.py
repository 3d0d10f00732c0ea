"""What people said of sentences: a plain table of ratings or choices, and the published layout of TurBLiMP."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pairwright.errors import ReleaseError, ReviewError, at
from pairwright.records import Record, Side
from pairwright.report.external.files import json_lines, table_rows

_COLUMNS = "columns pair_id, rater and either side and rating, or choice (good or bad)"


class HumanRating(Record):
    """How acceptable one person finds one sentence of a pair, on whatever scale, higher is better."""

    pair_id: str
    side: Side
    rater: str
    rating: float
    phenomenon: str = ""


class HumanChoice(Record):
    """Which sentence of a pair one person takes for the acceptable one, where one had to be taken."""

    pair_id: str
    rater: str
    choice: Side
    phenomenon: str = ""


HumanJudgement = HumanRating | HumanChoice


def read_judgements(path: Path) -> list[HumanJudgement]:
    """Judgements from a table: CSV with a header (`,` `;` or tabs between) or JSONL, a judgement a row.

    A row with `rating` (a number) and `side` (good or bad) is a rating; one with `choice` (good or bad) a forced
    choice; both name `pair_id` and `rater`, and may name a `phenomenon`. Other columns are ignored. Raises ReviewError
    with the line of the first row that can't be used, and where one rater judges a sentence twice.
    """
    judgements: list[HumanJudgement] = []
    line_of: dict[tuple[str, ...], int] = {}
    try:
        for line, row in (json_lines if path.suffix == ".jsonl" else table_rows)(path):
            judgement = _judgement(path, line, row)
            side = judgement.side if isinstance(judgement, HumanRating) else "choice"
            key = (judgement.pair_id, judgement.rater, side)
            if key in line_of:
                raise ReviewError(
                    f"{at(path, line)}: {' '.join(key)} stands in line {line_of[key]} too; keep one of them"
                )
            line_of[key] = line
            judgements.append(judgement)
    except ReleaseError as fault:
        raise ReviewError(str(fault)) from None
    if not judgements:
        raise ReviewError(f"{path}: no judgement in it; it needs {_COLUMNS}")
    return judgements


def _judgement(path: Path, line: int, row: Mapping[str, Any]) -> HumanJudgement:
    kind: type[HumanJudgement] = HumanRating if row.get("choice") in (None, "") else HumanChoice
    try:
        judgement = kind.model_validate({name: row[name] for name in kind.model_fields if row.get(name) is not None})
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        place = first["loc"][0] if first["loc"] else "row"
        raise ReviewError(f"{at(path, line)}: {place}: {first['msg'].lower()}; it needs {_COLUMNS}") from None
    if isinstance(judgement, HumanRating) and not math.isfinite(judgement.rating):
        raise ReviewError(f"{at(path, line)}: rating: not a finite number")
    return judgement


def read_turblimp(path: Path, material: Path | None = None) -> list[HumanRating]:
    """The ratings of a judgement file of TurBLiMP.

    Its first row has question ids, its second `Phenomenon_good` or `Phenomenon_bad`; then comes a rater a row. An empty
    cell was not asked. The first half of the columns is version 1 of the survey, the second half version 2.

    material  survey_material.xlsx, whose two sheets have the sentences of the versions in the order of the columns.
              With it, the pair id of a rating is the two sentences, good first, with a tab between; without it, the
              phenomenon and the question

    Raises ReviewError for any other layout. Source: Başar et al. (2025), TurBLiMP: A Turkish Benchmark of Linguistic
    Minimal Pairs.
    """
    rows = _sheet(path, 0)
    if len(rows) < 3 or not all(str(cell).endswith(("_good", "_bad")) for cell in rows[1]):
        raise ReviewError(f"{path}: not a table of TurBLiMP; row 2 has to say Phenomenon_good or Phenomenon_bad")
    pair_ids = _pair_ids(rows[1], material) if material is not None else {}
    ratings = []
    for number, row in enumerate(rows[2:], start=3):
        for column, cell in enumerate(row):
            if cell == "":
                continue
            if not isinstance(cell, int | float):
                raise ReviewError(f"{path}: row {number}, column {column + 1}: {cell!r} is no rating")
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
        raise ReviewError(f"{material}: its two sheets have different numbers of rows; they give the same pairs")
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for version, sheet in enumerate(sheets):
        for row, (_, phenomenon, side) in enumerate(sheet):
            places[version][f"{phenomenon}_{side}"].append(row)
    pair_ids = {}
    for column, label in enumerate(labels):
        version = int(column >= len(labels) / 2)
        if not places[version][str(label)]:
            raise ReviewError(f"{material}: sheet {version + 1} has too few rows of {label}; is it of this survey?")
        row = places[version][str(label)].pop(0)
        sides = {str(sheet[row][2]): str(sheet[row][0]).strip() for sheet in sheets}
        pair_ids[column] = f"{sides.get('good', '')}\t{sides.get('bad', '')}"
    return pair_ids


def _sheet(path: Path, sheet: int) -> list[list[Any]]:
    """The cells of a sheet, the empty ones as empty texts."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        rows: list[list[Any]] = CalamineWorkbook.from_path(path).get_sheet_by_index(sheet).to_python()
    except (CalamineError, OSError, ValueError) as fault:
        raise ReviewError(f"{path}: can't be read as a spreadsheet: {str(fault).splitlines()[0]}") from None
    return rows
