"""Matrices -> responses of the baseline, of language models, and one report on all of them."""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairwright.ask.runs import FOLDER, TaskFolder
from pairwright.errors import BudgetError, LLMError, ModelError, StoreError, counted
from pairwright.ids import digest
from pairwright.items.make import read_items
from pairwright.items.matrices.published import read_published
from pairwright.lm.encoders import open_encoder
from pairwright.lm.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.models.tasks import ask_tasks
from pairwright.pipeline.options import TaskOptions
from pairwright.records.items import Item, TaskPart, TaskRun
from pairwright.reporting.data.responses import AnsweredItem, AskedModel, read_responses
from pairwright.reporting.data.words import report_words
from pairwright.reporting.render.tasks.matrices import write_matrix_report
from pairwright.solving.baseline import Solved, Training, by_condition, responses, sentences_of, solve
from pairwright.solving.embeddings import VectorCache
from pairwright.solving.network import NetworkSettings
from pairwright.store import write_text

DEFAULT_ENCODER = "embedded"
TRAININGS = "training.json"


@dataclass(frozen=True)
class SolveOptions:
    """Who solves problems, and how published ones are divided. `name` is what responses and report are kept under."""

    name: str
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    models: tuple[str, ...] = ()  # language models that are asked: as for evaluate
    seeds: int = 3
    shuffled: bool = False  # whether the control is trained too
    language: str = "en"  # of published tables
    test_share: float = 0.1  # of the problems of published tables


class ProblemSet(NamedTuple):
    """Problems under a name; responses to them stand where those to a release would."""

    path: Path
    sha256: str


def solve_matrices(context: Context, data: Sequence[Path], options: SolveOptions) -> Path:
    """Solves problems by each encoder and each model, and reports on all that solved them so far.

    data  folders of items, or published tables

    Returns the path of the report. Raises SourceError, StoreError; and ModelError after the report where one failed.
    """
    items = [item for path in data for item in _read(path, options)]
    problems = ProblemSet(Path(options.name), digest([[item.id, item.split] for item in items]))
    by_condition(items)
    failed = []
    solvers = [(name, True) for name in options.encoders] + [(name, False) for name in options.models]
    for name, is_encoder in solvers:
        try:
            if is_encoder:
                _train(context, problems, items, name, options)
            else:
                run = ask_tasks(
                    context, problems, ModelSettings(name=name), {"matrix": items}, TaskOptions(("matrix",))
                )
                if run and "matrix" in run.tasks and not run.tasks["matrix"].outcomes.get("answered"):
                    failed.append(name)
        except (ModelError, StoreError, LLMError, BudgetError) as fault:
            context.say("failed", str(fault))
            failed.append(name)
    report = _report(context, problems, items)
    if failed:
        raise ModelError(f"{len(failed)} of {len(solvers)} failed: {', '.join(failed)}")
    return report


def _read(path: Path, options: SolveOptions) -> Iterator[Item]:
    if not path.is_dir():
        return iter(read_published(path, options.language, options.test_share))
    if not (path / "matrix.jsonl").is_file():
        raise StoreError(f"{path}: no matrices there; make them: pairwright matrices make TEMPLATE --out FOLDER")
    return read_items(path, "matrix")


def _train(context: Context, problems: ProblemSet, items: Sequence[Item], name: str, options: SolveOptions) -> None:
    """Embeds the sentences that no run has, trains the networks, and keeps what they choose."""
    settings = NetworkSettings()
    embedder = open_encoder(name)
    cache = VectorCache(context.workspace.cache / "embeddings", embedder)
    if missing := cache.missing(sentences_of(items)):
        began = time.monotonic()
        with context.reporter.progress(f"embedding by {embedder.name}", len(missing)) as advance:
            cache.add(missing, advance)
        seconds = time.monotonic() - began
        pace = f"{len(missing) / seconds:,.0f} sentences/s"
        context.say("embedded", f"{counted(len(missing), 'sentence')} by {embedder.name} in {seconds:.0f} s, {pace}")
    for shuffled in (False, True) if options.shuffled else (False,):
        label = f"baseline {embedder.name}{' shuffled' if shuffled else ''}"
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{label} {embedder.identity[:8]}")
        plan = TaskRun(
            release=problems.path.name, release_sha256=problems.sha256, model=label, requested=name, policy="trained"
        )
        folder = context.workspace.evaluation(problems.path.name, slug) / FOLDER
        kept = TaskFolder(folder, plan, {item.id: "matrix" for item in items})
        key = digest([embedder.identity, settings.model_dump(), options.seeds, shuffled])
        if kept.finished("matrix", key):
            context.say("trained", f"{label} (up to date)")
            continue
        began = time.monotonic()
        solved = list(solve(items, cache, settings, options.seeds, shuffled=shuffled))
        chosen = responses(solved, label, settings)
        seconds = time.monotonic() - began
        trainings = tuple(training for training, _ in solved)
        record = Solved(encoder=name, encoder_identity=embedder.identity, settings=settings, trainings=trainings)
        write_text(folder / TRAININGS, record.model_dump_json(indent=2) + "\n")
        part = TaskPart(
            key=key,
            prompts=tuple({response.prompt for response in chosen}),
            words="own",
            n_items=len({response.item_id for response in chosen}),
            n_responses=len(chosen),
            outcomes={"answered": len(chosen)},
            draws=options.seeds,
            seconds=round(seconds, 3),
        )
        kept.keep("matrix", part, chosen)
        _say_trained(context, label, trainings, seconds)


def _say_trained(context: Context, label: str, trainings: Sequence[Training], seconds: float) -> None:
    context.say("trained", f"{label}: {len(trainings)} networks in {seconds:.0f} s")
    for training in trainings:
        if training.shared and training.seed == 0 and not training.shuffled:
            context.say(
                "warning",
                f"{training.condition}: {training.shared:.0%} of the sentences for testing stand in problems for "
                "training as well",
            )


def _report(context: Context, problems: ProblemSet, items: Sequence[Item]) -> Path:
    """Writes the report on all that answered these problems, and says what each came to."""
    by_id = {item.id: item for item in items}
    models = []
    for folder in context.workspace.finished_tasks(problems.path.name):
        try:
            run, given = read_responses(folder)
        except StoreError as fault:
            context.say("left out", str(fault))
            continue
        if run.release_sha256 != problems.sha256:
            context.say("left out", f"{folder}: other problems of this name; solve these too, or give another --name")
            continue
        rows = tuple(AnsweredItem(by_id[response.item_id], response) for response in given)
        models.append(AskedModel(run.model, run, rows))
    words = report_words(context.workspace.config().report.language, context.workspace.root)
    name = problems.path.name
    path, results = write_matrix_report(context.workspace.report(name), name, models, words)
    for result in results:
        ends = result.interval and f"{result.interval.low:.2f} to {result.interval.high:.2f}"
        interval = f", 95% {ends}, n {result.n_problems:,}" if ends else ""
        deviation = f" ± {result.sd:.2f}" if result.sd is not None else ""
        f1 = f"no problem was answered: {result.reason}" if result.f1 is None else f"{result.f1:.2f}"
        context.say("F1", f"{result.condition}: {f1}{deviation}{interval}, {result.model}")
    return path
