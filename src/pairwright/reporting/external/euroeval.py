"""EuroEval's euroeval_benchmark_results.jsonl: what models score on its tasks."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pairwright.core.errors import ReleaseError, at
from pairwright.reporting.external.files import read_rows
from pairwright.reporting.external.results import TaskResult

TOOL = "EuroEval"
# The main metric of each of its tasks comes before the others of its records.
_METRICS = ("mcc", "micro_f1_no_misc", "micro_f1", "f1", "bertscore", "meteor", "european_values", "accuracy")
# Tokens per second say nothing about what a model knows.
_SPEED = "speed"
# Older records have the setting in the model's name.
_SETTING = re.compile(r"\s*\([^()]*(?:few-shot|zero-shot|val)[^()]*\)$")


def read_euroeval(path: Path, language: str | None = None) -> list[TaskResult]:
    """The score of each model on each task, 0-1, from EuroEval's lines; only those of a language where one is given.

    The metric is the task's main one. Results on a validation split count only where there is none on the test split;
    otherwise, of several runs of a model on a data set, the last line counts. Speed is left out.

    Raises ReleaseError where a line is not EuroEval's, or none is of the language.
    """
    results: dict[tuple[str, str], tuple[TaskResult, bool]] = {}
    for line, row in read_rows(path):
        try:
            result = _result(row)
            validation = bool(row.get("validation_split")) or "val)" in str(row["model"])
        except (KeyError, TypeError, ValueError, AttributeError, StopIteration):
            raise ReleaseError(
                f"{at(path, line)}: not a result of EuroEval with dataset, task, model and results.total"
            ) from None
        if result is None or (language is not None and language not in result.languages):
            continue
        if math.isnan(result.value):
            raise ReleaseError(f"{at(path, line)}: {result.dataset}: {result.metric} is not a number")
        key = result.model, result.dataset
        if not validation or key not in results or results[key][1]:
            results[key] = result, validation
    if not results:
        raise ReleaseError(f"{path}: no result{f' for language {language}' if language else ''} in it")
    return [result for result, _ in results.values()]


def _result(row: Mapping[str, Any]) -> TaskResult | None:
    if row["task"] == _SPEED:
        return None
    total = {name.removeprefix("test_"): value for name, value in row["results"]["total"].items()}
    metric = next((name for name in _METRICS if name in total), None) or next(
        name for name in total if not name.endswith("_se")
    )
    return TaskResult(
        tool=TOOL,
        model=_SETTING.sub("", str(row["model"])),
        dataset=str(row["dataset"]),
        task=str(row["task"]),
        languages=tuple(str(item) for item in row.get("languages", row.get("dataset_languages", ()))),
        metric=metric,
        value=float(total[metric]) / 100,
    )
