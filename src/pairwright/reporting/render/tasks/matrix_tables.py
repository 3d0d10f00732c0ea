"""The tables and the figure of matrices, in the shape of the papers; None where no model was asked any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairwright.reporting.analysis.tasks.matrices import RIGHT, MatrixResult
from pairwright.reporting.render.figures import Plot, draw_heat_map, wrapped
from pairwright.reporting.render.plots import MOST_PANELS, plot
from pairwright.reporting.render.tables import (
    ReportColumn,
    ReportTable,
    ValueWithDeviation,
    between,
    format_cell,
    specified,
    table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def f1(results: Sequence[MatrixResult]) -> ReportTable | None:
    """Conditions down and models across, F1 with its standard deviation over seeds, and chance."""
    cells = {(result.condition, result.model): None if result.f1 is None else ValueWithDeviation(result.f1, result.sd)
             for result in results}  # fmt: skip
    chances = {result.condition: result.chance for result in sorted(results, key=lambda one: one.chance is not None)}

    def column(model: str) -> ReportColumn[str]:
        return ReportColumn(model, lambda condition: cells.get((condition, model)), "percent")

    return table(
        "matrix-f1",
        "Matrices: F1",
        sorted(chances),
        ReportColumn[str]("Problems", str),
        *map(column, dict.fromkeys(result.model for result in results)),
        ReportColumn[str]("Chance", chances.__getitem__, "percent"),
        note="Percent of problems for testing whose right answer was chosen; ± is the standard deviation over seeds.",
    )


def scores(results: Sequence[MatrixResult]) -> ReportTable | None:
    """Every F1 with its interval, a row each."""
    return specified("matrix-scores", results, with_interval=lambda result: (
        None if result.f1 is None else between(result.f1, result.interval)))  # fmt: skip


def unanswered(results: Sequence[MatrixResult]) -> ReportTable | None:
    """The models that answered nothing, with the reason; None where each answered."""
    return specified("matrix-unanswered", [result for result in results if result.f1 is None])


def errors(results: Sequence[MatrixResult]) -> ReportTable | None:
    """What was chosen, by label and pattern."""
    return specified("matrix-answers", [answer for result in results for answer in result.chosen])


def labels(results: Sequence[MatrixResult]) -> Plot | None:
    """A heat map of the labels of the chosen answers, a row for each model and condition; None without any."""
    shown = [result for result in results if result.chosen][: 4 * MOST_PANELS]
    columns = [RIGHT, *sorted({label for result in shown for label in result.by_label} - {RIGHT})]
    if not shown:
        return None

    def draw(figure: "Figure") -> None:
        cells = [[result.by_label.get(label, 0.0) for label in columns] for result in shown]
        names = [wrapped(f"{result.condition}, {result.model}", 44) for result in shown]
        draw_heat_map(figure.subplots(), cells, names, columns, (-1, 1), lambda share: format_cell(share, "percent"))

    width, height = 3.4 + 0.45 * len(columns), 1.2 + 0.36 * len(shown)
    n_answers = min(result.n_problems * result.n_runs for result in shown)
    return plot("matrix-labels", draw, n_answers, height, max(4.8, width), unit="answer")
