"""What the commands of `pairwright review` print."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from pairwright.checks.calibration import calibrate, calibration_text, judged_by_both
from pairwright.core.errors import ReviewError, StoreError, counted
from pairwright.core.records import Candidate, LLMJudgment, Lot, QueueKind
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, source_folder
from pairwright.pipeline.gaps import gap
from pairwright.pipeline.review import read_context, review_settings, reviewers_language
from pairwright.review.assign.again import export_conflicts, open_conflicts
from pairwright.review.assign.design import read_trial_items
from pairwright.review.assign.export import export_queue
from pairwright.review.assign.label_studio import write_tasks
from pairwright.review.log.queue import QueueFolder, ReviewContext, queues
from pairwright.review.log.votes import source_votes
from pairwright.review.results.quality import QueueQuality, queue_quality
from pairwright.review.results.status import QueueStatus, queue_status
from pairwright.review.sheets.importing import import_answers
from pairwright.review.sheets.writing import QueueExport
from pairwright.review.web import links
from pairwright.review.web.access import public_site
from pairwright.review.web.questionnaire import delete_participant, table
from pairwright.stats.agreement import Agreement

MAX_RULES = 40


def queue_context(workspace: Workspace, queue: str) -> ReviewContext:
    """A queue with its source. Raises ReviewError if there is no such queue, StoreError if the source was not built."""
    info = QueueFolder(workspace.annotations, queue).info()
    return read_context(workspace, load_source(source_folder(workspace, info.source)), queue)


def export_lines(
    workspace: Workspace,
    queue: str,
    source: str | None,
    kind: QueueKind | None,
    options: dict[str, Any],
    *,
    label_studio: bool = False,
) -> Iterator[str]:
    """Exports a queue, and tasks for Label Studio, and says what became of each file.

    `options` are settings that replace configured ones.
    """
    try:
        settings = review_settings(workspace, queue, options)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        name = str(first["loc"][-1]).replace("_", "-")
        raise ReviewError(f"--{name}: {first['msg']}") from None
    info = QueueFolder(workspace.annotations, queue).find_info()
    loaded = load_source(source_folder(workspace, source or (info.source if info else queue)))
    context = read_context(workspace, loaded, queue, settings)
    kind = kind or (info.kind if info else "pairs")
    trial_items = read_trial_items(workspace.root, settings, context.language.legacy_encoding)
    exported = export_queue(context, kind, trial_items, options.get("reviewers", ()))
    if not exported.sheets:
        nothing = gap(workspace, loaded)
        yield f"no sheets: {nothing.reason}"
        yield f"next: {nothing.next}"
        return
    yield from _export_lines(exported)
    if label_studio:
        written = write_tasks(context, workspace.review_tasks)
        yield from (f"{path}: {what}" for path, what in written.items())
        if len(written) == 1:
            yield "no tasks for Label Studio: nothing is left to decide"


def _export_lines(exported: QueueExport) -> Iterator[str]:
    for sheet in exported.sheets:
        yield f"{sheet.path}: {counted(sheet.n_new, 'new row')}, {sheet.n_kept:,} unchanged"
    yield f"{exported.instructions}: for the reviewers to read"
    if exported.n_short:
        yield f"fewer reviewers than asked: {counted(exported.n_short, 'pair')}; name more, or raise the quota"
    if exported.withdrawn_line:
        yield exported.withdrawn_line
    yield from (f"left as it is: {fault}" for fault in exported.faults)


def import_lines(
    workspace: Workspace, queue: str, files: Sequence[Path], reviewer: str | None
) -> tuple[list[str], int]:
    """Imports the answers of sheets. Returns what to print and how many doubts there are."""
    folder, settings = QueueFolder(workspace.annotations, queue), workspace.config().review
    info = folder.info()
    reviewers = {item.reviewer for item in folder.assignments()}
    if reviewer is not None and reviewer not in reviewers:
        raise ReviewError(f"--reviewer '{reviewer}': nobody of this queue; known: {', '.join(sorted(reviewers))}")
    source = load_source(source_folder(workspace, info.source))
    language = reviewers_language(workspace, source, queue, settings)
    now = datetime.now(UTC)
    imported = import_answers(folder, language, now, settings.separator, files, reviewer)
    lines = [*dict.fromkeys(map(str, imported.doubts))]
    for sheet in imported.sheets:
        doubtful = f", {counted(sheet.n_doubtful, 'row')} in doubt" if sheet.n_doubtful else ""
        answers = f"{counted(sheet.n_decided, 'answer')}, {sheet.n_new:,} new, {sheet.n_changed:,} changed"
        lines.append(f"{sheet.path}: {answers}{doubtful}")
        if sheet.cleared:
            lines.append(f"  emptied, and the logged answers stand: {', '.join(sheet.cleared)}")
    if not imported.sheets and not imported.doubts:
        lines.append(f"{folder.path}: no sheet is here; give the files that were sent, or export the queue")
    if imported.sheets and not any(sheet.n_decided or sheet.n_doubtful for sheet in imported.sheets):
        lines.append(f"next: fill in {imported.sheets[0].path}")
    if imported.n_quarantined:
        lines.append(
            f"not imported: {counted(imported.n_quarantined, 'row')}; each is kept, with why, in "
            f"{folder.path / 'quarantine.jsonl'}"
        )
    if info.kind == "pairs" and any(sheet.n_new or sheet.n_changed for sheet in imported.sheets):
        lines.append(
            f"next: {workspace.command('review', 'sync', source.id)}, which makes pairs of corrections and fills sheets"
        )
    return lines, len(imported.doubts)


def status_lines(workspace: Workspace, queue: str | None) -> Iterator[str]:
    """The state of one queue or of all."""
    names = [queue] if queue else [folder.queue for folder in queues(workspace.annotations)]
    if not names:
        yield f"{workspace.annotations}: no queue yet; run pairwright review export --queue SOURCE"
    for name in names:
        try:
            context = queue_context(workspace, name)
        except StoreError as fault:
            if queue:
                raise
            yield f"queue {name}: {fault}"
            continue
        yield from _status_lines(queue_status(context))


def _status_lines(state: QueueStatus) -> Iterator[str]:
    counts = f"{counted(len(state.reviewers), 'reviewer')}, {counted(len(state.conflicts), 'conflict')}"
    yield f"queue {state.queue}: {state.kind}, {counts}"
    yield "  reviewer         items    done  filled    left   an hour  hours left"
    for item in state.reviewers:
        pace = f"{3600 / item.seconds_per_item:.0f}" if item.seconds_per_item else "unknown"
        hours = "unknown" if item.hours_left is None else f"{item.hours_left:.1f}"
        yield (
            f"  {item.reviewer:<14}{item.n_items:>8}{item.n_done:>8}{item.n_filled:>8}{item.n_left:>8}"
            f"{pace:>10}{hours:>12}"
        )
    yield from (f"  fault: {fault}" for fault in state.faults)
    shown = state.rules[:MAX_RULES]
    width = _code_width(rule.code for rule in shown)
    yield f"  {'rule':<{width}}   pairs answered approve     fix  reject  unsure conflicts"
    for rule in shown:
        yield (
            f"  {rule.code[:width]:<{width}}{rule.n_pairs:>8}{rule.n_voted:>9}{rule.n_approve:>8}{rule.n_fix:>8}"
            f"{rule.n_reject:>8}{rule.n_unsure:>8}{rule.n_conflicts:>10}"
        )
    if len(state.rules) > MAX_RULES:
        yield f"  and {counted(len(state.rules) - MAX_RULES, 'more rule')}"
    yield from lot_lines(state.lots)


def lot_lines(lots: Sequence[Lot]) -> Iterator[str]:
    """The samples of derived pairs: how far they are, and whether the lots pass."""
    width = _code_width(lot.rule_code for lot in lots)
    if lots:
        yield f"  {'rule':<{width}} method          lot  sample decided  errors"
    for lot in lots:
        n_sample = len(lot.sample)
        yield (
            f"  {lot.rule_code[:width]:<{width}} {lot.method:<10}{lot.size:>8}{n_sample:>8}{n_sample - lot.n_open:>8}"
            f"{lot.n_errors:>8}  {lot.state}"
        )


def _code_width(codes: Iterable[str]) -> int:
    """The width of a column of rules' codes."""
    return min(40, max(map(len, codes), default=0) + 1)


def conflict_lines(workspace: Workspace, queue: str, adjudicators: Sequence[str]) -> Iterator[str]:
    """The open conflicts, or the queue that settles them."""
    context = queue_context(workspace, queue)
    conflicts = open_conflicts(context)
    if adjudicators and conflicts:
        yield from _export_lines(export_conflicts(context, adjudicators))
        own = Counter(vote.reviewer for conflict in conflicts for vote in conflict.votes)
        for name in adjudicators:
            if own[name]:
                yield f"{name} voted on {own[name]} of these pairs; a third person settles them better"
        return
    yield f"queue {queue}: {counted(len(conflicts), 'conflict')}"
    for conflict in conflicts:
        votes = ", ".join(f"{vote.reviewer} {vote.decision}" for vote in conflict.votes)
        yield f"  {conflict.pair_id} ({conflict.rule_code}): {votes}"
        yield f"    {conflict.good} | {conflict.bad}"


def agreement_lines(workspace: Workspace, queue: str) -> Iterator[str]:
    """The agreement of a queue's reviewers, and figures on each of them."""
    context = queue_context(workspace, queue)
    quality = queue_quality(context)
    yield f"queue {queue}: {quality.kind}; 95% bootstrap intervals over items"
    if quality.settles:
        yield "  its answers settle conflicts, with the others' votes in sight: no agreement is stated"
    elif not quality.groups:
        yield "  no item has two answers yet"
    for group in quality.groups[: MAX_RULES + 1]:
        name = f"rule {group.code}" if group.code else "all rules"
        nominal = group.nominal
        n_units = counted(nominal.alpha.n_units, "item")
        yield f"  {name}: all answers the same: {nominal.raw:.1%} ({nominal.n_agreed} of {n_units})"
        for level, alpha in {"nominal": nominal.alpha, **group.scales}.items():
            yield f"  {name}: Krippendorff's alpha, {level}: {_show(alpha)}"
        yield f"  {name}: Gwet's AC1: {_show(nominal.ac1)}"
        if group.fleiss is not None:
            yield f"  {name}: Fleiss' kappa: {_show(group.fleiss)}"
    for pair in quality.pairs:
        yield f"  Cohen's kappa of {pair.one} and {pair.other}: {_show(pair.kappa)}"
    yield from _reviewer_lines(quality)
    for mean in quality.means:
        error = "" if mean.standard_error is None else f" ± {mean.standard_error:.3f}"
        yield f"  mean z of {mean.condition}: {mean.mean:.3f}{error} (SE over {counted(mean.n_raters, 'rater')})"
    for share in quality.prefer:
        raters = counted(share.n_raters, "rater")
        yield f"  prefer the acceptable sentences, {share.group}: {share.n_prefer} of {raters}"
    yield from judge_lines(workspace, context.source.id)


def _reviewer_lines(quality: QueueQuality) -> Iterator[str]:
    share = {"pairs": "approved", "choice": "right", "likert": ""}[quality.kind]
    for item in quality.reviewers:
        parts = (
            counted(item.n, "answer"),
            "" if item.share is None else f"{item.share:.0%} {share}",
            "" if item.bias is None else f"bias {item.bias:+.2f}",
            f"{item.n_caught} of {item.n_catch} catch trials failed" if item.n_catch else "",
            "" if item.seconds is None else f"{item.seconds:.0f} s an item",
        )
        yield f"  {item.reviewer}: {', '.join(filter(None, parts))}"


def invitation_lines(
    workspace: Workspace, queue: str | None, reviewer: str, days: int, public_url: str | None, *, revoke: bool
) -> Iterator[str]:
    """Makes or revokes the link of a reviewer. Raises ReviewError where the queue or the public address is missing."""
    if not queue:
        raise ReviewError("--queue is missing; a link is for one queue")
    folder, now = QueueFolder(workspace.annotations, queue), datetime.now(UTC)
    if revoke:
        links.revoke(folder, reviewer, now)
        yield f"the link of {reviewer} to {queue} is revoked"
        return
    if not public_url:
        raise ReviewError(
            "--public-url is missing; give the address that reviewers reach, or set PAIRWRIGHT_PUBLIC_URL"
        )
    site = public_site(public_url)
    token, made = links.issue(folder, reviewer, days, now)
    yield f"{site.public}/{queue}/enter#{token}"
    click.echo(f"for {reviewer} alone, until {made.expires[:16].replace('T', ' ')} UTC; link {made.id}", err=True)


def link_lines(workspace: Workspace, queue: str | None) -> Iterator[str]:
    """The links of a queue or of all: id, reviewer, state, until when."""
    for folder in [QueueFolder(workspace.annotations, queue)] if queue else queues(workspace.annotations):
        folder.info()
        yield f"queue {folder.queue}"
        for one in links.read_links(folder):
            yield f"  {one.id}  {one.reviewer:<16} {one.state(datetime.now(UTC)):<8} until {one.expires[:16]}"


def questionnaire_lines(workspace: Workspace, queue: str, delete: str | None) -> Iterator[str]:
    """The table of what reviewers said, or the line that says whose answers are deleted."""
    folder = QueueFolder(workspace.annotations, queue)
    folder.info()
    if delete is None:
        yield from table(folder).splitlines()
        return
    delete_participant(folder, delete)
    yield f"what {delete} said before {queue} is deleted"


def judge_lines(workspace: Workspace, source_id: str) -> Iterator[str]:
    """How far the judge of a source's pairs agrees with its reviewers; nothing where none was asked."""
    work = workspace.work(source_id)
    judgments = list(read_if_there(work / "llm_judgments.jsonl", LLMJudgment))
    if judgments:
        candidates = {pair.id: pair for pair in read_jsonl(work / "candidates.jsonl", Candidate)}
        votes = source_votes(workspace.annotations, source_id, candidates).cast
        yield f"  judge: {', '.join(sorted({judgment.asked.model_label for judgment in judgments}))}"
        yield from (f"  {line}" for line in calibration_text(calibrate(judged_by_both(judgments, votes))).splitlines())


def _show(agreement: Agreement) -> str:
    n_units, n_ratings = agreement.n_units, agreement.n_ratings
    if agreement.value is None:
        reason = f"all of {counted(n_ratings, 'answer')} are the same" if n_units else "no item has two answers"
        return f"not defined: {reason} ({counted(n_units, 'item')})"
    interval = "" if agreement.low is None else f" [{agreement.low:.3f}, {agreement.high:.3f}]"
    return f"{agreement.value:.3f}{interval} ({counted(n_units, 'item')}, {counted(n_ratings, 'answer')})"
