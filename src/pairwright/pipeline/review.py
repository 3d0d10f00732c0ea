"""From a document to the reviewers' sheets; decisions taken over, corrections made into pairs, sheets topped up."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import tomlkit

from pairwright.contrasts import load_contrasts
from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ReviewError, counted
from pairwright.core.records import Block, CheckedPair, Rule, Source
from pairwright.core.store import StageRun, read_jsonl, write_text
from pairwright.core.workspace import Workspace
from pairwright.languages import Language, load_language
from pairwright.languages.linguistics.glosses import GlossedBook, glossed_sentences
from pairwright.pipeline.context import Context
from pairwright.pipeline.decided import gap, keep_rules, nothing_to_review
from pairwright.pipeline.ingest import find_source, ingest
from pairwright.pipeline.options import LLMOptions, Option, ReadingOptions, SourceOptions
from pairwright.pipeline.pairs import check_pairs, generate, propose_pairs
from pairwright.review.assign.design import export_recheck, read_reasons
from pairwright.review.assign.export import export_queue
from pairwright.review.log import QueueFolder, ReviewContext, pair_queues, plain_name
from pairwright.review.results import queue_status
from pairwright.review.sheets.exchange import ImportResult, QueueExport, import_answers, preview_import


def build(
    context: Context,
    source: Path,
    described: SourceOptions = SourceOptions(),
    reading: ReadingOptions = ReadingOptions(),
    llm: LLMOptions = LLMOptions(),
    *,
    until: Annotated[Literal["blocks", "pairs"] | None, Option("Stop after this stage, before the sheets.")] = None,
) -> list[StageRun]:
    """Build a source from its document to the reviewers' sheets.

    SOURCE is a document, a source folder, or its id under sources/. The document becomes blocks, rules and pairs; the
    pairs are checked and go to the reviewers. Stages that are up to date don't run again, and a run that you stopped
    continues where it was.

    Without a language model, rules and pairs come from the source's own examples. With one, pairwright also finds rules
    in a grammar book's prose and tables, writes pairs for them, and has a judge look at these.
    """
    workspace = context.workspace
    if not workspace.config_file.exists() and not workspace.sources.is_dir():
        context.say("workspace", f"new: sources, annotations and output go into {workspace.root.absolute()}")
    loaded = find_source(workspace, source, described)
    runs = [ingest(context, loaded, reading)]
    if until == "blocks":
        if not runs[0].n_out:
            context.say_nothing(gap(workspace, loaded))
        return runs
    runs += generate(context, loaded, llm)
    if until == "pairs":
        return runs
    if runs[-1].n_out or any(pair_queues(workspace.annotations, loaded.id)):
        fill_sheets(context, loaded)
    return runs


# Reviewers and their queues


def review_settings(workspace: Workspace, queue: str, options: Mapping[str, Any] | None = None) -> ReviewSettings:
    """The configured settings with the queue's own reviewers, if it has any, and with options in their place.

    Raises ValidationError for an option out of range.
    """
    info = QueueFolder(workspace.annotations, queue).find_info()
    own = {"reviewers": info.reviewers} if info and info.reviewers else {}
    return ReviewSettings.model_validate(workspace.config().review.model_dump() | own | dict(options or {}))


def change_reviewers(workspace: Workspace, queue: str | None, added: str = "", removed: str = "") -> tuple[str, ...]:
    """Adds a name to the reviewers or removes one: a queue's own or, without a queue, those in pairwright.toml.

    The names that stand there until somebody is named go with the first addition. Returns the reviewers then. Raises
    ReviewError for a name that is not plain, is there already or is not there.
    """
    folder = QueueFolder(workspace.annotations, queue) if queue else None
    names = list((folder.info().reviewers if folder else ()) or workspace.config().review.reviewers)
    if plain_name("reviewer", added or removed) in names and added:
        raise ReviewError(f"reviewer '{added}' is there already: {', '.join(names)}")
    if removed and removed not in names:
        raise ReviewError(f"reviewer '{removed}' is not there; known: {', '.join(names)}")
    placeholders = ReviewSettings().reviewers
    kept = [name for name in names if name != removed and not (added and name in placeholders)]
    names = [*kept, *([added] if added else [])]
    if folder:
        with folder.locked():
            folder.write_info(folder.info().model_copy(update={"reviewers": tuple(names)}))
    else:
        path = workspace.config_file
        document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else "")
        document.setdefault("review", tomlkit.table())["reviewers"] = names
        write_text(path, tomlkit.dumps(document))
    return tuple(names)


def read_context(
    workspace: Workspace, source: Source, queue: str, settings: ReviewSettings | None = None
) -> ReviewContext:
    """Reads what a review needs from a workspace, or with other settings. Raises StoreError before the first build."""
    config, work = workspace.config(), workspace.work(source.id)
    settings = settings or review_settings(workspace, queue)
    pairs = {pair.candidate.id: pair for pair in read_jsonl(work / "checked.jsonl", CheckedPair)}
    ids = {block_id for pair in pairs.values() for block_id in pair.candidate.attested_ids}
    language = reviewers_language(workspace, source, queue, settings)
    blocks = list(read_jsonl(work / "blocks.jsonl", Block)) if ids else []
    boundaries = load_language(source.language, workspace.root).boundaries
    return ReviewContext(
        annotations=workspace.annotations,
        queue=queue,
        source=source,
        pairs=pairs,
        rules={rule.id: rule for rule in _rules(workspace, source, language)},
        language=language,
        settings=settings,
        deciding=config.release,
        attested={block.id: block for block in blocks if block.id in ids},
        glosses=GlossedBook(glossed_sentences(blocks, boundaries), boundaries),
    )


def _rules(workspace: Workspace, source: Source, language: Language) -> Iterator[Rule]:
    """The rules of a source, those of contrast files in the reviewers' language where they have its words."""
    texts: dict[str, dict[str, str]] = {}
    for rule in read_jsonl(workspace.work(source.id) / "rules.jsonl", Rule):
        if rule.declared_in and not texts:
            contrasts = load_contrasts(source.language, workspace.root)
            texts = {contrast.name: contrast.in_language(language.code) for contrast in contrasts}
        yield rule.model_copy(update=texts.get(rule.code)) if rule.declared_in else rule


def reviewers_language(workspace: Workspace, source: Source, queue: str, settings: ReviewSettings) -> Language:
    """The language that a queue's reviewers read: the queue's own, else the configured one, else the source's."""
    info = QueueFolder(workspace.annotations, queue).find_info()
    return load_language(info.language if info else settings.language or source.language, workspace.root)


# Sheets


def sync(
    context: Context,
    source: Path,
    *,
    recheck: Annotated[
        Path | None, Option("Ask again about these pairs: a table with pair_id and reason.", kind="file")
    ] = None,
) -> QueueExport:
    """Read the reviewers' sheets and add new pairs to them.

    Reads the sheets that ask about pairs of SOURCE, logs the decisions, makes new pairs from corrections, and adds
    open pairs to the sheets. A row that can't be read with certainty is named and kept in quarantine; the rest is
    read. With --recheck, asks again about pairs such as those in a report's tables/back-to-review.csv.
    """
    return fill_sheets(context, find_source(context.workspace, source), recheck)


def fill_sheets(context: Context, loaded: Source, recheck: Path | None = None) -> QueueExport:
    """The same for a source that is loaded."""
    workspace = context.workspace
    taken_over = take_over_and_correct(context, loaded)
    review = read_context(workspace, loaded, loaded.id)
    export = context.call("fill queue", export_queue, review)
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
        other = f"{counted(n_readings, 'other reading')} not asked about"
        context.say("queue", f"{other}; see alternatives under [review]")
    if export.withdrawn_line:
        context.say("queue", export.withdrawn_line)
    for fault in export.faults:
        context.say("left as it is", fault)
    if recheck is not None:
        context.call("ask again", _ask_again, context, review, recheck)
    if state.lots:
        counts = Counter(lot.outcome for lot in state.lots)
        outcomes = ", ".join(f"{outcome} {n}" for outcome, n in sorted(counts.items()))
        lots = counted(len(state.lots), "lot")
        context.say("samples", f"{lots} of derived pairs ({outcomes}); see {workspace.command('status', loaded.id)}")
    if state.conflicts:
        see = workspace.command("review", "settle", "--queue", loaded.id)
        context.say("conflicts", f"{counted(len(state.conflicts), 'pair')}; see {see}")
    sheets = [sheet for result in taken_over for sheet in result.sheets]
    n_rows = sum(reviewer.n_items for reviewer in state.reviewers)
    waiting = {sheet.path: left.get(sheet.reviewer, 0) for sheet in export.sheets}
    still = nothing_to_review(workspace, loaded, n_rows, waiting)
    if export.n_new or any(sheet.n_new or sheet.n_changed for sheet in sheets):
        context.say("next", still.next)
    else:
        context.say_nothing(still)
    return export


def take_over_and_correct(context: Context, source: Source) -> list[ImportResult]:
    """Takes decisions over from a source's sheets, and makes and checks the pairs that corrections among them make.

    Returns what was taken over from each queue, with its doubts.
    """
    results = context.call("take over decisions", take_over, context.workspace, source)
    for result in results:
        _say_import(context, result)
    if results:
        keep_rules(context.workspace, source.id)
        propose_pairs(context, source)
        check_pairs(context, source)
    return results


def take_over(workspace: Workspace, source: Source, *, preview: bool = False) -> list[ImportResult]:
    """Takes decisions over from a source's sheets; a preview writes nothing, and tells what that would give."""
    settings, now, results = workspace.config().review, datetime.now(UTC), list[ImportResult]()
    for folder in pair_queues(workspace.annotations, source.id):
        language = reviewers_language(workspace, source, folder.queue, settings)
        if preview:
            results.append(preview_import(folder, language, now))
        else:
            results.append(import_answers(folder, language, now, settings.separator))
    return results


def _ask_again(context: Context, review: ReviewContext, table: Path) -> None:
    """Puts the pairs that a table names, with a reason each, before their reviewers a second time."""
    reasons = read_reasons(table, review.language.legacy_encoding)
    export = export_recheck(review, reasons)
    for sheet in export.sheets:
        context.say("recheck", f"{sheet.path}: {counted(sheet.n_new, 'new row')}, {sheet.n_kept:,} unchanged")
    for fault in export.faults:
        context.say("left as it is", fault)
    if unknown := reasons.keys() - review.pairs.keys():
        context.say("recheck", f"{counted(len(unknown), 'pair')} of the table not, or no longer, of this source")


def _say_import(context: Context, result: ImportResult) -> None:
    """What was taken over, and a line for each doubt."""
    new, changed = sum(sheet.n_new for sheet in result.sheets), sum(sheet.n_changed for sheet in result.sheets)
    if new or changed:
        sheets = f"{counted(len(result.sheets), 'sheet')}, logged in {result.log}"
        context.say("decisions", f"{new:,} new and {changed:,} changed from {sheets}")
    for sheet in result.sheets:
        if sheet.cleared:
            emptied = ", ".join(sheet.cleared)
            context.say("emptied", f"{sheet.path}: the logged decisions on {emptied} stand; decide anew to change them")
    for doubt in result.doubts:
        context.say("doubt", doubt)
    if result.n_quarantined:
        context.say(
            "quarantine", f"{counted(result.n_quarantined, 'row')} kept in {result.log.parent / 'quarantine.jsonl'}"
        )
