"""The figures of prompted tasks, from the summary; None where there is nothing to show. The words have their titles."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.tasks.places import PlaceShares
from pairwright.reporting.analysis.tasks.results import SizeScore, TaskResults, column_of
from pairwright.reporting.analysis.tasks.scores import TaskScore
from pairwright.reporting.render.figures.colours import CHANCE, SOFT, series_style
from pairwright.reporting.render.figures.drawing import DASHED, WIDTH, Plot, draw_heat_map, draw_radar, wrapped
from pairwright.reporting.render.figures.plots import MOST_PANELS, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ANSWER = "answers"


def _left_out(tasks: TaskResults, words: Words) -> str:
    n_models = len(tasks.labels)
    return words("figures.first_of", n=MOST_PANELS, of=n_models) if n_models > MOST_PANELS else ""


def _style(tasks: TaskResults, label: str) -> tuple[str, str]:
    return series_style(tasks.labels.index(label))


def _legend(figure: "Figure", tasks: TaskResults, labels: Sequence[str]) -> None:
    """The models by colour and marker; nothing for a single one."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, label=wrapped(label, 24, 1))
        for label, (colour, marker) in ((label, _style(tasks, label)) for label in labels)
    ]
    if len(tasks.labels) > 1:
        figure.legend(handles=handles, loc="outside upper left", ncols=2)


def _legend_height(labels: Sequence[str]) -> float:
    """In inches."""
    return 0.17 * -(-len(labels) // 2) if len(labels) > 1 else 0.0


def radars(tasks: TaskResults, words: Words) -> Plot | None:
    """A radar a model over all tasks that it was asked; None with fewer than three."""
    main = [score for score in tasks.headline if score.metric in ("accuracy", "MCC", "chrF++")]
    columns = list(dict.fromkeys(column_of(score) for score in main))
    by_place = {(score.model, column_of(score)): score for score in main}
    chances = [_chance([score for score in main if column_of(score) == name]) for name in columns]
    labels = tasks.labels[:MOST_PANELS]
    if len(columns) < 3:
        return None
    across = min(3, len(labels))
    n_rows = -(-len(labels) // across)

    def draw(figure: "Figure") -> None:
        for number, label in enumerate(labels):
            axes = figure.add_subplot(n_rows, across, number + 1, projection="polar")
            own = [by_place.get((label, name)) for name in columns]
            values = [max(0.0, score.value) if score else 0.0 for score in own]
            draw_radar(axes, values, chances, _style(tasks, label)[0], label)

    keys = "; ".join(f"{place} {name}" for place, name in enumerate(columns, start=1))
    height = 2.0 * n_rows if len(labels) > 1 else 3.2
    n_answers = min(score.n for score in main)
    return plot(
        words, "task-radars", draw, n_answers, height, unit=_ANSWER, left_out=_left_out(tasks, words), keys=keys
    )


def _chance(column: Sequence[TaskScore]) -> float:
    """Chance as a share; nothing where there is no such thing."""
    return max(0.0, column[0].chance or 0.0)


def sizes(tasks: TaskResults, words: Words) -> Plot | None:
    """Accuracy by the number of options, a panel for each task and number of sentences; None without several sizes."""
    panels: dict[str, list[SizeScore]] = {}
    for size in tasks.sizes:
        name, n = size.score.task, size.n_sentences
        panels.setdefault(words("axes.with_sentences", task=name, n=n) if n else name, []).append(size)
    panels = {name: points for name, points in panels.items() if len({point.n_options for point in points}) > 1}
    labels = tasks.labels[:MOST_PANELS]
    if not panels:
        return None

    def draw(figure: "Figure") -> None:
        for number, (name, points) in enumerate(panels.items()):
            axes = figure.add_subplot(len(panels), 1, number + 1)
            chances = dict(sorted((point.n_options, point.score.chance or 0.0) for point in points))
            axes.plot(list(chances), list(chances.values()), color=CHANCE, linestyle=DASHED, linewidth=1.1)
            for label in labels:
                _size_line(
                    axes,
                    [point for point in points if point.score.model == label],
                    _style(tasks, label),
                )
            _percent(axes, words("percent"))
            axes.set_xticks(list(chances))
            axes.set_title(name)
            axes.set_xlabel(words("axes.options") if number == len(panels) - 1 else "")
        _legend(figure, tasks, labels)

    n_answers = min(point.score.n for points in panels.values() for point in points)
    height = 0.6 + 1.9 * len(panels) + _legend_height(labels)
    return plot(words, "task-sizes", draw, n_answers, height, unit=_ANSWER, left_out=_left_out(tasks, words))


def _size_line(axes: "Axes", points: Sequence[SizeScore], style: tuple[str, str]) -> None:
    colour, marker = style
    x = [point.n_options for point in points]
    axes.plot(x, [point.score.value for point in points], color=colour, marker=marker, markersize=5)
    ranges = [(point.n_options, point.score.interval) for point in points if point.score.interval]
    axes.vlines(
        [at for at, _ in ranges],
        [interval.low for _, interval in ranges],
        [interval.high for _, interval in ranges],
        color=colour,
        linewidth=0.9,
        alpha=0.55,
    )


def _percent(axes: "Axes", sign: str) -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=sign))
    axes.grid(axis="y")
    axes.tick_params(axis="y", labelcolor=SOFT)


def places(tasks: TaskResults, words: Words) -> Plot | None:
    """The share of choices by place, a panel for each task at its most frequent number of options."""
    panels: dict[str, list[PlaceShares]] = {}
    for task in dict.fromkeys(shares.task for shares in tasks.places):
        own = [shares for shares in tasks.places if shares.task == task]
        counts: dict[int, int] = {}
        for shares in own:
            counts[shares.n_options] = counts.get(shares.n_options, 0) + shares.n
        n_options = max(counts, key=lambda n: (counts[n], -n))
        panels[words("axes.with_options", task=task, n=n_options)] = [
            shares for shares in own if shares.n_options == n_options
        ]
    labels = tasks.labels[:MOST_PANELS]
    if not panels:
        return None

    def draw(figure: "Figure") -> None:
        for number, (name, rows) in enumerate(panels.items()):
            axes = figure.add_subplot(len(panels), 1, number + 1)
            for shares in (row for row in rows if row.model in labels):
                colour, marker = _style(tasks, shares.model)
                x = range(1, shares.n_options + 1)
                axes.plot(x, shares.chosen, color=colour, marker=marker, markersize=5)
                axes.axhline(shares.expected, color=colour, linestyle=DASHED, linewidth=0.9, alpha=0.7)
            _percent(axes, words("percent"))
            axes.set_xticks(range(1, rows[0].n_options + 1))
            axes.set_title(name)
            axes.set_xlabel(words("axes.place") if number == len(panels) - 1 else "")
        _legend(figure, tasks, labels)

    n_answers = min(row.n for rows in panels.values() for row in rows)
    height = 0.6 + 1.5 * len(panels) + _legend_height(labels)
    return plot(words, "task-places", draw, n_answers, height, unit=_ANSWER, left_out=_left_out(tasks, words))


def correlations(tasks: TaskResults, words: Words, method: Literal["pearson", "spearman"]) -> Plot | None:
    """A heat map of all couples of columns; None with too few models."""
    pairs = tasks.correlations.pairs
    columns = [name for name in tasks.correlations.columns if any(name in (item.a, item.b) for item in pairs)]
    if not pairs:
        return None
    values = {frozenset((item.a, item.b)): getattr(item, method) for item in pairs}

    def value(a: str, b: str) -> float:
        given = values.get(frozenset((a, b)))
        return given.value if given else math.nan

    def draw(figure: "Figure") -> None:
        cells = [[1.0 if a == b else value(a, b) for b in columns] for a in columns]
        names = [wrapped(words.name("terms.task", name), 26) for name in columns]
        draw_heat_map(figure.subplots(), cells, names, names, (-1, 1), lambda r: words.cell(r, "number"))

    width, height = max(WIDTH, 3.2 + 0.55 * len(columns)), 1.9 + 0.42 * len(columns)
    n_models = min(item.pearson.n for item in pairs if item.pearson) if any(item.pearson for item in pairs) else 0
    return plot(
        words, f"task-{method}", draw, n_models, height, width, unit="models", n_models=tasks.correlations.n_models
    )
