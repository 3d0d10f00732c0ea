"""The figures of a report, from its summary; None where there is nothing to show. The words have their titles."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEW, AccuracyEstimate
from pairwright.reporting.analysis.human import ALL
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.data.model_family import parameters, size_of
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.render.figures.colours import CHANCE, INK, LINE, PAPER, SERIES, SOFT, series_style
from pairwright.reporting.render.figures.drawing import (
    DASHED,
    LABEL_WIDTH,
    WIDTH,
    Plot,
    certainty,
    draw_heat_map,
    draw_radar,
    estimate_mark,
    percent_axis,
    row_labels,
    ticks_apart,
    wrapped,
)
from pairwright.stats.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS, MOST_SPOKES = 12, 16


def plot(
    words: Words,
    id: str,
    draw: Callable[["Figure"], None],
    n_pairs: int,
    height: float,
    width: float = WIDTH,
    unit: str = "pairs",
    title: str = "title",
    **values: object,
) -> Plot:
    """A figure with its title and description of the words, in which `values` are filled in.

    n_pairs  the smallest number of pairs, or of another unit, that a point of the figure rests on
    """
    units = {"few_unit": words(f"units.{unit}", n=FEW), "unit": words(f"units.{unit}", n=n_pairs)}
    warning = words("figures.few", few=FEW, n=n_pairs, **units) if n_pairs < FEW else ""
    heading, text = (words(f"figures.{id}.{part}", **values) for part in (title, "description"))
    return Plot(id, heading, " ".join(text.split()), warning, height, draw, width)


def _family_styles(summary: Summary) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each family."""
    families = {model.lineage.family for model in summary.models}
    return {family: series_style(number) for number, family in enumerate(sorted(families, key=str.lower))}


def _family_legend(figure: "Figure", summary: Summary, words: Words) -> None:
    """Families by colour and marker, tuned models by an empty marker; nothing for a single base model."""
    from matplotlib.lines import Line2D

    styles = _family_styles(summary).items()
    handles = [Line2D([], [], color=colour, marker=mark, linestyle="", label=name) for name, (colour, mark) in styles]
    if any(model.lineage.variant == "instruct" for model in summary.models):
        label = words("axes.instruct")
        handles.append(Line2D([], [], color=SOFT, marker="o", linestyle="", markerfacecolor=PAPER, label=label))
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper left", ncols=min(len(handles), 3))


def _fewest(results: Sequence[dict[Measure, AccuracyEstimate]]) -> int:
    """The fewest pairs behind any estimate."""
    return min((estimate.accuracy.n for result in results for estimate in result.values()), default=0)


def ranking(summary: Summary, words: Words) -> Plot:
    """All models with their intervals by the sum, best first, coloured by family."""
    results = summary.overall.results
    shown = [(m, result["sum"]) for m, result in zip(summary.models, results, strict=True) if "sum" in result]
    styles = _family_styles(summary)

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, (model, estimate) in enumerate(shown):
            filled = model.lineage.variant == "base"
            estimate_mark(axes, index, estimate.value, estimate.interval, styles[model.lineage.family], filled=filled)
            at, text = (estimate.interval.high, index), words.cell(estimate.value, "percent")
            axes.annotate(text, at, (8, 0), textcoords="offset points", va="center", fontsize=7.5)
        row_labels(axes, [model.label for model, _ in shown])
        # The numbers take the place beyond the intervals.
        ends = [end for _, item in shown for end in (item.interval.low, item.interval.high + 0.03)]
        percent_axis(axes, ends, words("percent"))
        _family_legend(figure, summary, words)

    row = 0.31 if any(len(model.label) > LABEL_WIDTH for model, _ in shown) else 0.25
    return plot(words, "ranking", draw, _fewest(results), 1.2 + row * len(shown))


def measures(summary: Summary, words: Words) -> Plot:
    """Mean against sum: a line for each model; of a single model a line for each rule."""
    results = summary.overall.results
    if len(summary.models) > 1:
        title, n_pairs = "title", _fewest(results)
        named = [(model.label, result) for model, result in zip(summary.models, results, strict=True)]
    else:
        groups = summary.of_kind("rule")
        title, n_pairs = "title_rules", min((group.n_pairs for group in groups), default=0)
        named = [(group.label, group.results[0]) for group in groups]
    rows = [(label, result["sum"].value, result["mean"].value) for label, result in named if "sum" in result]
    rows = sorted(rows, key=lambda row: row[1]) if title != "title" else rows

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        places = range(len(rows))
        axes.hlines(places, [row[1] for row in rows], [row[2] for row in rows], color=SOFT, linewidth=1.4)
        for n, (measure, mark, size) in enumerate((("sum", "o", 8), ("mean", "D", 4.5)), start=1):
            label, values = words(f"terms.measure.{measure}"), [row[n] for row in rows]
            axes.plot(values, places, mark, color=SERIES[n - 1], markersize=size, label=label)
        row_labels(axes, [row[0] for row in rows])
        percent_axis(axes, [value for row in rows for value in row[1:]], words("percent"))
        figure.legend(loc="outside upper left", ncols=2)

    return plot(words, "mean-against-sum", draw, n_pairs, 1.0 + 0.36 * len(rows), title=title)


def size(summary: Summary, words: Words) -> Plot | None:
    """Size against accuracy, a line for each family; None with fewer than three models."""
    sizes = [size_of(model.lineage.size) or float(model.run.model.n_parameters) for model in summary.models]
    points = [
        (model, n_parameters, result["sum"])
        for model, n_parameters, result in zip(summary.models, sizes, summary.overall.results, strict=True)
        if "sum" in result and n_parameters
    ]
    ticks = sorted({n_parameters for _, n_parameters, _ in points})
    if len(points) < 3 or len(ticks) < 2:
        return None
    styles = _family_styles(summary)

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, PercentFormatter

        axes = figure.subplots()
        for family, (colour, marker) in styles.items():
            for variant, fill, line in (("base", colour, "-"), ("instruct", PAPER, (0, (4, 2)))):
                own = [p for p in points if (p[0].lineage.family, p[0].lineage.variant) == (family, variant)]
                own.sort(key=lambda point: point[1])
                x, estimates = [point[1] for point in own], [point[2] for point in own]
                y = [item.value for item in estimates]
                axes.plot(x, y, color=colour, marker=marker, linestyle=line, markerfacecolor=fill, markersize=7)
                low, high = [item.interval.low for item in estimates], [item.interval.high for item in estimates]
                axes.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.55, zorder=1)
        axes.set_xscale("log")
        axes.set_xticks(ticks_apart(ticks, 0.18))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: parameters(round(value)).replace(".0", "")))
        axes.xaxis.set_minor_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(axis="x", which="both", length=4, color=SOFT)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=words("percent")))
        axes.grid(axis="y")
        axes.axhline(0.5, color=CHANCE, linestyle=DASHED, linewidth=1.1)
        axes.set_xlabel(words("axes.parameters"))
        axes.tick_params(axis="y", labelcolor=SOFT)
        _family_legend(figure, summary, words)

    return plot(words, "size", draw, _fewest(summary.overall.results), 3.4, n_models=len(points))


def base_and_instruct(summary: Summary, words: Words) -> Plot | None:
    """Base against tuned models of the same size, with the interval of the difference; None where there are none."""
    pairs = [item for item in summary.comparisons if item.relation == "base-instruct" and item.measure == "sum"]
    lineages = {model.label: model.lineage for model in summary.models}
    if not pairs:
        return None
    rows = []
    for item in pairs:
        difference, interval = item.test.difference, item.test.interval
        if lineages[item.b].variant == "instruct":
            difference = -difference
            interval = Interval(low=-interval.high, high=-interval.low) if interval else None
        rows.append((f"{lineages[item.a].family} {lineages[item.a].size}", difference, interval))

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        axes = figure.subplots()
        for index, (_, difference, interval) in enumerate(rows):
            estimate_mark(axes, index, difference, interval)
        row_labels(axes, [row[0] for row in rows])
        axes.axvline(0, color=INK, linewidth=1)
        axes.grid(axis="x")
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
        axes.set_xlabel(words("axes.tuning"))

    return plot(words, "base-and-instruct", draw, min(item.test.n for item in pairs), 1.0 + 0.42 * len(rows))


def rules(summary: Summary, words: Words) -> Plot | None:
    """Each rule's accuracy with its interval, for a single model; several have a heat map. None for a single rule."""
    if len(summary.models) != 1 or len(summary.of_kind("rule")) < 2:
        return None
    groups = sorted(
        (group for group in summary.of_kind("rule") if "sum" in group.results[0]),
        key=lambda group: group.results[0]["sum"].value,
    )

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, group in enumerate(groups):
            estimate = group.results[0]["sum"]
            style = (SOFT if group.few else SERIES[0], "o")
            estimate_mark(axes, index, estimate.value, estimate.interval, style, filled=not group.few)
        row_labels(axes, [group.label for group in groups], [f" ({group.n_pairs})" for group in groups])
        percent_axis(axes, [0, 1], words("percent"))

    n_pairs = min((group.n_pairs for group in summary.of_kind("rule")), default=0)
    return plot(words, "rules", draw, n_pairs, 0.7 + 0.38 * len(groups), n_rules=len(groups))


def heat_map(summary: Summary, words: Words) -> Plot | None:
    """Models by rules as a picture; None for a single model."""
    groups, models = summary.of_kind("rule"), summary.models
    if len(models) < 2:
        return None

    def draw(figure: "Figure") -> None:
        cells = [[result["sum"].value if "sum" in result else math.nan for result in group.results] for group in groups]
        rules = [wrapped(f"{group.label} ({group.n_pairs})", 44) for group in groups]
        names = [wrapped(model.label, 18, 1) for model in models]
        shades = [
            [0.5 + (value - 0.5) * certainty(group.n_pairs) for value in row]
            for group, row in zip(groups, cells, strict=True)
        ]
        draw_heat_map(figure.subplots(), cells, rules, names, (0, 1), lambda value: words.cell(value, "whole"), shades)

    n_pairs, width = min(group.n_pairs for group in groups), max(WIDTH, 4 + 0.45 * len(models))
    height = 1.6 + 0.36 * len(groups)
    return plot(words, "heat-map", draw, n_pairs, height, width, n_rules=len(groups), n_models=len(models))


def radars(summary: Summary, words: Words) -> Plot | None:
    """A radar for each model over phenomena, or over rules where phenomena are few; None with fewer than three."""
    phenomena = summary.of_kind("phenomenon")
    every = phenomena if len(phenomena) > 2 else summary.of_kind("rule")
    largest = sorted(range(len(every)), key=lambda place: -every[place].n_pairs)[:MOST_SPOKES]
    groups = [every[place] for place in sorted(largest)]
    models = summary.models[:MOST_PANELS]
    if len(groups) < 3:
        return None
    styles = _family_styles(summary)
    columns = min(3, len(models))
    n_rows = -(-len(models) // columns)

    def draw(figure: "Figure") -> None:
        for number, model in enumerate(models):
            axes = figure.add_subplot(n_rows, columns, number + 1, projection="polar")
            results = [group.results[number].get("sum") for group in groups]
            values = [estimate.value if estimate else 0.0 for estimate in results]
            draw_radar(axes, values, [0.5] * len(groups), styles[model.lineage.family][0], model.label)

    keys = "; ".join(f"{place} {wrapped(group.label, 60, 1)}" for place, group in enumerate(groups, start=1))
    height = 2.0 * n_rows if len(models) > 1 else 3.2
    n_pairs = min(group.n_pairs for group in groups)
    spokes = words("figures.spokes", n=len(groups), of=len(every)) if len(groups) < len(every) else ""
    left_out = " ".join(filter(None, (_left_out(summary, models, words), spokes)))
    return plot(words, "radars", draw, n_pairs, height, left_out=left_out, keys=keys)


def _left_out(summary: Summary, shown: Sequence[ModelSummary], words: Words) -> str:
    n_models = len(summary.models)
    return "" if len(shown) == n_models else words("figures.best_of", n=len(shown), of=n_models)


def people(summary: Summary, words: Words) -> Plot | None:
    """Ratings of people against score differences, a panel a model; None without ratings of the release's pairs."""
    if summary.human is None or not summary.human.points:
        return None
    points = {model.label: [p for p in summary.human.points if p.model == model.label] for model in summary.models}
    models = [model for model in summary.models if points[model.label]][:MOST_PANELS]
    overall = [item for item in summary.human.alignments if item.phenomenon == ALL and item.measure == "sum"]
    pearson = {item.model: f", r = {words.cell(item.pearson.value, 'number')}" for item in overall if item.pearson}
    styles = _family_styles(summary)
    columns = min(2, len(models))
    n_rows = -(-len(models) // columns)

    def draw(figure: "Figure") -> None:
        for number, model in enumerate(models):
            axes = figure.add_subplot(n_rows, columns, number + 1)
            axes.axhline(0, color=CHANCE, linestyle=DASHED, linewidth=1)
            axes.axvline(0, color=LINE, linewidth=1)
            own, (colour, marker) = points[model.label], styles[model.lineage.family]
            x, y = [point.people for point in own], [point.score_difference for point in own]
            axes.plot(x, y, marker, linestyle="", color=colour, alpha=0.7, markersize=4.5)
            axes.set_title(wrapped(f"{model.label}{pearson.get(model.label, '')}", 30), fontsize=8)
            axes.set_xlabel(words("axes.people") if number + columns >= len(models) else "")
            axes.set_ylabel(words("axes.models") if number % columns == 0 else "")
            axes.tick_params(labelcolor=SOFT)
            axes.grid(True)

    n_pairs = min(len(points[model.label]) for model in models)
    return plot(words, "people", draw, n_pairs, 2.3 * n_rows + 0.2, left_out=_left_out(summary, models, words))


def confounds(summary: Summary, words: Words) -> Plot | None:
    """The standardised coefficients with their intervals, a panel a measure; None where none was fitted."""
    if not summary.confounds:
        return None
    names = list(dict.fromkeys(c.name for item in summary.confounds for c in item.regression.coefficients))
    labels = list(dict.fromkeys(item.model for item in summary.confounds))
    by_measure = list(dict.fromkeys(item.measure for item in summary.confounds))

    def draw(figure: "Figure") -> None:
        from matplotlib.lines import Line2D
        from matplotlib.ticker import FuncFormatter

        for number, measure in enumerate(by_measure):
            axes = figure.add_subplot(len(by_measure), 1, number + 1)
            for item in (item for item in summary.confounds if item.measure == measure):
                for coefficient in item.regression.coefficients:
                    series = names.index(coefficient.name)
                    place = labels.index(item.model) + 0.2 * (series - (len(names) - 1) / 2)
                    estimate_mark(axes, place, coefficient.value, coefficient.interval, (SERIES[series], "."))
            row_labels(axes, labels)
            axes.axvline(0, color=INK, linewidth=1)
            axes.grid(axis="x")
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words.cell(value, "number")))
            axes.set_title(words(f"axes.by_{measure}"))
            axes.set_xlabel(words("axes.coefficient"))
        handles = [
            Line2D([], [], color=SERIES[n], marker=".", label=words.name("terms.property", name))
            for n, name in enumerate(names)
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=2)

    height = len(by_measure) * (0.9 + 0.42 * max(len(labels), 2)) + 0.4
    return plot(words, "confounds", draw, min(item.regression.n for item in summary.confounds), height)
