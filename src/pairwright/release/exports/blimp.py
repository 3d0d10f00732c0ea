"""One JSONL file a rule in the layout of BLiMP (Warstadt et al. 2020), which most programs for minimal pairs read.

`pairID` is the pair's id. BLiMP's `field` is the phenomenon, `linguistics_term` the title of the rule.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from pairwright import store
from pairwright.records.release import ReleasePair
from pairwright.release.contents.contents import Material
from pairwright.text import words


def write_blimp(directory: Path, material: Material) -> None:
    """`<UID>.jsonl` for each rule, exceptions among its pairs; the key `exception` marks them."""
    for uid, pairs in material.by_uid().items():
        with store.atomic(directory / f"{uid}.jsonl") as handle:
            handle.writelines(_lines(pairs))


def _lines(pairs: list[ReleasePair]) -> Iterator[str]:
    for pair in pairs:
        yield json.dumps(blimp_record(pair), ensure_ascii=False) + "\n"


def blimp_record(pair: ReleasePair) -> dict[str, object]:
    """A pair with BLiMP's keys, and after them those that BLiMP doesn't have.

    one_prefix_method  the sentences are the same up to one word that differs
    two_prefix_method  the sentences end in the same words, after one that differs: these can be scored given either
    lexically_identical  the sentences are made of the same words
    """
    good, bad = pair.sentence_good, pair.sentence_bad
    one_word = len(pair.changes) == 1 and all(
        len(words(side)) == 1 for side in (pair.changes[0].good, pair.changes[0].bad)
    )
    return {
        "sentence_good": good,
        "sentence_bad": bad,
        "field": pair.phenomenon,
        "linguistics_term": pair.rule,
        "UID": pair.uid,
        "simple_LM_method": True,
        "one_prefix_method": one_word,
        "two_prefix_method": one_word and bool(words(good[pair.changes[0].good_at + len(pair.changes[0].good) :])),
        "lexically_identical": sorted(word.casefold() for word in words(good))
        == sorted(word.casefold() for word in words(bad)),
        "pairID": pair.id,
        "split": pair.split,
        "exception": pair.exception,
        "licence": pair.licence,
        "canary": pair.canary,
    }
