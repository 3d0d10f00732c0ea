"""The scores of a finished evaluation, row by row."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq

from pairwright.core.records.evaluation import EvaluationRun
from pairwright.evaluate.scoring.runs.evaluation import SCORES, read_run


def read_scores(directory: Path) -> tuple[list[Any], EvaluationRun]:
    """The rows with their columns as attributes, good before bad, and the run."""
    run = read_run(directory)
    return [SimpleNamespace(**row) for row in pq.read_table(directory / SCORES).to_pylist()], run
