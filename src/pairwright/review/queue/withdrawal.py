"""Takes rows out of a queue whose pairs are no longer asked about, where nobody has written anything about them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from pairwright.review.log.context import ReviewContext
from pairwright.review.log.entries import Key, key_of
from pairwright.review.log.folder import Assignment
from pairwright.review.sheets.columns import QueueSheet
from pairwright.review.sheets.contents import QueueContents
from pairwright.review.sheets.updating import read_sheets, rewrite_sheet


def withdraw_rows(
    context: ReviewContext, contents: QueueContents, no_longer_asked: Collection[str]
) -> tuple[QueueContents, int]:
    """Withdraws what was assigned of these pairs, and of those that the source no longer has, in a locked queue.

    An answer or comment in the log, and anything that a reviewer wrote into a row of the pair, keeps all its rows. An
    answer in an older copy of a sheet is still taken over. So does a damaged sheet, which nobody can read. Returns the
    contents as they are then, and how many rows were withdrawn.
    """
    folder = contents.folder
    answered = {key_of(entry)[0] for entry in folder.entries(contents.kind)}
    gone = {
        key: item
        for key, item in contents.assignments.items()
        if not item.withdrawn
        and (item.pair_id not in context.pairs or item.pair_id in no_longer_asked)
        and item.pair_id not in answered
    }
    if not gone:
        return contents, 0
    sheets, faults = read_sheets(contents, {reviewer for _, reviewer in gone})
    written = {*_written_about(sheets.values()), *(item_id for item_id, reviewer in gone if reviewer in faults)}
    withdrawn = {
        key: item.model_copy(update={"withdrawn": True}) for key, item in gone.items() if key[0] not in written
    }
    # The sheets come first: what a killed run leaves in the log would keep the rows for ever.
    for reviewer, sheet in sheets.items():
        _take_out(sheet, reviewer, withdrawn, context.settings.separator)
    folder.assign(withdrawn.values())
    return replace(contents, assignments={**contents.assignments, **withdrawn}), len(withdrawn)


def _written_about(sheets: Iterable[QueueSheet]) -> Iterable[str]:
    """The items in whose rows a reviewer wrote something, be it in a column of their own."""
    for sheet in sheets:
        for row in sheet.sheet.rows:
            if any(sheet.answer(row)) or sheet.extra(row):
                yield sheet.item_id(row)


def _take_out(sheet: QueueSheet, reviewer: str, withdrawn: Mapping[Key, Assignment], separator: str) -> None:
    rows = [row.cells for row in sheet.sheet.rows if (sheet.item_id(row), reviewer) not in withdrawn]
    if len(rows) < len(sheet.sheet.rows):
        rewrite_sheet(sheet, rows, (), separator)
