"""EuroEval's results.jsonl: what models score on its tasks."""

from pathlib import Path

from pairwright.errors import ReleaseError, at
from pairwright.report.outside import TaskResult, json_lines

TOOL = "EuroEval"
# The main metric of each task comes first where a record has several.
_METRICS = ("test_mcc", "test_micro_f1_no_misc", "test_micro_f1", "test_em", "test_bertscore", "test_accuracy")


def read_euroeval(path: Path, language: str | None = None) -> list[TaskResult]:
    """The score of each model on each task, from EuroEval's lines; only those of a language where one is named.

    The metric is the task's main one; EuroEval gives percent. Of several runs of a model on a data set the last line
    counts. Raises ReleaseError where a line is not EuroEval's, or none is of the language.
    """
    found: dict[tuple[str, str], TaskResult] = {}
    for line, row in json_lines(path):
        try:
            languages = tuple(str(item) for item in row.get("languages", row.get("dataset_languages", ())))
            total = row["results"]["total"]
            metric = next((name for name in _METRICS if name in total), None) or next(
                name for name in total if name.startswith("test_") and not name.endswith("_se")
            )
            result = TaskResult(
                tool=TOOL,
                model=str(row["model"]),
                dataset=str(row["dataset"]),
                task=str(row["task"]),
                languages=languages,
                metric=metric.removeprefix("test_"),
                value=float(total[metric]) / 100,
            )
        except (KeyError, TypeError, ValueError, StopIteration):
            raise ReleaseError(
                f"{at(path, line)}: not a result of EuroEval with dataset, task, model and results.total"
            ) from None
        if result.value != result.value:
            raise ReleaseError(f"{at(path, line)}: {result.dataset}: {metric} is not a number")
        if language is None or language in languages:
            found[result.model, result.dataset] = result
    if not found:
        raise ReleaseError(f"{path}: no result{f' for language {language}' if language else ''} in it")
    return list(found.values())
