"""The tables of paradigms: models down and conditions across, as papers print them, and every comparison in full."""

from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

from pairwright.core.records import BASELINE
from pairwright.languages.locale import CellFormat, Words
from pairwright.reporting.analysis.conditions import ConditionGroup, ConditionResult
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.render.tables.columns import ReportColumn, ReportTable, between, specified, table


def wide(summary: Summary, words: Words) -> Iterator[ReportTable | None]:
    """For each kind of conditions: accuracies with the share of raters, differences from the baseline, and ratings."""
    for group in summary.conditions:
        models, people = _models(summary, group), _people(group, words)
        tested = [row for row in models if any(cell.test for cell in row.cells.values())]
        column = partial(_columns, words, group)
        accuracies = column(lambda cell: cell.accuracy.value, "percent", lambda one: one.n_prefer / one.n_raters)
        changes = column(_change, "points", lambda one: None, start=1)
        ratings = column(lambda cell: None, "number", lambda one: one.mean_difference)
        for part, rows, columns in (
            ("accuracy", [*models, *people], accuracies),
            ("change", tested, changes),
            ("ratings", people, ratings),
        ):
            title, note = (words(f"tables.conditions.{it}_{part}") for it in (group.kind.replace(" ", "_"), "note"))
            if part == "accuracy" and people:
                note = f"{note} {words('tables.conditions.note_people')}"
            name = f"conditions-{group.kind.replace(' ', '-')}{'' if part == 'accuracy' else f'-{part}'}"
            yield table(name, title, rows, *columns, note=note)


def in_full(summary: Summary, words: Words) -> ReportTable | None:
    """A row for each model, measure, phenomenon and condition. The baseline stands in it once."""
    results = {
        (result.model, result.measure, result.phenomenon, result.condition): result
        for group in summary.conditions
        for result in group.results
    }

    def of_test(name: str) -> Callable[[ConditionResult], Any]:
        return lambda item: getattr(item.test, name) if item.test else None

    tested = {name: of_test(name) for name in ("n", "only_a", "only_b", "p", "p_mcnemar")}
    note = {"fewest": FEWEST_CLUSTERS}
    return specified(words, "conditions", results.values(), note=note, change=_change, **tested)


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
            rows.append(SimpleNamespace(phenomenon=phenomenon, label=model.label, cells=cells, is_people=False))
    return rows


def _people(group: ConditionGroup, words: Words) -> list[Any]:
    """A row a phenomenon, those of the models first."""
    phenomena = sorted(group.people, key=lambda name: (name not in group.phenomena, name))
    label = words("columns.people")
    return [
        SimpleNamespace(phenomenon=name, label=label, cells=group.people[name], is_people=True) for name in phenomena
    ]


def _columns(
    words: Words,
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
            return None if cell is None else (of_people if row.is_people else of_model)(cell)

        heading = words("columns.baseline") if condition == BASELINE else condition
        return ReportColumn(heading, value, format, heat=format == "percent")

    several = len({*group.phenomena, *group.people}) > 1
    names = [
        ReportColumn[Any](words("columns.phenomenon"), lambda row: row.phenomenon),
        ReportColumn(words("columns.model"), lambda row: row.label),
    ]
    return [*names[not several :], *map(column, group.conditions[start:])]
