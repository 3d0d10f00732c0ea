"""The tables of paradigms: models down and conditions across, as papers print them, and every comparison in full."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from pairwright.records import BASELINE
from pairwright.reporting.analysis.conditions import ConditionGroup, ConditionResult
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.render.tables import CellFormat, ReportColumn, ReportTable, between, table

PEOPLE = "People"


def wide(summary: Summary) -> Iterator[ReportTable | None]:
    """For each kind of conditions: accuracies with the share of raters, differences from the baseline, and ratings."""
    for group in summary.conditions:
        name = group.kind.replace(" ", "-")
        yield table(
            f"conditions-{name}",
            f"Accuracy by {group.kind}, by the sum",
            [*_models(summary, group), *_people(group)],
            *_columns(group, lambda cell: cell.accuracy.value, "percent", lambda one: one.n_prefer / one.n_raters),
            note="Percent of pairs. People: raters whose mean rating of the good sentences is the higher one.",
        )
        yield table(
            f"conditions-{name}-change",
            f"What {group.kind} changes, by the sum",
            [row for row in _models(summary, group) if any(cell.test for cell in row.cells.values())],
            *_columns(group, _change, "points", lambda one: None, start=1),
            note="Percentage points from the baseline of the same paradigms, with 95% intervals.",
        )
        yield table(
            f"conditions-{name}-ratings",
            f"Ratings by {group.kind}",
            _people(group),
            *_columns(group, lambda cell: None, "number", lambda one: one.mean_difference),
            note="The mean rating of good sentences minus that of bad ones, in z.",
        )


def in_full(summary: Summary) -> ReportTable | None:
    """A row for each model, measure, phenomenon and condition. The baseline stands in it once."""
    results = {
        (result.model, result.measure, result.phenomenon, result.condition): result
        for group in summary.conditions
        for result in group.results
    }
    return table(
        "conditions",
        "Conditions of paradigms in full",
        results.values(),
        ReportColumn("Phenomenon", lambda item: item.phenomenon),
        ReportColumn("Condition", lambda item: item.condition),
        ReportColumn("Model", lambda item: item.model),
        ReportColumn("Measure", lambda item: item.measure),
        ReportColumn("Pairs", lambda item: item.accuracy.n, "count"),
        ReportColumn("Accuracy", lambda item: item.accuracy, "percent"),
        ReportColumn("With a baseline", lambda item: item.test.n if item.test else None, "count"),
        ReportColumn("Condition − baseline", _change, "points"),
        ReportColumn("Only condition right", lambda item: item.test.only_a if item.test else None, "count"),
        ReportColumn("Only baseline right", lambda item: item.test.only_b if item.test else None, "count"),
        ReportColumn("p", lambda item: item.test.p if item.test else None, "p"),
        ReportColumn("p, McNemar", lambda item: item.test.p_mcnemar if item.test else None, "p"),
        note="Accuracies with Wilson intervals. Differences in percentage points with 95% intervals; these and p take "
        f"paradigms of one rule as dependent where there are {FEWEST_CLUSTERS} rules; McNemar's p takes all as "
        "independent.",
    )


def _change(cell: ConditionResult) -> Any:
    return between(cell.test.difference, cell.test.interval) if cell.test else None


def _models(summary: Summary, group: ConditionGroup) -> list[Any]:
    """A row a phenomenon and model, with the model's results by condition."""
    rows = []
    for phenomenon in group.phenomena:
        for model in summary.models:
            cells = {
                result.condition: result
                for result in group.results
                if (result.model, result.measure, result.phenomenon) == (model.label, "sum", phenomenon)
            }
            rows.append(SimpleNamespace(phenomenon=phenomenon, label=model.label, cells=cells))
    return rows


def _people(group: ConditionGroup) -> list[Any]:
    """A row a phenomenon, those of the models first."""
    phenomena = sorted(group.people, key=lambda name: (name not in group.phenomena, name))
    return [SimpleNamespace(phenomenon=name, label=PEOPLE, cells=group.people[name]) for name in phenomena]


def _columns(
    group: ConditionGroup,
    of_model: Callable[[Any], Any],
    format: CellFormat,
    of_people: Callable[[Any], Any],
    start: int = 0,
) -> list[ReportColumn[Any]]:
    """The names of a row, and a column for each condition from number `start`."""

    def column(condition: str) -> ReportColumn[Any]:
        def value(row: Any) -> Any:
            cell = row.cells.get(condition)
            return None if cell is None else (of_people if row.label == PEOPLE else of_model)(cell)

        heading = condition.capitalize() if condition == BASELINE else condition
        return ReportColumn(heading, value, format, heat=format == "percent")

    several = len({*group.phenomena, *group.people}) > 1
    names = [ReportColumn[Any]("Phenomenon", lambda row: row.phenomenon), ReportColumn("Model", lambda row: row.label)]
    return [*names[not several :], *map(column, group.conditions[start:])]
