"""Results that other tools made of the same models, beside ours."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pairwright.errors import ReleaseError, at
from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.report.data.evaluations import Scored
from pairwright.report.data.score_differences import Measure
from pairwright.stats.human import Correlation, correlation
from pairwright.text import nfc

FEWEST_MODELS = 3


class PairResults(Record):
    """The verdicts of another tool on pairs of the release: whether it prefers the good sentence, by pair id.

    measure   what the tool compared: the sum of log-probabilities, or the mean per token
    unmatched how many of its pairs the release lacks; `ties` are counted as not right
    """

    tool: str
    file: str
    model: str
    measure: Measure
    verdicts: dict[str, bool]
    unmatched: int
    ties: int


class TaskResult(Record):
    """A model's score on a task of another benchmark, 0-1 (a correlation coefficient: -1 to 1)."""

    tool: str
    model: str
    dataset: str
    task: str
    languages: tuple[str, ...]
    metric: str
    value: float


class Beside(Record):
    """Another tool's accuracy beside ours, on the pairs that both scored. `differ` are the pairs judged otherwise."""

    tool: str
    file: str
    theirs: str
    ours: str
    measure: Measure
    n: int
    their_accuracy: float
    our_accuracy: float
    differ: tuple[str, ...]


class TaskCorrelation(Record):
    """How our accuracy by the sum goes with a score on another task, over the models that have both."""

    dataset: str
    task: str
    metric: str
    models: tuple[str, ...]
    pearson: Correlation | None
    spearman: Correlation | None


class Outside(Record):
    """Everything that other tools said. `unmatched` names their models that were not scored here."""

    beside: tuple[Beside, ...]
    tasks: tuple[TaskResult, ...]
    correlations: tuple[TaskCorrelation, ...]
    unmatched: tuple[str, ...]


def model_key(name: str) -> str:
    """What two tools' names of one model have in common: `org/Model@main` and `Model` are the same."""
    return name.split("@")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1].lower()


def by_sentences(pairs: Sequence[ReleasePair]) -> dict[tuple[str, str], str]:
    """Pair ids by the good and the bad sentence, as another tool would have them."""
    return {(plain(pair.sentence_good), plain(pair.sentence_bad)): pair.id for pair in pairs}


def plain(sentence: str) -> str:
    """A sentence in NFC with single spaces."""
    return " ".join(nfc(sentence).split())


def json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSONL file with their lines. Raises ReleaseError for a line that holds none."""
    # A sentence may hold separators that str.splitlines takes for the end of a line.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as fault:
            raise ReleaseError(f"{at(path, number, fault.colno)}: not JSON: {fault.msg}") from None
        if not isinstance(row, dict):
            raise ReleaseError(f"{at(path, number)}: not a JSON object")
        yield number, row


def table_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a CSV file (`,` `;` or tabs) with a head, by the small letters of its columns, with their lines."""
    text = read_text(path)
    head, _, _ = text.partition("\n")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval="")
    for row in reader:
        yield reader.line_num, {str(name).strip().lower(): value for name, value in row.items() if name is not None}


def read_text(path: Path) -> str:
    """A text file in UTF-8. Raises ReleaseError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise ReleaseError(f"{path}: can't be read as UTF-8 text: {fault}") from None


def put_beside(
    models: Sequence[Scored], pairs: Sequence[ReleasePair], others: Sequence[PairResults], tasks: Sequence[TaskResult]
) -> Outside | None:
    """Other tools' results beside the models of a report; None where there are none."""
    if not others and not tasks:
        return None
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    ours = {model_key(name): model for model in reversed(models) for name in _names(model)}
    beside, unmatched = [], []
    for result in others:
        model = ours.get(model_key(result.model))
        known = [] if model is None else [key for key in result.verdicts if model.known(result.measure)[rows[key]]]
        if model is None or not known:
            unmatched.append(f"{result.model} ({result.tool})")
            continue
        right = {key: bool(model.right(result.measure)[rows[key]]) for key in known}
        beside.append(
            Beside(
                tool=result.tool,
                file=result.file,
                theirs=result.model,
                ours=model.label,
                measure=result.measure,
                n=len(known),
                their_accuracy=sum(result.verdicts[key] for key in known) / len(known),
                our_accuracy=sum(right.values()) / len(known),
                differ=tuple(key for key in known if right[key] != result.verdicts[key]),
            )
        )
    unmatched += [f"{item.model} ({item.tool})" for item in tasks if model_key(item.model) not in ours]
    return Outside(
        beside=tuple(beside),
        tasks=tuple(item for item in tasks if model_key(item.model) in ours),
        correlations=tuple(_correlations(ours, tasks)),
        unmatched=tuple(dict.fromkeys(unmatched)),
    )


def _names(model: Scored) -> tuple[str, ...]:
    return model.run.model.name, model.run.model.requested, model.run.model.slug, model.label


def _correlations(ours: Mapping[str, Scored], tasks: Sequence[TaskResult]) -> Iterator[TaskCorrelation]:
    for dataset, task, metric in dict.fromkeys((item.dataset, item.task, item.metric) for item in tasks):
        points = {
            ours[model_key(item.model)].label: (ours[model_key(item.model)], item.value)
            for item in tasks
            if (item.dataset, item.task, item.metric) == (dataset, task, metric) and model_key(item.model) in ours
        }
        usable = [(model, value) for model, value in points.values() if model.known("sum").any()]
        if len(usable) < FEWEST_MODELS:
            continue
        x = [float(model.right("sum").sum() / model.known("sum").sum()) for model, _ in usable]
        y = [value for _, value in usable]
        yield TaskCorrelation(
            dataset=dataset,
            task=task,
            metric=metric,
            models=tuple(model.label for model, _ in usable),
            pearson=correlation(x, y, "pearson"),
            spearman=correlation(x, y, "spearman"),
        )
