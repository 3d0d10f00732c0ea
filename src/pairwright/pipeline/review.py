"""CheckedPair <-> sheets: decisions taken over, corrections made into pairs, sheets topped up."""

from datetime import UTC, datetime
from pathlib import Path

from pairwright.ingest.source import load_source
from pairwright.languages import Language
from pairwright.pipeline.context import Context
from pairwright.pipeline.pairs import check, propose_pairs
from pairwright.pipeline.sources import find_source
from pairwright.records import CheckedPair, Rule, Source
from pairwright.review.log.folder import queues
from pairwright.review.queue.export import QueueExport, export_queue, reviewers_language
from pairwright.review.queue.recheck import export_again, read_reasons
from pairwright.review.results.status import queue_status
from pairwright.review.sheets.importing import ImportResult, import_answers
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace


def sync(context: Context, source: Path, recheck: Path | None = None) -> QueueExport:
    """Sheets to decisions, corrections to pairs, pairs to sheets. Raises ReviewError where a sheet can't be written.

    recheck  a table of pairs to be looked at again, with the reasons
    """
    workspace = context.workspace
    loaded = load_source(find_source(workspace, source))
    take_over_and_correct(context, loaded)
    export = context.call("fill queue", _fill_queue, workspace, loaded)
    candidates = {pair.candidate.id: pair.candidate for pair in pairs_of(workspace, loaded)}
    language = _reviewers_language(workspace, loaded.id, loaded)
    state = queue_status(workspace.annotations, loaded.id, candidates, rules_of(workspace, loaded), language)
    left = {reviewer.reviewer: reviewer.n_left for reviewer in state.reviewers}
    for sheet in export.sheets:
        context.say("queue", f"{sheet.path}: {sheet.n_new} new rows, {left.get(sheet.reviewer, 0)} to decide")
    if recheck is not None:
        context.call("ask again", _ask_again, context, loaded, recheck)
    if state.conflicts:
        context.say("conflicts", f"{len(state.conflicts)} pairs; see pairwright review conflicts --queue {loaded.id}")
    return export


def take_over_and_correct(context: Context, source: Source) -> None:
    """Takes decisions over from a source's sheets, and makes and checks the pairs that corrections among them make."""
    results = context.call("take over decisions", _take_over, context.workspace, source)
    for result in results:
        _say_import(context, result)
    if results:
        context.call("propose pairs", propose_pairs, context, source)
        context.call("check pairs", check, context, source)


def pairs_of(workspace: Workspace, source: Source) -> list[CheckedPair]:
    """The checked pairs of a source. Raises StoreError where it was not built yet."""
    return list(read_jsonl(workspace.work(source.id) / "checked.jsonl", CheckedPair))


def rules_of(workspace: Workspace, source: Source) -> dict[str, Rule]:
    """The rules of a source by id. Raises StoreError where it was not built yet."""
    return {rule.id: rule for rule in read_jsonl(workspace.work(source.id) / "rules.jsonl", Rule)}


def source_queues(workspace: Workspace, source: Source) -> list[str]:
    """The names of the queues in which pairs of a source are decided."""
    infos = [folder.known() for folder in queues(workspace.annotations)]
    return [info.queue for info in infos if info.kind == "pairs" and info.source == source.id]


def _reviewers_language(workspace: Workspace, queue: str, source: Source) -> Language:
    return reviewers_language(workspace.annotations, queue, source, workspace.config().review, workspace.root)


def _take_over(workspace: Workspace, source: Source) -> list[ImportResult]:
    separator, now = workspace.config().review.separator, datetime.now(UTC)
    return [
        import_answers(workspace.annotations, queue, _reviewers_language(workspace, queue, source), now, separator)
        for queue in source_queues(workspace, source)
    ]


def _fill_queue(workspace: Workspace, source: Source) -> QueueExport:
    config = workspace.config()
    return export_queue(
        workspace.annotations,
        source.id,
        pairs_of(workspace, source),
        rules_of(workspace, source),
        source,
        _reviewers_language(workspace, source.id, source),
        config.review,
        votes_needed=config.release.votes,
    )


def _ask_again(context: Context, source: Source, table: Path) -> None:
    """Puts the pairs that a table names, with a reason each, before their reviewers a second time."""
    workspace = context.workspace
    export = export_again(
        workspace.annotations,
        read_reasons(table),
        pairs_of(workspace, source),
        rules_of(workspace, source),
        source,
        _reviewers_language(workspace, source.id, source),
        workspace.config().review,
    )
    for sheet in export.queue.sheets:
        context.say("recheck", f"{sheet.path}: {sheet.n_new} new rows, {sheet.n_kept} left as they were")
    if export.unknown:
        context.say("recheck", f"{len(export.unknown)} pairs of the table are not, or no longer, of this source")


def _say_import(context: Context, result: ImportResult) -> None:
    """What was taken over, and a line for each doubt."""
    new, changed = sum(sheet.n_new for sheet in result.sheets), sum(sheet.n_changed for sheet in result.sheets)
    if new or changed:
        sheets = f"{len(result.sheets)} sheets, logged in {result.log}"
        context.say("decisions", f"{new} new and {changed} changed from {sheets}")
    for sheet in result.sheets:
        if sheet.cleared:
            emptied = ", ".join(sheet.cleared)
            context.say("emptied", f"{sheet.path}: the logged decisions on {emptied} stand; decide anew to change them")
    for doubt in result.doubts:
        context.say("doubt", doubt)
    if result.n_quarantined:
        context.say("quarantine", f"{result.n_quarantined} rows kept in {result.log.parent / 'quarantine.jsonl'}")
