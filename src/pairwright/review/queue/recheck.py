"""Puts pairs before reviewers a second time, each with a reason, in a queue of its own.

No earlier answer changes. What a reviewer says there is their latest word on the pair and counts from then on.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pairwright.core.errors import ReviewError
from pairwright.core.records import Record
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.folder import Assignment
from pairwright.review.log.votes import source_votes
from pairwright.review.queue.sheet_writer import QueueExport, export_selected, plain_names
from pairwright.review.sheets.spreadsheet import read_table


class RecheckExport(Record):
    """The sheets of the queue. `unknown` are ids that the source does not have, or no longer has."""

    queue: QueueExport
    unknown: tuple[str, ...]


def read_reasons(path: Path, legacy_encoding: str) -> dict[str, str]:
    """The reason for each pair id, from the columns pair_id and reason.

    Raises ReviewError for a table without them, an empty cell, and a pair that stands twice.
    """
    reasons: dict[str, str] = {}
    for place, cells in read_table(path, ("pair_id", "reason"), legacy_encoding):
        if not cells["pair_id"] or not cells["reason"]:
            raise ReviewError(f"{place}: a pair needs its id and a reason; fill the empty cell")
        if reasons.setdefault(cells["pair_id"], cells["reason"]) != cells["reason"]:
            raise ReviewError(f"{place}: a second reason for {cells['pair_id']}; write both into one row")
    return reasons


def export_recheck(context: ReviewContext, reasons: Mapping[str, str]) -> RecheckExport:
    """Writes or tops up the sheets of the queue `<source>-recheck`. `reasons` says why each pair is reviewed again.

    A pair goes to those of the configured reviewers who have voted on it, or to all of them if nobody has. Nobody gets
    a pair twice, and no row of a sheet changes. Raises ReviewError if no reviewer is named.
    """
    reviewers = plain_names(context.settings.reviewers)
    if not reviewers:
        raise ReviewError("nobody is named to look again; name reviewers under [review] in pairwright.toml")
    votes = source_votes(context.annotations, context.source.id, context.candidates).cast
    items = [
        Assignment(item_id=pair_id, reviewer=reviewer, pair_id=pair_id, reason=reason)
        for pair_id, reason in reasons.items()
        if pair_id in context.pairs
        for reviewer in ([name for name in reviewers if name in votes.get(pair_id, {})] or reviewers)
    ]
    recheck = replace(context, queue=f"{context.source.id}-recheck")
    unknown = tuple(pair_id for pair_id in reasons if pair_id not in context.pairs)
    queue = export_selected(recheck, items, reviewers, frozenset({"reason"}))
    return RecheckExport(queue=queue, unknown=unknown)
