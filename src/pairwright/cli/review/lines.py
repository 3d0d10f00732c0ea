"""What the commands of `pairwright review` print."""

from collections.abc import Iterable, Iterator

from pairwright.checks.judging import calibration
from pairwright.cli.review.commands import Queue
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, LLMJudgment
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, source_folder
from pairwright.pipeline.review import read_context
from pairwright.review.log import QueueFolder, ReviewContext, source_votes
from pairwright.review.results import QueueQuality, QueueStatus, queue_quality
from pairwright.review.sheets.exchange import QueueExport
from pairwright.review.sheets.spreadsheet import DECISIONS
from pairwright.stats.agreement import Agreement

MAX_RULES = 40


def queue_context(workspace: Workspace, queue: str) -> ReviewContext:
    """A queue with its source. Raises ReviewError if there is no such queue, StoreError if the source was not built."""
    info = QueueFolder(workspace.annotations, queue).info()
    return read_context(workspace, load_source(source_folder(workspace, info.source)), queue)


def exported_lines(exported: QueueExport) -> Iterator[str]:
    """What became of each sheet."""
    for sheet in exported.sheets:
        yield f"{sheet.path}: {counted(sheet.n_new, 'new row')}, {sheet.n_kept:,} unchanged"
    yield f"{exported.instructions}: for the reviewers to read"
    if exported.n_short:
        yield f"fewer reviewers than asked: {counted(exported.n_short, 'pair')}; name more, or raise the quota"
    if exported.withdrawn_line:
        yield exported.withdrawn_line
    yield from (f"left as it is: {fault}" for fault in exported.faults)


def status_lines(state: QueueStatus) -> Iterator[str]:
    """The state of a queue, by reviewer and by rule."""
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
        votes = "".join(f"{rule.votes.get(word, 0):>8}" for word in DECISIONS)
        yield f"  {rule.code[:width]:<{width}}{rule.n_pairs:>8}{rule.n_voted:>9}{votes}{rule.n_conflicts:>10}"
    if len(state.rules) > MAX_RULES:
        yield f"  and {counted(len(state.rules) - MAX_RULES, 'more rule')}"
    lots = state.lots
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


def agreement(workspace: Workspace, *, queue: Queue) -> Iterator[str]:
    """Measure how far reviewers agree.

    Prints Krippendorff's alpha, and Gwet's AC1 with bootstrap intervals, overall and by rule; figures for each
    reviewer; and how often reviewers contradict the language model that judges pairs.
    """
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
        yield f"  {name}: Krippendorff's alpha, nominal: {_show(nominal.alpha)}"
        if group.ordinal:
            yield f"  {name}: Krippendorff's alpha, ordinal: {_show(group.ordinal)}"
        yield f"  {name}: Gwet's AC1: {_show(nominal.ac1)}"
    yield from _reviewer_lines(quality)
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
            f"{item.n_caught} of {item.n_catch} catch trials failed" if item.n_catch else "",
            "" if item.seconds is None else f"{item.seconds:.0f} s an item",
        )
        yield f"  {item.reviewer}: {', '.join(filter(None, parts))}"


def judge_lines(workspace: Workspace, source_id: str) -> Iterator[str]:
    """How far the judge of a source's pairs agrees with its reviewers; nothing where none was asked."""
    work = workspace.work(source_id)
    judgments = list(read_if_there(work / "llm_judgments.jsonl", LLMJudgment))
    if judgments:
        candidates = {pair.id: pair for pair in read_jsonl(work / "candidates.jsonl", Candidate)}
        votes = source_votes(workspace.annotations, source_id, candidates).cast
        yield f"  judge: {', '.join(sorted({judgment.asked.model_label for judgment in judgments}))}"
        yield from (f"  {line}" for line in calibration(judgments, votes))


def _show(agreement: Agreement) -> str:
    n_units, n_ratings = agreement.n_units, agreement.n_ratings
    if agreement.value is None:
        reason = f"all of {counted(n_ratings, 'answer')} are the same" if n_units else "no item has two answers"
        return f"not defined: {reason} ({counted(n_units, 'item')})"
    interval = "" if agreement.low is None else f" [{agreement.low:.3f}, {agreement.high:.3f}]"
    return f"{agreement.value:.3f}{interval} ({counted(n_units, 'item')}, {counted(n_ratings, 'answer')})"
