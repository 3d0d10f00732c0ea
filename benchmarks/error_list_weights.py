"""Fits the weights by which the error-list reader ranks the words that a bracket may correct.

    python benchmarks/error_list_weights.py LIST:TRUTH[:half] ... [--published LIST:PAIRS.csv] [--workspace FOLDER] [--write]

LIST and TRUTH are as in `error_list_truth.py`, PAIRS.csv as in `error_list.py`. A conditional logit with an L2 penalty
over the candidate spans of each group of alternatives; a span is right where it gives a good sentence, compared by its
words. Each bracket counts once without morphology and once with that of the workspace. Cross-validation by rule
gives the calibration, and the probability above which 97 % are right.
"""

import argparse
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from error_list import read_list, read_published
from error_list_truth import half
from scipy.optimize import minimize

from pairwright.rules.error_lists import reader, span_weights
from pairwright.rules.error_lists.alternatives import Alternative
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.corrections import CorrectionReader, EntryContext, _before, _fill
from pairwright.rules.error_lists.span_features import Span
from pairwright.rules.error_lists.spans import SpanFinder
from pairwright.text import words

import os
_PENALTY = 1.0
LOSS = []
_FOLDS = 8
_TARGET = 0.97


@dataclass
class Group:
    """A group of alternatives: its candidate spans, their features, and which of them give which words."""

    bracket: str
    rule: str
    spans: list[Span]
    values: np.ndarray
    sentences: list[tuple[str, ...]]
    right: np.ndarray
    texts: list[str]
    others: list["Group"] = field(default_factory=list)
    is_full: bool = True


@dataclass
class Recorded:
    """A bracket as the reader met it."""

    bad: tuple[str, ...]
    bracket: str
    fold: str
    tables: list[dict[Span, dict[str, float]]]
    sentences: list[dict[Span, list[str]]]
    capital: list[bool]


class Recorder(CorrectionReader):
    """Keeps the candidates of every bracket that it reads."""

    seen: list[Recorded]

    def _reading(self, sentence: BracketedSentence, bracket: Bracket, context: EntryContext) -> Any:
        before = _before(sentence, bracket, context)
        groups = before.words and self._alternatives.groups(bracket.content, sentence.text[before.starts[0] : bracket.start])
        if groups and bracket.kind == "wrong-first" and "…" not in bracket.content:
            finder = SpanFinder(before, context.mentions, self.closed, self._analyser, groups)
            tables = [finder.features(group) for group in groups]

            def filled(group: Sequence[Alternative], span: Span) -> list[str]:
                readings = [reading for alternative in group for reading in alternative.readings()[:1]]
                wordings = [self._wording(sentence, bracket, before, span, reading) for reading in readings]
                return [_fill(sentence, [wording]) for wording in wordings]

            sentences = [{span: filled(group, span) for span in table} for group, table in zip(groups, tables)]
            capital = finder.capitals()
            fold = str(context.mentions)
            Recorder.seen.append(Recorded(keyed(_fill(sentence, [])), bracket.content, fold, tables, sentences, capital))
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


def truths(path: Path, part: str | None) -> dict[tuple[str, ...], list[tuple[str, set[tuple[str, ...]]]]]:
    """The good sentences of each bracket, by the words of its bad sentence."""
    table = defaultdict(list)
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["kind"] != "not-a-correction" and (part is None or half(row["n"]) == part):
            goods = {keyed(text) for text in [*row["goods"], *row.get("partial", ())]}
            table[keyed(row["sentence"])].append((row["bracket"], goods))
    return table


def examples(seen: list[Recorded], table: dict[Any, Any], names: list[str]) -> list[Group]:
    """The groups of the brackets that the truth has."""
    groups = []
    for item in seen:
        goods = [good for bracket, good in table.get(item.bad, ()) if item.bracket[:12] in bracket or not bracket]
        if not goods:
            continue
        good = set().union(*goods)
        made = []
        for features, sentences in zip(item.tables, item.sentences):
            spans = list(features)
            values = np.array([[features[span].get(name, 0.0) for name in names] for span in spans])
            right = np.array([np.mean([keyed(text) in good for text in sentences[span]]) for span in spans])
            best = right.max(initial=0)
            # The last row stands for none of the spans.
            values = np.hstack([np.vstack([values, np.zeros(len(names))]), np.zeros((len(spans) + 1, 1))])
            values[-1, -1] = 1
            right = np.append(right, 0)
            made.append(Group(item.bracket, item.fold, spans, values, [*(keyed(s[0]) for s in sentences.values()), ()], (right == best) if best else np.arange(len(right)) == len(spans), [s[0] for s in sentences.values()]))
        for number, group in enumerate(made):
            group.others = [o for k, o in enumerate(made) if k != number and item.capital[k] == item.capital[number]]
        for group in made:
            group.is_full = table.get(None) is None and "own" not in table
        groups += [group for group in made if group.spans and (not group.right[-1] or table.get(None) is None)]
    return groups


def fit(groups: list[Group]) -> np.ndarray:
    """The weights of the features that make the right spans most likely."""
    usable = [group for group in groups if group.right.any() and not group.right.all()]
    values = np.concatenate([group.values for group in usable])
    sizes = [len(group.right) for group in usable]
    starts = np.cumsum([0, *sizes[:-1]])
    right = np.concatenate([group.right for group in usable])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = values @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        powers = np.exp(scores)
        total, hit = np.add.reduceat(powers, starts), np.add.reduceat(powers * right, starts)
        hit = np.maximum(hit, 1e-300)
        each = np.log(total) - np.log(hit)
        slope = np.repeat(1 / total, sizes) * powers - np.repeat(1 / hit, sizes) * powers * right
        return each.sum() + _PENALTY * weights @ weights, values.T @ slope + 2 * _PENALTY * weights

    result = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B")
    return result.x


def beliefs(group: Group, weights: np.ndarray) -> np.ndarray:
    """The probabilities of a group's spans by itself."""
    scores = group.values @ weights
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def agreed(group: Group, weights: np.ndarray, agreement: float) -> np.ndarray:
    """The probabilities of a group's spans with what the others believe."""
    scores = group.values @ weights
    for other in group.others:
        if other.spans:
            table = dict(zip(other.spans, beliefs(other, weights)))
            scores = scores + agreement * np.array([math.log1p(table.get(s, 0) / 0.01) for s in [*group.spans, None]]) / len(group.others)
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def fit_agreement(groups: list[Group], weights: np.ndarray) -> float:
    """The weight of agreement between groups that makes the right spans most likely."""
    usable = [group for group in groups if group.others and group.right.any()]
    grid = np.arange(0, 2.01, 0.1)
    values = [sum(math.log(max(1e-12, agreed(g, weights, a)[g.right].sum())) for g in usable) for a in grid]
    return float(grid[int(np.argmax(values))])


def outcome(group: Group, probabilities: np.ndarray) -> tuple[float, bool, int]:
    """The probability of the most likely words, whether they are right, and the rank of the first right ones."""
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    right: dict[tuple[str, ...], bool] = defaultdict(bool)
    for sentence, probability, is_right in zip(group.sentences, probabilities, group.right):
        totals[sentence] += probability
        right[sentence] |= bool(is_right)
    order = sorted(totals.keys() - {()}, key=lambda s: -totals[s])
    rank = next((k for k, s in enumerate(order) if right[s]), 99)
    return totals[order[0]], right[order[0]], rank


def main() -> None:
    """Fits, prints the calibration, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truths", nargs="+")
    parser.add_argument("--published")
    parser.add_argument("--own", help="LIST:TRUTH of easy sentences, which the calibration leaves out")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    sets = []
    for text in arguments.truths:
        path, truth, *part = text.split(":")
        sets.append((Path(path), truths(Path(truth), part[0] if part else None)))
    if arguments.own:
        path, truth = arguments.own.split(":")
        own: dict[Any, Any] = {"own": True}
        sets.append((Path(path), own | truths(Path(truth), None)))
    if arguments.published:
        path, pairs = arguments.published.split(":")
        table = defaultdict(list)
        for row in read_published(Path(pairs)):
            table[keyed(row.bad)].append(("", {keyed(row.good)}))
        merged: dict[Any, Any] = {None: True}
        merged |= {bad: [("", set().union(*(g for _, g in rows)))] for bad, rows in table.items()}
        sets.append((Path(path), merged))
    data = []
    for workspace in (None, arguments.workspace):
        data += [(recorded(path, workspace), table) for path, table in sets]
    names = sorted({name for seen, _ in data for item in seen for t in item.tables for f in t.values() for name in f})
    groups = [group for seen, table in data for group in examples(seen, table, names)]
    print(f"{len(groups)} groups, {sum(g.right[-1] for g in groups)} without a right span, {len(names)} features")
    results = []
    for fold in range(_FOLDS):
        inside = [g for g in groups if hashlib.sha256(g.rule.encode()).digest()[0] % _FOLDS != fold]
        weights = fit(inside)
        agreement = fit_agreement(inside, weights)
        for group in groups:
            if hashlib.sha256(group.rule.encode()).digest()[0] % _FOLDS == fold:
                LOSS.append(-math.log(max(1e-9, agreed(group, weights, agreement)[group.right].sum())))
                results.append((*outcome(group, agreed(group, weights, agreement)), group))
    print("loss", np.mean(LOSS))
    threshold = calibration([result for result in results if result[-1].is_full])
    if arguments.misses:
        for probability, right, rank, group in sorted(results, key=lambda r: -r[0]):
            if not right:
                print(f"{probability:.2f} {rank} {' '.join(group.sentences[int(np.argmax(group.right))])} | {group.bracket} | {group.rule}")
    weights = fit(groups)
    agreement = fit_agreement(groups, weights)
    print(f"{weights[-1]:6.2f} none")
    for name, value in sorted(zip(names, weights), key=lambda item: -item[1]):
        print(f"{value:6.2f} {name}")
    print("agreement", agreement)
    if arguments.write:
        write(names, weights, agreement, threshold)


def calibration(results: list[tuple[float, bool, int, Group]]) -> float:
    """Prints how often what is believed is right, and returns the probability above which enough of it is."""
    count = len(results)
    print(f"cross-validated: first {sum(r for _, r, *_ in results) / count:.3f}, in three {sum(k < 3 for *_, k, _ in results) / count:.3f}")
    for low in np.arange(0, 1, 0.1):
        part = [right for p, right, *_ in results if low <= p < low + 0.1 + (low > 0.85)]
        print(f"  {low:.1f}: {sum(part)} of {len(part)}")
    for threshold in np.arange(0.3, 1.0, 0.01):
        part = [right for p, right, *_ in results if p >= threshold]
        if sum(part) >= _TARGET * len(part):
            print(f"above {threshold:.2f}: {sum(part)} of {len(part)}, uncertain {1 - len(part) / count:.3f}")
            return float(threshold)
    return 0.99


def write(names: list[str], weights: np.ndarray, agreement: float, threshold: float) -> None:
    """Writes the table."""
    lines = [f'    "{name}": {value:.2f},' for name, value in zip(names, weights) if abs(value) >= 0.005]
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
