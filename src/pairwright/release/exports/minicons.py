"""One JSON object a pair, with cue words and the critical region, under TurBLiMP's names (Başar et al. 2025).

    from minicons import scorer
    lm = scorer.IncrementalLMScorer(model)
    lm.conditional_score(...)   # the critical region given what stands before it

good_cue, bad_cue  the words that differ, several joined by ` … `
critical_region    the first word after the difference, the same in both sentences: where a reader notices it. Empty
                   where the difference ends the sentence
"""

from pathlib import Path

from pairwright.core.records.release import ReleasePair
from pairwright.core.text import words
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.files import write_rows


def write_minicons(directory: Path, contents: ReleaseContents) -> None:
    """pairs.jsonl."""
    write_rows(directory / "pairs.jsonl", map(_row, contents.pairs))


def _row(pair: ReleasePair) -> dict[str, object]:
    return {
        "id": pair.id,
        "good_sentence": pair.sentence_good,
        "bad_sentence": pair.sentence_bad,
        "good_cue": " … ".join(change.good for change in pair.changes),
        "bad_cue": " … ".join(change.bad for change in pair.changes),
        "critical_region": critical_region(pair),
        "phenomenon": pair.phenomenon,
        "subtype": pair.uid,
        "exception": pair.exception,
        "split": pair.split,
        "canary": pair.canary,
    }


def critical_region(pair: ReleasePair) -> str:
    """The first word after the last difference; empty where none follows."""
    if not pair.changes:
        return ""
    last = pair.changes[-1]
    return next(iter(words(pair.sentence_good[last.good_at + len(last.good) :])), "")
