"""Fits the weights by which the error-list reader ranks the words that a bracket may correct.

    python benchmarks/error_list_weights.py LIST:TRUTH[:half] ... [--own LIST:TRUTH ...] [--published LIST:PAIRS.csv]
        [--workspace FOLDER] [--misses] [--write]

LIST and TRUTH are as in `error_list_truth.py`, PAIRS.csv as in `error_list.py`; `benchmarks/data/corrections.md` and
`.jsonl` are sentences of our own. A conditional logit with an L2 penalty over the candidate spans of each group of
alternatives; a span is right where it gives a good sentence, compared by its words. Easy sentences count twice. A
logistic regression on the log-odds and the features of the likeliest span gives the probability that it is right. Each
bracket is read once without morphology and once with that of the workspace.

Each list in turn is left out of both fits and read with what the others give: these are the figures of a list of
another hand. The probabilities above which 98 % are right, without and with morphology, are chosen on these left-out
predictions of all lists together.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from error_list import read_list, read_published
from error_list_truth import brackets, half, report
from pairwright.rules.error_lists import reader, span_weights, spans
from pairwright.rules.error_lists.alternatives import Alternative
from pairwright.rules.error_lists.brackets import Bracket, BracketedSentence
from pairwright.rules.error_lists.corrections import CorrectionReader, EntryContext, _before
from pairwright.rules.error_lists.edits import Place, fill
from pairwright.rules.error_lists.span_features import Span
from pairwright.rules.error_lists.spans import FLOOR, SpanFinder, log_odds
from pairwright.text import words

Array = NDArray[np.float64]
Truth = dict[tuple[str, ...], list[tuple[str, set[tuple[str, ...]]]]]

_PENALTY, _CERTAINTY_PENALTY = 1.0, 2.0
_TARGET = 0.98
# Smaller weights are left out.
_LEAST = 0.05


class Weights(NamedTuple):
    """What is fitted; the names of `certainty` are the constant, the log-odds, and the features."""

    spans: Array
    agreement: float
    certainty: Array
    thresholds: tuple[float, ...]


class Origin(NamedTuple):
    """The list that a group stands in (none for published pairs), how it was read, and how often it counts."""

    source: str
    has_morphology: bool
    times: int


@dataclass
class Group:
    """A group of alternatives: its candidate spans, their features, and which of them give which words."""

    origin: Origin
    bracket: str
    spans: list[Span]
    values: Array
    sentences: list[tuple[str, ...]]
    is_open: list[bool]
    right: NDArray[np.bool_]
    others: list["Group"] = field(default_factory=list)


@dataclass(frozen=True)
class Likeliest:
    """What comes out as the most likely words of a group.

    values    a 1, its log-odds, the logarithm of the number of candidates, the others' doubt, and its features
    is_open   the bracket may stand for more than the span, so it is uncertain in any case
    """

    group: Group
    values: Array
    is_right: bool
    is_open: bool


@dataclass
class Recorded:
    """A bracket as the reader met it."""

    bad: tuple[str, ...]
    bracket: str
    tables: list[dict[Span, dict[str, float]]]
    sentences: list[dict[Span, list[tuple[str, ...]]]]
    is_open: list[dict[Span, bool]]
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
            finder = SpanFinder(before, context.mentions, self.closed, self._agreement, groups)
            tables = [finder.features(group) for group in groups]
            place = Place(sentence, bracket, before)

            def filled(group: Sequence[Alternative], span: Span) -> list[tuple[str, ...]]:
                readings = [reading for alternative in group for reading in alternative.readings()[:1]]
                wordings = [self._editor.wording(place, span, reading) for reading in readings]
                return [keyed(fill(sentence, [wording])) for wording in wordings]

            sentences = [
                {span: filled(group, span) for span in table} for group, table in zip(groups, tables, strict=True)
            ]
            apiece = finder.apiece() is not None
            is_open = [
                {span: apiece or len(self._variants.of(place, span, group[0].readings()[0])) > 1 for span in table}
                for group, table in zip(groups, tables, strict=True)
            ]
            capital = finder.capitals()
            bad = keyed(fill(sentence, []))
            Recorder.seen.append(Recorded(bad, bracket.content, tables, sentences, is_open, capital))
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


def examples(seen: list[Recorded], table: Truth, names: list[str], origin: Origin) -> list[Group]:
    """The groups of the brackets that the truth has."""
    groups = []
    for item in seen:
        rows = table.get(item.bad, ())
        goods = set().union(*(good for bracket, good in rows if item.bracket[:12] in bracket or not bracket))
        if not goods:
            continue
        made = [group_of(item, number, goods, names, origin) for number in range(len(item.tables))]
        for number, group in enumerate(made):
            group.others = [o for k, o in enumerate(made) if k != number and item.capital[k] == item.capital[number]]
        # Where no published sentence comes out, the list may mean another one.
        groups += [group for group in made if group.spans and (origin.source or group.right.any())]
    return groups


def group_of(item: Recorded, number: int, goods: set[tuple[str, ...]], names: list[str], origin: Origin) -> Group:
    """A group of a bracket; its right spans are those with the largest share of good sentences."""
    table, sentences = item.tables[number], item.sentences[number]
    values = np.array([[features.get(name, 0.0) for name in names] for features in table.values()])
    shares = np.array([np.mean([sentence in goods for sentence in sentences[span]]) for span in table])
    right = (shares == shares.max()) & (shares > 0) if len(shares) else np.zeros(0, dtype=np.bool_)
    return Group(
        origin,
        item.bracket,
        list(table),
        values,
        [sentences[span][0] for span in table],
        list(item.is_open[number].values()),
        right,
    )


def fit(groups: list[Group]) -> Array:
    """The weights of the features that make the right spans most likely, where there are some."""
    groups = [group for group in groups if group.right.any() for _ in range(group.origin.times)]
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


def fit_certainty(likeliest: list[Likeliest]) -> Array:
    """The weights of the logistic regression; the constant and that of the log-odds hardly pay a penalty."""
    values, right = np.array([item.values for item in likeliest]), np.array([item.is_right for item in likeliest])
    penalties = np.full(values.shape[1], _CERTAINTY_PENALTY)
    penalties[:3] = 0.01

    def loss(weights: Array) -> tuple[float, Array]:
        scores = values @ weights
        log_loss = np.logaddexp(0, scores).sum() - scores[right].sum()
        slope = values.T @ (1 / (1 + np.exp(-scores)) - right) + 2 * penalties * weights
        return float(log_loss + (penalties * weights * weights).sum()), slope

    return np.asarray(minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x)


def probabilities(scores: Array) -> Array:
    """The probabilities that belong to log-odds."""
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def bonuses(group: Group, weights: Array) -> Array:
    """How much the other groups of the bracket believe in each span of a group."""
    total = np.zeros(len(group.spans))
    for other in group.others:
        beliefs = dict(zip(other.spans, probabilities(other.values @ weights), strict=True)) if other.spans else {}
        total += [math.log1p(beliefs.get(span, 0.0) / FLOOR) / len(group.others) for span in group.spans]
    return total


def agreed(group: Group, weights: Array, agreement: float) -> Array:
    """The probabilities of a group's spans with what the others believe."""
    return probabilities(group.values @ weights + agreement * bonuses(group, weights))


def fit_agreement(groups: list[Group], weights: Array) -> float:
    """The weight of agreement between groups that makes the right spans most likely."""
    several = [group for group in groups if group.others and group.right.any()]

    def loss(agreement: float) -> float:
        return -sum(math.log(max(1e-12, agreed(g, weights, agreement)[g.right].sum())) for g in several)

    return min((step / 10 for step in range(11)), key=loss)


def likeliest(group: Group, weights: Array, agreement: float) -> Likeliest:
    """The most likely words of a group."""
    beliefs, bonus = agreed(group, weights, agreement), bonuses(group, weights)
    totals: dict[tuple[str, ...], float] = defaultdict(float)
    right: dict[tuple[str, ...], bool] = defaultdict(bool)
    for sentence, belief, is_right in zip(group.sentences, beliefs, group.right, strict=True):
        totals[sentence] += belief
        right[sentence] |= bool(is_right)
    best = min(totals, key=lambda sentence: (-totals[sentence], sentence))
    place = max((k for k, s in enumerate(group.sentences) if s == best), key=lambda k: float(beliefs[k]))
    stated = [1.0, log_odds(totals[best]), math.log(len(totals)), bonus.max() - bonus[place]]
    values = np.array([*stated, *group.values[place]])
    return Likeliest(group, values, right[best], group.is_open[place])


def threshold_of(certainties: list[tuple[float, bool]]) -> float:
    """The probability above which enough is right."""
    for percent in range(50, 100):
        part = [right for certainty, right in certainties if certainty >= percent / 100]
        if sum(part) >= _TARGET * len(part):
            return percent / 100
    return 1.0


def fitted(groups: list[Group], counted: list[str], *, misses: bool = False) -> tuple[Weights, dict[str, Weights]]:
    """The weights of all data, and for each list those of the others; the threshold is that of the counted lists."""
    chosen: dict[str, tuple[Array, float]] = {}
    out: list[Likeliest] = []
    for source in dict.fromkeys(group.origin.source for group in groups):
        inside = [group for group in groups if group.origin.source != source]
        weights = fit(inside)
        chosen[source] = weights, fit_agreement(inside, weights)
        out += [likeliest(group, *chosen[source]) for group in groups if group.origin.source == source]
    certainty = {
        source: fit_certainty([item for item in out if item.group.origin.source != source]) for source in counted
    }
    left_out = [(item, certainty[item.group.origin.source]) for item in out if item.group.origin.source in counted]
    values = [(1 / (1 + math.exp(-item.values @ weights)), item) for item, weights in left_out]
    thresholds = tuple(
        threshold_of(
            [
                (value, item.is_right)
                for value, item in values
                if item.group.origin.has_morphology == morphology and not item.is_open
            ]
        )
        for morphology in (False, True)
    )
    for value, item in sorted(values, key=lambda pair: -pair[0]) if misses else ():
        if not item.is_right:
            print(f"{value:.2f} {item.group.origin.source}: {item.group.bracket}")
    weights = fit(groups)
    final = Weights(weights, fit_agreement(groups, weights), fit_certainty(out), thresholds)
    return final, {source: Weights(*chosen[source], certainty[source], thresholds) for source in counted}


def tables(names: list[str], weights: Weights) -> dict[str, Any]:
    """The names of `span_weights.py` with their values."""
    stated = ["always", "log-odds", "candidates", "others doubt it"]
    pairs = zip([*stated, *names], [*([0.0] * len(stated)), *weights.spans], weights.certainty, strict=True)
    rounded = {name: (round(float(span), 2), round(float(certainty), 2)) for name, span, certainty in pairs}
    shown = {name: values for name, values in rounded.items() if max(map(abs, values)) >= _LEAST}
    return {"AGREED": weights.agreement, "CERTAIN": weights.thresholds, "WEIGHTS": shown}


def read_groups(
    sets: list[tuple[Path, Truth, str]], counted: list[str], workspace: Path | None
) -> tuple[list[str], list[Group]]:
    """The names of all features, and the groups of all lists, without and with morphology."""
    data = [
        (recorded(path, place), place, table, source) for place in (None, workspace) for path, table, source in sets
    ]
    names = sorted({name for seen, *_ in data for item in seen for t in item.tables for f in t.values() for name in f})
    groups = []
    for seen, place, table, source in data:
        origin = Origin(source, place is not None, 1 if source in counted else 2)
        groups += examples(seen, table, names, origin)
    return names, groups


def report_left_out(text: str, values: dict[str, Any], workspace: Path | None) -> None:
    """Prints what the reader makes of a list with weights of others."""
    path, truth, *part = text.split(":")
    for place in (None, workspace):
        print(f"\n{path}, left out, {'with' if place else 'without'} morphology")
        with patch.multiple(spans, **values):
            rows = brackets(Path(truth), read_list(Path(path), None, "lt", place))
        report([row for row in rows if not part or half(row.truth["n"]) == part[0]])


def main() -> None:
    """Fits, prints what the reader makes of each list that is left out, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truths", nargs="+", metavar="LIST:TRUTH[:half]")
    parser.add_argument("--own", action="append", help="LIST:TRUTH of easy sentences, which the figures leave out")
    parser.add_argument("--published", help="LIST:PAIRS.csv, left out of the figures likewise")
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--misses", action="store_true", help="also print what is wrong in a list that is left out")
    parser.add_argument("--write", action="store_true", help="write span_weights.py")
    arguments = parser.parse_args()
    counted = [text.split(":")[0] for text in arguments.truths]
    sets: list[tuple[Path, Truth, str]] = []
    for path, truth, *part in (text.split(":") for text in [*arguments.truths, *(arguments.own or [])]):
        sets.append((Path(path), truths(Path(truth), part[0] if part else None), path))
    if arguments.published:
        path, pairs = arguments.published.split(":")
        sets.append((Path(path), published(Path(pairs)), ""))
    names, groups = read_groups(sets, counted, arguments.workspace)
    none = sum(not group.right.any() for group in groups)
    print(f"{len(groups)} groups, {none} without a right span, {len(names)} features")
    final, left_out = fitted(groups, counted, misses=arguments.misses)
    for text in arguments.truths:
        report_left_out(text, tables(names, left_out[text.split(":")[0]]), arguments.workspace)
    if arguments.write:
        write(tables(names, final))


def write(values: dict[str, Any]) -> None:
    """Writes the tables."""
    rows = "\n".join(f'    "{name}": {pair},' for name, pair in sorted(values["WEIGHTS"].items()))
    text = f'''"""What each feature of a span weighs, as `benchmarks/error_list_weights.py` fits it."""

AGREED = {values["AGREED"]:.1f}
"""What it weighs that another group of alternatives in the bracket believes in a span."""

CERTAIN = {values["CERTAIN"]}
"""The certainty of a certain span, without and with morphology: in lists left out, {_TARGET:.0%} of such were right."""

FLUENCY = {span_weights.FLUENCY}
"""What a language model's mean log-probability of the good sentence weighs beside it, where a span is uncertain."""

WEIGHTS = {{
{rows}
}}
"""What each feature adds to the log-odds of a span, and to those of the likeliest span being right."""
'''
    Path(span_weights.__file__).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
