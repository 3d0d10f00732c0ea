"""Score a release with language models and write the report.

    python flows/evaluate.py RELEASE --model PATH_OR_ID [--model ...] [--models models.toml] [--workspace DIR]

RELEASE is the folder of a release or its name under output/releases. A model is `embedded` (Gemma 3 270M, which needs
no network), a folder with safetensors, a GGUF file, a hub id, or the address of a server that tells the
log-probabilities of a prompt. A models.toml lists many, each with its own settings. The report takes in all models that
were scored on the release so far, and what --judgements and the options after it name.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import flow_support as support

# isort: split
import click
from prefect import flow, task

from pair_pictures import pair_pictures
from pairwright.errors import ModelError, ReleaseError, StoreError
from pairwright.lm.memory import release_memory
from pairwright.lm.settings import ModelSettings, read_models
from pairwright.records.evaluation import EvaluationRun
from pairwright.records.release import FrozenRelease
from pairwright.release.verify import PAIRS, read_pairs, verified, with_pairs
from pairwright.report.analysis.inputs import Given, read_extras
from pairwright.report.analysis.summary import Summary, summarise
from pairwright.report.external.segmentation import Tokenizer, read_segmentation
from pairwright.report.render.narrative import accuracy_line
from pairwright.report.render.page import MARKDOWN, write_report
from pairwright.score.runs.evaluation import evaluate as score_release
from pairwright.score.runs.evaluation import read_table
from pairwright.score.runs.parallel import EvaluationTask, devices_of, evaluate_on
from pairwright.score.scorers.registry import TemporaryDownload, open_scorer, settings_for, tokenizer_of
from pairwright.workspace import Workspace
from segments import read_segments, write_segments

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

# Where no one looks on, a line of progress comes so often.
LINE_SECONDS = 60


def find_release(workspace: Workspace, release: str) -> Path:
    """The folder of a release that is given as a folder or by its name and version. Raises ReleaseError."""
    for folder in (Path(release), workspace.releases / release):
        if folder.is_dir():
            return folder
    known = ", ".join(sorted(path.name for path in workspace.releases.glob("[!.]*") if path.is_dir())) or "none"
    raise ReleaseError(f"{release}: no such release; known: {known}")


@task(name="score model", retry_condition_fn=support.not_a_user_error, **support.TASK)
def score_model(
    workspace: Workspace, release: FrozenRelease, model: ModelSettings, segmentation: Path | None
) -> EvaluationRun:
    """The scores of one model, under output/evaluations/<release>/<model>/, and its cuts of the words of a file."""
    settings = settings_for(model, workspace.config().score)
    evaluations = workspace.evaluation(release.path.name, "")
    download = TemporaryDownload(model)
    devices = devices_of(settings.device)
    with _pace(model.label or model.name, release.info.n_pairs) as progress:
        if len(devices) > 1:
            pairs = release.path / PAIRS
            task = EvaluationTask(model, settings, pairs, evaluations, release.path.name, release.sha256)
            run = evaluate_on(devices, task, progress, _warn)
        else:
            scorer = open_scorer(model, settings.model_copy(update={"device": devices[0]}))
            run = score_release(
                read_pairs(release.path),
                scorer,
                settings,
                evaluations / scorer.info.slug,
                release=release.path.name,
                release_sha256=release.sha256,
                progress=progress,
                notice=_warn,
            )
    if segmentation is not None and (tokenizer := tokenizer_of(model)) is not None:
        write_segments(evaluations / run.model.slug, tokenizer, read_segmentation(segmentation))
    download.delete(run.model.revision)
    return run


def _warn(text: str) -> None:
    support.say("warning", text)


@contextmanager
def _pace(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Gives the function that is told how many pairs are done: a bar where someone looks on, else a line a minute."""
    with support.progress(f"scoring {what}", total) as advance:
        start = said = time.monotonic()
        first: int | None = None
        before = 0

        def progress(done: int) -> None:
            nonlocal said, first, before
            # What an earlier run finished tells nothing of the pace.
            first = done if first is None else first
            advance(done - before)
            before = done
            now = time.monotonic()
            if now - said >= LINE_SECONDS and not sys.stderr.isatty():
                said = now
                pace = (done - first) / (now - start)
                left = f"{(total - done) / pace / 60:.0f} min left" if pace else "time left unknown"
                support.say("scoring", f"{done:,} of {total:,} pairs, {pace:.1f} pairs/s, {left}")

        yield progress


@task(name="write report", retry_condition_fn=support.not_a_user_error, **support.TASK)
def report(workspace: Workspace, frozen: FrozenRelease, given: Given) -> tuple[Path, Summary]:
    """The report on a release, with all models that were scored on it so far."""
    release = with_pairs(frozen)
    extras = read_extras(given, release)
    tokenizers: dict[str, Tokenizer] = {}
    summary = summarise(release, _evaluations(workspace, frozen, tokenizers), extras, tokenizers)
    listed = [judged.pair for judged in (*summary.hardest, *summary.flips, *summary.discriminating)]
    directory = workspace.report(release.path.name)
    return write_report(directory, release, summary, pair_pictures(workspace, listed)), summary


def _evaluations(
    workspace: Workspace, release: FrozenRelease, tokenizers: dict[str, Tokenizer]
) -> Iterator[tuple[Any, EvaluationRun]]:
    """What was scored so far, one model at a time; `tokenizers` gets how those models cut words that were asked."""
    for path in sorted(workspace.evaluation(release.path.name, "").glob("*/run.json")):
        try:
            table, run = read_table(path.parent)
            cut = read_segments(path.parent)
        except StoreError as fault:
            support.say("left out", str(fault))
            continue
        if cut is not None:
            tokenizers[run.model.slug] = cut
        yield table, run


@flow(name="evaluate")
def evaluate(workspace_dir: Path, release: str, models: list[ModelSettings], given: Given) -> Path:
    """A release and models to scores and a report. A model that can't be loaded is named, and the next one is scored.

    Without a model the report alone is written again.

    Raises ReleaseError where the release fails its verification, ModelError after the report where a model failed.
    """
    workspace = Workspace(workspace_dir)
    frozen = verified(find_release(workspace, release))
    failed = []
    for model in models:
        # What the model before this one had is wanted now, and perhaps by other processes.
        release_memory()
        try:
            run = score_model(workspace, frozen, model, given.segmentation)
        except (ModelError, StoreError) as fault:
            support.say("failed", str(fault))
            failed.append(model.label or model.name)
            continue
        support.say(
            "scored",
            f"{run.n_scored:,} of {run.n_pairs:,} pairs by {run.model.name} in {run.seconds:.0f} s, "
            f"{run.sentences_per_second:.1f} sentences/s ({run.model.dtype} on {run.model.device}, {run.route})",
        )
    if models and len(failed) == len(models):
        raise ModelError(f"none of {len(models)} models could be scored: {', '.join(failed)}")
    path, summary = report(workspace, frozen, given)
    for place in range(len(summary.models)):
        support.say("accuracy", accuracy_line(summary, place))
    for found in summary.faults:
        support.say("warning", found.message)
    if summary.returned:
        support.say("review", f"{len(summary.returned)} pairs are missed by every model; to have them looked at again:")
        ids = {found.pair_id for found in summary.returned}
        for source in sorted({pair.source_id for pair in read_pairs(frozen.path) if pair.id in ids}):
            table = path.parent / "tables" / "back-to-review.csv"
            support.say("review", f"python flows/review.py {source} --again {table}")
    support.say("report", str(path))
    support.record_text("report", (path.parent / MARKDOWN).read_text(encoding="utf-8"))
    if failed:
        raise ModelError(f"{len(failed)} of {len(models)} models could not be scored: {', '.join(failed)}")
    return path


@click.command(help=__doc__)
@click.argument("release")
@click.option("--model", "names", multiple=True, help="Model to score; embedded where none is given.")
@click.option("--models", "lists", multiple=True, type=FILE, help="A models.toml with many.")
@click.option("--report-only", is_flag=True, help="Score nothing; write the report of what was scored before.")
@click.option("--judgements", type=FILE, help="Ratings or choices of people: CSV or JSONL.")
@click.option("--frequencies", type=FILE, help="Words and their counts, for the confounds.")
@click.option("--segmentation", type=FILE, help="Words cut into morphemes, against which tokenizers are measured.")
@click.option(
    "--lm-eval", multiple=True, metavar="[MODEL=]PATH", help="Samples of lm-evaluation-harness to set beside."
)
@click.option("--euroeval", multiple=True, type=FILE, help="EuroEval's results to set beside.")
@click.option("--minicons", multiple=True, metavar="MODEL=PATH", help="A CSV of minicons's scores to set beside.")
@support.workspace_option
def main(
    release: str,
    names: tuple[str, ...],
    lists: tuple[Path, ...],
    report_only: bool,
    workspace: Path,
    judgements: Path | None,
    frequencies: Path | None,
    segmentation: Path | None,
    lm_eval: tuple[str, ...],
    euroeval: tuple[Path, ...],
    minicons: tuple[str, ...],
) -> None:
    listed = [model for path in lists for model in read_models(path)]
    models = [ModelSettings(name=name) for name in names or (() if listed else ("embedded",))] + listed
    known = workspace / "models.toml"
    given = Given(
        models=tuple(listed or (read_models(known) if known.exists() else ())),
        judgements=judgements,
        frequencies=frequencies,
        segmentation=segmentation,
        lm_eval=lm_eval,
        euroeval=euroeval,
        minicons=minicons,
    )
    evaluate(workspace, release, [] if report_only else models, given)


if __name__ == "__main__":
    support.run_command(main)
