"""What models come to on matrices, and which wrong answers they choose: a section, and a page of its own."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pairwright.core import store
from pairwright.core.text import escape_markdown
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.tasks.answers import is_right
from pairwright.reporting.analysis.tasks.scores import Cell, answered_accuracy
from pairwright.reporting.data.responses import AnsweredItem, AskedModel
from pairwright.reporting.render.figures.drawing import Plot, draw_heat_map, render, wrapped
from pairwright.reporting.render.figures.plots import MOST_PANELS, plot
from pairwright.reporting.render.page import FIGURES, MARKDOWN, TABLES, write_figure, write_table
from pairwright.reporting.render.sections import PageSection, section
from pairwright.reporting.render.tables.columns import (
    ReportColumn,
    ReportTable,
    ValueWithDeviation,
    as_markdown,
    between,
    specified,
    table,
    with_few,
)
from pairwright.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT = "right"


@dataclass(frozen=True)
class MatrixError:
    """How often one answer of a condition's problems was chosen: its label, the pattern that it fills, its share."""

    model: str
    condition: str
    label: str
    pattern: str
    n: int
    share: float


@dataclass(frozen=True)
class MatrixResult:
    """A model on the problems of a condition. `f1` is a share: of two problems that a network got right, by the mean.

    f1        of choosing the right answer: twice the right ones by the problems and the answers to them; where every
              problem has an answer it is the share of right ones. The mean over `n_runs` seeds; None without answers
    reason    why there is no answer at all: the most frequent of the reasons that the responses give
    interval  95%, had other problems been drawn, of the answers that there are
    sd        the standard deviation over seeds; None for a single one
    chosen    the answers by what was chosen, the most frequent first
    """

    model: str
    condition: str
    n_problems: int
    n_runs: int
    f1: float | None
    reason: str
    interval: Interval | None
    sd: float | None
    chance: float | None
    chosen: tuple[MatrixError, ...]

    @property
    def by_label(self) -> dict[str, float]:
        """The share of each label among the answers; `RIGHT` for the right ones."""
        shares: dict[str, float] = defaultdict(float)
        for error in self.chosen:
            shares[error.label] += error.share
        return dict(shares)


def matrix_results(models: Sequence[AskedModel]) -> Iterator[MatrixResult]:
    """A result for each model and condition of its matrices."""
    for model in models:
        rows = [row for row in model.rows if row.item.task == "matrix"]
        for condition in sorted({row.item.condition for row in rows}):
            yield _result(model.label, condition, [row for row in rows if row.item.condition == condition])


def _result(model: str, condition: str, rows: Sequence[AnsweredItem]) -> MatrixResult:
    answered = [row for row in rows if row.response.outcome == "answered" and row.response.chosen]
    draws = sorted({row.response.draw for row in rows})
    by_run = [_f1([row for row in rows if row.response.draw == draw]) for draw in draws]
    score = answered_accuracy(Cell(model=model, task="matrix", condition=condition), answered) if answered else None
    reasons = Counter(row.response.reason or row.response.outcome for row in rows)
    counts = sorted(Counter(map(_named, answered)).items(), key=lambda count: (-count[1], count[0]))
    return MatrixResult(
        model=model,
        condition=condition,
        n_problems=len({row.item.id for row in rows}),
        n_runs=len(draws),
        f1=float(np.mean(by_run)) if answered else None,
        reason="" if answered else reasons.most_common(1)[0][0],
        interval=score.interval if score else None,
        sd=float(np.std(by_run, ddof=1)) if answered and len(by_run) > 1 else None,
        chance=score.chance if score else None,
        chosen=tuple(MatrixError(model, condition, *named, n, n / len(answered)) for named, n in counts),
    )


def _f1(rows: Sequence[AnsweredItem]) -> float:
    answered = [row for row in rows if row.response.outcome == "answered"]
    right = sum(is_right(row.item, row.response.chosen) for row in answered)
    return 2 * right / (len(rows) + len(answered))


def _named(row: AnsweredItem) -> tuple[str, str]:
    """The label of the chosen answer and its pattern."""
    label, _, pattern = row.item.options[row.response.chosen[0]].label.partition(" ")
    return (RIGHT, "") if is_right(row.item, row.response.chosen) else (label, pattern)


def matrix_section(models: Sequence[AskedModel], words: Words) -> PageSection | None:
    """The section of models' answers to matrices; None where no model was asked any."""
    results = tuple(matrix_results(models))
    chosen = [answer for result in results for answer in result.chosen]
    mute = [result for result in results if result.f1 is None]
    problems, n = ("problems", "condition"), ("n", "n_problems", "count")
    return section(
        words,
        "matrices",
        plots=[_labels(results, words)],
        tables=[
            _f1_table(results, words),
            specified(words, "matrix-unanswered", mute, ("model", "model"), problems, ("reason-given", "reason"), n),
        ],
        folded=[
            specified(
                words,
                "matrix-scores",
                results,
                ("model", "model"),
                problems,
                n,
                ("seeds", "n_runs", "count"),
                ("f1", "with_interval", "percent"),
                ("sd", "sd", "percent"),
                ("chance", "chance", "percent"),
                with_interval=lambda it: None if it.f1 is None else between(it.f1, it.interval),
            ),
            specified(
                words,
                "matrix-answers",
                chosen,
                ("model", "model"),
                problems,
                ("label", "label"),
                ("pattern", "pattern"),
                ("answers", "n", "count"),
                ("share", "share", "percent"),
                pattern=lambda answer: answer.pattern or None,
            ),
        ],
    )


def _f1_table(results: Sequence[MatrixResult], words: Words) -> ReportTable | None:
    """Conditions down and models across, F1 with its standard deviation over seeds, and chance."""
    cells = {(it.condition, it.model): ValueWithDeviation(it.f1, it.sd) for it in results if it.f1 is not None}
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


def _labels(results: Sequence[MatrixResult], words: Words) -> Plot | None:
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


def write_matrix_report(directory: Path, name: str, models: Sequence[AskedModel], words: Words) -> Path:
    """Writes the section as a page of Markdown of its own, in place of an earlier one; returns the path of the page."""
    parts = [f"# {words('matrices.title', name=escape_markdown(name))}"]
    shown = matrix_section(models, words)
    with store.replaced_folder(directory / TABLES) as folder:
        for it in (*shown.tables, *shown.folded) if shown else ():
            write_table(folder, it, words)
            parts += [f"## {it.title}", as_markdown(it, words).strip()]
    with store.replaced_folder(directory / FIGURES) as folder:
        for figure in shown.plots if shown else ():
            write_figure(folder, render(figure))
            parts += [f"## {figure.title}", f"![{figure.description}]({FIGURES}/{figure.id}.svg)"]
    store.write_text(directory / MARKDOWN, "\n\n".join(parts) + "\n")
    return directory / MARKDOWN
