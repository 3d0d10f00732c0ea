"""What people said of sentences: a plain table of ratings or choices."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pairwright.core.errors import ReleaseError, ReviewError, at
from pairwright.core.records import Record, Side
from pairwright.reporting.external.files import read_rows

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
    choice; both name `pair_id` and `rater`, and may name a `phenomenon`. Other columns are
    ignored. Raises ReviewError with the line of the first row that can't be used, and where one rater judges a sentence
    twice.
    """
    judgements: list[HumanJudgement] = []
    line_of: dict[tuple[str, ...], int] = {}
    try:
        for line, row in read_rows(path):
            judgement = _judgement(path, line, row)
            side = judgement.side if isinstance(judgement, HumanRating) else "choice"
            key = (judgement.pair_id, judgement.rater, side)
            if key in line_of:
                raise ReviewError(f"{at(path, line)}: {' '.join(key)} is on line {line_of[key]} too; keep one of them")
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
