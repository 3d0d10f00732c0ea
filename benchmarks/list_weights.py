"""Fits the weights by which the error-list reader ranks the words that a bracket may correct.

    PYTHONPATH=tests/support python benchmarks/list_weights.py [--data DATA] [--write]

It learns from all lists in `data/lists`, from sentences of our own (`data/corrections.md`, those of the sample), which
count twice, and from the published pairs of DATA, which count five times; Lithuanian ones without and with the
dictionaries of DATA. A conditional logit with an L2 penalty over the candidate spans of each group of alternatives; a
span is right where it gives a good sentence, compared by its words. The penalty draws weights to the present ones.

A sixth of the lists at a time is left out of the fit and read with what the others give: these are the figures of lists
of another hand. The probability above which 97.5 % are right is chosen on these left-out predictions.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from common import share
from error_lists import (
    LISTS,
    SAMPLE,
    partly_corrected,
    read_list,
    read_published,
    real_list,
    with_and_without_morphology,
)
from pairwright.core.text import words
from pairwright.sources.error_list import spans
from pairwright.sources.error_list.edits import fill
from pairwright.sources.error_list.spans import RankedSpan, SpanModel

Array = NDArray[np.float64]
Words = tuple[str, ...]
Truth = dict[Words, list[tuple[str, set[Words]]]]

_PENALTY = 3.0
_TARGET = 0.975
_FOLDS = 6
_DATA = Path(__file__).parent / "data"


class Recorded(NamedTuple):
    """A group of alternatives as the reader met it: the features of its spans, and the good sentences they give."""

    bad: Words
    bracket: str
    table: spans.Table
    sentences: list[list[Words]]


class Group(NamedTuple):
    """A recorded group whose truth is known; `times` is how often it counts, `source` its list."""

    source: str
    times: int
    values: Array
    sentences: list[Words]
    right: NDArray[np.bool_]


def keyed(sentence: str) -> Words:
    """A sentence as its words."""
    return tuple(word.casefold() for word in words(sentence))


def recorded(path: Path, language: str, workspace: Path | None = None) -> list[Recorded]:
    """The groups of alternatives in the brackets of a list."""
    seen: list[Recorded] = []
    ranked = SpanModel.ranked

    def rank(model: SpanModel, number: int) -> list[RankedSpan]:
        site, group = model.site, model.groups[number]
        table = {} if site.marked else model.tables[number]
        sentences = [
            [keyed(fill(site.sentence, [site.edit(span, each.readings()[0], model.closed)])) for each in group]
            for span in table
        ]
        if table and site.bracket.kind == "wrong-first":
            seen.append(Recorded(keyed(fill(site.sentence, [])), site.bracket.content, table, sentences))
        return ranked(model, number)

    with patch.object(SpanModel, "ranked", rank):
        read_list(path, workspace, language=language)
    return seen


def truths(path: Path) -> Truth:
    """The good sentences of each bracket, by the words of its bad sentence."""
    table: Truth = defaultdict(list)
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["kind"] != "not-a-correction":
            goods = {keyed(text) for text in [*row["goods"], *partly_corrected(row)]}
            table[keyed(row["sentence"])].append((row.get("bracket", ""), goods))
    return table


def published(data: Path) -> Truth:
    """The published good sentences by the words of their bad one; a list may have others, which are as good."""
    goods: dict[Words, set[Words]] = defaultdict(set)
    for row in read_published(data):
        if row.origin == "vlkk":
            goods[keyed(row.bad)].add(keyed(row.good))
    return {bad: [("", sentences)] for bad, sentences in goods.items()}


def groups_of(seen: Iterable[Recorded], table: Truth, names: list[str], source: str, times: int) -> list[Group]:
    """The groups that the truth has. Where no published sentence comes out, the list may mean another one."""
    groups = list[Group]()
    for item in seen:
        rows = table.get(item.bad, ())
        goods = set().union(*(good for bracket, good in rows if item.bracket[:12] in bracket or not bracket))
        shares = np.array([np.mean([sentence in goods for sentence in of_span]) for of_span in item.sentences])
        right = (shares == shares.max()) & (shares > 0)
        if goods and (source or right.any()):
            values = np.array([[features.get(name, 0.0) for name in names] for features in item.table.values()])
            groups.append(Group(source, times, values, [first for first, *_ in item.sentences], right))
    return groups


def fit(groups: Iterable[Group], prior: Array) -> Array:
    """The weights of the features that make the right spans most likely, where there are some."""
    groups = [group for group in groups if group.right.any() for _ in range(group.times)]
    values, right = np.concatenate([g.values for g in groups]), np.concatenate([g.right for g in groups])
    sizes = [len(group.right) for group in groups]
    starts = np.cumsum([0, *sizes[:-1]])

    def loss(weights: Array) -> tuple[float, Array]:
        scores = values @ weights
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        total = np.add.reduceat(powers, starts)
        hit = np.maximum(np.add.reduceat(powers * right, starts), 1e-300)
        slope = powers * (np.repeat(1 / total, sizes) - np.repeat(1 / hit, sizes) * right)
        away = weights - prior
        return float((np.log(total) - np.log(hit)).sum() + _PENALTY * away @ away), (
            values.T @ slope + 2 * _PENALTY * away
        )

    return np.asarray(minimize(loss, prior, jac=True, method="L-BFGS-B").x)


def likeliest(group: Group, weights: Array) -> tuple[float, bool]:
    """The probability of the likeliest words of a group, and whether they are right."""
    scores = group.values @ weights
    powers = np.exp(scores - scores.max())
    totals, right = defaultdict[Words, float](float), defaultdict[Words, bool](bool)
    for sentence, power, is_right in zip(group.sentences, powers, group.right, strict=True):
        totals[sentence] += power / powers.sum()
        right[sentence] |= bool(is_right)
    best = max(totals, key=lambda sentence: totals[sentence])
    return totals[best], right[best]


def threshold_of(predictions: list[tuple[float, bool]]) -> float:
    """The probability above which enough is right."""
    for percent in range(50, 100):
        part = [right for probability, right in predictions if probability >= percent / 100]
        if sum(part) >= _TARGET * len(part):
            return percent / 100
    return 1.0


def main() -> None:
    """Fits, prints what becomes of the lists that are left out, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder with the published pairs and their list")
    parser.add_argument("--write", action="store_true", help="write span_weights.toml")
    arguments = parser.parse_args()
    lists = {path.parent.name: path for path in sorted(LISTS.glob("*/list.md"))}
    own = ((_DATA / "corrections.md", "corrections.jsonl"), (SAMPLE, "lt-sample-brackets.jsonl"))
    seen = list[tuple[list[Recorded], Truth, str, int]]()
    with_dictionaries = with_and_without_morphology(arguments.data) if arguments.data else (("", None),)
    for _, workspace in with_dictionaries:
        for name, path in lists.items():
            if workspace is None or name.startswith("lt"):
                items = recorded(path, name.split("-")[0], workspace)
                seen.append((items, truths(path.with_name("truth.jsonl")), name, 1))
        seen += [(recorded(path, "lt", workspace), truths(_DATA / truth), "", 2) for path, truth in own]
        if arguments.data:
            seen.append((recorded(real_list(arguments.data), "lt", workspace), published(arguments.data), "", 5))
    names = sorted({name for items, *_ in seen for item in items for row in item.table.values() for name in row})
    groups = [group for items, table, name, times in seen for group in groups_of(items, table, names, name, times)]
    prior = np.array([spans.WEIGHTS.get(name, 0.0) for name in names])
    predictions = list[tuple[float, bool]]()
    for fold in range(_FOLDS):
        left_out = {*list(lists)[fold::_FOLDS]}
        weights = fit((group for group in groups if group.source not in left_out), prior)
        predictions += [likeliest(group, weights) for group in groups if group.source in left_out]
    certain = threshold_of(predictions)
    sure = [is_right for probability, is_right in predictions if probability >= certain]
    print(f"{len(groups)} groups, {sum(not g.right.any() for g in groups)} without a right span, {len(names)} features")
    print(f"lists left out: right {share(sum(right for _, right in predictions), len(predictions))}")
    print(f"certain, from {certain} on: right {share(sum(sure), len(sure))}")
    if arguments.write:
        file = Path(spans.__file__).with_name("span_weights.toml")
        head = file.read_text(encoding="utf-8").split("certain =")[0]
        fitted = "".join(f'"{name}" = {value:.2f}\n' for name, value in zip(names, fit(groups, prior), strict=True))
        file.write_text(f"{head}certain = {certain}\nnone = {spans.NONE}\n\n[weights]\n{fitted}", encoding="utf-8")


if __name__ == "__main__":
    main()
