"""The pairs as JSON Lines in the layouts of published benchmarks, for programs that read these.

BLiMP's (Warstadt et al. 2020), a file a rule, which most programs for minimal pairs read: `pairID` is the pair's id,
`field` the phenomenon, `linguistics_term` the title of the rule. And TurBLiMP's (Başar et al. 2025), one file with cue
words and the critical region, for minicons:

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


def write_blimp(directory: Path, contents: ReleaseContents) -> None:
    """`<UID>.jsonl` for each rule. Exceptions are among its pairs, and marked by the key `exception`."""
    by_uid: dict[str, list[ReleasePair]] = {}
    for pair in contents.pairs:
        by_uid.setdefault(pair.uid, []).append(pair)
    for uid, pairs in by_uid.items():
        write_rows(directory / f"{uid}.jsonl", map(blimp_record, pairs))


def blimp_record(pair: ReleasePair) -> dict[str, object]:
    """A pair with BLiMP's keys, followed by keys that BLiMP doesn't have.

    one_prefix_method    the sentences are the same up to one word that differs
    two_prefix_method    and after it they go on with the same words, which can be scored given either beginning
    lexically_identical  the sentences are made of the same words
    """
    one_word = len(pair.changes) == 1 and len(words(pair.changes[0].good)) == len(words(pair.changes[0].bad)) == 1
    good_words, bad_words = (
        sorted(word.casefold() for word in words(text)) for text in (pair.sentence_good, pair.sentence_bad)
    )
    return {
        "sentence_good": pair.sentence_good,
        "sentence_bad": pair.sentence_bad,
        "field": pair.phenomenon,
        "linguistics_term": pair.rule,
        "UID": pair.uid,
        "simple_LM_method": True,
        "one_prefix_method": one_word,
        "two_prefix_method": one_word and critical_region(pair) != "",
        "lexically_identical": good_words == bad_words,
        "pairID": pair.id,
        "split": pair.split,
        "exception": pair.exception,
        "licence": pair.licence,
        "canary": pair.canary,
    }


def write_minicons(directory: Path, contents: ReleaseContents) -> None:
    """pairs.jsonl."""
    write_rows(directory / "pairs.jsonl", map(minicons_record, contents.pairs))


def minicons_record(pair: ReleasePair) -> dict[str, object]:
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
