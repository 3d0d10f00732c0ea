"""Fits the weights by which the error-list reader ranks the words that a bracket may correct.

    python benchmarks/error_list_weights.py LIST:TRUTH[:half] ... [--own LIST:TRUTH ...] [--published LIST:PAIRS.csv]
        [--workspace FOLDER] [--misses] [--write]

LIST and TRUTH are as in `error_list_truth.py`, PAIRS.csv as in `error_list.py`; `benchmarks/data/corrections.md` and
`.jsonl` are sentences of our own. A conditional logit with an L2 penalty over the candidate spans of each group of
alternatives and over the choice of none; a span is right where it gives a good sentence, compared by its words. Each
bracket counts once without morphology and once with that of the workspace. Cross-validation by rules and entries, in
several turns, gives the loss in nats; the calibration, and the probability above which 97 % are right, on the first
lists alone.
"""

import argparse
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from error_list import read_list, read_published
from error_list_truth import half
from pairwright.rules.error_lists import reader, span_weights
from pairwright.rules.error_lists.alternatives import Alternative
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.corrections import CorrectionReader, EntryContext, _before, _fill
from pairwright.rules.error_lists.span_features import Span
from pairwright.rules.error_lists.spans import FLOOR, SpanFinder
from pairwright.text import words

Array = NDArray[np.float64]
Truth = dict[tuple[str, ...], list[tuple[str, set[tuple[str, ...]]]]]

_PENALTY = 1.0
_FOLDS, _TURNS = 8, 4
_TARGET = 0.97


@dataclass
class Group:
    """A group of alternatives: its candidate spans, their features, and which of them give which words."""

    bracket: str
    rule: str
    is_counted: bool
    spans: list[Span]
    values: Array
    sentences: list[tuple[str, ...]]
    right: NDArray[np.bool_]
    others: list["Group"] = field(default_factory=list)

    def fold(self, turn: int) -> int:
        """The part of the data that the group is tested in, in a turn of the cross-validation."""
        return hashlib.sha256(f"{turn} {self.rule}".encode()).digest()[0] % _FOLDS


@dataclass
class Recorded:
    """A bracket as the reader met it."""

    bad: tuple[str, ...]
    bracket: str
    fold: str
    tables: list[dict[Span, dict[str, float]]]
    sentences: list[dict[Span, list[tuple[str, ...]]]]
    capital: list[bool]


class Recorder(CorrectionReader):
    """Keeps the candidates of every bracket that it reads."""

    seen: list[Recorded]

    def _reading(self, sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> Any:
        before = _before(sentence, bracket, context)
        groups = before.words and self._alternatives.groups(
            bracket.content, sentence.text[before.starts[0] : bracket.start]
        )
        if groups and bracket.kind == "wrong-first" and "…" not in bracket.content:
            finder = SpanFinder(before, context.mentions, self.closed, self._analyser, groups)
            tables = [finder.features(group) for group in groups]

            def filled(group: Sequence[Alternative], span: Span) -> list[tuple[str, ...]]:
                readings = [reading for alternative in group for reading in alternative.readings()[:1]]
                wordings = [self._wording(sentence, bracket, before, span, reading) for reading in readings]
                return [keyed(_fill(sentence, [wording])) for wording in wordings]

            sentences = [
                {span: filled(group, span) for span in table} for group, table in zip(groups, tables, strict=True)
            ]
            capital = finder.capitals()
            fold = " ".join([*context.mentions.headword, "-", *sorted(context.mentions.banned)])
            Recorder.seen.append(
                Recorded(keyed(_fill(sentence, [])), bracket.content, fold, tables, sentences, capital)
            )
        return super()._reading(sentence, bracket, context)


def keyed(sentence: str) -> tuple[str, ...]:
    """A sentence as its words."""
    return tuple(word.casefold() for word in words(sentence))


def recorded(path: Path, workspace: Path | None) -> list[Recorded]:
    """The brackets of a list."""
    Recorder.seen = []
    with patch.object(reader, "CorrectionReader", Recorder):
        read_list(path, None, "lt", workspace)
    return Recorder.seen


def truths(path: Path, part: str | None) -> Truth:
    """The good sentences of each bracket, by the words of its bad sentence."""
    table: Truth = defaultdict(list)
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["kind"] != "not-a-correction" and (part is None or half(row["n"]) == part):
            goods = {keyed(text) for text in [*row["goods"], *row.get("partial", ())]}
            table[keyed(row["sentence"])].append((row["bracket"], goods))
    return table


def published(path: Path) -> Truth:
    """The published good sentences by the words of their bad one; a list may have others, which are as good."""
    goods: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for row in read_published(path):
        goods[keyed(row.bad)].add(keyed(row.good))
    return {bad: [("", sentences)] for bad, sentences in goods.items()}


def examples(seen: list[Recorded], table: Truth, names: list[str], kind: str) -> list[Group]:
    """The groups of the brackets that the truth has."""
    groups = []
    for item in seen:
        rows = table.get(item.bad, ())
        goods = set().union(*(good for bracket, good in rows if item.bracket[:12] in bracket or not bracket))
        if not goods:
            continue
        made = [group_of(item, number, goods, names, kind) for number in range(len(item.tables))]
        for number, group in enumerate(made):
            group.others = [o for k, o in enumerate(made) if k != number and item.capital[k] == item.capital[number]]
        # Where no published sentence comes out, the list may mean another one.
        groups += [group for group in made if group.spans and not (kind == "published" and group.right[-1])]
    return groups


def group_of(item: Recorded, number: int, goods: set[tuple[str, ...]], names: list[str], kind: str) -> Group:
    """A group of a bracket; its last row stands for none of the spans, which is right where no span is."""
    table, sentences = item.tables[number], item.sentences[number]
    values = np.zeros((len(table) + 1, len(names) + 1))
    values[-1, -1] = 1
    for place, features in enumerate(table.values()):
        values[place, :-1] = [features.get(name, 0.0) for name in names]
    shares = np.array([*(np.mean([sentence in goods for sentence in sentences[span]]) for span in table), 0.0])
    right = (shares == shares.max()) if shares.any() else np.arange(len(shares)) == len(table)
    keys = [*(sentences[span][0] for span in table), ()]
    return Group(item.bracket, item.fold, kind == "counted", list(table), values, keys, right)


def fit(groups: list[Group]) -> Array:
    """The weights of the features that make the right spans most likely."""
    values, right = np.concatenate([g.values for g in groups]), np.concatenate([g.right for g in groups])
    sizes = [len(group.right) for group in groups]
    starts = np.cumsum([0, *sizes[:-1]])

    def loss(weights: Array) -> tuple[float, Array]:
        scores = values @ weights
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        total = np.add.reduceat(powers, starts)
        hit = np.maximum(np.add.reduceat(powers * right, starts), 1e-300)
        slope = powers * (np.repeat(1 / total, sizes) - np.repeat(1 / hit, sizes) * right)
        penalty = _PENALTY * weights @ weights
        return float((np.log(total) - np.log(hit)).sum() + penalty), values.T @ slope + 2 * _PENALTY * weights

    return np.asarray(minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x)


def probabilities(scores: Array) -> Array:
    """The probabilities that belong to log-odds."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def agreed(group: Group, weights: Array, agreement: float) -> Array:
    """The probabilities of a group's spans with what the others believe."""
    scores = group.values @ weights
    for other in group.others:
        beliefs = dict(zip(other.spans, probabilities(other.values @ weights), strict=False))
        bonus = [math.log1p(beliefs.get(span, 0.0) / FLOOR) for span in group.spans]
        scores = scores + agreement * np.array([*bonus, 0.0]) / len(group.others)
    return probabilities(scores)


def loss_of(group: Group, weights: Array, agreement: float) -> float:
    """The negative log-probability of a group's right spans, in nats."""
    return -math.log(max(1e-12, agreed(group, weights, agreement)[group.right].sum()))


def fit_agreement(groups: list[Group], weights: Array) -> float:
    """The weight of agreement between groups that makes the right spans most likely."""
    several = [group for group in groups if group.others]
    grid = [step / 10 for step in range(21)]
    return min(grid, key=lambda agreement: sum(loss_of(group, weights, agreement) for group in several))


def outcome(group: Group, beliefs: Array) -> tuple[float, bool, int]:
    """The probability of the most likely words, whether they are right, and the rank of the first right ones."""
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    right: dict[tuple[str, ...], bool] = defaultdict(bool)
    for sentence, belief, is_right in zip(group.sentences, beliefs, group.right, strict=True):
        totals[sentence] += belief
        right[sentence] |= bool(is_right)
    order = sorted(totals.keys() - {()}, key=lambda sentence: (-totals[sentence], sentence))
    rank = next((place for place, sentence in enumerate(order) if right[sentence]), len(order))
    return totals[order[0]], right[order[0]], rank


def cross_validated(groups: list[Group], *, misses: bool) -> float:
    """Prints the loss and how often what is believed is right; the probability above which enough of it is."""
    results, losses = [], []
    for turn, fold in product(range(_TURNS), range(_FOLDS)):
        inside = [group for group in groups if group.fold(turn) != fold]
        weights = fit(inside)
        agreement = fit_agreement(inside, weights)
        outside = [group for group in groups if group.fold(turn) == fold]
        losses += [loss_of(group, weights, agreement) for group in outside]
        results += [(*outcome(g, agreed(g, weights, agreement)), g) for g in outside if g.is_counted]
    count = len(results)
    first, three = sum(right for _, right, *_ in results), sum(rank < 3 for *_, rank, _ in results)
    print(f"loss {np.mean(losses):.3f}; first right {first / count:.3f}, in the first three {three / count:.3f}")
    for low in range(10):
        part = [right for belief, right, *_ in results if low == min(9, int(10 * belief))]
        print(f"  believed {low / 10:.1f}: right {sum(part)} of {len(part)}")
    for belief, right, rank, group in sorted(results, key=lambda result: -result[0]) if misses else ():
        if not right:
            print(f"{belief:.2f} {rank} {group.bracket} | {group.rule}")
    for percent in range(30, 100):
        part = [right for belief, right, *_ in results if belief >= percent / 100]
        if sum(part) >= _TARGET * len(part):
            print(f"above {percent / 100:.2f}: right {sum(part)} of {len(part)}, uncertain {1 - len(part) / count:.3f}")
            return percent / 100
    return 1.0


def main() -> None:
    """Fits, prints the calibration and the weights, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truths", nargs="+", metavar="LIST:TRUTH[:half]")
    parser.add_argument("--own", action="append", help="LIST:TRUTH of easy sentences, which the calibration leaves out")
    parser.add_argument("--published", help="LIST:PAIRS.csv, left out likewise")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--misses", action="store_true", help="also print what is wrong in cross-validation")
    parser.add_argument("--write", action="store_true", help="write span_weights.py")
    arguments = parser.parse_args()
    sets: list[tuple[Path, Truth, str]] = []
    for texts, kind in (
        (arguments.truths, "counted"),
        (arguments.own or [], "own"),
        ([arguments.published], "published"),
    ):
        for path, truth, *part in (text.split(":") for text in texts if text):
            table = published(Path(truth)) if kind == "published" else truths(Path(truth), part[0] if part else None)
            sets.append((Path(path), table, kind))
    places = (None, arguments.workspace)
    data = [(recorded(path, place), table, kind) for place in places for path, table, kind in sets]
    names = sorted({name for seen, *_ in data for item in seen for t in item.tables for f in t.values() for name in f})
    groups = [group for seen, table, kind in data for group in examples(seen, table, names, kind)]
    print(
        f"{len(groups)} groups, {sum(group.right[-1] for group in groups)} without a right span, {len(names)} features"
    )
    threshold = cross_validated(groups, misses=arguments.misses)
    weights = fit(groups)
    agreement = fit_agreement(groups, weights)
    for name, value in sorted(zip([*names, "none"], weights, strict=True), key=lambda item: -item[1]):
        print(f"{value:6.2f} {name}")
    if arguments.write:
        write(names, weights, agreement, threshold)


def write(names: list[str], weights: Array, agreement: float, threshold: float) -> None:
    """Writes the table."""
    lines = [f'    "{name}": {value:.2f},' for name, value in zip(names, weights, strict=False) if abs(value) >= 0.005]
    text = f'''"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = {agreement:.1f}
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = {threshold:.2f}
"""The probability of a certain span: in cross-validation {_TARGET:.0%} of such spans were right."""

NONE = {weights[-1]:.2f}
"""The log-odds that the bracket corrects none of the spans."""

FLUENCY = 1.0
"""What a language model's mean log-probability of the good sentence weighs beside it, where a span is uncertain."""

WEIGHTS = {{
'''
    Path(span_weights.__file__).write_text(text + "\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
