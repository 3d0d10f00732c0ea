"""Reads what a person prepares for a blind experiment: pairs whose answer is certain, and fillers."""

from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.records import Side
from pairwright.review.queue.design import Filler, TrialItems
from pairwright.review.sheets.spreadsheet import read_table

_SIDES: dict[str, Side | None] = {
    "": None, "yes": "good", "good": "good", "1": "good", "true": "good", "no": "bad", "bad": "bad", "0": "bad",
    "false": "bad",
}  # fmt: skip


def read_trial_items(root: Path, settings: ReviewSettings) -> TrialItems:
    """Reads the catch pairs and fillers that the settings name, from tables in the workspace `root`.

    Raises ReviewError if a table can't be read, lacks a column or is unclear.
    """
    catch_pairs = []
    if settings.catch_pairs:
        for place, cells in read_table(root / settings.catch_pairs, ("good", "bad"), "cp1252"):
            if not cells["good"] or not cells["bad"]:
                raise ReviewError(f"{place}: a catch pair needs both sentences; fill the empty cell")
            catch_pairs.append((cells["good"], cells["bad"]))
    fillers = []
    if settings.fillers:
        for place, cells in read_table(root / settings.fillers, ("sentence", "acceptable"), "cp1252"):
            word = cells["acceptable"].casefold()
            if not cells["sentence"] or word not in _SIDES:
                raise ReviewError(f"{place}: write a sentence, and yes, no or nothing into the column 'acceptable'")
            fillers.append(Filler(cells["sentence"], _SIDES[word]))
    return TrialItems(catch_pairs=tuple(catch_pairs), fillers=tuple(fillers))
