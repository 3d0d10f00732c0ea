"""Scores of minicons, which users write into CSV files of their own."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.core.errors import ReleaseError, at, counted
from pairwright.core.records.release import ReleasePair
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.external.files import read_rows
from pairwright.reporting.external.results import PairResults, pair_results

TOOL = "minicons"
_SENTENCES = (
    ("good_sentence", "bad_sentence"),
    ("sentence_good", "sentence_bad"),
    ("good", "bad"),
    ("correct_sentence", "incorrect_sentence"),
)
_SCORES: tuple[tuple[str, str, Measure], ...] = (
    ("good_score", "bad_score", "mean"),
    ("score_good", "score_bad", "mean"),
    ("sentence_good_score", "sentence_bad_score", "mean"),
    ("good_sum", "bad_sum", "sum"),
    ("sum_good", "sum_bad", "sum"),
)


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
    sentences, scores = _columns(path, rows[0][1])
    return [_results(path, rows, (*sentences, good, bad), measure, model, pairs) for good, bad, measure in scores]


def _results(
    path: Path,
    rows: Sequence[tuple[int, Mapping[str, str]]],
    columns: tuple[str, str, str, str],
    measure: Measure,
    model: str,
    pairs: Sequence[ReleasePair],
) -> PairResults:
    scored: list[tuple[str, str, float]] = []
    positive = 0
    for line, row in rows:
        good, bad = (_number(row[name]) for name in columns[2:])
        if good is None or bad is None:
            cells = " and ".join(repr(row[name]) for name in columns[2:])
            raise ReleaseError(f"{at(path, line)}: {cells} are no two scores")
        positive += good > 0 and bad > 0
        scored.append((row[columns[0]], row[columns[1]], good - bad))
    results = pair_results(scored, pairs, tool=TOOL, file=path.name, model=model, measure=measure)
    if positive:
        raise ReleaseError(
            f"{path}: scores above zero, as surprisals are, in {counted(positive, 'row')}; write log-probabilities: "
            "give sequence_score no reduction with a minus sign"
        )
    return results


def _columns(path: Path, row: Mapping[str, str]) -> tuple[tuple[str, str], list[tuple[str, str, Measure]]]:
    """The columns of the two sentences and of each kind of scores, good before bad, with what these are."""
    sentences = next((names for names in _SENTENCES if row.keys() >= set(names)), None)
    scores = {names[2]: names for names in reversed(_SCORES) if row.keys() >= set(names[:2])}
    if sentences is None:
        raise ReleaseError(f"{path}: no columns with both sentences; name them {' and '.join(_SENTENCES[0])}")
    if not scores:
        mean, total = (" and ".join(names[:2]) for names in (_SCORES[0], _SCORES[3]))
        raise ReleaseError(f"{path}: no columns with both scores; name means per token {mean}, sums {total}")
    return sentences, list(scores.values())


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return None if math.isnan(value) else value
