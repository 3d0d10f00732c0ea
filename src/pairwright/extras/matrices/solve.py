"""Problems are solved by a baseline that is trained on the vectors of an encoder, and by language models."""

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairwright.core.errors import BudgetError, ConfigError, LLMError, ModelError, StoreError, counted
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.records.items import Item, Response, TaskPart, TaskRun
from pairwright.core.store import replacing, write_json
from pairwright.evaluate.asking.runs import FOLDER, TaskFolder
from pairwright.extras.matrices.network import NetworkSettings, Problems, train_and_choose
from pairwright.extras.matrices.published import read_published
from pairwright.extras.matrices.report import matrix_results, write_matrix_report
from pairwright.languages.locale import load_words
from pairwright.models.load.encoders import MeanEmbedder, Vectors, open_encoder
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.models.tasks import ask_tasks
from pairwright.pipeline.options import TaskOptions
from pairwright.reporting.data.responses import AnsweredItem, AskedModel, TaskAnswers, read_responses
from pairwright.reporting.render.page import PAGE
from pairwright.tasks.make import read_items

DEFAULT_ENCODER = "embedded"
TRAININGS = "training.json"
# Fewer problems leave none to decide when training ends.
_FEWEST = 4
# Of a published table with fewer for testing, every problem is: networks are trained on the others, in so many parts.
_FEWEST_TESTED, _FOLDS = 100, 10
# So many sentences are embedded before their file is written, so that a run that is killed keeps them.
_TOGETHER = 4096


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


class Training(Record):
    """How a network was trained on the problems of a condition. `training` and `validation` are the losses by epoch.

    fold      which part of the problems was tested, where all of them are in turn
    shuffled  whether right answers were drawn at random for training
    shared    the share of the sentences of the problems for testing that problems for training have as well
    """

    condition: str
    seed: int
    fold: int
    shuffled: bool
    n_training: int
    n_testing: int
    shared: float
    training: tuple[float, ...]
    validation: tuple[float, ...]
    seconds: float


def solve_matrices(context: Context, data: Sequence[Path], options: SolveOptions) -> Path:
    """Solves problems by each encoder and each model, and reports on all that solved them so far.

    data  folders of items, or published tables

    Returns the path of the report. Raises SourceError, StoreError; ConfigError where the name is that of a release or
    of other problems; and ModelError after the report where one failed.
    """
    items = [item for path in data for item in _read(context, path, options)]
    problems = ProblemSet(Path(options.name), digest([[item.id, item.split] for item in items]))
    _by_condition(items)
    _answered(context, problems)
    failed = []
    solvers = [(name, True) for name in options.encoders] + [(name, False) for name in options.models]
    for name, is_encoder in solvers:
        try:
            if is_encoder:
                _train(context, problems, items, name, options)
            else:
                settings, tasks = ModelSettings(name=name), TaskOptions(names=("matrix",))
                run = ask_tasks(context, problems, settings, {"matrix": items}, tasks)
                if run and "matrix" in run.tasks and not run.tasks["matrix"].outcomes.get("answered"):
                    failed.append(name)
        except (ModelError, StoreError, LLMError, BudgetError) as fault:
            context.say("failed", str(fault))
            failed.append(name)
    report = _report(context, problems, items)
    if failed:
        raise ModelError(f"{len(failed)} of {len(solvers)} failed: {', '.join(failed)}")
    return report


def _read(context: Context, path: Path, options: SolveOptions) -> Iterable[Item]:
    if not path.is_dir():
        items, notes = read_published(path, options.language, options.test_share)
        for note in notes:
            context.say("note", f"{path}: {note}")
        if sum(item.split == "test" for item in items) < _FEWEST_TESTED:
            context.say("note", f"{path}: {counted(len(items), 'problem')}, so each is tested, by training on others")
            return [item.model_copy(update={"split": "test"}) for item in items]
        return items
    if not (path / "matrix.jsonl").is_file():
        raise StoreError(f"{path}: no matrices there; make them: pairwright extras matrices make TEMPLATE --out FOLDER")
    return read_items(path, "matrix")


def _answered(context: Context, problems: ProblemSet) -> list[TaskAnswers]:
    """What was answered to these problems so far. Raises ConfigError where the name is that of something else."""
    workspace, name = context.workspace, problems.path.name
    if str(problems.path) != name:
        raise ConfigError(f"--name {problems.path}: it names folders; write a plain name")
    if workspace.finished_evaluations(name) or (workspace.report(name) / PAGE).exists():
        raise ConfigError(f"{name}: the name of a release that was evaluated; give the problems another --name")
    answered = []
    for folder in workspace.finished_tasks(name):
        try:
            answers = read_responses(folder)
        except StoreError as fault:
            context.say("left out", str(fault))
            continue
        if answers.run.release_sha256 != problems.sha256:
            raise ConfigError(f"{folder}: answers to other problems of the name '{name}'; give another --name")
        answered.append(answers)
    return answered


def _by_condition(items: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    """The problems by language and condition, as they are trained on together; in order.

    Raises ModelError where a network can't be trained on them.
    """
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.language, item.condition].append(item)
    for (_, condition), own in groups.items():
        for train, test in _folds(own):
            if len(train) < _FEWEST or not test:
                raise ModelError(
                    f"{condition}: {counted(len(train), 'problem')} for training and {len(test)} for testing; "
                    f"give at least {_FEWEST} and 1"
                )
        if len({(len(item.context), len(item.options)) for item in own}) > 1 or any(len(i.answers) != 1 for i in own):
            raise ModelError(f"{condition}: its problems differ in how many sentences or answers they have; part them")
    return dict(sorted(groups.items()))


def _folds(items: Sequence[Item]) -> list[tuple[list[Item], list[Item]]]:
    """Problems for training and for testing: as they are split, or where none is for training, each in its turn.

    Problems with one right answer are never in both.
    """
    train, test = ([item for item in items if (item.split == "train") == is_train] for is_train in (True, False))
    if train:
        return [(train, test)]
    right_of = {item.id: item.options[item.answers[0]].text for item in items}
    rights = sorted(set(right_of.values()), key=digest)
    fold_of = {text: place % _FOLDS for place, text in enumerate(rights)}
    parts: list[tuple[list[Item], list[Item]]] = [([], []) for _ in range(min(_FOLDS, len(rights)))]
    for item in items:
        for fold, part in enumerate(parts):
            part[fold == fold_of[right_of[item.id]]].append(item)
    return parts


def _train(context: Context, problems: ProblemSet, items: Sequence[Item], name: str, options: SolveOptions) -> None:
    """Embeds the sentences that no run has, trains the networks, and keeps what they choose."""
    settings, embedder = NetworkSettings(), open_encoder(name)
    vectors = _embedded(context, embedder, _sentences(items))
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
        solved = list(_solve(items, vectors, settings, options.seeds, shuffled=shuffled))
        seconds, prompt = time.monotonic() - began, f"baseline {digest(settings.model_dump())}"
        chosen = [
            Response(item_id=it, model=label, draw=training.seed, prompt=prompt, outcome="answered", chosen=(place,))
            for training, places in solved
            for it, place in places.items()
        ]
        trainings = tuple(training for training, _ in solved)
        about = {"encoder": name, "encoder_identity": embedder.identity, "settings": settings.model_dump()}
        write_json(folder / TRAININGS, about | {"trainings": [training.model_dump() for training in trainings]})
        part = TaskPart(
            key=key,
            prompts=(prompt,),
            words="own",
            n_items=len({response.item_id for response in chosen}),
            n_responses=len(chosen),
            outcomes={"answered": len(chosen)},
            draws=options.seeds,
            seconds=round(seconds, 3),
        )
        kept.keep("matrix", part, chosen)
        context.say("trained", f"{label}: {len(trainings)} networks in {seconds:.0f} s")
        for training in trainings:
            if training.shared and training.seed == training.fold == 0 and not shuffled:
                shared = f"{training.shared:.0%} of the sentences for testing stand in problems for training as well"
                context.say("warning", f"{training.condition}: {shared}")


def _solve(
    items: Sequence[Item], vectors: Vectors, settings: NetworkSettings, seeds: int, *, shuffled: bool
) -> Iterator[tuple[Training, dict[str, int]]]:
    """For each condition and seed, how it was trained, and the option chosen for each problem for testing, by id.

    shuffled  as a control, the right answers of the problems for training are drawn at random
    """
    row_of = {sentence: row for row, sentence in enumerate(_sentences(items))}
    for (_, condition), own in _by_condition(items).items():
        for seed, (fold, (train, test)) in product(range(seeds), enumerate(_folds(own))):
            trained_on = set(_sentences(train))
            shared = np.mean([text in trained_on for text in _sentences(test)])
            began, learned = time.monotonic(), _problems(train, row_of)
            if shuffled:
                drawn = np.random.default_rng(seed).integers(learned.options.shape[1], size=len(train))
                learned = learned._replace(right=drawn)
            chosen, curve = train_and_choose(vectors, learned, _problems(test, row_of), settings, seed)
            training = Training(
                condition=condition,
                seed=seed,
                fold=fold,
                shuffled=shuffled,
                n_training=len(train),
                n_testing=len(test),
                shared=float(shared),
                training=curve.training,
                validation=curve.validation,
                seconds=round(time.monotonic() - began, 3),
            )
            yield training, {item.id: place for item, place in zip(test, chosen, strict=True)}


def _sentences(items: Sequence[Item]) -> list[str]:
    """All sentences of problems, each once."""
    texts = (text for item in items for text in (*item.context, *(option.text for option in item.options)))
    return list(dict.fromkeys(texts))


def _problems(items: Sequence[Item], row_of: Mapping[str, int]) -> Problems:
    return Problems(
        np.array([[row_of[text] for text in item.context] for item in items]),
        np.array([[row_of[option.text] for option in item.options] for item in items]),
        np.array([item.answers[0] for item in items]),
    )


def _embedded(context: Context, embedder: MeanEmbedder, sentences: Sequence[str]) -> Vectors:
    """The vectors of sentences; those of an encoder are kept in the cache, many in a file.

    Raises ModelError as the encoder does, StoreError for a damaged file, OSError.
    """
    folder, vectors = context.workspace.cache / "embeddings", []
    parts = [sentences[start : start + _TOGETHER] for start in range(0, len(sentences), _TOGETHER)]
    files = {folder / f"{digest([embedder.identity, part])[:32]}.npy": part for part in parts}
    missing = sum(len(part) for path, part in files.items() if not path.exists())
    began = time.monotonic()
    with context.reporter.progress(f"embedding by {embedder.name}", missing) as advance:
        for path, part in files.items():
            if not path.exists():
                with replacing(path) as beside, beside.open("wb") as handle:
                    np.save(handle, embedder.embed(part, advance))
            try:
                vectors.append(np.load(path))
            except (ValueError, EOFError):
                raise StoreError(f"{path}: damaged; delete it, and the sentences are embedded again") from None
    if missing:
        seconds = time.monotonic() - began
        pace = f"{missing / seconds:,.0f} sentences/s"
        context.say("embedded", f"{counted(missing, 'sentence')} by {embedder.name} in {seconds:.0f} s, {pace}")
    return np.concatenate(vectors)


def _report(context: Context, problems: ProblemSet, items: Sequence[Item]) -> Path:
    """Writes the report on all that answered these problems, and says what each came to."""
    by_id, name = {item.id: item for item in items}, problems.path.name
    models = [
        AskedModel(run.model, run, tuple(AnsweredItem(by_id[it.item_id], it) for it in responses))
        for run, responses in _answered(context, problems)
    ]
    words = load_words("report", context.workspace.config().report.language, context.workspace.root)
    path = write_matrix_report(context.workspace.report(name), name, models, words)
    for result in matrix_results(models):
        low, high = result["f1_low"], result["f1_high"]
        interval = "" if low is None else f", 95% {low:.2f} to {high:.2f}, n {result['n_problems']:,}"
        deviation = f" ± {result['sd']:.2f}" if result["sd"] is not None else ""
        f1 = f"no problem was answered: {result['reason']}" if result["f1"] is None else f"{result['f1']:.2f}"
        chance = f", chance {result['chance']:.2f}" if result["chance"] is not None else ""
        context.say("F1", f"{result['problems']}: {f1}{deviation}{interval}{chance}, {result['model']}")
    return path
