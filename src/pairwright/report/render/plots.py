"""The figures of a report, from its summary. Each is left out where there is nothing to show."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairwright.report.analysis.groups import Estimate, Group
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.score_differences import Measure
from pairwright.report.render.figures import (
    CHANCE,
    INK,
    MARKERS,
    PAPER,
    SERIES,
    SOFT,
    Plot,
    limits,
    percent_axis,
    wrapped,
)
from pairwright.report.render.page_tables import size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUM_COLOUR, MEAN_COLOUR = SERIES[0], SERIES[1]
Row = tuple[str, Estimate | None, Estimate | None]


def family_colours(summary: Summary) -> dict[str, tuple[str, str]]:
    """A colour and a marker a family; after eight families both begin again, differently combined."""
    families = dict.fromkeys(model.lineage.family for model in summary.models)
    return {
        family: (SERIES[number % len(SERIES)], MARKERS[(number + number // len(SERIES)) % len(MARKERS)])
        for number, family in enumerate(sorted(families, key=str.lower))
    }


def n_scored(results: Sequence[dict[Measure, Estimate]]) -> int:
    """The fewest pairs behind any estimate."""
    return min((estimate.accuracy.n for result in results for estimate in result.values()), default=0)


def ranking(summary: Summary) -> Plot:
    """All models with their intervals by the sum, best first, coloured by family."""
    shown = [
        (model, result["sum"])
        for model, result in zip(summary.models, summary.overall.results, strict=True)
        if "sum" in result
    ]
    colours = family_colours(summary)

    def draw(figure: "Figure", narrow: bool) -> None:
        axes = figure.subplots()
        for place, (model, estimate) in enumerate(shown):
            colour, marker = colours[model.lineage.family]
            axes.plot([estimate.interval.low, estimate.interval.high], [place] * 2, color=colour, linewidth=2.2)
            fill = PAPER if model.lineage.variant == "instruct" else colour
            axes.plot(
                estimate.value, place, marker, color=colour, markerfacecolor=fill, markersize=7, markeredgewidth=1.6
            )
            axes.annotate(
                f"{100 * estimate.value:.1f}",
                (estimate.value, place),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8,
            )
        rows_named(axes, [model.label for model, _ in shown], narrow)
        percent_axis(axes, *limits([end for _, e in shown for end in (e.interval.low, e.interval.high)]), narrow=narrow)
        _family_legend(figure, summary)

    height = 0.9 + 0.42 * len(shown)
    return Plot(
        "ranking",
        "Accuracy on all pairs, by the sum",
        "A dot and a 95% interval a model, best first; the dashed line is chance.",
        n_scored(summary.overall.results),
        (height, height + 0.3),
        draw,
    )


def rows_named(axes: "Axes", labels: Sequence[str], narrow: bool, after: Sequence[str] = ()) -> None:
    """Names the rows of a figure at its left, each on one line or two; `after` is what no name is cut short by.

    Each line is a text of its own, so that it ends at the axis in whatever letters the page is shown.
    """
    size = 8.0 if narrow else 9.0
    width, lines = (18, 2) if narrow else (46, 2)
    for place, label in enumerate(labels):
        end = after[place] if after else ""
        parts = wrapped(label, width - len(end), lines).split("\n")
        parts[-1] += end
        for number, part in enumerate(parts):
            rise = ((len(parts) - 1) / 2 - number) * size * 1.2
            axes.annotate(
                part,
                (0, place),
                (-7, rise),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=size,
                annotation_clip=False,
            )
    axes.set_yticks(range(len(labels)), [""] * len(labels))
    axes.set_ylim(len(labels) - 0.45, -0.65)


def _family_legend(figure: "Figure", summary: Summary) -> None:
    """Families by colour and marker, tuned models by an empty marker; nothing for a single base model."""
    from matplotlib.lines import Line2D

    colours = family_colours(summary)
    handles = [Line2D([], [], color=c, marker=m, linestyle="", label=f) for f, (c, m) in colours.items()]
    if any(model.lineage.variant == "instruct" for model in summary.models):
        handles.append(
            Line2D([], [], color=SOFT, marker="o", linestyle="", markerfacecolor=PAPER, label="instruct: empty marker")
        )
    if len(handles) > 1:
        figure.legend(
            handles=handles, loc="outside upper left", ncols=min(len(handles), 2 if figure.get_figwidth() < 5 else 6)
        )


def rule_rows(groups: Sequence[Group], model: int) -> list[Row]:
    """The estimates of one model by rule or phenomenon, the worst first."""
    rows = [(g.label, g.results[model].get("sum"), g.results[model].get("mean")) for g in groups]
    return sorted(rows, key=lambda row: row[1].value if row[1] else math.inf)


def dumbbell(summary: Summary) -> Plot:
    """Mean against sum: a line a model; of a single model a line a rule."""
    if len(summary.models) > 1:
        results = summary.overall.results
        rows = [(m.label, r.get("sum"), r.get("mean")) for m, r in zip(summary.models, results, strict=True)]
        what, n_pairs = "model", n_scored(results)
    else:
        rows = rule_rows(summary.of_kind("rule"), 0)
        what, n_pairs = "rule", min((group.n_pairs for group in summary.of_kind("rule")), default=0)
    rows = [row for row in rows if row[1] and row[2]]

    def draw(figure: "Figure", narrow: bool) -> None:
        axes = figure.subplots()
        values = []
        for place, (_, by_sum, by_mean) in enumerate(rows):
            assert by_sum is not None
            assert by_mean is not None
            values += [by_sum.value, by_mean.value]
            axes.plot([by_sum.value, by_mean.value], [place] * 2, color=SOFT, linewidth=1.4, zorder=2)
            axes.plot(
                by_sum.value, place, "o", color=SUM_COLOUR, markersize=8.5, label="" if place else "sum", zorder=3
            )
            axes.plot(
                by_mean.value, place, "D", color=MEAN_COLOUR, markersize=4.5, label="" if place else "mean", zorder=4
            )
        rows_named(axes, [row[0] for row in rows], narrow)
        percent_axis(axes, *limits(values), narrow=narrow)
        figure.legend(loc="outside upper left", ncols=2)

    height = 0.9 + (0.34 if what == "model" else 0.38) * len(rows)
    return Plot(
        "mean-against-sum",
        f"Accuracy by the sum and by the mean, a line a {what}",
        f"For each {what} a circle for the sum and a diamond for the mean; a long line means that the measure decides.",
        n_pairs,
        (height, height + 0.1),
        draw,
    )


def size(summary: Summary) -> Plot | None:
    """Size against accuracy, a line a family; None with fewer than three models."""
    sizes = [size_of(model.lineage.size) or float(model.run.model.n_parameters) for model in summary.models]
    points = [
        (model, known, result["sum"])
        for model, known, result in zip(summary.models, sizes, summary.overall.results, strict=True)
        if "sum" in result and known
    ]
    if len(points) < 3 or len({x for _, x, _ in points}) < 2:
        return None
    colours = family_colours(summary)

    def draw(figure: "Figure", narrow: bool) -> None:
        from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter

        axes = figure.subplots()
        for family, (colour, marker) in colours.items():
            for variant in ("base", "instruct"):
                own = [p for p in points if (p[0].lineage.family, p[0].lineage.variant) == (family, variant)]
                own.sort(key=lambda point: point[1])
                x, y = [point[1] for point in own], [point[2].value for point in own]
                fill, line = (colour, "-") if variant == "base" else (PAPER, (0, (4, 2)))
                axes.plot(x, y, color=colour, marker=marker, linestyle=line, markerfacecolor=fill, markersize=7)
                for _, at, estimate in own:
                    ends = [estimate.interval.low, estimate.interval.high]
                    axes.plot([at] * 2, ends, color=colour, linewidth=0.9, alpha=0.55, zorder=1)
        axes.set_xscale("log")
        ticks = sorted({x for _, x, _ in points})
        axes.set_xticks(_apart(ticks, 0.35 if narrow else 0.16))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _size_label(value)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.grid(axis="y")
        axes.axhline(0.5, color=CHANCE, linestyle=(0, (3, 3)), linewidth=1.1)
        axes.set_xlabel("parameters")
        axes.tick_params(axis="y", labelcolor=SOFT)
        _family_legend(figure, summary)

    return Plot(
        "size",
        "Size against accuracy, a line a family",
        f"{len(points)} models by the number of their parameters and their accuracy by the sum, joined within a "
        "family.",
        n_scored(summary.overall.results),
        (4.0, 3.6),
        draw,
    )


def _apart(ticks: Sequence[float], gap: float) -> list[float]:
    """The ticks that are far enough from those before them, by a share of the whole logarithmic axis."""
    whole = math.log(ticks[-1] / ticks[0])
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if math.log(tick / kept[-1]) / whole >= gap:
            kept.append(tick)
    return kept


def _size_label(value: float) -> str:
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.0f}"


def base_and_instruct(summary: Summary) -> Plot | None:
    """Base against tuned models of the same size, with the interval of the difference; None where there are none."""
    pairs = [item for item in summary.comparisons if item.relation == "base-instruct" and item.measure == "sum"]
    by_label = {model.label: model for model in summary.models}
    if not pairs:
        return None
    rows = []
    for item in pairs:
        sign = 1 if by_label[item.b].lineage.variant == "base" else -1
        ends = sorted((sign * item.interval.low, sign * item.interval.high)) if item.interval else None
        rows.append((_kin(by_label[item.a]), sign * item.test.difference, ends))

    def draw(figure: "Figure", narrow: bool) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        axes = figure.subplots()
        for place, (_, value, ends) in enumerate(rows):
            if ends:
                axes.plot(ends, [place] * 2, color=SERIES[0], linewidth=2.2)
            axes.plot(value, place, "o", color=SERIES[0], markersize=7)
        rows_named(axes, [row[0] for row in rows], narrow)
        axes.axvline(0, color=INK, linewidth=1)
        axes.grid(axis="x")
        axes.xaxis.set_major_locator(MaxNLocator(4 if narrow else 8, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
        axes.set_xlabel("instruct minus base, percentage points" if not narrow else "instruct − base, points")

    height = 1.0 + 0.42 * len(rows)
    return Plot(
        "base-and-instruct",
        "What instruction tuning changes",
        "For each size of a family the accuracy of the instruct model minus that of the base model, with 95% "
        "intervals.",
        min(item.test.n for item in pairs),
        (height, height + 0.1),
        draw,
    )


def _kin(model: ModelSummary) -> str:
    return f"{model.lineage.family} {model.lineage.size}"


def rules(summary: Summary) -> Plot | None:
    """Each rule's accuracy with its interval, for a single model; None for several, whose rules stand in a heat map."""
    if len(summary.models) != 1:
        return None
    groups = summary.of_kind("rule")
    rows = [(label, by_sum) for label, by_sum, _ in rule_rows(groups, 0) if by_sum]
    n_of = {group.label: group.n_pairs for group in groups}

    def draw(figure: "Figure", narrow: bool) -> None:
        axes = figure.subplots()
        for place, (label, estimate) in enumerate(rows):
            few = n_of[label] < 10
            colour = SOFT if few else SERIES[0]
            axes.plot([estimate.interval.low, estimate.interval.high], [place] * 2, color=colour, linewidth=1.8)
            axes.plot(
                estimate.value, place, "o", color=colour, markerfacecolor=PAPER if few else colour, markersize=6.5
            )
        rows_named(axes, [label for label, _ in rows], narrow, [f" ({n_of[label]})" for label, _ in rows])
        percent_axis(axes, -0.02, 1.02, narrow=narrow)

    height = 0.6 + 0.38 * len(rows)
    return Plot(
        "rules",
        "Accuracy by rule, by the sum; the number of pairs in brackets",
        f"{len(rows)} rules from the hardest to the easiest, with 95% intervals; empty circles rest on few pairs.",
        min((group.n_pairs for group in groups), default=0),
        (height, height + 0.1),
        draw,
    )
