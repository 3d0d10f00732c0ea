"""Score -> report: the page on a release, with all models that were scored on it so far."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairwright.core.errors import StoreError, counted
from pairwright.core.records.evaluation import EvaluationRun
from pairwright.core.records.release import FrozenRelease
from pairwright.evaluate.asking.runs import FOLDER
from pairwright.evaluate.scoring.runs.evaluation import read_table
from pairwright.languages.locale import Words, load_words
from pairwright.pipeline.context import Context
from pairwright.pipeline.extra import Reported
from pairwright.pipeline.models.tasks import READ
from pairwright.release.verify import with_pairs
from pairwright.reporting.analysis.inputs import ReportFiles, read_inputs
from pairwright.reporting.data.evaluations import ReportFault
from pairwright.reporting.data.responses import AskedTasks, read_responses
from pairwright.tasks.make import read_items

if TYPE_CHECKING:
    from pairwright.reporting.analysis.summary import Summary


def write(
    context: Context,
    frozen: FrozenRelease,
    inputs: ReportFiles,
    failed: Sequence[ReportFault],
    items: Path | None,
    column: str,
) -> "tuple[Path, Summary]":
    """Writes the report and says what stands in it; returns the path of its page and its numbers. Raises StoreError.

    failed  the models that could not be scored
    items   a folder with items that models were asked beside those of the release
    column  as in `overview`
    """
    from pairwright.reporting.render import sentences
    from pairwright.reporting.render.overview import overview

    path, summary = context.call("write report", _write, context, frozen, inputs, failed, items)
    words = load_words("report")
    release = with_pairs(frozen)
    for line in overview(release, summary, column):
        context.say("", line)
    for line in sentences.asked(summary, words):
        context.say("tasks", line)
    for fault in summary.faults:
        if fault.kind != "not-scored":
            context.say("warning", fault.message)
    if release.version and (returned := {row["pair_id"] for row in summary.rows("pairs", faulty=True)}):
        context.say("review", f"missed by every model: {counted(len(returned), 'pair')}; to have them looked at again:")
        for source in sorted({pair.source_id for pair in release.pairs if pair.id in returned}):
            table = path.parent / "tables" / "back-to-review.csv"
            context.say("review", f"pairwright review sync {source} --recheck {table}")
    context.say("report", str(path))
    return path, summary


def _write(
    context: Context, frozen: FrozenRelease, inputs: ReportFiles, failed: Sequence[ReportFault], items: Path | None
) -> "tuple[Path, Summary]":
    # Starts pandas, which steps that only look for what to do can do without.
    from pairwright.reporting.analysis.summary import summarise
    from pairwright.reporting.render.page import write_report

    release = with_pairs(frozen)
    others = read_inputs(inputs, release)
    summary = summarise(release, _evaluations(context, frozen), others, _asked(context, frozen, items))
    summary = summary.model_copy(update={"faults": (*failed, *summary.faults)})
    directory = context.workspace.report(release.path.name)
    words = page_words(context, inputs)
    folder = context.workspace.evaluations(frozen.path.name)
    reported = Reported(context, folder, summary, inputs.extras, words)
    more = [section for extra in context.extras for section in extra.sections(reported)]
    return write_report(directory, release, summary, words, inputs.page_tokens, more), summary


def page_words(context: Context, inputs: ReportFiles) -> Words:
    """The words of the language that was asked for, else of the one that the workspace sets."""
    return load_words("report", page_language(context, inputs), context.workspace.root)


def page_language(context: Context, inputs: ReportFiles) -> str:
    """The code of the language that was asked for, else of the one that the workspace sets."""
    return inputs.page_language or context.workspace.config().report.language


def _asked(context: Context, release: FrozenRelease, items: Path | None) -> AskedTasks | None:
    """What models answered so far; None where none was asked."""
    answers = []
    for folder in context.workspace.finished_tasks(release.path.name):
        try:
            answers.append(read_responses(folder))
        except StoreError as fault:
            context.say("left out", str(fault))
    if not answers:
        return None
    folders = [folder for folder in (release.path / FOLDER, items) if folder is not None and folder.is_dir()]
    asked = (item for folder in folders for task in READ for item in read_items(folder, task))
    return AskedTasks({item.id: item for item in asked}, answers)


def _evaluations(context: Context, release: FrozenRelease) -> Iterator[tuple[Any, EvaluationRun]]:
    """What was scored so far, one model at a time."""
    for folder in context.workspace.finished_evaluations(release.path.name):
        try:
            table, run = read_table(folder)
        except StoreError as fault:
            context.say("left out", str(fault))
            continue
        yield table, run
