"""What people said of sentences: a plain table of ratings or choices, and the published layout of TurBLiMP."""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from pydantic import ValidationError

from pairwright.errors import ReviewError, at
from pairwright.records import Record, Side

PLAIN = "columns pair_id, rater and either side and rating, or choice (good or bad)"


class Rating(Record):
    """How acceptable one person finds one sentence of a pair, on whatever scale, higher is better."""

    pair_id: str
    side: Side
    rater: str
    rating: float
    phenomenon: str = ""


class Choice(Record):
    """Which sentence of a pair one person takes for the acceptable one, where one had to be taken."""

    pair_id: str
    rater: str
    choice: Side
    phenomenon: str = ""


Judgement = Rating | Choice


def read_judgements(path: Path) -> list[Judgement]:
    """Judgements from a table: CSV with a head (`,` `;` or tabs between) or JSONL, a judgement a row.

    A row with `rating` (a number) and `side` (good or bad) is a rating; one with `choice` (good or bad) a forced
    choice; both name `pair_id` and `rater`, and may name a `phenomenon`. Other columns are not looked at. Raises
    ReviewError with the line of the first row that can't be used, and where one rater judges a sentence twice.
    """
    judgements: list[Judgement] = []
    seen: dict[tuple[str, ...], int] = {}
    for line, row in _rows(path):
        judgement = _judgement(path, line, row)
        key = (judgement.pair_id, judgement.rater, judgement.side if isinstance(judgement, Rating) else "choice")
        if key in seen:
            raise ReviewError(f"{at(path, line)}: {' '.join(key)} stands in line {seen[key]} too; keep one of them")
        seen[key] = line
        judgements.append(judgement)
    if not judgements:
        raise ReviewError(f"{path}: no judgement in it; it needs {PLAIN}")
    return judgements


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise ReviewError(f"{path}: can't be read as UTF-8 text: {fault}") from None
    if path.suffix == ".jsonl":
        for line, raw in enumerate(text.splitlines(), start=1):
            if raw.strip():
                try:
                    row = json.loads(raw)
                except json.JSONDecodeError as fault:
                    raise ReviewError(f"{at(path, line, fault.colno)}: not JSON: {fault.msg}") from None
                yield line, row if isinstance(row, dict) else {}
        return
    head = text.partition("\n")[0]
    reader = csv.DictReader(text.splitlines(), delimiter=max(",;\t", key=head.count))
    yield from ((reader.line_num, row) for row in reader)


def _judgement(path: Path, line: int, row: Mapping[str, Any]) -> Judgement:
    kind: type[Judgement] = Choice if row.get("choice") not in (None, "") else Rating
    try:
        judgement = kind.model_validate({name: row[name] for name in kind.model_fields if row.get(name) is not None})
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        place = first["loc"][0] if first["loc"] else "row"
        raise ReviewError(f"{at(path, line)}: {place}: {first['msg'].lower()}; it needs {PLAIN}") from None
    if isinstance(judgement, Rating) and not math.isfinite(judgement.rating):
        raise ReviewError(f"{at(path, line)}: rating: not a finite number")
    return judgement


def read_turblimp(path: Path, material: Path | None = None) -> list[Rating]:
    """The ratings of a judgement file of TurBLiMP: its first row question ids, its second `Phenomenon_good` or
    `Phenomenon_bad`, then a rater a row; an empty cell was not asked. The first half of the columns is version 1 of
    the survey, the second half version 2.

    material  survey_material.xlsx, whose two sheets give the sentences of the versions in the order of the columns:
              the pair id of a rating is then the two sentences with a tab between, good first; else the phenomenon
              and the question

    Raises ReviewError where the layout is another one. Source: Başar et al. (2025), TurBLiMP: A Turkish Benchmark of
    Linguistic Minimal Pairs.
    """
    rows = _sheet(path, 0)
    if len(rows) < 3 or not all(_condition(cell) for cell in rows[1]):
        raise ReviewError(f"{path}: not a table of TurBLiMP; row 2 has to say Phenomenon_good or Phenomenon_bad")
    pair_ids = _pair_ids(rows[1], material) if material is not None else {}
    ratings = []
    for number, row in enumerate(rows[2:], start=3):
        for column, cell in enumerate(row):
            if cell is None or cell != cell:
                continue
            if not isinstance(cell, int | float):
                raise ReviewError(f"{path}: row {number}, column {column + 1}: {cell!r} is no rating")
            phenomenon, _, side = str(rows[1][column]).rpartition("_")
            ratings.append(
                Rating(
                    pair_id=pair_ids.get(column, f"{phenomenon} {rows[0][column]}"),
                    side="good" if side == "good" else "bad",
                    rater=f"rater {number - 2}",
                    rating=float(cell),
                    phenomenon=phenomenon,
                )
            )
    return ratings


def _condition(cell: object) -> bool:
    return str(cell).endswith(("_good", "_bad"))


def _pair_ids(labels: Sequence[Any], material: Path) -> dict[int, str]:
    """The two sentences of each column's pair: the nth column of a condition is its nth row in the sheet."""
    sheets = [[row[:3] for row in _sheet(material, version)[1:]] for version in (0, 1)]
    if len(sheets[0]) != len(sheets[1]):
        raise ReviewError(f"{material}: its two sheets have different numbers of rows; they give the same pairs")
    places: list[dict[str, list[int]]] = [defaultdict(list), defaultdict(list)]
    for version, sheet in enumerate(sheets):
        for row, (_, phenomenon, side) in enumerate(sheet):
            places[version][f"{phenomenon}_{side}"].append(row)
    found = {}
    for column, label in enumerate(labels):
        version = int(column >= len(labels) / 2)
        if not places[version][str(label)]:
            raise ReviewError(f"{material}: sheet {version + 1} has too few rows of {label}; is it of this survey?")
        row = places[version][str(label)].pop(0)
        sides = {str(sheet[row][2]): str(sheet[row][0]).strip() for sheet in sheets}
        found[column] = f"{sides.get('good', '')}\t{sides.get('bad', '')}"
    return found


def _sheet(path: Path, sheet: int) -> list[list[Any]]:
    import pandas as pd

    try:
        rows: list[list[Any]] = pd.read_excel(path, sheet_name=sheet, header=None).to_numpy(dtype=object).tolist()
    except (OSError, ValueError, KeyError, ImportError, BadZipFile) as fault:
        raise ReviewError(f"{path}: can't be read as a spreadsheet: {str(fault).splitlines()[0]}") from None
    return rows
