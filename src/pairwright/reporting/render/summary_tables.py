"""The tables of a report, from its summary; None where there is nothing to show. tables.toml has titles and columns."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from pairwright.records.release import ReleasePair
from pairwright.reporting.analysis.groups import FEW, AccuracyEstimate, Group, GroupKind
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.data.model_family import size_of
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.render.tables import ReportColumn, ReportTable, between, specified, table, texts

MEASURE_NAMES: dict[Measure, str] = {"sum": "Sum", "mean": "Mean", "slor": "SLOR"}
_RELATIONS = texts("relations")


def ranking(summary: Summary) -> ReportTable | None:
    """All models, best first, with intervals, and the mean over rules beside the mean over pairs."""

    def macro(measure: Measure) -> ReportColumn[Any]:
        label = f"{MEASURE_NAMES[measure]}, mean over rules"
        return ReportColumn(label, lambda row: row.model.macro.get(measure), "percent")

    rows = [_row(*row) for row in zip(summary.models, summary.overall.results, strict=True)]
    parts, (basis, over) = summary.comparable(), _bases(rows)
    conditioning = {model.label: label for label, part in parts for model in part.models}
    scored_as = ReportColumn[Any]("Scored with", lambda row: conditioning[row.model.label])
    return specified(
        "ranking",
        rows,
        *([scored_as] if len(parts) > 1 else []),
        *map(_share, summary.measures),
        *basis,
        *map(macro, summary.measures),
        note=f" {over}; means over rules have theirs over rules.{_NOT_RANKED if len(parts) > 1 else ''}",
        n_pairs=lambda row: max((item.accuracy.n for item in row.result.values()), default=0),
    )


def _row(model: ModelSummary, result: dict[Measure, AccuracyEstimate], group: Group | None = None) -> Any:
    return SimpleNamespace(model=model, result=result, group=group)


def _share(measure: Measure) -> ReportColumn[Any]:
    return ReportColumn(MEASURE_NAMES[measure], lambda row: row.result.get(measure), "percent")


def _basis(row: Any) -> str | None:
    """What the intervals of a row take as independent."""
    return ", ".join(dict.fromkeys(estimate.basis for estimate in row.result.values())) or None


def _bases(rows: Sequence[Any]) -> tuple[list[ReportColumn[Any]], str]:
    """A column that says so for each row, where rows differ in it; and the words of a note for all."""
    bases = list(dict.fromkeys(filter(None, map(_basis, rows))))
    column = ReportColumn[Any]("Interval over", _basis)
    return ([column] if len(bases) > 1 else []), f"95% intervals over {', '.join(bases)}"


_NOT_RANKED = " Models that were scored with different settings stand apart: their sums do not compare."


def base_and_instruct(summary: Summary) -> ReportTable | None:
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
    return specified("table-1", sorted(rows.values(), key=lambda row: (row.family.lower(), size_of(row.size))))


def heat(summary: Summary, measure: Measure) -> ReportTable | None:
    """Rules down and models across: the second table of a paper. None for a single rule."""
    groups = summary.of_kind("rule")

    def accuracy(place: int) -> ReportColumn[Group]:
        def value(group: Group) -> float | None:
            return group.results[place][measure].value if measure in group.results[place] else None

        return ReportColumn(summary.models[place].label, value, "percent", heat=True)

    return table(
        "table-2" if measure == "sum" else f"table-2-{measure}",
        f"Accuracy by rule and model, by the {measure}",
        groups if len(groups) > 1 else [],
        ReportColumn("Rule", lambda group: group.label),
        ReportColumn("Pairs", lambda group: group.n_pairs, "count"),
        *map(accuracy, range(len(summary.models))),
        note=f"Percent of pairs; blue is above chance, orange below, paler with fewer pairs.{_few_note(groups)}",
    )


def _few_note(groups: Sequence[Group]) -> str:
    """How many rows rest on few pairs, as a sentence; empty where none does."""
    few = sum(group.few for group in groups)
    if not few:
        return ""
    rest = "row rests" if few == 1 else "rows rest"
    return f" {few} of {len(groups)} {rest} on fewer than {FEW} pairs: too few to tell models apart."


def groups_in_full(summary: Summary, kind: GroupKind) -> ReportTable | None:
    """The groups of a kind, a row for each group and model, with intervals and the number of pairs behind them.

    None where the kind has a single group, which is all pairs.
    """
    groups = summary.of_kind(kind)
    rows = [_row(*item, group) for group in groups for item in zip(summary.models, group.results, strict=True)]
    basis, over = _bases(rows)
    return table(
        {"phenomenon": "phenomena", "overall": "overall"}.get(kind, f"{kind}s"),
        "Accuracy with and without exceptions" if kind == "overall" else f"Accuracy by {kind}",
        rows if len(groups) > 1 else [],
        ReportColumn("Pairs taken" if kind == "overall" else kind.capitalize(), lambda row: row.group.label),
        *([ReportColumn("Model", lambda row: row.model.label)] if len(summary.models) > 1 else []),
        ReportColumn("Pairs", lambda row: row.result["sum"].accuracy.n if "sum" in row.result else 0, "count"),
        *map(_share, summary.measures),
        *basis,
        ReportColumn("Ties", lambda row: row.result["sum"].accuracy.ties if "sum" in row.result else None, "count"),
        note=f"Percent of pairs, with {over}; ties by the sum are not right.{_few_note(groups)}",
    )


def comparisons(summary: Summary) -> ReportTable | None:
    """All paired comparisons of models."""
    return specified(
        "comparisons",
        sorted(summary.comparisons, key=lambda item: list(_RELATIONS).index(item.relation)),
        relation=lambda item: _RELATIONS[item.relation],
        difference=lambda item: between(item.test.difference, item.test.interval),
    )


def families(summary: Summary) -> ReportTable | None:
    """Family against family, where both have several models."""
    return specified(
        "families",
        [item for item in summary.families if min(item.n_models) > 1],
        n_models=lambda item: " and ".join(map(str, item.n_models)),
        difference=lambda item: between(item.difference, item.interval),
    )


def measures(summary: Summary) -> ReportTable | None:
    """On how many pairs the sum and the mean agree."""
    return specified("measures", summary.models)


def difficulty(summary: Summary) -> ReportTable | None:
    """Rules by difficulty, then models by ability, the largest first; None where they were not fitted."""
    fit = summary.difficulty
    if fit is None:
        return None
    effects = [
        SimpleNamespace(kind=kind, effect=effect)
        for kind, own in (("rule", fit.difficulties), ("model", fit.abilities))
        for effect in sorted(own, key=lambda effect: -effect.value)
    ]
    sample = "" if fit.n_pairs == fit.n_scored else f" Fitted to a sample of {fit.n_pairs} of {fit.n_scored} pairs."
    return specified("difficulty", effects, note=sample)


def confounds(summary: Summary) -> ReportTable | None:
    """The standardised coefficients of length, tokens and frequency; None where no regression could be fitted."""
    coefficients = [
        SimpleNamespace(model=item.model, measure=item.measure, regression=item.regression, coefficient=coefficient)
        for item in summary.confounds
        for coefficient in item.regression.coefficients
    ]
    return specified("confounds", coefficients)


def preferences(summary: Summary) -> ReportTable | None:
    """How many raters prefer the good sentences, by phenomenon."""
    return specified(
        "human-preferences",
        summary.human.preferences if summary.human else (),
        share=lambda item: item.n_prefer / item.n_raters if item.n_raters else None,
    )


def choices(summary: Summary) -> ReportTable | None:
    """Forced choices of people, and the models on the same pairs."""

    def accuracy(place: int) -> ReportColumn[Any]:
        return ReportColumn(summary.models[place].label, lambda item: item.models[place], "percent", heat=True)

    return specified(
        "human-choices",
        summary.human.choices if summary.human else (),
        *map(accuracy, range(len(summary.models))),
        people=lambda item: between(item.share, item.interval),
    )


def alignments(summary: Summary) -> ReportTable | None:
    """How score differences correlate with ratings."""
    return specified(
        "human-alignment",
        summary.human.alignments if summary.human else (),
        n_pairs=lambda item: item.pearson.n if item.pearson else 0,
    )


def other_tools(summary: Summary) -> ReportTable | None:
    """Other tools' accuracies and ours."""
    tools = summary.external.tools if summary.external else ()
    return specified("other-tools", tools, n_differ=lambda item: len(item.differ))


def tasks(summary: Summary) -> ReportTable | None:
    """The models' scores on other benchmarks' tasks."""
    results = summary.external.tasks if summary.external else ()
    return specified("other-tasks", results, languages=lambda item: ", ".join(item.languages))


def task_correlations(summary: Summary) -> ReportTable | None:
    """How accuracy on minimal pairs correlates with other tasks."""
    correlations = summary.external.correlations if summary.external else ()
    return specified("task-correlations", correlations, n_models=lambda item: len(item.models))


def morphology(summary: Summary) -> ReportTable | None:
    """How tokenizers cut words."""
    return specified(
        "morphology",
        summary.morphology,
        category=lambda item: item.category or "all",
        exact=lambda item: item.alignment.exact / item.alignment.n,
        over=lambda item: item.alignment.over / item.alignment.n,
        under=lambda item: item.alignment.under / item.alignment.n,
        n_unusable=lambda item: len(item.unusable),
    )


def faults(summary: Summary) -> ReportTable | None:
    """What is wrong with the input."""
    return specified("faults", summary.faults, kind=lambda item: item.kind.replace("-", " "))


def back_to_review(summary: Summary, pairs: Sequence[ReleasePair]) -> ReportTable | None:
    """The pairs that go back to the reviewers, with the reason."""
    by_id = {pair.id: pair for pair in pairs}
    returned = [SimpleNamespace(pair=by_id[item.pair_id], reason=item.reason) for item in summary.returned]
    return specified("back-to-review", returned)
