"""What a report takes from files of people and other tools: word counts, judgements, and results of other tools."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from pairwright.core.errors import ReleaseError, ReviewError, at, counted
from pairwright.core.files import read_lines, read_text
from pairwright.core.records import Record, Side
from pairwright.core.records.release import ReleasePair
from pairwright.core.tables import read_objects, read_table
from pairwright.core.text import nfc, squeeze
from pairwright.reporting.data import Measure

_MOST_BYTES = 200_000_000


def read_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file of JSON Lines, or the rows of a table (`,` `;` or tabs) with a header, with their lines.

    Titles of columns are in small letters. Raises ReleaseError.
    """
    text = read_text(path, _MOST_BYTES, ReleaseError)
    if text.lstrip().startswith(("{", "[")):
        return ((row.line, row.cells) for row in read_objects(path, text, ReleaseError))
    _, rows = read_table(path, text, ",;\t", ReleaseError)
    return ((row.line, {title.lower(): cell for title, cell in row.cells.items()}) for row in rows)


def read_frequencies(path: Path) -> dict[str, float]:
    """log10 of the counts of words, from a text file with a word, a tab or space, and its count on each line.

    Words are in small letters; the counts of spellings that differ in case alone are added up.
    Raises ReleaseError with the line that can't be read.
    """
    counts = defaultdict[str, float](float)
    for number, line in read_lines(path, ReleaseError):
        word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
        try:
            value = float(count)
        except ValueError:
            value = 0.0
        if not word or not 0 < value < float("inf"):
            raise ReleaseError(f"{at(path, number)}: not a word and its count, such as `namas\t1200`")
        counts[nfc(word).lower()] += value
    if not counts:
        raise ReleaseError(f"{path}: no word in it; it needs a word, a tab and its count on each line")
    return {word: float(np.log10(count)) for word, count in counts.items()}


# Judgements of people

_COLUMNS = "columns pair_id, rater and either side and rating, or choice (good or bad)"


class HumanRating(Record):
    """How acceptable one person finds one sentence of a pair, on whatever scale, higher is better."""

    pair_id: str
    side: Side
    rater: str
    rating: float
    phenomenon: str = ""


class HumanChoice(Record):
    """Which sentence of a pair one person takes for the acceptable one, where one had to be taken."""

    pair_id: str
    rater: str
    choice: Side
    phenomenon: str = ""


HumanJudgement = HumanRating | HumanChoice


def read_judgements(path: Path) -> list[HumanJudgement]:
    """Judgements from a table: CSV with a header (`,` `;` or tabs between) or JSONL, a judgement a row.

    A row with `rating` (a number) and `side` (good or bad) is a rating; one with `choice` (good or bad) a forced
    choice; both name `pair_id` and `rater`, and may name a `phenomenon`. Other columns are
    ignored. Raises ReviewError with the line of the first row that can't be used, and where one rater judges a sentence
    twice.
    """
    judgements: list[HumanJudgement] = []
    line_of: dict[tuple[str, ...], int] = {}
    try:
        for line, row in read_rows(path):
            judgement = _judgement(path, line, row)
            side = judgement.side if isinstance(judgement, HumanRating) else "choice"
            key = (judgement.pair_id, judgement.rater, side)
            if key in line_of:
                raise ReviewError(f"{at(path, line)}: {' '.join(key)} is on line {line_of[key]} too; keep one of them")
            line_of[key] = line
            judgements.append(judgement)
    except ReleaseError as fault:
        raise ReviewError(str(fault)) from None
    if not judgements:
        raise ReviewError(f"{path}: no judgement in it; it needs {_COLUMNS}")
    return judgements


def _judgement(path: Path, line: int, row: Mapping[str, Any]) -> HumanJudgement:
    kind: type[HumanJudgement] = HumanRating if row.get("choice") in (None, "") else HumanChoice
    try:
        judgement = kind.model_validate({name: row[name] for name in kind.model_fields if row.get(name) is not None})
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        place = first["loc"][0] if first["loc"] else "row"
        raise ReviewError(f"{at(path, line)}: {place}: {first['msg'].lower()}; it needs {_COLUMNS}") from None
    if isinstance(judgement, HumanRating) and not math.isfinite(judgement.rating):
        raise ReviewError(f"{at(path, line)}: rating: not a finite number")
    return judgement


# Results of lm-evaluation-harness, minicons and EuroEval, as these or their users write them

# The columns of a table of minicons: both sentences, as in minicons/pairs.jsonl, and the scores of both.
_SENTENCES = ("good_sentence", "bad_sentence")
_SCORES: dict[Measure, tuple[str, str]] = {
    "mean_nll": ("good_score", "bad_score"),
    "sum_logprob": ("good_sum", "bad_sum"),
}
# The main metric of each task of EuroEval comes before the others of its records.
_METRICS = ("mcc", "micro_f1_no_misc", "micro_f1", "f1", "bertscore", "meteor", "european_values", "accuracy")


class PairResults(Record):
    """The verdicts of another tool on pairs of the release: whether it prefers the good sentence, by pair id.

    measure  what the tool compared; ties are not right
    """

    tool: str
    file: str
    model: str
    measure: Measure
    verdicts: dict[str, bool]


class TaskResult(Record):
    """A model's score on a task of another benchmark, 0-1 (a correlation coefficient: -1 to 1)."""

    tool: str
    model: str
    dataset: str
    task: str
    languages: tuple[str, ...]
    metric: str
    value: float


def pair_results(
    scored: Iterable[tuple[str, str, float]],
    pairs: Sequence[ReleasePair],
    *,
    tool: str,
    file: str,
    model: str,
    measure: Measure,
) -> PairResults:
    """Another tool's verdicts on the pairs of a release, from good sentence, bad sentence and score difference.

    Sentences are compared in NFC with single spaces; the last of several differences of a pair counts. Raises
    ReleaseError where no pair of the release is among them.
    """
    ids = {(squeeze(pair.sentence_good), squeeze(pair.sentence_bad)): pair.id for pair in pairs}
    keyed = ((ids.get((squeeze(good), squeeze(bad))), difference) for good, bad, difference in scored)
    verdicts = {pair_id: difference > 0 for pair_id, difference in keyed if pair_id is not None}
    if not verdicts:
        raise ReleaseError(f"{file or 'no file'}: no pair of this release is in it")
    return PairResults(tool=tool, file=file, model=model, measure=measure, verdicts=verdicts)


def read_lm_eval(path: Path, model: str, pairs: Sequence[ReleasePair]) -> PairResults:
    """Verdicts from samples of lm-evaluation-harness (`lm_eval --log_samples`), by the sums of log-probabilities.

    path   a file, or the folder with the `samples_*.jsonl` of a model; of several runs the last one counts
    model  the model's name; where it is empty, that of the folder, in which `org__model` means org/model

    Raises ReleaseError where a line is no sample of a minimal pair or no pair of the release is in the files.
    """
    paths = sorted(path.glob("samples_*.jsonl")) if path.is_dir() else [path]
    if not paths:
        raise ReleaseError(f"{path}: no samples_*.jsonl in it; run lm_eval with --log_samples")
    return pair_results(
        (sample for one in paths for sample in _samples(one)),
        pairs,
        tool="lm-evaluation-harness",
        file=", ".join(one.name for one in paths),
        model=model or paths[0].parent.name.replace("__", "/"),
        measure="sum_logprob",
    )


def _samples(path: Path) -> Iterator[tuple[str, str, float]]:
    """Good sentence, bad sentence and the difference of their sums."""
    for line, row in read_rows(path):
        try:
            good, bad = (_log_probability(response) for response in row["resps"][:2])
            sentences = str(row["doc"]["sentence_good"]), str(row["doc"]["sentence_bad"])
        except (KeyError, TypeError, ValueError, IndexError):
            raise ReleaseError(
                f"{at(path, line)}: not a sample of a minimal pair with doc.sentence_good, doc.sentence_bad and "
                "two resps; run lm_eval with --log_samples on an exported task"
            ) from None
        yield *sentences, good - bad


def _log_probability(response: Any) -> float:
    """The number in `[[-12.3, false]]` or `[-12.3, false]`, as a number or as text. Raises ValueError."""
    while isinstance(response, list):
        response = response[0]
    if math.isnan(value := float(response)):
        raise ValueError("not a number")
    return value


def read_minicons(path: Path, model: str, pairs: Sequence[ReleasePair]) -> list[PairResults]:
    """Verdicts from a table with both sentences and their scores in a row; a higher score is a more probable sentence.

    Columns `good_score` and `bad_score` are what minicons's `sequence_score` returns by default, the mean of the
    log-probabilities per token; `good_sum` and `bad_sum` are their sums. A table with both gives two results.

    Raises ReleaseError where a column is missing, a score is not a number, scores are surprisals, or no pair of the
    release is in the file.
    """
    rows = list(read_rows(path))
    if not rows:
        raise ReleaseError(f"{path}: no pair of this release is in it")
    titles = rows[0][1].keys()
    scores = {measure: names for measure, names in _SCORES.items() if titles >= set(names)}
    if not titles >= set(_SENTENCES):
        raise ReleaseError(f"{path}: no columns with both sentences; name them {' and '.join(_SENTENCES)}")
    if not scores:
        mean, total = (" and ".join(names) for names in _SCORES.values())
        raise ReleaseError(f"{path}: no columns with both scores; name means per token {mean}, sums {total}")
    results = []
    for measure, names in scores.items():
        scored, positive = [], 0
        for line, row in rows:
            try:
                good, bad = (float(row[name]) for name in names)
                if math.isnan(good + bad):
                    raise ValueError
            except ValueError:
                cells = " and ".join(repr(row[name]) for name in names)
                raise ReleaseError(f"{at(path, line)}: {cells} are no two scores") from None
            scored.append((*(row[name] for name in _SENTENCES), good - bad))
            positive += good > 0 and bad > 0
        results.append(pair_results(scored, pairs, tool="minicons", file=path.name, model=model, measure=measure))
        if positive:
            raise ReleaseError(
                f"{path}: scores above zero, as surprisals are, in {counted(positive, 'row')}; write "
                "log-probabilities: give sequence_score no reduction with a minus sign"
            )
    return results


def read_euroeval(path: Path, language: str | None = None) -> list[TaskResult]:
    """The score of each model on each task, 0-1, from EuroEval's `euroeval_benchmark_results.jsonl`; only those of a
    language where one is given.

    The metric is the task's main one. Results on a validation split count only where there is none on the test split;
    otherwise, of several runs of a model on a data set, the last line counts. Speed is left out.

    Raises ReleaseError where a line is not EuroEval's, or none is of the language.
    """
    results: dict[tuple[str, str], tuple[TaskResult, bool]] = {}
    for line, row in read_rows(path):
        try:
            result = _task_result(row)
            validation = bool(row.get("validation_split"))
        except (KeyError, TypeError, ValueError, AttributeError, StopIteration):
            raise ReleaseError(
                f"{at(path, line)}: not a result of EuroEval with dataset, task, model and results.total"
            ) from None
        # Tokens per second say nothing about what a model knows.
        if result.task == "speed" or (language is not None and language not in result.languages):
            continue
        if math.isnan(result.value):
            raise ReleaseError(f"{at(path, line)}: {result.dataset}: {result.metric} is not a number")
        key = result.model, result.dataset
        if not validation or key not in results or results[key][1]:
            results[key] = result, validation
    if not results:
        raise ReleaseError(f"{path}: no result{f' for language {language}' if language else ''} in it")
    return [result for result, _ in results.values()]


def _task_result(row: Mapping[str, Any]) -> TaskResult:
    total = {name.removeprefix("test_"): value for name, value in row["results"]["total"].items()}
    others = (name for name in total if not name.endswith("_se"))
    metric = next((name for name in _METRICS if name in total), None) or next(others)
    return TaskResult(
        tool="EuroEval",
        model=str(row["model"]),
        dataset=str(row["dataset"]),
        task=str(row["task"]),
        languages=tuple(str(item) for item in row.get("languages", ())),
        metric=metric,
        value=float(total[metric]) / 100,
    )
