"""Take over what reviewers decided and top up their sheets.

    python flows/review.py SOURCE [--again TABLE] [--workspace DIR]

Reads the sheets under annotations/ that ask about pairs of the source into the logs of decisions, turns corrections
into new pairs, and appends pairs that nobody was asked about yet to the sheets of annotations/<source>. A row that
cannot be placed for certain is named and kept in quarantine; the others are taken over. --again puts pairs before
their reviewers a second time, such as those of a report's tables/back-to-review.csv.
"""

from datetime import UTC, datetime
from pathlib import Path

import flow_support as support

# isort: split
import click
from prefect import flow, task

from generate import check, propose_pairs
from ingest import find_source
from pairwright.ingest.source import load_source
from pairwright.languages import Language
from pairwright.records import Rule, Source
from pairwright.review.log.context import read_context, reviewers_language
from pairwright.review.log.folder import QueueFolder, queues
from pairwright.review.queue.export import export_queue
from pairwright.review.queue.recheck import RecheckExport, export_recheck, read_reasons
from pairwright.review.queue.sheet_writer import QueueExport
from pairwright.review.results.status import queue_status
from pairwright.review.sheets.importing import ImportResult, import_answers
from pairwright.store import read_jsonl
from pairwright.workspace import Workspace


def rules_of(workspace: Workspace, source: Source) -> dict[str, Rule]:
    """The rules of a source by id. Raises StoreError where it was not built yet."""
    return {rule.id: rule for rule in read_jsonl(workspace.work(source.id) / "rules.jsonl", Rule)}


def source_queues(workspace: Workspace, source: Source) -> list[str]:
    """The queues in which pairs of a source are decided, by name."""
    return [folder.queue for folder in queues(workspace.annotations, source.id) if folder.info().kind == "pairs"]


def words_of(workspace: Workspace, queue: str, source: Source) -> Language:
    """The language of the words that the reviewers of a queue read and write."""
    return reviewers_language(workspace, source, queue, workspace.config().review)


@task(name="take over decisions", retry_condition_fn=support.not_a_user_error, **support.TASK)
def take_over(workspace: Workspace, source: Source) -> list[ImportResult]:
    """The decisions of all sheets of a source's queues into their logs."""
    separator = workspace.config().review.separator
    now = datetime.now(UTC)
    return [
        import_answers(QueueFolder(workspace.annotations, queue), words_of(workspace, queue, source), now, separator)
        for queue in source_queues(workspace, source)
    ]


@task(name="fill queue", retry_condition_fn=support.not_a_user_error, **support.TASK)
def fill_queue(workspace: Workspace, source: Source) -> QueueExport:
    """The sheets of the configured reviewers, made or topped up."""
    return export_queue(read_context(workspace, source, source.id))


@task(name="ask again", retry_condition_fn=support.not_a_user_error, **support.TASK)
def ask_again(workspace: Workspace, source: Source, table: Path) -> RecheckExport:
    """The sheets of the pairs that a table names with a reason each."""
    return export_recheck(read_context(workspace, source, source.id), read_reasons(table))


def say_again(found: RecheckExport) -> None:
    """What became of the pairs that are asked about again."""
    for sheet in found.queue.sheets:
        support.say("again", f"{sheet.path}: {sheet.n_new} new rows, {sheet.n_kept} left as they were")
    if found.unknown:
        support.say("again", f"{len(found.unknown)} pairs of the table are not, or no longer, of this source")


def take_over_and_correct(workspace: Workspace, source: Source) -> None:
    """Takes over the decisions, and makes and checks the pairs that corrections among them make."""
    results = take_over(workspace, source)
    for taken in results:
        say_import(taken)
    if results:
        propose_pairs(workspace, source)
        check(workspace, source)


def say_import(taken: ImportResult) -> None:
    """What was taken over, and a line for each doubt."""
    new, changed = sum(sheet.n_new for sheet in taken.sheets), sum(sheet.n_changed for sheet in taken.sheets)
    if new or changed:
        sheets = f"{len(taken.sheets)} sheets, logged in {taken.log}"
        support.say("decisions", f"{new} new and {changed} changed from {sheets}")
    for sheet in taken.sheets:
        if sheet.cleared:
            emptied = ", ".join(sheet.cleared)
            support.say("emptied", f"{sheet.path}: the logged decisions on {emptied} stand; decide anew to change them")
    for doubt in taken.doubts:
        support.say("doubt", str(doubt))
    if taken.n_quarantined:
        support.say("quarantine", f"{taken.n_quarantined} rows kept in {taken.log.parent / 'quarantine.jsonl'}")


@flow(name="review")
def review(workspace_dir: Path, source_dir: Path, again: Path | None = None) -> QueueExport:
    """Sheets to decisions, corrections to pairs, pairs to sheets. Raises ReviewError where a sheet can't be written.

    again  a table of pairs to be looked at again, with the reasons
    """
    workspace = Workspace(workspace_dir)
    source = load_source(source_dir)
    take_over_and_correct(workspace, source)
    export = fill_queue(workspace, source)
    state = queue_status(read_context(workspace, source, source.id))
    left = {reviewer.reviewer: reviewer.n_left for reviewer in state.reviewers}
    for sheet in export.sheets:
        support.say("queue", f"{sheet.path}: {sheet.n_new} new rows, {left.get(sheet.reviewer, 0)} to decide")
    if again is not None:
        say_again(ask_again(workspace, source, again))
    if state.conflicts:
        support.say("conflicts", f"{len(state.conflicts)} pairs; see pairwright review conflicts --queue {source.id}")
    return export


@click.command(help=__doc__)
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--again",
    metavar="TABLE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A table with pair_id and reason: ask about these pairs again.",
)
@support.workspace_option
def main(source: Path, again: Path | None, workspace: Path) -> None:
    review(workspace, find_source(Workspace(workspace), source), again)


if __name__ == "__main__":
    support.run_command(main)
