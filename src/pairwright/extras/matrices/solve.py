"""Solves problems by a baseline, a network that is trained on sentence vectors, and by language models; reports on all.

Source of the baseline: An, Jiang, Rodriguez, Nastase and Merlo (2023), BLM-AgrF, EACL 2023; Nastase and Merlo (2023),
Grammatical information in BERT sentence embeddings as two-dimensional arrays, RepL4NLP: the sentences' vectors one
after the other, three layers, a loss of max-margin against the answer set, and the answer of the highest cosine.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core import store
from pairwright.core.codes import preferred_code
from pairwright.core.errors import BudgetError, ConfigError, LLMError, ModelError, StoreError, counted
from pairwright.core.ids import digest
from pairwright.core.records import Record
from pairwright.core.records.items import Item, Response, TaskPart, TaskRun
from pairwright.core.store import replacing, write_json
from pairwright.core.text import escape_markdown
from pairwright.evaluate.asking.runs import FOLDER, TaskFolder
from pairwright.extras.matrices import SolveOptions
from pairwright.extras.matrices.template import RIGHT, read_published
from pairwright.languages.locale import Words, load_words
from pairwright.models.load.encoders import MeanEmbedder, Vectors, open_encoder
from pairwright.models.load.settings import ModelSettings
from pairwright.pipeline.context import Context
from pairwright.pipeline.models import ask_tasks
from pairwright.pipeline.options import TaskOptions
from pairwright.reporting.analysis.groups import Row
from pairwright.reporting.analysis.tasks import answered_accuracy, is_right
from pairwright.reporting.data import AnsweredItem, AskedModel, TaskAnswers, read_responses
from pairwright.reporting.render.page import MARKDOWN, PAGE, TABLES, write_table
from pairwright.reporting.render.sections import PageSection, section
from pairwright.reporting.render.tables import Column, Table, across, table
from pairwright.tasks.make import read_items

if TYPE_CHECKING:
    import torch

Indices = NDArray[np.int64]
DEFAULT_ENCODER = "embedded"
TRAININGS = "training.json"
# Fewer problems leave none to decide when training ends.
_FEWEST = 4
# Of a published table with fewer for testing, every problem is: networks are trained on the others, in so many parts.
_FEWEST_TESTED, _FOLDS = 100, 10
# So many sentences are embedded before their file is written, so that a run that is killed keeps them.
_TOGETHER = 4096

# The network


class NetworkSettings(Record):
    """How the network is trained.

    hidden      units of the first two layers; `dropout` is the share of them that is left out after each
    validation  the share of the problems for training that decide when training ends: `patience` epochs after the
                lowest loss on them, whose weights are kept; `epochs` are the most
    """

    hidden: int = 512
    dropout: float = 0.2
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    batch: int = 32
    epochs: int = 200
    patience: int = 15
    validation: float = 0.1


class Problems(NamedTuple):
    """Problems by the rows of their sentences among the vectors: contexts, options, and the place of the right one."""

    context: Indices
    options: Indices
    right: Indices


class Curve(NamedTuple):
    """The mean losses of each epoch on the problems that were trained on, and on those for validation."""

    training: tuple[float, ...]
    validation: tuple[float, ...]


def train_and_choose(
    vectors: Vectors, train: Problems, test: Problems, settings: NetworkSettings, seed: int
) -> tuple[list[int], Curve]:
    """Trains a network; returns the place of the option that it chooses for each problem for testing.

    Vectors are standardised by the sentences of the problems for training. Equal input gives equal choices on one
    machine.
    """
    import torch

    threads = torch.get_num_threads()
    # Several threads wait for each other longer than they compute, and on a busy machine far longer.
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return _Trainer(vectors, train, settings).run(test)
    finally:
        torch.set_num_threads(threads)


class _Trainer:
    def __init__(self, vectors: Vectors, train: Problems, settings: NetworkSettings) -> None:
        import torch
        from torch import nn

        self._settings = settings
        rows = np.unique(np.concatenate([train.context.ravel(), train.options.ravel()]))
        spread = vectors[rows].std(axis=0)
        standard = (vectors - vectors[rows].mean(axis=0)) / np.where(spread > 0, spread, 1)
        self._vectors = torch.from_numpy(standard.astype(np.float32))
        size, hidden = self._vectors.shape[1], settings.hidden
        self._network: Any = nn.Sequential(
            nn.Linear(train.context.shape[1] * size, hidden),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(settings.dropout),
            nn.Linear(hidden, size),
        )
        order = torch.randperm(len(train.right)).numpy()
        n_validation = max(1, round(len(order) * settings.validation))
        self._validation = _taken(train, order[:n_validation])
        self._train = _taken(train, order[n_validation:])

    def run(self, test: Problems) -> tuple[list[int], Curve]:
        import torch

        network, settings = self._network, self._settings
        optimizer = torch.optim.AdamW(
            network.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
        )
        training: list[float] = []
        validation: list[float] = []
        best: dict[str, torch.Tensor] = {}
        while len(training) < settings.epochs and len(training) - np.argmin(validation or [0]) <= settings.patience:
            training.append(self._epoch(optimizer))
            network.eval()
            with torch.inference_mode():
                validation.append(float(self._losses(self._validation).mean()))
                if validation[-1] <= min(validation):
                    best = {name: weights.clone() for name, weights in network.state_dict().items()}
        network.load_state_dict(best)
        with torch.inference_mode():
            chosen: list[int] = self._cosines(test).argmax(1).tolist()
        return chosen, Curve(tuple(training), tuple(validation))

    def _epoch(self, optimizer: "torch.optim.Optimizer") -> float:
        """Trains on all problems once; returns their mean loss."""
        import torch

        self._network.train()
        total = 0.0
        order = torch.randperm(len(self._train.right)).numpy()
        for start in range(0, len(order), self._settings.batch):
            losses = self._losses(_taken(self._train, order[start : start + self._settings.batch]))
            optimizer.zero_grad()
            losses.mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += float(losses.detach().sum())
        return total / len(order)

    def _cosines(self, problems: Problems) -> "torch.Tensor":
        """Of the network's vector with each option's, a row for each problem."""
        from torch.nn.functional import cosine_similarity

        context = self._vectors[problems.context].flatten(1)
        return cosine_similarity(self._network(context)[:, None], self._vectors[problems.options], dim=-1)

    def _losses(self, problems: Problems) -> "torch.Tensor":
        """For each problem the sum over its wrong options of max(0, 1 - cosine of the right one + cosine)."""
        import torch

        cosines = self._cosines(problems)
        right = torch.from_numpy(problems.right)[:, None]
        margins = (1 - cosines.gather(1, right) + cosines).clamp(min=0)
        return margins.scatter(1, right, 0.0).sum(1)


def _taken(problems: Problems, places: Indices) -> Problems:
    return Problems(*(part[places] for part in problems))


# What models come to, and which wrong answers they choose


def matrix_results(models: Sequence[AskedModel]) -> Iterator[Row]:
    """A row for each model and condition (`problems`) of its matrices.

    f1        of choosing the right answer: twice the right ones by the problems and the answers to them; where every
              problem has an answer it is the share of right ones. The mean over `n_runs` seeds; None without answers.
              Its 95% interval (`f1_low`, `f1_high`), had other problems been drawn, is of the answers that there are
    reason    why there is no answer at all: the most frequent of the reasons that the responses give
    sd        the standard deviation over seeds; None for a single one
    chosen    the rows of the answers by what was chosen, the most frequent first: its label, the pattern that it fills,
              its share
    """
    for model in models:
        rows = [row for row in model.rows if row.item.task == "matrix"]
        for condition in sorted({row.item.condition for row in rows}):
            named = {"model": model.label, "problems": condition}
            yield named | _result(named, [row for row in rows if row.item.condition == condition])


def _result(named: Row, rows: Sequence[AnsweredItem]) -> Row:
    answered = [row for row in rows if row.response.outcome == "answered" and row.response.chosen]
    draws = sorted({row.response.draw for row in rows})
    by_run = [_f1([row for row in rows if row.response.draw == draw]) for draw in draws]
    score = answered_accuracy(answered) if answered else {}
    reasons = Counter(row.response.reason or row.response.outcome for row in rows)
    counts = sorted(Counter(map(_named, answered)).items(), key=lambda count: (-count[1], count[0]))
    return {
        "n_problems": len({row.item.id for row in rows}),
        "n_runs": len(draws),
        "f1": float(np.mean(by_run)) if answered else None,
        "f1_low": score.get("value_low"),
        "f1_high": score.get("value_high"),
        "sd": float(np.std(by_run, ddof=1)) if answered and len(by_run) > 1 else None,
        "reason": "" if answered else reasons.most_common(1)[0][0],
        "chance": score.get("chance"),
        "chosen": [
            {**named, "label": label, "pattern": pattern or None, "n": n, "share": n / len(answered)}
            for (label, pattern), n in counts
        ],
    }


def _f1(rows: Sequence[AnsweredItem]) -> float:
    answered = [row for row in rows if row.response.outcome == "answered"]
    right = sum(is_right(row.item, row.response.chosen) for row in answered)
    return 2 * right / (len(rows) + len(answered))


def _named(row: AnsweredItem) -> tuple[str, str]:
    """The label of the chosen answer and its pattern."""
    label, _, pattern = row.item.options[row.response.chosen[0]].label.partition(" ")
    return (RIGHT, "") if is_right(row.item, row.response.chosen) else (label, pattern)


def matrix_section(models: Sequence[AskedModel], words: Words) -> PageSection | None:
    """The section of models' answers to matrices; None where no model was asked any."""
    results = list(matrix_results(models))
    chosen = [answer for result in results for answer in result["chosen"]]
    mute = [result for result in results if result["f1"] is None]
    scores = "model problems n_problems n_runs f1 sd:percent chance"
    return section(
        words,
        "matrices",
        tables=[
            _f1_table(results, words),
            table(words, "matrix-unanswered", mute, "model problems reason n_problems"),
            table(words, "matrix-scores", results, scores),
            table(words, "matrix-answers", chosen, "model problems label pattern n share"),
        ],
    )


def _f1_table(results: Sequence[Row], words: Words) -> Table | None:
    """Conditions down and models across, F1 with its standard deviation over seeds, and chance."""
    chances = {it["problems"]: it["chance"] for it in results if it["chance"] is not None}
    found = sorted(results, key=lambda it: it["problems"])
    models = dict.fromkeys(it["model"] for it in results)
    rows, columns = across(found, ["problems"], "model", models, "f1")
    columns.append(Column(words("columns.chance"), [chances.get(row["problems"]) for row in rows], "percent"))
    return table(words, "matrix-f1", rows, "problems", *columns)


def write_matrix_report(directory: Path, name: str, models: Sequence[AskedModel], words: Words) -> Path:
    """Writes the section as a page of Markdown of its own, in place of an earlier one; returns the path of the page."""
    parts = [f"# {words('matrices.title', name=escape_markdown(name))}"]
    shown = matrix_section(models, words)
    with store.replaced_folder(directory / TABLES) as folder:
        for it in shown.tables if shown else ():
            write_table(folder, it, words)
            parts += [f"## {it.title}", it.as_markdown(words).strip()]
    store.write_text(directory / MARKDOWN, "\n\n".join(parts) + "\n")
    return directory / MARKDOWN


# The way from problems to the report


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
    first = data[0].resolve()
    name = options.name or (first.name if first.is_dir() else first.stem)
    encoders = options.encoders if options.encoders or options.models else (DEFAULT_ENCODER,)
    items = [item for path in data for item in _read(context, path, options)]
    problems = ProblemSet(Path(name), digest([[item.id, item.split] for item in items]))
    _by_condition(items)
    _answered(context, problems)
    failed = []
    solvers = [(name, True) for name in encoders] + [(name, False) for name in options.models]
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
        items, notes = read_published(path, preferred_code(options.language), options.test_share)
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
