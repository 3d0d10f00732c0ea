"""The figures of a report, from its summary; None where there is nothing to show. The words have their titles."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.frames import Row
from pairwright.reporting.analysis.groups import FEW
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.model_family import parameters, size_of
from pairwright.reporting.render.figures import (
    CHANCE,
    DASHED,
    LABEL_WIDTH,
    PAPER,
    SERIES,
    SOFT,
    Plot,
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


def _plot(
    words: Words,
    id: str,
    draw: Callable[["Figure"], None],
    n_pairs: int,
    height: float,
    title: str = "title",
    **values: object,
) -> Plot:
    """A figure with its title and description of the words, in which `values` are filled in.

    n_pairs  the smallest number of pairs that a point of the figure rests on
    """
    warning = words("figures.few", few=FEW, n=n_pairs) if n_pairs < FEW else ""
    heading, text = (words(f"figures.{id}.{part}", **values) for part in (title, "description"))
    return Plot(id, heading, text, warning, height, draw)


def _model_styles(summary: Summary) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each model: those of its family."""
    models = summary.rows("models")
    families = sorted({row["family"] for row in models}, key=str.lower)
    return {row["model"]: series_style(families.index(row["family"])) for row in models}


def _family_legend(figure: "Figure", summary: Summary, labels: Sequence[str], words: Words) -> None:
    """Families by colour and marker, tuned models by an empty marker; nothing for a single one."""
    from matplotlib.lines import Line2D

    styles, models = _model_styles(summary), [row for row in summary.rows("models") if row["model"] in labels]
    families = {row["family"]: styles[row["model"]] for row in sorted(models, key=lambda row: row["family"].lower())}
    handles = [
        Line2D([], [], color=colour, marker=mark, linestyle="", label=wrapped(name, 24, 1))
        for name, (colour, mark) in families.items()
    ]
    if any(row["variant"] == "instruct" for row in models):
        label = words("axes.instruct")
        handles.append(Line2D([], [], color=SOFT, marker="o", linestyle="", markerfacecolor=PAPER, label=label))
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper left", ncols=min(len(handles), 3))


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
    return _plot(words, "ranking", draw, _n(rows), 1.2 + row * len(rows), over=interval_bases(rows, words))


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
    return _plot(words, "mean-against-sum", draw, fewest, 1.0 + 0.36 * len(rows), title=title)


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

    return _plot(words, "size", draw, _n(points), 3.4, n_models=len(points))


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

    return _plot(
        words,
        "rules",
        draw,
        min(groups.values()),
        0.7 + 0.38 * len(rows),
        n_rules=len(rows),
        over=interval_bases(rows, words),
    )
