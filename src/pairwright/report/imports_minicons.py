"""Scores of minicons, which its users write into CSV files of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.errors import ReleaseError, at
from pairwright.releases import ReleasePair
from pairwright.report.evaluations import Measure
from pairwright.report.outside import PairResults, by_sentences, plain, table_rows

TOOL = "minicons"
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "good": ("sentence_good", "good_sentence", "good", "correct_sentence"),
    "bad": ("sentence_bad", "bad_sentence", "bad", "incorrect_sentence"),
    "good_score": ("good_score", "score_good", "sentence_good_score", "good_logprob"),
    "bad_score": ("bad_score", "score_bad", "sentence_bad_score", "bad_logprob"),
}


def read_minicons(path: Path, model: str, pairs: Sequence[ReleasePair], measure: Measure = "mean") -> PairResults:
    """Verdicts from a CSV with both sentences and both scores in a row; a higher score is a more probable sentence.

    measure  what the scores are: minicons's `sequence_score` is the mean per token unless it was told to sum

    Raises ReleaseError where a column is missing, a score is no number or no pair of the release is in the file.
    """
    known = by_sentences(pairs)
    verdicts: dict[str, bool] = {}
    unmatched = ties = 0
    for line, row in table_rows(path):
        cells = {wanted: _cell(path, row, wanted) for wanted in _COLUMNS}
        try:
            good, bad = float(cells["good_score"]), float(cells["bad_score"])
        except ValueError:
            good = bad = float("nan")
        if good != good or bad != bad:
            raise ReleaseError(
                f"{at(path, line)}: {cells['good_score']!r} and {cells['bad_score']!r} are no two scores"
            )
        key = known.get((plain(cells["good"]), plain(cells["bad"])))
        if key is None:
            unmatched += 1
            continue
        verdicts[key] = good > bad
        ties += good == bad
    if not verdicts:
        raise ReleaseError(f"{path}: no pair of this release is in it")
    return PairResults(
        tool=TOOL, file=path.name, model=model, measure=measure, verdicts=verdicts, unmatched=unmatched, ties=ties
    )


def _cell(path: Path, row: Mapping[str, str], wanted: str) -> str:
    lower = {str(name).strip().lower(): value for name, value in row.items()}
    for name in _COLUMNS[wanted]:
        if lower.get(name) is not None:
            return lower[name]
    raise ReleaseError(f"{path}: no column {wanted}; it needs one of {', '.join(_COLUMNS[wanted])}")
