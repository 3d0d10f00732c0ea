"""The figures of a report, as files and as elements of the page, whose light and dark schemes replace their colours."""

import io
import logging
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEW, Row
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data import parameters, size_of
from pairwright.reporting.render.tables import interval_bases

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The page's style sheet has a name for each colour; the series are Okabe and Ito's, which colour-blind people can tell
# apart.
PAPER, INK, SOFT, LINE, CHANCE = "#fefefd", "#1d2126", "#5a6169", "#d9d7d0", "#9a6a1a"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b2559c", "#c68a00", "#3a9bd1", "#6b6b3a", "#7b4fb5")
UP, DOWN = "#2f86c1", "#d9792b"
MARKERS = "osD^vPX*"
NAMES = {PAPER: "paper", INK: "ink", SOFT: "soft", LINE: "line", CHANCE: "chance", UP: "up", DOWN: "down"} | {
    colour: f"c{number}" for number, colour in enumerate(SERIES, start=1)
}
# In inches: its letters are large enough on a phone's screen and small enough in a column of print.
WIDTH = 4.8
DASHED = (0, (3, 3))
# Letters in a line of the name of a row.
LABEL_WIDTH = 24
_STYLE: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    # Names of models and rules are no formulas.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "pairwright",
    "pdf.fonttype": 42,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "legend.handletextpad": 0.4,
    "lines.linewidth": 1.6,
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "axes.spines.left"), False),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 0),
    **dict.fromkeys(("figure.facecolor", "savefig.facecolor"), PAPER),
    **dict.fromkeys(("text.color", "axes.titlecolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.labelcolor", "xtick.color", "ytick.color", "xtick.labelcolor"), SOFT),
    **dict.fromkeys(("axes.edgecolor", "grid.color"), LINE),
}


@dataclass(frozen=True)
class Plot:
    """A figure of a report. `draw` gets an empty figure of this height, in inches.

    description  what there is to see, in a sentence, for those who can't see it
    warning      that it rests on few pairs; empty where it doesn't
    """

    id: str
    title: str
    description: str
    warning: str
    height: float
    draw: Callable[["Figure"], None] = field(repr=False)


def series_style(index: int) -> tuple[str, str]:
    """The colour and the marker of a series; after eight series both begin again, in other combinations."""
    return SERIES[index % len(SERIES)], MARKERS[(index + index // len(SERIES)) % len(MARKERS)]


def render(plot: Plot) -> dict[str, bytes]:
    """Draws a figure as SVG and as PDF; the same plot gives the same bytes."""
    # It logs its font cache and warns of each letter that its own font lacks; the page has letters of its own.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    files = {}
    with _style(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        figure = drawn(plot.draw, plot.height)
        if plot.warning:
            figure.supxlabel("\n".join(textwrap.wrap(plot.warning, 72)), fontsize=7.5, color=CHANCE)
        for form, date in (("svg", "Date"), ("pdf", "CreationDate")):
            data = io.BytesIO()
            figure.savefig(data, format=form, metadata={date: None})
            files[form] = data.getvalue()
            # The first form has placed all parts; the next one takes over their places.
            figure.set_layout_engine("none")
    return files


def drawn(draw: "Callable[[Figure], None]", height: float) -> "Figure":
    """A figure in the report's style."""
    from matplotlib.figure import Figure

    with _style():
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
    return figure


def _style() -> Any:
    import matplotlib as mpl

    return mpl.rc_context(_STYLE)


def svg_element(svg: bytes) -> str:
    """An SVG file as an element of a page: with the page's colours and fonts, and without size and background."""
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    for name in ("width", "height"):
        text = re.sub(rf'(<svg[^>]*?) {name}="[^"]*"', r"\1", text, count=1)
    text = text.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
    text = text.replace(f"fill: {PAPER}", "fill: none", 1)
    for colour, name in NAMES.items():
        text = text.replace(colour, f"var(--{name})")
    return text.replace("'DejaVu Sans'", "var(--letters)").strip()


# Parts of figures


def wrapped(label: str, width: int, lines: int = 2) -> str:
    """A label over at most some lines, cut with an ellipsis."""
    parts = textwrap.wrap(label, width, break_long_words=True, max_lines=lines, placeholder=" …")
    return "\n".join(parts) or label


def row_labels(axes: "Axes", labels: Sequence[str], suffixes: Sequence[str] = ()) -> None:
    """Names the rows of a figure at its left, each on one line or two; suffixes are never cut.

    Each line is a text of its own, so that it ends at the axis whatever fonts the page is shown in.
    """
    for index, label in enumerate(labels):
        suffix = suffixes[index] if suffixes else ""
        lines = wrapped(label, LABEL_WIDTH - len(suffix)).split("\n")
        lines[-1] += suffix
        for number, line in enumerate(lines):
            axes.annotate(
                line,
                (0, index),
                (-7, ((len(lines) - 1) / 2 - number) * 10),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="center",
                annotation_clip=False,
            )
    axes.set_yticks(range(len(labels)), [""] * len(labels))
    axes.set_ylim(len(labels) - 0.45, -0.65)
    axes.grid(axis="x")


def percent_axis(axes: "Axes", values: Sequence[float], sign: str) -> None:
    """The horizontal axis of shares in percent: around the values, in steps of five, with the line of chance."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    low, high = min([*values, 0.5]), max([*values, 0.5])
    low, high = max(-0.02, (low - 0.03) // 0.05 * 0.05), min(1.02, -(-(high + 0.03) // 0.05) * 0.05)
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=sign))
    if low < 0.5 < high:
        axes.axvline(0.5, color=CHANCE, linestyle=DASHED, linewidth=1.1, zorder=1)


def estimate_mark(
    axes: "Axes",
    place: float,
    value: float,
    low: float | None,
    high: float | None,
    style: tuple[str, str] = (SERIES[0], "o"),
    *,
    filled: bool = True,
) -> None:
    """A marker on the line of its interval, in a row of the figure."""
    colour, marker = style
    if low is not None and high is not None:
        axes.plot([low, high], [place] * 2, color=colour, linewidth=2)
    fill = colour if filled else PAPER
    axes.plot(value, place, marker, color=colour, markerfacecolor=fill, markersize=6.5, markeredgewidth=1.5)


def certainty(n: int) -> float:
    """How strongly a share of n pairs is coloured, 0-1: half as strongly as one of very many where n is `FEW`."""
    return n / (n + FEW)


# The figures; None where there is nothing to show. The words have their titles.


def _plot(
    words: Words, id: str, draw: Callable[["Figure"], None], n_pairs: int, height: float, **values: object
) -> Plot:
    """A figure with its title and description of the words, in which `values` are filled in.

    n_pairs  the smallest number of pairs that a point of the figure rests on
    """
    warning = words("figures.few", few=FEW, n=n_pairs) if n_pairs < FEW else ""
    heading, text = (words(f"figures.{id}.{part}", **values) for part in ("title", "description"))
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


def ranking(summary: Summary, words: Words, labels: Sequence[str]) -> Plot:
    """Models of one conditioning with their intervals by sum_logprob, best first, coloured by family."""
    found = summary.accuracies()
    rows = [found[label] for label in labels if label in found]
    styles, variants = _model_styles(summary), {row["model"]: row["variant"] for row in summary.rows("models")}

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for index, row in enumerate(rows):
            high = row["accuracy_high"]
            filled = variants[row["model"]] == "base"
            estimate_mark(axes, index, row["accuracy"], row["accuracy_low"], high, styles[row["model"]], filled=filled)
            text = words.cell(row["accuracy"], "percent")
            axes.annotate(text, (high, index), (8, 0), textcoords="offset points", va="center", fontsize=7.5)
        row_labels(axes, [row["model"] for row in rows])
        # The numbers take the place beyond the intervals.
        ends = [row["accuracy_low"] for row in rows] + [row["accuracy_high"] + 0.03 for row in rows]
        percent_axis(axes, ends, words("percent"))
        _family_legend(figure, summary, labels, words)

    row = 0.31 if any(len(row["model"]) > LABEL_WIDTH for row in rows) else 0.25
    fewest = min((row["n"] for row in rows), default=0)
    return _plot(words, "ranking", draw, fewest, 1.2 + row * len(rows), over=interval_bases(rows, words))


def size(summary: Summary, words: Words, labels: Sequence[str]) -> Plot | None:
    """Size against accuracy, a line for each family; None with fewer than three models."""
    found = summary.accuracies()
    points = [
        row | found[row["model"]] | {"x": n}
        for row in summary.rows("models")
        if row["model"] in labels and row["model"] in found
        if (n := size_of(row["size"]) or float(summary.runs[row["model"]].model.n_parameters))
    ]
    points.sort(key=lambda point: point["x"])
    if len(points) < 3 or points[0]["x"] == points[-1]["x"]:
        return None
    styles = _model_styles(summary)

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

        axes = figure.subplots()
        lines: dict[tuple[str, str], list[Row]] = {}
        for point in points:
            lines.setdefault((point["family"], point["variant"]), []).append(point)
        for (_, variant), own in lines.items():
            colour, marker = styles[own[0]["model"]]
            fill, line = (colour, "-") if variant == "base" else (PAPER, (0, (4, 2)))
            x, y, low, high = ([it[name] for it in own] for name in ("x", "accuracy", "accuracy_low", "accuracy_high"))
            axes.plot(x, y, color=colour, marker=marker, linestyle=line, markerfacecolor=fill, markersize=7)
            axes.vlines(x, low, high, color=colour, linewidth=0.9, alpha=0.55, zorder=1)
        axes.set_xscale("log")
        # Sizes that are alike share a label.
        axes.set_xticks(list({f"{point['x']:.0e}": point["x"] for point in points}.values()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: parameters(round(value)).replace(".0", "")))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(axis="x", which="major", length=4, color=SOFT)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=words("percent")))
        axes.grid(axis="y")
        axes.tick_params(axis="y", labelcolor=SOFT)
        axes.axhline(0.5, color=CHANCE, linestyle=DASHED, linewidth=1.1)
        axes.set_xlabel(words("axes.parameters"))
        _family_legend(figure, summary, labels, words)

    return _plot(words, "size", draw, min(point["n"] for point in points), 3.4, n_models=len(points))


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
        row_labels(axes, [row["group"] for row in rows], [f", n={row['n_pairs']}" for row in rows])
        percent_axis(axes, [0, 1], words("percent"))

    values = {"n_rules": len(rows), "over": interval_bases(rows, words)}
    return _plot(words, "rules", draw, min(groups.values()), 0.7 + 0.38 * len(rows), **values)
