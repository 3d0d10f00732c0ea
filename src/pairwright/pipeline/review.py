"""CheckedPair <-> sheets: decisions taken over, corrections made into pairs, sheets topped up."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from pairwright.core.errors import counted
from pairwright.core.records import Source
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import keep_rules
from pairwright.pipeline.gaps import gap, nothing_to_review
from pairwright.pipeline.pairs import check, propose_pairs
from pairwright.pipeline.sources import find_source
from pairwright.review.log.context import read_context, reviewers_language
from pairwright.review.log.folder import pair_queues
from pairwright.review.queue.export import export_queue
from pairwright.review.queue.recheck import export_recheck, read_reasons
from pairwright.review.queue.sheet_writer import QueueExport
from pairwright.review.results.status import queue_status
from pairwright.review.sheets.importing import ImportResult, import_answers


def sync(context: Context, source: Path, recheck: Path | None = None) -> QueueExport:
    """Sheets to decisions, corrections to pairs, pairs to sheets. A sheet that can't be written on is named.

    recheck  a table of pairs to be looked at again, with the reasons
    """
    workspace = context.workspace
    loaded = load_source(find_source(workspace, source))
    taken_over = take_over_and_correct(context, loaded)
    export = context.call("fill queue", _fill_queue, workspace, loaded)
    review = read_context(workspace, loaded, loaded.id)
    if not review.folder.find_info():
        context.say_nothing(gap(workspace, loaded))
        return export
    state = queue_status(review)
    # What was filled in and could not be taken over is still to be decided.
    left = {reviewer.reviewer: reviewer.n_items - reviewer.n_done for reviewer in state.reviewers}
    for sheet in export.sheets:
        n_left = left.get(sheet.reviewer, 0)
        context.say("queue", f"{sheet.path}: {counted(sheet.n_new, 'new row')}, {n_left:,} to decide")
    passed = (pair.candidate for pair in review.pairs.values() if pair.verdict == "pass")
    n_readings = sum(pair.method == "source" and pair.parent_id is not None for pair in passed)
    if n_readings and not review.settings.alternatives:
        other = f"not asked about, as another reading: {counted(n_readings, 'pair')}"
        context.say("queue", f"{other}; see alternatives under [review]")
    if export.withdrawn_line:
        context.say("queue", export.withdrawn_line)
    for fault in export.faults:
        context.say("left as it is", fault)
    if recheck is not None:
        context.call("ask again", _ask_again, context, loaded, recheck)
    if state.lots:
        counts = Counter(lot.outcome for lot in state.lots)
        outcomes = ", ".join(f"{outcome} {n}" for outcome, n in sorted(counts.items()))
        lots = counted(len(state.lots), "lot")
        context.say("samples", f"{lots} of derived pairs ({outcomes}); see {workspace.command('review', 'status')}")
    if state.conflicts:
        see = workspace.command("review", "conflicts", "--queue", loaded.id)
        context.say("conflicts", f"{counted(len(state.conflicts), 'pair')}; see {see}")
    sheets = [sheet for result in taken_over for sheet in result.sheets]
    if not export.n_new and not any(sheet.n_new or sheet.n_changed or sheet.n_restored for sheet in sheets):
        n_rows = sum(reviewer.n_items for reviewer in state.reviewers)
        context.say_nothing(nothing_to_review(workspace, loaded, n_rows, sum(left.values())))
    return export


def take_over_and_correct(context: Context, source: Source) -> list[ImportResult]:
    """Takes decisions over from a source's sheets, and makes and checks the pairs that corrections among them make.

    Returns what was taken over from each queue, with its doubts.
    """
    results = context.call("take over decisions", _take_over, context.workspace, source)
    for result in results:
        _say_import(context, result)
    if results:
        keep_rules(context.workspace, source.id)
        context.call("propose pairs", propose_pairs, context, source)
        context.call("check pairs", check, context, source)
    return results


def _take_over(workspace: Workspace, source: Source) -> list[ImportResult]:
    settings, now = workspace.config().review, datetime.now(UTC)
    return [
        import_answers(folder, reviewers_language(workspace, source, folder.queue, settings), now, settings.separator)
        for folder in pair_queues(workspace.annotations, source.id)
    ]


def _fill_queue(workspace: Workspace, source: Source) -> QueueExport:
    return export_queue(read_context(workspace, source, source.id))


def _ask_again(context: Context, source: Source, table: Path) -> None:
    """Puts the pairs that a table names, with a reason each, before their reviewers a second time."""
    review = read_context(context.workspace, source, source.id)
    export = export_recheck(review, read_reasons(table, review.language.legacy_encoding))
    for sheet in export.queue.sheets:
        context.say("recheck", f"{sheet.path}: {counted(sheet.n_new, 'new row')}, {sheet.n_kept:,} untouched")
    for fault in export.queue.faults:
        context.say("left as it is", fault)
    if export.unknown:
        context.say("recheck", f"{counted(len(export.unknown), 'pair')} of the table not, or no longer, of this source")


def _say_import(context: Context, result: ImportResult) -> None:
    """What was taken over, and a line for each doubt."""
    new, changed = sum(sheet.n_new for sheet in result.sheets), sum(sheet.n_changed for sheet in result.sheets)
    if new or changed:
        sheets = f"{counted(len(result.sheets), 'sheet')}, logged in {result.log}"
        context.say("decisions", f"{new:,} new and {changed:,} changed from {sheets}")
    for line in result.restored_lines():
        context.say("restored", line)
    for sheet in result.sheets:
        if sheet.cleared:
            emptied = ", ".join(sheet.cleared)
            context.say("emptied", f"{sheet.path}: the logged decisions on {emptied} stand; decide anew to change them")
    for doubt in result.doubts:
        context.say("doubt", str(doubt))
    if result.n_quarantined:
        context.say(
            "quarantine", f"{counted(result.n_quarantined, 'row')} kept in {result.log.parent / 'quarantine.jsonl'}"
        )
