"""Pairs that are put before their reviewers a second time, each with the reason: a queue of its own beside the first.

Nothing that was answered changes. What a reviewer says there is their latest word on the pair, and counts from then on.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.languages import Language
from pairwright.records import CheckedPair, Record, Rule, Source
from pairwright.review.log.folder import Assignment, PairText, QueueFolder, QueueInfo, plain_name
from pairwright.review.log.votes import source_votes
from pairwright.review.queue.export import QueueExport
from pairwright.review.queue.sheet_writer import HandingOut, write_instructions
from pairwright.review.sheets.rows import RowMaker
from pairwright.review.sheets.spreadsheet import read_sheet
from pairwright.review.sheets.typography import squeeze_cell

NAMES = ("pair_id", "reason")


class AgainExport(Record):
    """The sheets of the queue; `unknown` are the ids that are no pairs of the source, or no longer."""

    queue: QueueExport
    unknown: tuple[str, ...]


def again_queue_name(source: str) -> str:
    """The name of the queue in which pairs of a source are asked about again."""
    return f"{source}-again"


def read_reasons(path: Path) -> dict[str, str]:
    """Why pairs are asked about again, by id, from a table with the columns pair_id and reason.

    Raises ReviewError where the table can't be read, lacks a column, or a row has no id or no reason.
    """
    sheet = read_sheet(path, lambda title: squeeze_cell(title).casefold() in NAMES, "utf-8")
    titles = [squeeze_cell(title).casefold() for title in sheet.header.cells]
    missing = [name for name in NAMES if name not in titles]
    if missing:
        raise ReviewError(f"{sheet.at(sheet.header)}: column '{missing[0]}' is missing; add it")
    found: dict[str, str] = {}
    for row in sheet.rows:
        cells = dict(zip(titles, map(squeeze_cell, row.cells), strict=False))
        pair_id, reason = (cells.get(name, "") for name in NAMES)
        if not pair_id or not reason:
            raise ReviewError(f"{sheet.at(row)}: a pair needs its id and a reason; fill the empty cell")
        found[pair_id] = reason
    return found


def export_again(
    annotations: Path,
    reasons: Mapping[str, str],
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    source: Source,
    language: Language,
    settings: ReviewSettings,
) -> AgainExport:
    """Writes or tops up the sheets of `annotations/<source>-again`, in which each row says why it is asked again.

    A pair goes to those of the settings' reviewers who have a vote on it, to all of them where none has. Nobody gets a
    pair twice, and no row that stands in a sheet changes. Raises ReviewError where no reviewer is named or a sheet is
    damaged.
    """
    reviewers = tuple(plain_name("reviewer", name) for name in dict.fromkeys(settings.reviewers))
    if not reviewers:
        raise ReviewError("nobody is named to look again; name reviewers under [review] in pairwright.toml")
    checked = {pair.candidate.id: pair for pair in pairs}
    known = {pair_id: checked[pair_id].candidate for pair_id in reasons if pair_id in checked}
    texts = {pair.id: PairText(pair.id, pair.rule_id, pair.good, pair.bad) for pair in known.values()}
    cast = source_votes(annotations, source.id, {key: pair.candidate for key, pair in checked.items()}).cast
    folder = QueueFolder(annotations, again_queue_name(source.id))
    with folder.locked():
        info = folder.info() or QueueInfo(queue=folder.queue, kind="pairs", source=source.id, language=language.code)
        given = folder.assignments()
        have = {(item.item_id, item.reviewer) for item in given}
        added = [
            Assignment(item_id=pair_id, reviewer=reviewer, pair_id=pair_id, reason=reasons[pair_id])
            for pair_id in known
            for reviewer in ([name for name in reviewers if name in cast.get(pair_id, {})] or reviewers)
            if (pair_id, reviewer) not in have
        ]
        maker = RowMaker(source, rules, checked, language, settings.show_findings)
        desk = HandingOut(
            folder, info, [*given, *added], folder.pair_texts() | texts, maker, language, settings.separator
        )
        sheets = desk.hand_out(added, known.values(), reviewers, frozenset({"reason"}))
        instructions = write_instructions(folder, language, "pairs")
    queue = QueueExport(queue=folder.queue, kind="pairs", sheets=sheets, instructions=instructions, n_short=0)
    return AgainExport(queue=queue, unknown=tuple(pair_id for pair_id in reasons if pair_id not in known))
