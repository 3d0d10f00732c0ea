"""Pairs that a language model writes for the rules of an error list: what they take, and what a screen lets by."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd

from common import counts, lithuanian, miss
from error_lists import read_list, read_published, real_list
from pairwright.core.config import GenerateSettings
from pairwright.core.records import Rule
from pairwright.languages.morphology import lemmatiser_of
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.targets import PairTask, licenses_pairs, pair_targets

PAIRS = 50


def task_of(data: Path, settings: GenerateSettings) -> PairTask:
    """The pairs to be written for the rules of the real list that license some."""
    rules = tuple(item for item in read_list(real_list(data)) if isinstance(item, Rule) and licenses_pairs(item))
    language, _ = lithuanian(data)
    return PairTask(rules, language, settings, lemmatiser_of(language), Corpus(rules))


def screen(data: Path) -> pd.DataFrame:
    """The hand-written published pairs that the list itself does not have, each given to the screen of a model's."""
    task, reasons = task_of(data, GenerateSettings()), Counter[str]()
    by_code = {rule.code: rule for rule in task.rules}
    for row in read_published(data):
        rule = by_code.get(row.code)
        if row.origin == "vlkk" or rule is None or row.exception:
            continue
        target = next(iter(pair_targets(replace(task, rules=(rule,)))))
        fault = target.fault_of_free(row.good, row.bad) or target.fault_of(row.good)
        reasons[fault.split(":")[0] if fault else "taken"] += 1
        if fault:
            miss(f"{fault}: {row.good} / {row.bad}")
    return counts(dict(reasons.most_common()), "pairs")
