"""The samples of lm-evaluation-harness (`lm_eval --log_samples`): its verdict on each minimal pair."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pairwright.core.errors import ReleaseError, at
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.external.files import read_rows
from pairwright.reporting.external.results import PairResults, pair_results

TOOL = "lm-evaluation-harness"


def read_lm_eval(paths: Sequence[Path], model: str, pairs: Sequence[ReleasePair]) -> PairResults:
    """Verdicts from the `samples_*.jsonl` files of one model, by the sums of log-probabilities in them.

    A sample is matched by `doc.sentence_good` and `doc.sentence_bad`; of several runs in a folder the last one counts.
    Raises ReleaseError where a line is no sample of a minimal pair or no pair of the release is in the files.
    """
    samples = (sample for path in paths for sample in _samples(path))
    file = ", ".join(path.name for path in paths)
    return pair_results(samples, pairs, tool=TOOL, file=file, model=model, measure="sum")


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
    """The number in `[[-12.3, false]]` or `[-12.3, false]`, as a number or as text."""
    while isinstance(response, list):
        response = response[0]
    value = float(response)
    if math.isnan(value):
        raise ValueError("not a number")
    return value


def model_of(path: Path) -> str:
    """The model's name, from the folder into which lm_eval writes its samples: `org__model` stands for org/model."""
    return path.parent.name.replace("__", "/")
