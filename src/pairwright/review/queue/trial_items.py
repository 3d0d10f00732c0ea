"""What a person prepares for a blind experiment: pairs whose answer is certain, and fillers."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.records import Side
from pairwright.review.queue.design import Extras, Filler
from pairwright.review.sheets.spreadsheet import read_sheet
from pairwright.review.sheets.typography import squeeze_cell

_SIDES: dict[str, Side | None] = {
    "": None, "yes": "good", "good": "good", "1": "good", "true": "good", "no": "bad", "bad": "bad", "0": "bad",
    "false": "bad",
}  # fmt: skip


def read_extras(root: Path, settings: ReviewSettings) -> Extras:
    """The catch pairs and fillers that the settings name, from tables under the workspace `root`.

    Raises ReviewError where a table can't be read, lacks a column or says what is unclear.
    """
    catch_pairs = []
    if settings.catch_pairs:
        for place, cells in _rows(root / settings.catch_pairs, ("good", "bad")):
            if not cells["good"] or not cells["bad"]:
                raise ReviewError(f"{place}: a catch pair needs both sentences; fill the empty cell")
            catch_pairs.append((cells["good"], cells["bad"]))
    fillers = []
    if settings.fillers:
        for place, cells in _rows(root / settings.fillers, ("sentence", "acceptable")):
            word = cells["acceptable"].casefold()
            if not cells["sentence"] or word not in _SIDES:
                raise ReviewError(f"{place}: write a sentence, and yes, no or nothing into the column 'acceptable'")
            fillers.append(Filler(cells["sentence"], _SIDES[word]))
    return Extras(catch_pairs=tuple(catch_pairs), fillers=tuple(fillers))


def _rows(path: Path, names: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    sheet = read_sheet(path, lambda title: squeeze_cell(title).casefold() in names, "cp1252")
    titles = [squeeze_cell(title).casefold() for title in sheet.header.cells]
    missing = [name for name in names if name not in titles]
    if missing:
        raise ReviewError(f"{sheet.at(sheet.header)}: column '{missing[0]}' is missing; add it")
    for row in sheet.rows:
        cells = dict(zip(titles, map(squeeze_cell, row.cells), strict=False))
        yield sheet.at(row), {name: cells.get(name, "") for name in names}
