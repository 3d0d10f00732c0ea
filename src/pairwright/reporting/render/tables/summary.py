"""The tables of a report, from its summary; None where there is nothing to show. tables.toml has the columns."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from pairwright.core.records.release import ReleasePair
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import AccuracyEstimate, Group, GroupKind
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.data.model_family import size_of
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.render.narrative import way
from pairwright.reporting.render.tables.columns import ReportColumn, ReportTable, between, specified, table, with_few

_RELATIONS = ("base-instruct", "size", "family", "other")


def ranking(summary: Summary, words: Words) -> ReportTable | None:
    """All models, best first, with intervals, and the mean over rules beside the mean over pairs."""

    def macro(measure: Measure) -> ReportColumn[Any]:
        return ReportColumn(words(f"columns.{measure}-over-rules"), lambda row: row.model.macro.get(measure), "percent")

    rows = [_row(*row) for row in zip(summary.models, summary.overall.results, strict=True)]
    parts, (basis, over) = summary.comparable(), _bases(rows, words)
    ways = {model.label: way(settings, words) for settings, part in parts for model in part.models}
    scored_as = ReportColumn[Any](words("columns.scored"), lambda row: ways[row.model.label])

    def n_pairs(row: Any) -> int:
        return max((item.accuracy.n for item in row.result.values()), default=0)

    ranked = specified(
        words,
        "ranking",
        rows,
        *_shares(summary, words),
        *([scored_as] if len(parts) > 1 else []),
        ReportColumn(words("columns.size"), lambda row: row.model.lineage.size),
        ReportColumn(words("columns.pairs"), n_pairs, "count"),
        *basis,
        *map(macro, summary.measures),
        note={"over": over},
    )
    if ranked is None or len(parts) == 1:
        return ranked
    return replace(ranked, note=f"{ranked.note} {words('tables.not_ranked')}")


def _row(model: ModelSummary, result: dict[Measure, AccuracyEstimate], group: Group | None = None) -> Any:
    return SimpleNamespace(model=model, result=result, group=group)


def _shares(summary: Summary, words: Words) -> list[ReportColumn[Any]]:
    def share(measure: Measure) -> ReportColumn[Any]:
        return ReportColumn(words(f"columns.{measure}"), lambda row: row.result.get(measure), "percent")

    return list(map(share, summary.measures))


def _bases(rows: Sequence[Any], words: Words) -> tuple[list[ReportColumn[Any]], str]:
    """A column with what intervals take as independent, where rows differ in it; and the words of a note for all."""

    def basis(row: Any) -> str | None:
        bases = dict.fromkeys(estimate.basis for estimate in row.result.values())
        return ", ".join(words(f"terms.basis.{name}") for name in bases) or None

    bases = list(dict.fromkeys(filter(None, map(basis, rows))))
    column = ReportColumn[Any](words("columns.interval-over"), basis)
    return ([column] if len(bases) > 1 else []), words("tables.bases", bases=", ".join(bases))


def base_and_instruct(summary: Summary, words: Words) -> ReportTable | None:
    """The first table of a paper: families and sizes down, base and tuned models across, by the mean and by the sum.

    Where several models would share a cell, as under two policies, or were scored with different settings, each has a
    row of its own, by its label.
    """
    conditionings: dict[tuple[str, str], set[object]] = defaultdict(set)
    for model in summary.models:
        conditionings[model.lineage.family, model.lineage.size].add(model.run.conditioning)
    shared = Counter((model.lineage.family, model.lineage.size, model.lineage.variant) for model in summary.models)
    rows: dict[tuple[str, str], Any] = {}
    empty = dict.fromkeys(("base_mean", "instruct_mean", "base_sum", "instruct_sum"))
    for model, result in zip(summary.models, summary.overall.results, strict=True):
        lineage = model.lineage
        alone = shared[lineage.family, lineage.size, lineage.variant] == 1
        alone = alone and len(conditionings[lineage.family, lineage.size]) == 1
        family = lineage.family if alone else model.label
        row = rows.setdefault((family, lineage.size), SimpleNamespace(family=family, size=lineage.size, **empty))
        for measure, estimate in result.items():
            setattr(row, f"{lineage.variant}_{measure}", estimate.value)
    return specified(words, "table-1", sorted(rows.values(), key=lambda row: (row.family.lower(), size_of(row.size))))


def heat(summary: Summary, words: Words, measure: Measure) -> ReportTable | None:
    """Rules down and models across: the second table of a paper. None for a single rule."""
    groups = summary.of_kind("rule")

    def accuracy(place: int) -> ReportColumn[Group]:
        def value(group: Group) -> float | None:
            return group.results[place][measure].value if measure in group.results[place] else None

        return ReportColumn(summary.models[place].label, value, "percent", heat=True)

    return table(
        "table-2" if measure == "sum" else f"table-2-{measure}",
        words("tables.table-2.title" if measure == "sum" else "tables.table-2.title_mean"),
        groups if len(groups) > 1 else [],
        ReportColumn(words("columns.rule"), lambda group: group.label),
        ReportColumn(words("columns.pairs"), lambda group: group.n_pairs, "count"),
        *map(accuracy, range(len(summary.models))),
        note=with_few(words("tables.table-2.note"), [group.n_pairs for group in groups], words),
    )


def groups_in_full(summary: Summary, words: Words, kind: GroupKind) -> ReportTable | None:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them.

    None where the kind has a single group, which is all pairs.
    """
    groups = summary.of_kind(kind)
    rows = [_row(*item, group) for group in groups for item in zip(summary.models, group.results, strict=True)]
    basis, over = _bases(rows, words)

    def label(row: Any) -> str:
        return words.name("terms.overall", row.group.label) if kind == "overall" else str(row.group.label)

    def count(name: str) -> Callable[[Any], int | None]:
        return lambda row: getattr(row.result["sum"].accuracy, name) if "sum" in row.result else None

    return table(
        {"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s"),
        words(f"tables.groups.{kind}"),
        rows if len(groups) > 1 else [],
        ReportColumn(words(f"columns.{'pairs-taken' if kind == 'overall' else kind}"), label),
        *([ReportColumn(words("columns.model"), lambda row: row.model.label)] if len(summary.models) > 1 else []),
        *_shares(summary, words),
        ReportColumn(words("columns.pairs"), count("n"), "count"),
        ReportColumn(words("columns.ties"), count("ties"), "count"),
        *basis,
        note=with_few(words("tables.groups.note", over=over), [group.n_pairs for group in groups], words),
    )


def comparisons(summary: Summary, words: Words) -> ReportTable | None:
    """All paired comparisons of models."""
    return specified(
        words,
        "comparisons",
        sorted(summary.comparisons, key=lambda item: _RELATIONS.index(item.relation)),
        difference=lambda item: between(item.test.difference, item.test.interval),
    )


def families(summary: Summary, words: Words) -> ReportTable | None:
    """Family against family, where both have several models."""
    return specified(
        words,
        "families",
        [item for item in summary.families if min(item.n_models) > 1],
        n_models=lambda item: words("and", first=item.n_models[0], second=item.n_models[1]),
        difference=lambda item: between(item.difference, item.interval),
    )


def difficulty(summary: Summary, words: Words) -> ReportTable | None:
    """Rules by difficulty, then models by ability, the largest first; None where they were not fitted."""
    fit = summary.difficulty
    if fit is None:
        return None
    effects = [
        SimpleNamespace(kind=kind, effect=effect)
        for kind, own in (("rule", fit.difficulties), ("model", fit.abilities))
        for effect in sorted(own, key=lambda effect: -effect.value)
    ]
    fitted = specified(words, "difficulty", effects)
    if fitted is None or fit.n_pairs == fit.n_scored:
        return fitted
    sample = words("tables.difficulty.note_sample", n=fit.n_pairs, of=fit.n_scored)
    return replace(fitted, note=f"{fitted.note} {sample}")


def confounds(summary: Summary, words: Words) -> ReportTable | None:
    """The standardised coefficients of length, tokens and frequency; None where no regression could be fitted."""
    coefficients = [
        SimpleNamespace(model=item.model, measure=item.measure, regression=item.regression, coefficient=coefficient)
        for item in summary.confounds
        for coefficient in item.regression.coefficients
    ]
    return specified(
        words,
        "confounds",
        coefficients,
    )


def preferences(summary: Summary, words: Words) -> ReportTable | None:
    """How many raters prefer the good sentences, by phenomenon."""
    return specified(
        words,
        "human-preferences",
        summary.human.preferences if summary.human else (),
        share=lambda item: item.n_prefer / item.n_raters if item.n_raters else None,
    )


def choices(summary: Summary, words: Words) -> ReportTable | None:
    """Forced choices of people, and the models on the same pairs."""

    def accuracy(place: int) -> ReportColumn[Any]:
        return ReportColumn(summary.models[place].label, lambda item: item.models[place], "percent", heat=True)

    return specified(
        words,
        "human-choices",
        summary.human.choices if summary.human else (),
        *map(accuracy, range(len(summary.models))),
        people=lambda item: between(item.share, item.interval),
    )


def alignments(summary: Summary, words: Words) -> ReportTable | None:
    """How score differences correlate with ratings."""
    return specified(
        words,
        "human-alignment",
        summary.human.alignments if summary.human else (),
        n_pairs=lambda item: item.pearson.n if item.pearson else 0,
    )


def other_tools(summary: Summary, words: Words) -> ReportTable | None:
    """Other tools' accuracies and ours."""
    tools = summary.external.tools if summary.external else ()
    return specified(words, "other-tools", tools, n_differ=lambda item: len(item.differ))


def tasks(summary: Summary, words: Words) -> ReportTable | None:
    """The models' scores on other benchmarks' tasks."""
    results = summary.external.tasks if summary.external else ()
    return specified(words, "other-tasks", results, languages=lambda item: ", ".join(item.languages))


def task_correlations(summary: Summary, words: Words) -> ReportTable | None:
    """How accuracy on minimal pairs correlates with other tasks."""
    correlations = summary.external.correlations if summary.external else ()
    return specified(words, "task-correlations", correlations, n_models=lambda item: len(item.models))


def faults(summary: Summary, words: Words) -> ReportTable | None:
    """What is wrong with the input."""
    return specified(
        words,
        "faults",
        summary.faults,
        kind=lambda item: words(f"fault_kinds.{item.kind}"),
        message=lambda item: item.text(words),
    )


def back_to_review(summary: Summary, words: Words, pairs: Sequence[ReleasePair]) -> ReportTable | None:
    """The pairs that go back to the reviewers, with the reason."""
    by_id = {pair.id: pair for pair in pairs}
    returned = [SimpleNamespace(pair=by_id[item.pair_id], n_models=item.n_models) for item in summary.returned]
    return specified(words, "back-to-review", returned, reason=lambda item: words("text.returned", n=item.n_models))
