"""The figures of a report, from its summary; None where there is nothing to show. The words have their titles."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.frames import Row
from pairwright.reporting.analysis.groups import FEW
from pairwright.reporting.analysis.people import ALL
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.model_family import parameters, size_of
from pairwright.reporting.render.figures import (
    CHANCE,
    DASHED,
    INK,
    LABEL_WIDTH,
    LINE,
    PAPER,
    SERIES,
    SOFT,
    WIDTH,
    Plot,
    certainty,
    draw_heat_map,
    estimate_mark,
    percent_axis,
    row_labels,
    series_style,
    ticks_apart,
    upright_percent_axis,
    wrapped,
)
from pairwright.reporting.render.tables import interval_bases

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 12


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


def _model_styles(summary: Summary) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each model: those of its family."""
    models = summary.rows("models")
    families = sorted({row["family"] for row in models}, key=str.lower)
    return {row["model"]: series_style(families.index(row["family"])) for row in models}


def _legend(figure: "Figure", styles: dict[str, tuple[str, str]], line: Literal["", "-"] = "", tuned: str = "") -> None:
    """Names by colour and marker, tuned models by an empty marker; nothing for a single one."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle=line, label=wrapped(name, 24, 1))
        for name, (colour, mark) in styles.items()
    ]
    if tuned:
        handles.append(Line2D([], [], color=SOFT, marker="o", linestyle="", markerfacecolor=PAPER, label=tuned))
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper left", ncols=2 if line else min(len(handles), 3))


def _family_legend(figure: "Figure", summary: Summary, labels: Sequence[str], words: Words) -> None:
    styles, models = _model_styles(summary), [row for row in summary.rows("models") if row["model"] in labels]
    families = {row["family"]: styles[row["model"]] for row in sorted(models, key=lambda row: row["family"].lower())}
    tuned = any(row["variant"] == "instruct" for row in models)
    _legend(figure, families, tuned=words("axes.instruct") if tuned else "")


def _n(rows: Sequence[Row]) -> int:
    """The fewest pairs behind any of these rows."""
    return int(min((row["n"] for row in rows), default=0))


def ranking(summary: Summary, words: Words, labels: Sequence[str]) -> Plot:
    """Models of one conditioning with their intervals by sum_logprob, best first, coloured by family."""
    found = summary.accuracies()
    rows = [found[label] for label in labels if label in found]
    styles, variants = _model_styles(summary), {row["model"]: row["variant"] for row in summary.rows("models")}

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, row in enumerate(rows):
            ends = row["accuracy_low"], row["accuracy_high"]
            filled = variants[row["model"]] == "base"
            estimate_mark(axes, index, row["accuracy"], *ends, styles[row["model"]], filled=filled)
            text = words.cell(row["accuracy"], "percent")
            axes.annotate(text, (ends[1], index), (8, 0), textcoords="offset points", va="center", fontsize=7.5)
        row_labels(axes, [row["model"] for row in rows])
        # The numbers take the place beyond the intervals.
        percent_axis(
            axes, [end for it in rows for end in (it["accuracy_low"], it["accuracy_high"] + 0.03)], words("percent")
        )
        _family_legend(figure, summary, labels, words)

    row = 0.31 if any(len(row["model"]) > LABEL_WIDTH for row in rows) else 0.25
    return plot(words, "ranking", draw, _n(rows), 1.2 + row * len(rows), over=interval_bases(rows, words))


def measures(summary: Summary, words: Words, labels: Sequence[str]) -> Plot:
    """mean_nll against sum_logprob: a line for each model; of a single model a line for each rule."""
    of_rules = len(summary.runs) == 1 and bool(summary.groups("rule"))
    name, kind = ("group", "rule") if of_rules else ("model", "overall")
    both: dict[str, dict[str, Row]] = {}
    for row in summary.rows("groups", kind=kind):
        if row["model"] in labels and (of_rules or row["group"] == "all pairs"):
            both.setdefault(row[name], {})[row["measure"]] = row
    rows = [(label, own["sum_logprob"]["accuracy"], own["mean_nll"]["accuracy"]) for label, own in both.items()]
    rows = sorted(rows, key=lambda row: row[1]) if of_rules else rows

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        places = range(len(rows))
        axes.hlines(places, [row[1] for row in rows], [row[2] for row in rows], color=SOFT, linewidth=1.4)
        for n, (measure, mark, size) in enumerate((("sum_logprob", "o", 8), ("mean_nll", "D", 4.5)), start=1):
            label, values = words(f"terms.measure.{measure}"), [row[n] for row in rows]
            axes.plot(values, places, mark, color=SERIES[n - 1], markersize=size, label=label)
        row_labels(axes, [row[0] for row in rows])
        percent_axis(axes, [value for row in rows for value in row[1:]], words("percent"))
        figure.legend(loc="outside upper left", ncols=2)

    fewest = min((row["n_pairs" if of_rules else "n"] for own in both.values() for row in own.values()), default=0)
    title = "title_rules" if of_rules else "title"
    return plot(words, "mean-against-sum", draw, fewest, 1.0 + 0.36 * len(rows), title=title)


def size(summary: Summary, words: Words, labels: Sequence[str]) -> Plot | None:
    """Size against accuracy, a line for each family; None with fewer than three models."""
    found = summary.accuracies()
    points = [
        row | found[row["model"]] | {"x": n}
        for row in summary.rows("models")
        if row["model"] in labels and row["model"] in found
        if (n := size_of(row["size"]) or float(summary.runs[row["model"]].model.n_parameters))
    ]
    ticks = sorted({point["x"] for point in points})
    if len(points) < 3 or len(ticks) < 2:
        return None
    styles = {point["family"]: _model_styles(summary)[point["model"]] for point in points}

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

        axes = figure.subplots()
        for family, (colour, marker) in styles.items():
            for variant, fill, line in (("base", colour, "-"), ("instruct", PAPER, (0, (4, 2)))):
                own = [it for it in points if (it["family"], it["variant"]) == (family, variant)]
                own.sort(key=lambda it: it["x"])
                x, y, low, high = (
                    [it[name] for it in own] for name in ("x", "accuracy", "accuracy_low", "accuracy_high")
                )
                axes.plot(x, y, color=colour, marker=marker, linestyle=line, markerfacecolor=fill, markersize=7)
                axes.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.55, zorder=1)
        axes.set_xscale("log")
        axes.set_xticks(ticks_apart(ticks, 0.18))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: parameters(round(value)).replace(".0", "")))
        axes.xaxis.set_minor_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(axis="x", which="both", length=4, color=SOFT)
        upright_percent_axis(axes, words("percent"))
        axes.axhline(0.5, color=CHANCE, linestyle=DASHED, linewidth=1.1)
        axes.set_xlabel(words("axes.parameters"))
        _family_legend(figure, summary, labels, words)

    return plot(words, "size", draw, _n(points), 3.4, n_models=len(points))


def base_and_instruct(summary: Summary, words: Words) -> Plot | None:
    """Base against tuned models of the same size, with the interval of the difference; None where there are none."""
    pairs = summary.rows("comparisons", relation="base-instruct", measure="sum_logprob")
    models = {row["model"]: row for row in summary.rows("models")}
    if not pairs:
        return None

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        axes = figure.subplots()
        for index, row in enumerate(pairs):
            sign = -1 if models[row["b"]]["variant"] == "instruct" else 1
            low, high = (it and sign * it for it in (row["difference_low"], row["difference_high"]))
            estimate_mark(axes, index, sign * row["difference"], low, high)
        row_labels(axes, [f"{models[row['a']]['family']} {models[row['a']]['size']}" for row in pairs])
        axes.axvline(0, color=INK, linewidth=1)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+.0f}" if value else "0"))
        axes.set_xlabel(words("axes.tuning"))

    return plot(words, "base-and-instruct", draw, _n(pairs), 1.0 + 0.42 * len(pairs))


def rules(summary: Summary, words: Words) -> Plot | None:
    """Each rule's accuracy with its interval, for a single model; several have a heat map. None for a single rule."""
    groups = summary.groups("rule")
    rows = sorted(summary.rows("groups", kind="rule", measure="sum_logprob"), key=lambda row: row["accuracy"])
    if len(summary.runs) != 1 or len(groups) < 2:
        return None

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, row in enumerate(rows):
            few = row["n_pairs"] < FEW
            ends = row["accuracy_low"], row["accuracy_high"]
            estimate_mark(axes, index, row["accuracy"], *ends, (SOFT if few else SERIES[0], "o"), filled=not few)
        row_labels(axes, [row["group"] for row in rows], [f" ({row['n_pairs']})" for row in rows])
        percent_axis(axes, [0, 1], words("percent"))

    return plot(
        words,
        "rules",
        draw,
        min(groups.values()),
        0.7 + 0.38 * len(rows),
        n_rules=len(rows),
        over=interval_bases(rows, words),
    )


def heat_map(summary: Summary, words: Words, labels: Sequence[str]) -> Plot | None:
    """Models by rules as a picture; None for a single model."""
    groups = summary.groups("rule")
    if len(labels) < 2 or not groups:
        return None

    def draw(figure: "Figure") -> None:
        found = {
            (row["group"], row["model"]): row for row in summary.rows("groups", kind="rule", measure="sum_logprob")
        }
        cells = [[found.get((it, label), {}).get("accuracy", math.nan) for label in labels] for it in groups]
        names = [wrapped(f"{group} ({n})", 44) for group, n in groups.items()]
        shades = [
            [0.5 + (value - 0.5) * certainty(n) for value in row] for n, row in zip(groups.values(), cells, strict=True)
        ]
        models = [wrapped(label, 18, 1) for label in labels]
        draw_heat_map(figure.subplots(), cells, names, models, (0, 1), lambda it: words.cell(it, "whole"), shades)

    height, width = 1.6 + 0.36 * len(groups), max(WIDTH, 4 + 0.45 * len(labels))
    n_pairs, n_models = min(groups.values()), len(labels)
    return plot(words, "heat-map", draw, n_pairs, height, width, n_rules=len(groups), n_models=n_models)


def people(summary: Summary, words: Words) -> Plot | None:
    """Ratings of people against score differences, a panel a model; None without ratings of the release's pairs."""
    points = {label: rows for label in summary.runs if (rows := summary.rows("rated_pairs", model=label))}
    labels, styles = list(points)[:MOST_PANELS], _model_styles(summary)
    overall = summary.rows("alignment", phenomenon=ALL, measure="sum_logprob")
    pearson = {row["model"]: row["pearson"] for row in overall}
    columns = min(2, len(labels))
    if not points:
        return None

    def draw(figure: "Figure") -> None:
        for number, label in enumerate(labels):
            axes = figure.add_subplot(-(-len(labels) // columns), columns, number + 1)
            axes.axhline(0, color=CHANCE, linestyle=DASHED, linewidth=1)
            axes.axvline(0, color=LINE, linewidth=1)
            x, y = ([point[name] for point in points[label]] for name in ("people", "nats"))
            colour, marker = styles[label]
            axes.plot(x, y, marker, linestyle="", color=colour, alpha=0.7, markersize=4.5)
            r = pearson.get(label)
            known = "" if r is None else f", r = {words.cell(r, 'number')}"
            axes.set_title(wrapped(f"{label}{known}", 30), fontsize=8)
            axes.set_xlabel(words("axes.people") if number + columns >= len(labels) else "")
            axes.set_ylabel(words("axes.models") if number % columns == 0 else "")
            axes.tick_params(labelcolor=SOFT)
            axes.grid(True)

    fewest, height = min(len(points[label]) for label in labels), 2.3 * -(-len(labels) // columns) + 0.2
    left_out = words("figures.best_of", n=MOST_PANELS, of=len(points)) if len(points) > MOST_PANELS else ""
    return plot(words, "people", draw, fewest, height, left_out=left_out)


def confounds(summary: Summary, words: Words) -> Plot | None:
    """The standardised coefficients with their intervals, a panel a measure; None where none was fitted."""
    rows = summary.rows("confounds")
    names, labels, by_measure = (
        list(dict.fromkeys(row[it] for row in rows)) for it in ("property", "model", "measure")
    )
    if not rows:
        return None

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FuncFormatter

        for number, measure in enumerate(by_measure):
            axes = figure.add_subplot(len(by_measure), 1, number + 1)
            for row in (row for row in rows if row["measure"] == measure):
                series = names.index(row["property"])
                place = labels.index(row["model"]) + 0.2 * (series - (len(names) - 1) / 2)
                ends = row["coefficient_low"], row["coefficient_high"]
                estimate_mark(axes, place, row["coefficient"], *ends, (SERIES[series], "."))
            row_labels(axes, labels)
            axes.axvline(0, color=INK, linewidth=1)
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words.cell(value, "number")))
            axes.set_title(words(f"axes.by_{measure}"))
            axes.set_xlabel(words("axes.coefficient"))
        styles = {words.name("terms.property", name): (SERIES[n], ".") for n, name in enumerate(names)}
        _legend(figure, styles, line="-")

    height = len(by_measure) * (0.9 + 0.42 * max(len(labels), 2)) + 0.4
    return plot(words, "confounds", draw, _n(rows), height)


# Prompted tasks


def task_sizes(summary: Summary, words: Words) -> Plot | None:
    """Accuracy by the number of options, a panel for each task and number of sentences; None without several sizes."""
    panels: dict[str, list[Row]] = {}
    for row in summary.rows("task_sizes"):
        n = row["n_sentences"]
        with_n = "" if n is None else words("axes.with_sentences", task=row["task"], n=int(n))
        panels.setdefault(with_n or row["task"], []).append(row)
    panels = {name: rows for name, rows in panels.items() if len({row["n_options"] for row in rows}) > 1}
    chances = {name: {row["n_options"]: row["chance"] for row in rows} for name, rows in panels.items()}
    return _panels(summary, words, "task-sizes", panels, "n_options", "value", 1.9, chances)


def task_places(summary: Summary, words: Words) -> Plot | None:
    """The share of choices by place, a panel for each task at its most frequent number of options."""
    counts: dict[str, Counter[int]] = {}
    for row in summary.rows("task_places", place=1):
        counts.setdefault(row["task"], Counter())[row["n_options"]] += row["n"]
    panels = {}
    for task, own in sorted(counts.items()):
        n = max(own, key=lambda n: (own[n], -n))
        panels[words("axes.with_options", task=task, n=n)] = summary.rows("task_places", task=task, n_options=n)
    return _panels(summary, words, "task-places", panels, "place", "chosen", 1.5, {})


def _panels(
    summary: Summary,
    words: Words,
    id: str,
    panels: dict[str, list[Row]],
    x: str,
    y: str,
    row_height: float,
    chances: dict[str, dict[int, float]],
) -> Plot | None:
    """A panel a name with a line for each model: of `y` over `x`, with intervals or with what is expected."""
    labels = list(summary.task_runs)[:MOST_PANELS]
    styles = {label: series_style(n) for n, label in enumerate(labels)}
    if not panels:
        return None

    def draw(figure: "Figure") -> None:
        for number, (name, rows) in enumerate(panels.items()):
            axes = figure.add_subplot(len(panels), 1, number + 1)
            expected = dict(sorted(chances.get(name, {}).items()))
            axes.plot(list(expected), list(expected.values()), color=CHANCE, linestyle=DASHED, linewidth=1.1)
            for label, (colour, marker) in styles.items():
                own = [row for row in rows if row["model"] == label]
                at = [row[x] for row in own]
                axes.plot(at, [row[y] for row in own], color=colour, marker=marker, markersize=5)
                if chances:
                    low, high = (np.array([row[f"{y}_{end}"] for row in own], dtype=float) for end in ("low", "high"))
                    axes.vlines(at, low, high, color=colour, linewidth=0.9, alpha=0.55)
                elif own:
                    axes.axhline(own[0]["expected"], color=colour, linestyle=DASHED, linewidth=0.9, alpha=0.7)
            axes.set_ylim(-0.02, 1.02)
            upright_percent_axis(axes, words("percent"))
            axes.set_xticks(sorted({row[x] for row in rows}))
            axes.set_title(name)
            axes.set_xlabel(words(f"axes.{x}") if number == len(panels) - 1 else "")
        if len(summary.task_runs) > 1:
            _legend(figure, styles, line="-")

    fewest = _n([row for rows in panels.values() for row in rows])
    height = 0.6 + row_height * len(panels) + (0.17 * -(-len(labels) // 2) if len(labels) > 1 else 0.0)
    n_models = len(summary.task_runs)
    left_out = words("figures.first_of", n=MOST_PANELS, of=n_models) if n_models > MOST_PANELS else ""
    return plot(words, id, draw, fewest, height, unit="answers", left_out=left_out)


def task_correlations(summary: Summary, words: Words, method: str) -> Plot | None:
    """A heat map of all couples of columns; None with too few models."""
    rows = summary.rows("between_tasks")
    columns = list(dict.fromkeys(name for key in ("a", "b") for name in (row[key] for row in rows)))
    values = {frozenset((row["a"], row["b"])): row[method] for row in rows if row[method] is not None}
    if not rows:
        return None

    def draw(figure: "Figure") -> None:
        cells = [[1.0 if a == b else values.get(frozenset((a, b)), math.nan) for b in columns] for a in columns]
        names = [wrapped(words.name("terms.task", name), 26) for name in columns]
        draw_heat_map(figure.subplots(), cells, names, names, (-1, 1), lambda r: words.cell(r, "number"))

    width, height = max(WIDTH, 3.2 + 0.55 * len(columns)), 1.9 + 0.42 * len(columns)
    n_models = sum(row["n_columns"] > 1 for row in summary.rows("task_models"))
    return plot(words, f"task-{method}", draw, _n(rows), height, width, unit="models", n_models=n_models)
