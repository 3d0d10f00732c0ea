"""`pairwright status`: the sources, releases and costs of a workspace."""

from collections.abc import Iterator
from typing import Annotated

from pairwright.cli import EXTRAS
from pairwright.cli.review import lines
from pairwright.core.errors import PairwrightError, StoreError, counted
from pairwright.core.records import Source
from pairwright.core.records.documents import DERIVED
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.store import read_manifest, read_record
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source
from pairwright.models.chat import ledger
from pairwright.pipeline.decided import gap, nothing_to_review
from pairwright.pipeline.options import Option
from pairwright.pipeline.review import read_context
from pairwright.release.verify import read_release
from pairwright.review.log import QueueFolder, damaged_logs, queues
from pairwright.review.results import queue_status

# Those of derived pairs, which few sources have.
_OPTIONAL = (*(stage.name for stage in DERIVED), *(name for extra in EXTRAS for name in extra.stages))
_STAGES = ("blocks", "rules", *_OPTIONAL, "llm_pairs", "candidates", "llm_judgments", "checked")
# Stages that run only if a language model is asked.
_LLM_STAGES = ("llm_pairs", "llm_judgments")


def status(workspace: Workspace, queue: Annotated[tuple[str, ...], Option()] = ()) -> Iterator[str]:
    """Show what is done and what to do next.

    Lists sources, queues, releases and scores. For a QUEUE, shows what is done and left, by reviewer and by rule.
    """
    if queue:
        for name in queue:
            if (workspace.sources / name).is_dir() and not QueueFolder(workspace.annotations, name).find_info():
                yield from source_lines(workspace, name)
            else:
                yield from lines.status_lines(queue_status(lines.queue_context(workspace, name)))
        return
    paths = sorted(workspace.sources.glob("*/source.toml"))
    if not paths:
        build = workspace.command("build", "DOCUMENT", "--language", "CODE")
        yield f"no sources under {workspace.sources}; next: {build}"
    for path in paths:
        yield from _guarded(path.parent.name, source_lines(workspace, path.parent.name))
    for directory in workspace.release_folders():
        yield from _guarded(directory.name, _release_lines(workspace, directory.name))
    yield from _guarded("output/llm", _bill(workspace))


def _bill(workspace: Workspace) -> Iterator[str]:
    """What language models have cost, by source, stage and model."""
    currency = workspace.config().llm.currency
    for line in ledger(workspace):
        tokens = f"{counted(line.input_tokens, 'token')} in, {line.output_tokens:,} out"
        batches = f" ({line.in_batches:,} in batches)" if line.in_batches else ""
        parts = ((line.unanswered, "without an answer"), (line.estimated, "not counted by the server"))
        guessed = "".join(f", {number:,} {what}" for number, what in parts if number)
        yield f"paid for {line.source_id or 'all sources'}, {line.stage}, {line.model}:"
        yield f"  {counted(line.requests, 'request')}{batches}{guessed}, {tokens}, {line.cost:.4f} {currency}"


def _guarded(name: str, lines: Iterator[str]) -> Iterator[str]:
    try:
        yield from lines
    except PairwrightError as fault:
        yield f"{name}: {fault}"


def source_lines(workspace: Workspace, name: str) -> Iterator[str]:
    """What is done of a source, by stage and queue."""
    source = load_source(workspace.sources / name)
    yield f"source {source.id}: {source.title} ({source.language}, {source.kind}, {source.licence})"
    work = workspace.work(source.id)
    for stage in _STAGES:
        manifest = read_manifest(work, stage)
        if stage in _LLM_STAGES and not (manifest and manifest.assistant):
            continue
        if manifest is None and stage in _OPTIONAL:
            continue
        if manifest is None:
            yield _line(stage, "not run yet")
            break
        rejected = f", {manifest.n_rejected:,} rejected" if manifest.n_rejected else ""
        yield _line(stage, f"{manifest.n_out:,}{rejected}  ({manifest.finished_at})")
    if manifest is None or not manifest.n_out:
        nothing = gap(workspace, source)
        yield _line("because", nothing.reason)
        yield _line("next", nothing.next)
    if manifest is None:
        return
    for folder in queues(workspace.annotations, source.id):
        yield _line("queue", f"{folder.queue}, {folder.info().kind}")
        damaged = [_line("fault", line) for line in damaged_logs(folder.path)]
        yield from damaged or _queue_lines(workspace, source, folder.queue)


def _queue_lines(workspace: Workspace, source: Source, queue: str) -> Iterator[str]:
    state = queue_status(read_context(workspace, source, queue))
    for reviewer in state.reviewers:
        waiting = f", {reviewer.n_filled} filled in and not taken over yet" if reviewer.n_filled else ""
        yield _line(reviewer.reviewer, f"{reviewer.n_done} of {reviewer.n_items} decided{waiting}")
    if complete := sum(lot.outcome == "complete" for lot in state.lots):
        yield _line(
            "samples", f"{complete} of {counted(len(state.lots), 'lot')} of derived pairs reviewed pair by pair"
        )
    for lot in (lot for lot in state.lots if lot.outcome != "complete"):
        asked = f"{len(lot.sample):,} of {counted(lot.size, f'{lot.method} pair')}"
        n_decided = len(lot.sample) - lot.n_open
        wrong = f", {n_decided:,} decided, {lot.n_errors:,} of these wrong" if n_decided else ""
        yield _line("sample", f"{lot.rule_code}: {asked}{wrong}; {lot.state}")
    for fault in state.faults:
        yield _line("fault", fault)
    for conflict in state.conflicts:
        votes = ", ".join(f"{vote.reviewer} {vote.decision}" for vote in conflict.votes)
        yield _line("conflict", f"{conflict.pair_id} ({conflict.rule_code}): {votes}")
        yield _line("", f"{conflict.good} | {conflict.bad}")
    if state.reviewers and state.kind == "pairs":
        folder = QueueFolder(workspace.annotations, queue)
        left = {folder.sheet(each.reviewer): each.n_items - each.n_done for each in state.reviewers}
        n_rows = sum(each.n_items for each in state.reviewers)
        yield _line("next", nothing_to_review(workspace, source, n_rows, left).next)


def _line(label: str, text: str) -> str:
    return f"  {label:<18}{text}"


def _release_lines(workspace: Workspace, name: str) -> Iterator[str]:
    release = read_release(workspace.releases / name)
    info = release.info
    counts = f"{counted(info.n_pairs, 'pair')} of {counted(info.n_rules, 'rule')}"
    yield f"release {name}: {counts}, {counted(info.n_reviewers, 'reviewer')}"
    for path in sorted(workspace.evaluation(name, "").glob("*/run.json")):
        try:
            run = read_record(path, EvaluationRun, "a run record", "evaluate the release again")
        except StoreError as fault:
            yield _line("fault", str(fault))
            continue
        stale = "" if run.release_sha256 == release.sha256 else ", of another state of the release"
        yield _line("scored by", f"{run.model.name}: {run.n_scored:,} of {counted(run.n_pairs, 'pair')}{stale}")
