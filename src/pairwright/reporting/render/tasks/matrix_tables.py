"""The tables and the figure of matrices, in the shape of the papers; None where no model was asked any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairwright.reporting.analysis.tasks.matrices import RIGHT, MatrixResult
from pairwright.reporting.data.words import Words
from pairwright.reporting.render.figures.drawing import Plot, draw_heat_map, wrapped
from pairwright.reporting.render.figures.plots import MOST_PANELS, plot
from pairwright.reporting.render.tables.columns import (
    ReportColumn,
    ReportTable,
    ValueWithDeviation,
    ValueWithInterval,
    between,
    specified,
    table,
    with_few,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def f1(results: Sequence[MatrixResult], words: Words) -> ReportTable | None:
    """Conditions down and models across, F1 with its standard deviation over seeds, and chance."""
    answered = [(result, result.f1) for result in results if result.f1 is not None]
    cells = {(result.condition, result.model): ValueWithDeviation(share, result.sd) for result, share in answered}
    chances = {result.condition: result.chance for result in sorted(results, key=lambda one: one.chance is not None)}
    n_problems = {result.condition: result.n_problems for result in results}

    def column(model: str) -> ReportColumn[str]:
        return ReportColumn(model, lambda condition: cells.get((condition, model)), "percent")

    return table(
        "matrix-f1",
        words("tables.matrix-f1.title"),
        sorted(chances),
        ReportColumn[str](words("columns.problems"), str),
        *map(column, dict.fromkeys(result.model for result in results)),
        ReportColumn[str](words("columns.chance"), chances.__getitem__, "percent"),
        note=with_few(words("tables.matrix-f1.note"), list(n_problems.values()), words, "problems"),
    )


def scores(results: Sequence[MatrixResult], words: Words) -> ReportTable | None:
    """Every F1 with its interval, a row each."""

    def with_interval(result: MatrixResult) -> ValueWithInterval | None:
        return None if result.f1 is None else between(result.f1, result.interval)

    return specified(words, "matrix-scores", results, with_interval=with_interval)


def unanswered(results: Sequence[MatrixResult], words: Words) -> ReportTable | None:
    """The models that answered nothing, with the reason; None where each answered."""
    return specified(words, "matrix-unanswered", [result for result in results if result.f1 is None])


def errors(results: Sequence[MatrixResult], words: Words) -> ReportTable | None:
    """What was chosen, by label and pattern."""
    answers = [answer for result in results for answer in result.chosen]
    return specified(words, "matrix-answers", answers, pattern=lambda answer: answer.pattern or None)


def labels(results: Sequence[MatrixResult], words: Words) -> Plot | None:
    """A heat map of the labels of the chosen answers, a row for each model and condition; None without any."""
    shown = [result for result in results if result.chosen][: 4 * MOST_PANELS]
    columns = [RIGHT, *sorted({label for result in shown for label in result.by_label} - {RIGHT})]
    if not shown:
        return None

    def draw(figure: "Figure") -> None:
        cells = [[result.by_label.get(label, 0.0) for label in columns] for result in shown]
        names = [wrapped(f"{result.condition}, {result.model}", 44) for result in shown]
        heads = [words("axes.right") if label == RIGHT else label for label in columns]
        draw_heat_map(figure.subplots(), cells, names, heads, (-1, 1), lambda share: words.cell(share, "percent"))

    width, height = 3.4 + 0.45 * len(columns), 1.2 + 0.36 * len(shown)
    n_problems = min(result.n_problems for result in shown)
    return plot(words, "matrix-labels", draw, n_problems, height, max(4.8, width), unit="problems")
