"""`pairwright score PAIRS`: any file of minimal pairs to scores, accuracies and the report page."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pandas as pd

from pairwright.api.pairs import load_pairs, load_paradigms, sentence_pairs
from pairwright.api.reports import grouping_columns, report
from pairwright.api.scoring import Scores, accuracy, require_free_names, score, scored_pair
from pairwright.errors import ModelError, SourceError, StoreError
from pairwright.languages import load_language
from pairwright.reporting.analysis.groups import clusters_of
from pairwright.store import write_text

# More groups than these are in accuracy.csv alone.
SHOWN_GROUPS = 15
SHOWN_REJECTED = 5
LABEL = 44
FAMILY = "pairs that share a sentence"


def score_lines(
    file: Path,
    models: tuple[str, ...],
    out: Path | None,
    *,
    good: str | None = None,
    bad: str | None = None,
    by: tuple[str, ...] = (),
    language: str | None = None,
    conditions: tuple[str, ...] = (),
    judgements: Path | None = None,
    like: str | None = None,
) -> Iterator[str]:
    """Scores a file with each model and writes scores, accuracy.csv and the report under `out`; yields lines to print.

    conditions  files of the same pairs in other conditions, each as NAME=FILE
    judgements  a table of what people say of the pairs
    like        the program whose numbers are asked for, see `score`

    A model that can't be scored is named, and the next one is scored. Raises ModelError after the report where one
    failed, and SourceError where a file holds no pairs.
    """
    encoding = load_language(language).legacy_encoding if language else None
    named = _named(conditions)
    columns: dict[str, Any] = {"good": good, "bad": bad, "encoding": encoding}
    pairs = load_paradigms(file, named, **columns) if named else load_pairs(file, **columns)
    groups = require_free_names(grouping_columns(pairs, by))
    groups = [*groups[:1], "condition"] if named else groups
    out = out or Path(f"{file.stem}-scores")
    yield f"pairs      {len(pairs):,} from {file}{', by ' + ', '.join(groups) if groups else ''}"
    scored, failed = list[Scores](), list[str]()
    for model in dict.fromkeys(models):
        try:
            scores = _score(pairs, model, out, like)
        except (ModelError, StoreError) as fault:
            failed.append(model)
            yield f"failed     {fault}"
            continue
        scored.append(scores)
        yield from _scored(scores)
    if scored:
        tables = [_accuracies(one, pairs, groups) for one in scored]
        yield from (line for one, table in zip(scored, tables, strict=True) for line in _table(one, table, like))
        write_text(out / "accuracy.csv", pd.concat(tables).to_csv(index=False, lineterminator="\n"))
        yield from ("", f"scores     {out}")
        shown: dict[str, Any] = {"title": file.stem, "by": groups, "language": language, "judgements": judgements}
        yield f"report     {report(scored, pairs, out / 'report', **shown)}"
    if failed:
        raise ModelError(f"{len(failed)} of {len(models)} models could not be scored: {', '.join(failed)}")


def _named(conditions: tuple[str, ...]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for text in conditions:
        name, _, path = text.partition("=")
        if not name or not path or name in named:
            raise SourceError(f"--condition {text}: write each once, as NAME=FILE, such as OVS=pairs-ovs.csv")
        named[name] = Path(path)
    return named


def _score(pairs: pd.DataFrame, model: str, out: Path, like: str | None) -> Scores:
    folder = out / ("scores" if like is None else f"scores-{like}")
    watched = sys.stderr.isatty()
    with click.progressbar(length=len(pairs), label=f"scoring {model}", file=sys.stderr, hidden=not watched) as bar:
        return score(pairs, model, like=like, directory=folder, progress=lambda done: bar.update(done - bar.pos))


def _scored(scores: Scores) -> Iterator[str]:
    run = scores.run
    yield (
        f"scored     {run.n_scored:,} of {run.n_pairs:,} pairs by {run.model.name} in {run.seconds:.0f} s "
        f"({run.model.dtype} on {run.model.device})"
    )
    yield from (f"rejected   {item.reason}" for item in scores.rejected[:SHOWN_REJECTED])
    if len(scores.rejected) > SHOWN_REJECTED:
        yield f"rejected   {len(scores.rejected):,} sentences in all, see scores.rejected.jsonl"


def _accuracies(scores: Scores, pairs: pd.DataFrame, groups: list[str]) -> pd.DataFrame:
    """Accuracy on all pairs and by each column, with the intervals of the report: over the values of the last column,
    else over families of pairs that share a sentence."""
    families = clusters_of([scored_pair(*pair) for pair in sentence_pairs(pairs)]).families
    pairs = pairs.assign(**{FAMILY: families})
    tables = []
    for name in ("", *groups):
        table = accuracy(scores, pairs, by=name or (), cluster=[*groups[-1:], FAMILY]).rename(columns={name: "group"})
        tables.append(table.assign(model=scores.run.model.name, by=name, **({} if name else {"group": "all pairs"})))
    return pd.concat(tables).set_index(["model", "by", "group"]).reset_index()


def _table(scores: Scores, table: pd.DataFrame, like: str | None) -> Iterator[str]:
    """The accuracies of a model, a line a group, with both measures side by side."""
    yield from ("", f"{scores.run.model.name:<{LABEL}} pairs  {'by sum_logprob':<22} by mean_nll")
    parts: Any = table.groupby("by", sort=False)
    for name, part in parts:
        n_groups = part["group"].nunique()
        if name:
            yield f"by {name}: {n_groups} groups, see accuracy.csv" if n_groups > SHOWN_GROUPS else f"by {name}:"
        if n_groups > SHOWN_GROUPS:
            continue
        for label, rows in part.groupby("group", sort=False, dropna=False):
            shown = {row.measure: _percent(row.accuracy, row.low, row.high) for row in rows.itertuples()}
            text = str(label) if len(str(label)) <= LABEL - 2 else str(label)[: LABEL - 3] + "…"
            text = f"  {text}" if name else text
            yield f"{text:<{LABEL}} {rows['n'].max():>5,}  {shown['sum_logprob']:<22} {shown['mean_nll']}"
    ties: Any = table[(table["by"] == "") & (table["ties"] > 0)]
    yield from (f"{row.ties} ties by {row.measure}, which count as not correct" for row in ties.itertuples())
    if like is not None:
        row: Any = next(table[(table["by"] == "") & (table["measure"] == "sum_logprob")].itertuples())
        yield f"{like} counts ties as correct: acc {(row.correct + row.ties) / row.n:.4f} of {row.n:,} pairs"


def _percent(value: float, low: float, high: float) -> str:
    return "no scores" if math.isnan(value) else f"{value:6.1%} ({low:.1%}-{high:.1%})".replace("%-", "-")
