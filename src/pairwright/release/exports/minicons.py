"""One table with cue words and the critical region, in the columns of TurBLiMP (Başar et al. 2025).

    from minicons import scorer
    lm = scorer.IncrementalLMScorer(model)
    lm.conditional_score(...)   # the critical region given what stands before it

good_cue, bad_cue  the words that differ, several joined by ` … `
critical_region    the first word after the difference, the same in both sentences: where a reader notices it. Empty
                   where the difference ends the sentence
"""

from pathlib import Path

from pairwright.records.release import ReleasePair
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import write_csv
from pairwright.text import words

COLUMNS = (
    "id", "good_sentence", "bad_sentence", "good_cue", "bad_cue", "critical_region", "phenomenon", "subtype",
    "exception", "split", "canary",
)  # fmt: skip


def write_minicons(directory: Path, contents: ReleaseContents) -> None:
    """pairs.csv. Its cells are the plain sentences, without apostrophes against formulas."""
    write_csv(directory / "pairs.csv", COLUMNS, (_row(pair) for pair in contents.pairs))


def _row(pair: ReleasePair) -> tuple[str, ...]:
    return (
        pair.id,
        pair.sentence_good,
        pair.sentence_bad,
        " … ".join(change.good for change in pair.changes),
        " … ".join(change.bad for change in pair.changes),
        critical_region(pair),
        pair.phenomenon,
        pair.uid,
        str(pair.exception).lower(),
        pair.split,
        pair.canary,
    )


def critical_region(pair: ReleasePair) -> str:
    """The first word after the last difference; empty where none follows."""
    if not pair.changes:
        return ""
    last = pair.changes[-1]
    return next(iter(words(pair.sentence_good[last.good_at + len(last.good) :])), "")
