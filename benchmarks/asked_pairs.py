"""Pairs that a language model writes for the rules of an error list: what they take, and what a screen lets by."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from common import counts, lithuanian, miss
from error_lists import read_list, read_published, real_list
from pairwright.checks.judging import Judge
from pairwright.core.config import GenerateSettings, JudgeSettings, LLMSettings
from pairwright.core.records import Candidate, Rule
from pairwright.languages.morphology import lemmatiser_of
from pairwright.models.chat import LLM, Request
from pairwright.sources.asked.attested import Corpus
from pairwright.sources.asked.pairs import pair_requests
from pairwright.sources.asked.targets import PairTask, licenses_pairs, pair_targets
from pairwright.sources.given import source_candidates

PAIRS = 50


def task_of(data: Path, settings: GenerateSettings) -> PairTask:
    """The pairs to be written for the rules of the real list that license some."""
    rules = tuple(item for item in read_list(real_list(data)) if isinstance(item, Rule) and licenses_pairs(item))
    language, _ = lithuanian(data)
    return PairTask(rules, language, settings, lemmatiser_of(language), Corpus(rules))


@contextmanager
def nobody() -> Iterator[LLM]:
    """A client that only estimates."""
    settings = LLMSettings(base_url="http://127.0.0.1:9/v1", model="any", repairs=0, max_output_tokens=400)
    with tempfile.TemporaryDirectory() as folder, LLM(settings, Path(folder)) as llm:
        yield llm


def estimate(data: Path) -> pd.DataFrame:
    """What fifty pairs of each rule and their judgments take if all are accepted, by the client's own estimate.

    Half as many requests again replace a third that is refused; the judge's second looks and the questions about
    translations come on top. Stand-ins for the pairs are the list's own, over and over.
    """
    task = task_of(data, GenerateSettings(pairs_per_rule=PAIRS))
    own: dict[str, list[Candidate]] = {}
    for pair in source_candidates(task.rules):
        own.setdefault(pair.rule_id, []).append(pair)
    judged = [
        pairs[place % len(pairs)].model_copy(update={"id": f"{rule_id}-{place}", "method": "llm"})
        for rule_id, pairs in own.items()
        for place in range(PAIRS)
    ]
    writing = list(pair_requests(task))
    judging = list(Judge({rule.id: rule for rule in task.rules}, task.language, JudgeSettings()).requests(judged))
    rows = []
    with nobody() as llm:
        for label, asked in (("pairs", writing), ("judge", judging), ("both", [*writing, *judging])):
            total = llm.estimate(asked)
            figures = {"requests": f"{total.requests:,}", "tokens in": f"{total.input_tokens:,}"}
            rows.append({f"{len(task.rules)} rules": label, **figures, "as before": f"{shared_beginnings(asked):.0%}"})
    return pd.DataFrame(rows)


def shared_beginnings(requests: Iterable[Request[Any]]) -> float:
    """The share of the characters of requests with which the last request by the same prompt begins, too."""
    last: dict[str, str] = {}
    same = whole = 0
    for request in requests:
        text = "\n".join(message.content for message in request.prompt.messages)
        before = last.get(request.prompt.label, "")
        same += next((at for at, (a, b) in enumerate(zip(text, before, strict=False)) if a != b), len(before))
        whole += len(text)
        last[request.prompt.label] = text
    return same / max(1, whole)


def screen(data: Path) -> pd.DataFrame:
    """The hand-written published pairs that the list itself does not have, each given to the screen of a model's."""
    task, reasons = task_of(data, GenerateSettings()), Counter[str]()
    by_code = {rule.code: rule for rule in task.rules}
    for row in read_published(data):
        rule = by_code.get(row.code)
        if row.origin == "vlkk" or rule is None or row.exception:
            continue
        fault = next(iter(pair_targets(replace(task, rules=(rule,))))).fault_of_free(row.good, row.bad)
        reasons[fault.split(":")[0] if fault else "taken"] += 1
        if fault:
            miss(f"{fault}: {row.good} / {row.bad}")
    return counts(dict(reasons.most_common()), "pairs")
