"""The samples of lm-evaluation-harness (`lm_eval --log_samples`): its verdict on each minimal pair."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pairwright.errors import ReleaseError, at
from pairwright.records.release import ReleasePair
from pairwright.report.external.results import PairResults, by_sentences, json_lines, plain

TOOL = "lm-evaluation-harness"


def read_lm_eval(paths: Sequence[Path], model: str, pairs: Sequence[ReleasePair]) -> PairResults:
    """Verdicts from `samples_*.jsonl` files of one model, by the sums of log-probabilities that stand in them.

    A sample is matched by `doc.sentence_good` and `doc.sentence_bad`; of several runs in a folder the last one counts.
    Raises ReleaseError where a line is no sample of a minimal pair or no pair of the release is in the files.
    """
    known = by_sentences(pairs)
    margins: dict[str, float] = {}
    unmatched = 0
    for path in paths:
        for line, row in json_lines(path):
            try:
                doc = row["doc"]
                key = known.get((plain(doc["sentence_good"]), plain(doc["sentence_bad"])))
                good, bad = (_log_probability(response) for response in row["resps"][:2])
            except (KeyError, TypeError, ValueError, IndexError):
                raise ReleaseError(
                    f"{at(path, line)}: not a sample of a minimal pair with doc.sentence_good, doc.sentence_bad and "
                    "two resps; run lm_eval with --log_samples on an exported task"
                ) from None
            if key is None:
                unmatched += 1
                continue
            margins[key] = good - bad
    if not margins:
        raise ReleaseError(f"{paths[0] if paths else 'no file'}: no pair of this release is in it")
    return PairResults(
        tool=TOOL,
        file=", ".join(path.name for path in paths),
        model=model,
        measure="sum",
        verdicts={key: margin > 0 for key, margin in margins.items()},
        unmatched=unmatched,
        ties=sum(margin == 0 for margin in margins.values()),
    )


def _log_probability(response: Any) -> float:
    """The number in `[[-12.3, false]]` or `[-12.3, false]`, as numbers or as text."""
    while isinstance(response, list):
        response = response[0]
    value = float(response)
    if value != value:
        raise ValueError("not a number")
    return value


def model_of(path: Path) -> str:
    """The model's name from the folder that lm_eval puts its samples into: `org__model` stands for org/model."""
    return path.parent.name.replace("__", "/")
