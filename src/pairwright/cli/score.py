"""`pairwright score PAIRS`: any file of minimal pairs to scores, accuracies and the report page."""

import math
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pairwright.api.pairs import load_pairs, load_paradigms, sentence_pairs
from pairwright.api.reports import grouping_columns, report
from pairwright.api.scoring import Scores, accuracy, kept_scores, require_free_names, score, scored_pair
from pairwright.cli.terminal import Terminal
from pairwright.core.errors import ModelError, SourceError, StoreError, counted
from pairwright.core.records import Rejection
from pairwright.core.store import write_jsonl, write_text
from pairwright.core.tables import table_text
from pairwright.languages import load_language
from pairwright.pipeline.context import pace
from pairwright.reporting.analysis.groups import clusters_of

# More groups than these are in accuracy.csv alone.
SHOWN_GROUPS = 15
SHOWN_REJECTED = 5
LABEL = 44
# The folder of the models' scores, and the file that stands in each finished one.
SCORES, RUN = "scores", "run.json"
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
    skip_unusable: bool = False,
) -> Iterator[str]:
    """Scores a file with each model and writes scores, accuracy.csv and the report under `out`; yields lines to print.

    conditions  files of the same pairs in other conditions, each as NAME=FILE
    judgements  a table of what people say of the pairs
    like        the program whose numbers are asked for, see `score`
    skip_unusable  rows that can't be used go to pairs.rejected.jsonl instead of ending the run

    What other models, and other ways of scoring, gave for these pairs before stays in accuracy.csv and the report. A
    model that can't be scored is named, and the next one is scored. Raises ModelError after the report where one
    failed, and SourceError where a file holds no pairs.
    """
    encoding = load_language(language).legacy_encoding if language else None
    rejected = list[Rejection]() if skip_unusable else None
    pairs = _load(file, conditions, rejected, good=good, bad=bad, encoding=encoding)
    groups = require_free_names(grouping_columns(pairs, by, str(file)))
    groups = [*groups[:1], "condition"] if conditions else groups
    out = out or Path(f"{file.stem}-scores")
    yield f"pairs      {len(pairs):,} from {file}{', by ' + ', '.join(groups) if groups else ''}"
    if rejected is not None:
        write_jsonl(out / "pairs.rejected.jsonl", rejected)
        yield f"rejected   {counted(len(rejected), 'row')}, with reasons in {out / 'pairs.rejected.jsonl'}"
    scored, failed = dict[Path, Scores](), list[str]()
    for model in dict.fromkeys(models):
        try:
            scores, is_new = _score(pairs, model, _folder(out, like), like)
        except (ModelError, StoreError) as fault:
            failed.append(model)
            yield f"failed     {fault}"
            continue
        scored[_folder(out, like) / scores.run.model.slug] = scores
        yield from _scored(scores, is_new)
    if scored:
        results = scored | (yield from _kept(out, scored))
        _name_by_way(results)
        tables = {folder: _accuracies(one, pairs, groups) for folder, one in results.items()}
        yield from (line for folder, one in scored.items() for line in _table(one, tables[folder], like))
        _write_accuracies(out / "accuracy.csv", pd.concat(tables.values()))
        yield from ("", f"scores     {out}")
        shown: dict[str, Any] = {"title": file.stem, "by": groups, "language": language, "judgements": judgements}
        yield f"report     {report([*results.values()], pairs, out / 'report', **shown)}"
    if failed:
        raise ModelError(f"{len(failed)} of {counted(len(models), 'model')} could not be scored: {', '.join(failed)}")


def _write_accuracies(path: Path, table: pd.DataFrame) -> None:
    cells = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
    write_text(path, table_text([table.columns, *cells]))


def _load(file: Path, conditions: tuple[str, ...], rejected: list[Rejection] | None, **columns: Any) -> pd.DataFrame:
    if not conditions:
        return load_pairs(file, **columns, rejected=rejected)
    if rejected is not None:
        raise SourceError("--skip-unusable can't go with --condition, whose files belong together row by row")
    named: dict[str, Path] = {}
    for text in conditions:
        name, _, path = text.partition("=")
        if not name or not path or name in named:
            raise SourceError(f"--condition {text}: write each once, as NAME=FILE, such as OVS=pairs-ovs.csv")
        named[name] = Path(path)
    return load_paradigms(file, named, **columns)


def _folder(out: Path, like: str | None) -> Path:
    """Where the folders of models stand that were scored in one way."""
    return out / "-".join(filter(None, (SCORES, like)))


def _score(pairs: pd.DataFrame, model: str, folder: Path, like: str | None) -> tuple[Scores, bool]:
    """The scores, and whether any of them were made now."""
    reporter, is_new = Terminal(), False
    with pace(reporter, f"scoring {model}", len(pairs)) as advance:

        def progress(done: int) -> None:
            nonlocal is_new
            is_new = True
            advance(done)

        notice = partial(reporter.say, "warning")
        return score(pairs, model, like=like, directory=folder, progress=progress, notice=notice), is_new


def _scored(scores: Scores, is_new: bool) -> Iterator[str]:
    run = scores.run
    counts, device = f"{run.n_scored:,} of {counted(run.n_pairs, 'pair')}", f"{run.model.dtype} on {run.model.device}"
    when = f"in {run.seconds:.0f} s" if is_new else f"before, on {run.finished_at[:10]}"
    yield f"{'scored' if is_new else 'finished':<10} {counts} by {run.model.name} {when} ({device})"
    yield from (f"rejected   {item.reason}" for item in scores.rejected[:SHOWN_REJECTED])
    if len(scores.rejected) > SHOWN_REJECTED:
        yield f"rejected   {counted(len(scores.rejected), 'sentence')} in all, see scores.rejected.jsonl"


def _kept(out: Path, scored: dict[Path, Scores]) -> Generator[str, None, dict[Path, Scores]]:
    """The other scores of the same pairs that earlier runs left, by folder. Yields a line for each of them."""
    kept: dict[Path, Scores] = {}
    sha256 = next(iter(scored.values())).run.release_sha256
    for record in sorted(out.glob(f"{SCORES}*/*/{RUN}")):
        folder = record.parent
        if folder in scored:
            continue
        try:
            scores = kept_scores(folder)
        except StoreError as fault:
            yield f"left out   {fault}"
            continue
        if scores.run.release_sha256 == sha256:
            kept[folder] = scores
            yield f"kept       {folder}, of {scores.run.finished_at[:10]}: also in accuracy.csv and the report"
        else:
            yield f"left out   {folder}: scores of other pairs; score these with that model, or take the folder away"
    return kept


def _name_by_way(results: dict[Path, Scores]) -> None:
    """Puts the other program into a model's name where its scores were made as that does."""
    for folder, scores in results.items():
        if like := folder.parent.name.removeprefix(SCORES).lstrip("-"):
            model = scores.run.model
            own = {"name": f"{model.name} ({like})", "slug": f"{model.slug}-{like}"}
            scores.run = scores.run.model_copy(update={"model": model.model_copy(update=own)})


def _accuracies(scores: Scores, pairs: pd.DataFrame, groups: list[str]) -> pd.DataFrame:
    """Accuracy on all pairs and by each column, with the intervals of the report: over the values of the column with
    most of them, else over families of pairs that share a sentence."""
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
    yield from (f"{counted(row.ties, 'tie')} by {row.measure}, not counted as correct" for row in ties.itertuples())
    if like is not None:
        row: Any = next(table[(table["by"] == "") & (table["measure"] == "sum_logprob")].itertuples())
        yield f"{like} counts ties as correct: acc {(row.correct + row.ties) / row.n:.4f} of {counted(row.n, 'pair')}"


def _percent(value: float, low: float, high: float) -> str:
    return "no scores" if math.isnan(value) else f"{value:6.1%} ({low:.1%}-{high:.1%})".replace("%-", "-")
