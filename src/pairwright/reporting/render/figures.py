"""Draws figures as files and as elements of the page, in colours that the page's light and dark schemes replace."""

import io
import logging
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairwright.core.errors import StoreError
from pairwright.core.files import read_file
from pairwright.reporting.analysis.groups import FEW

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


@dataclass(frozen=True)
class RenderedFigure:
    """A figure as an element of the page, and as the contents of files."""

    plot: Plot
    element: str
    svg: bytes
    pdf: bytes


def series_style(index: int) -> tuple[str, str]:
    """The colour and the marker of a series; after eight series both begin again, in other combinations."""
    return SERIES[index % len(SERIES)], MARKERS[(index + index // len(SERIES)) % len(MARKERS)]


def render(plot: Plot, earlier: Path | None = None) -> RenderedFigure:
    """Draws a figure in all its forms; the same plot gives the same bytes.

    earlier  a folder with figures that were written before; where the SVG is still the same, its PDF is taken over,
             which saves cutting the letters out of the fonts
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # It logs its font cache and warns of each letter that its own font lacks; the page has letters of its own.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        figure = Figure(figsize=(WIDTH, plot.height), layout="constrained")
        plot.draw(figure)
        if plot.warning:
            figure.supxlabel("\n".join(textwrap.wrap(plot.warning, 72)), fontsize=7.5, color=CHANCE)
        svg = _saved(figure, "svg")
        pdf = None
        with suppress(StoreError):
            if earlier is not None and read_file(earlier / f"{plot.id}.svg", error=StoreError) == svg:
                pdf = read_file(earlier / f"{plot.id}.pdf", error=StoreError)
        return RenderedFigure(plot, svg_element(svg), svg, pdf or _saved(figure, "pdf"))


def drawn(draw: "Callable[[Figure], None]", height: float) -> "Figure":
    """A figure in the report's style."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
    return figure


def _saved(figure: "Figure", form: str) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format=form, metadata={"Date" if form == "svg" else "CreationDate": None})
    # The first form has placed all parts; the next one takes over their places.
    figure.set_layout_engine("none")
    return data.getvalue()


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


def upright_percent_axis(axes: "Axes", sign: str) -> None:
    """The vertical axis of shares in percent."""
    from matplotlib.ticker import PercentFormatter

    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=sign))
    axes.grid(axis="y")
    axes.tick_params(axis="y", labelcolor=SOFT)


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


def ticks_apart(ticks: Sequence[float], gap: float) -> list[float]:
    """The ticks that are far enough from those before them, as a share of the whole logarithmic axis."""
    kept = [ticks[0]]
    for tick in ticks[1:]:
        if math.log(tick / kept[-1]) / math.log(ticks[-1] / ticks[0]) >= gap:
            kept.append(tick)
    return kept
