"""More figures of a report: the heat map as a picture, radars, people, confounds."""

import math
from typing import TYPE_CHECKING

from pairwright.report.analysis.human import ALL
from pairwright.report.analysis.summary import Summary
from pairwright.report.render.figures import CHANCE, DOWN, INK, LINE, PAPER, SERIES, SOFT, UP, Plot, wrapped
from pairwright.report.render.plots import family_colours, rows_named
from pairwright.report.render.tables import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_RADARS, MOST_SPOKES = 12, 16


def heat_map(summary: Summary) -> Plot | None:
    """Models by rules as a picture; None with a single model."""
    groups, models = summary.of_kind("rule"), summary.models
    if len(models) < 2:
        return None

    def draw(figure: "Figure", narrow: bool) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        axes = figure.subplots()
        colours = LinearSegmentedColormap.from_list("around chance", [DOWN, PAPER, UP])
        table = [[result["sum"].value if "sum" in result else math.nan for result in group.results] for group in groups]
        axes.pcolormesh(table, cmap=colours, vmin=0, vmax=1, edgecolors=PAPER, linewidth=1)
        axes.invert_yaxis()
        middles = [[place + 0.5 for place in range(len(items))] for items in (groups, models)]
        axes.set_yticks(middles[0], [wrapped(f"{g.label} ({g.n_pairs})", 20 if narrow else 44) for g in groups])
        axes.set_xticks(middles[1], [wrapped(m.label, 18, 1) for m in models], rotation=40, ha="left")
        axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, labelsize=6 if narrow else 8)
        axes.spines[:].set_visible(False)
        for row, values in enumerate(table):
            for column, value in enumerate(values):
                text = "–" if math.isnan(value) else f"{100 * value:.0f}"
                axes.text(
                    column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=6 if narrow else 8, color=INK
                )

    height = 1.6 + 0.36 * len(groups)
    return Plot(
        "heat-map",
        "Accuracy by rule and model, by the sum",
        f"{len(groups)} rules down, {len(models)} models across; blue is above chance, orange below.",
        min(group.n_pairs for group in groups),
        (height, height),
        draw,
    )


def radars(summary: Summary) -> Plot | None:
    """A radar a model over phenomena; None with fewer than three phenomena."""
    groups = summary.of_kind("phenomenon")
    if len(groups) < 3:
        groups = summary.of_kind("rule")
    groups, models = groups[:MOST_SPOKES], summary.models[:MOST_RADARS]
    if len(groups) < 3:
        return None
    colours = family_colours(summary)
    across = min(4, len(models))

    def draw(figure: "Figure", narrow: bool) -> None:
        columns = min(2, len(models)) if narrow else across
        n_rows = -(-len(models) // columns)
        turns = [2 * math.pi * place / len(groups) for place in range(len(groups))]
        for number, model in enumerate(models):
            axes = figure.add_subplot(n_rows, columns, number + 1, projection="polar")
            results = [group.results[number].get("sum") for group in groups]
            values = [estimate.value if estimate else 0.0 for estimate in results]
            colour = colours[model.lineage.family][0]
            axes.plot([*turns, turns[0]], [0.5] * (len(turns) + 1), color=CHANCE, linestyle=(0, (3, 3)), linewidth=0.9)
            axes.plot([*turns, turns[0]], [*values, values[0]], color=colour, linewidth=1.5)
            axes.fill(turns, values, color=colour, alpha=0.16)
            _spokes(axes, turns, [str(place + 1) for place in range(len(groups))], narrow)
            axes.set_title(wrapped(model.label, 16 if narrow else 24), fontsize=8, loc="center")

    deep, tall = -(-len(models) // across), -(-len(models) // min(2, len(models)))
    keys = "; ".join(f"{place} {wrapped(group.label, 60, 1)}" for place, group in enumerate(groups, start=1))
    return Plot(
        "radars",
        "Each model's profile, by the sum",
        f"Distance from the centre is accuracy, the dashed ring chance.{_left_out(summary, len(models))} {keys}.",
        min(group.n_pairs for group in groups),
        (2.5 * deep if len(models) > 1 else 3.4, 2.2 * tall if len(models) > 1 else 3.2),
        draw,
    )


def _left_out(summary: Summary, n_shown: int) -> str:
    return "" if n_shown == len(summary.models) else f" The best {n_shown} of {len(summary.models)} models are shown."


def _spokes(axes: "Axes", turns: list[float], labels: list[str], narrow: bool) -> None:
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], [""] * 4)
    axes.set_xticks(turns, labels, fontsize=6.5 if narrow else 7.5)
    axes.tick_params(axis="x", pad=-3)
    axes.grid(color=LINE, linewidth=0.6)
    axes.spines[:].set_visible(False)
    axes.set_theta_zero_location("N")  # type: ignore[attr-defined]
    axes.set_theta_direction(-1)  # type: ignore[attr-defined]


def people(summary: Summary) -> Plot | None:
    """Ratings of people against margins, a panel a model; None without ratings of the release's pairs."""
    if summary.human is None or not summary.human.points:
        return None
    points = summary.human.points
    models = [model for model in summary.models if any(point.model == model.label for point in points)][:MOST_RADARS]
    known = {item.model: item for item in summary.human.alignments if item.phenomenon == ALL and item.measure == "sum"}
    colours = family_colours(summary)
    across = min(3, len(models))

    def draw(figure: "Figure", narrow: bool) -> None:
        columns = 1 if narrow else across
        for number, model in enumerate(models):
            axes = figure.add_subplot(-(-len(models) // columns), columns, number + 1)
            own = [point for point in points if point.model == model.label]
            axes.axhline(0, color=CHANCE, linestyle=(0, (3, 3)), linewidth=1)
            axes.axvline(0, color=LINE, linewidth=1)
            colour, marker = colours[model.lineage.family]
            axes.plot([p.people for p in own], [p.margin for p in own], marker, color=colour, alpha=0.7, markersize=4.5)
            found = known[model.label].pearson if model.label in known else None
            rho = "" if found is None else f", r = {shown(found.value, 'number')}"
            axes.set_title(wrapped(f"{model.label}{rho}", 34), fontsize=8.5)
            axes.set_xlabel("people: difference in z")
            axes.set_ylabel("model: margin in nats" if number % columns == 0 else "")
            axes.tick_params(labelcolor=SOFT)
            axes.grid(True)

    deep = -(-len(models) // across)
    return Plot(
        "people",
        "People and models on the same pairs",
        "A point a pair: how much better people rate the good sentence, and how much more probable the model finds it."
        f"{_left_out(summary, len(models))}",
        min(sum(point.model == model.label for point in points) for model in models),
        (2.9 * deep + 0.2, 2.5 * len(models) + 0.2),
        draw,
    )


def confounds(summary: Summary) -> Plot | None:
    """The standardised coefficients with their intervals, a panel a measure; None where none was fitted."""
    found = summary.confounds
    if not found:
        return None
    names = list(dict.fromkeys(c.name for item in found for c in item.regression.coefficients))
    labels = list(dict.fromkeys(item.model for item in found))
    measures = list(dict.fromkeys(item.measure for item in found))

    def draw(figure: "Figure", narrow: bool) -> None:
        for number, measure in enumerate(measures):
            shape = (len(measures), 1) if narrow else (1, len(measures))
            axes = figure.add_subplot(*shape, number + 1)
            for item in (item for item in found if item.measure == measure):
                for coefficient in item.regression.coefficients:
                    colour = SERIES[names.index(coefficient.name) % len(SERIES)]
                    shift = 0.2 * (names.index(coefficient.name) - (len(names) - 1) / 2)
                    place = labels.index(item.model) + shift
                    axes.plot([coefficient.interval.low, coefficient.interval.high], [place] * 2, color=colour)
                    label = coefficient.name if item is found[number] else "_"
                    axes.plot(coefficient.value, place, "o", color=colour, markersize=5, label=label)
            show = narrow or not number
            rows_named(axes, labels if show else [""] * len(labels), narrow)
            axes.axvline(0, color=INK, linewidth=1)
            axes.grid(axis="x")
            axes.set_title(f"by the {measure}")
            axes.set_xlabel("standardised coefficient")
        handles, texts = [], []
        for axes in figure.axes:
            for handle, text in zip(*axes.get_legend_handles_labels(), strict=True):
                if text not in texts and not text.startswith("_"):
                    handles.append(handle)
                    texts.append(text)
        figure.legend(handles, texts, loc="outside upper left", ncols=1 if narrow else 4)

    height = 1.3 + 0.42 * max(len(labels), 2)
    return Plot(
        "confounds",
        "What else goes with a model's margins",
        "Standardised coefficients of differences in length, tokens and frequency, with 95% intervals.",
        min(item.regression.n for item in found),
        (height, 1.9 * height),
        draw,
    )
