"""Fits the weights by which the error-list reader ranks the words that a bracket may correct.

    PYTHONPATH=tests/support python benchmarks/list_weights.py LIST:TRUTH ... [--own LIST:TRUTH ...]
        [--data DATA] [--workspace FOLDER] [--write]

LIST, TRUTH and DATA, whose published pairs are learned from, too, are as in `error_lists.py`; `data/corrections.md`
and `data/lt-sample-brackets.jsonl` are of our own. A conditional logit with an L2 penalty over the candidate spans of
each group of alternatives; a span is right where it gives a good sentence, compared by its words. Easy sentences
count twice, published pairs five times. The penalty draws weights to the present ones. Each bracket is read once
without morphology and once with that of the workspace.

Each list in turn is left out of the fit and read with what the others give: these are the figures of a list of another
hand. The probability above which 98 % are right is chosen on these left-out predictions of all lists together.
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

from error_lists import brackets, figures, partly_corrected, read_list, read_published, real_list
from pairwright.core.text import words
from pairwright.sources.error_list import spans
from pairwright.sources.error_list.edits import fill
from pairwright.sources.error_list.spans import RankedSpan, SpanModel

Array = NDArray[np.float64]
Words = tuple[str, ...]
Truth = dict[Words, list[tuple[str, set[Words]]]]

_PENALTY = 3.0
_TARGET = 0.98


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


def recorded(path: Path, workspace: Path | None) -> list[Recorded]:
    """The groups of alternatives in the brackets of a list."""
    seen: list[Recorded] = []

    ranked = SpanModel.ranked

    def rank(model: SpanModel, number: int) -> list[RankedSpan]:
        site, group, table = model.site, model.groups[number], model.tables[number]
        sentences = [
            [keyed(fill(site.sentence, [site.edit(span, each.readings()[0], model.closed)])) for each in group]
            for span in table
        ]
        if table and site.bracket.kind == "wrong-first":
            seen.append(Recorded(keyed(fill(site.sentence, [])), site.bracket.content, table, sentences))
        return ranked(model, number)

    with patch.object(SpanModel, "ranked", rank):
        read_list(path, workspace)
    return seen


def truths(path: Path) -> Truth:
    """The good sentences of each bracket, by the words of its bad sentence."""
    table: Truth = defaultdict(list)
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["kind"] != "not-a-correction":
            goods = {keyed(text) for text in [*row["goods"], *partly_corrected(row)]}
            table[keyed(row["sentence"])].append((row["bracket"], goods))
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
            groups.append(
                Group(
                    source,
                    times,
                    values,
                    [first for first, *_ in item.sentences],
                    right,
                )
            )
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
    """Fits, prints what the reader makes of each list that is left out, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truths", nargs="+", metavar="LIST:TRUTH")
    parser.add_argument("--own", action="append", default=[], help="LIST:TRUTH of easy sentences, not in the figures")
    parser.add_argument("--data", type=Path, help="its published pairs are left out of the figures likewise")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--write", action="store_true", help="write span_weights.toml")
    arguments = parser.parse_args()
    counted = [text.split(":") for text in arguments.truths]
    own = [text.split(":") for text in arguments.own]
    sets = [(Path(path), truths(Path(truth)), path) for path, truth in (*counted, *own)]
    if arguments.data:
        sets.append((real_list(arguments.data), published(arguments.data), ""))
    places = (None, arguments.workspace) if arguments.workspace else (None,)
    data = [(recorded(path, place), table, source) for place in places for path, table, source in sets]
    tables = [item.table for seen, *_ in data for item in seen]
    names = sorted({name for table in tables for row in table.values() for name in row})
    times = {"": 5, **{path: 2 for path, _ in own}}
    groups = [
        group for seen, table, source in data for group in groups_of(seen, table, names, source, times.get(source, 1))
    ]
    prior = np.array([spans.WEIGHTS.get(name, 0.0) for name in names])
    print(f"{len(groups)} groups, {sum(not g.right.any() for g in groups)} without a right span, {len(names)} features")
    left_out = {path: fit((g for g in groups if g.source != path), prior) for path, _ in counted}
    certain = threshold_of([likeliest(g, left_out[g.source]) for g in groups if g.source in left_out])
    for path, truth in counted:
        for place in places:
            print(f"\n{path}, left out, {'with' if place else 'without'} morphology")
            fitted = dict(zip(names, left_out[path], strict=True))
            with patch.multiple(spans, WEIGHTS=fitted, CERTAIN=certain):
                rows = brackets(Path(truth), read_list(Path(path), place))
            print(*(f"{name:<45} {figure}\n" for name, figure in figures(rows).items()), sep="", end="")
    if arguments.write:
        file = Path(spans.__file__).with_name("span_weights.toml")
        head = file.read_text(encoding="utf-8").split("certain =")[0]
        weights = "".join(f'"{name}" = {value:.2f}\n' for name, value in zip(names, fit(groups, prior), strict=True))
        file.write_text(
            f"{head}certain = {certain}\nnone = {spans.NONE}\n\n[weights]\n{weights}",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
