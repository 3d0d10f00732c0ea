"""Figures as files and inside a page: one drawing, in colours that the page's light and dark schemes replace."""

import io
import logging
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pairwright.report.analysis.groups import FEW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What the page's style sheet calls these colours; the series are Okabe and Ito's, told apart by colour-blind people.
PAPER, INK, SOFT, LINE, CHANCE = "#fefefd", "#1d2126", "#5a6169", "#d9d7d0", "#9a6a1a"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b2559c", "#c68a00", "#3a9bd1", "#6b6b3a", "#7b4fb5")
UP, DOWN = "#2f86c1", "#d9792b"
MARKERS = "osD^vPX*"
WIDE, NARROW = 8.6, 3.6
_NAMES = {PAPER: "paper", INK: "ink", SOFT: "soft", LINE: "line", CHANCE: "chance", UP: "up", DOWN: "down"} | {
    colour: f"c{number}" for number, colour in enumerate(SERIES, start=1)
}
_STYLE: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    # Names of models and rules are no formulas.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "pairwright",
    "pdf.fonttype": 42,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.titlecolor": INK,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handletextpad": 0.4,
    "lines.linewidth": 1.6,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
}

Draw = Callable[["Figure", bool], None]


@dataclass(frozen=True)
class Plot:
    """A figure of a report. `draw` gets an empty figure and whether it is narrow, for a phone.

    n_pairs  the smallest number of pairs that a point of the figure rests on
    height   in inches, of the wide and of the narrow figure
    says     what is to be seen, in a sentence, for those who can't see it
    """

    id: str
    title: str
    says: str
    n_pairs: int
    height: tuple[float, float]
    draw: Draw = field(repr=False)

    @property
    def few(self) -> str:
        """The warning of a figure that rests on few pairs; empty where it doesn't."""
        if self.n_pairs >= FEW:
            return ""
        pairs = "a single pair" if self.n_pairs == 1 else f"{self.n_pairs} pairs"
        return f"Some points rest on fewer than {FEW} pairs, the smallest on {pairs}."


@dataclass(frozen=True)
class Drawn:
    """A figure as it stands in the page, wide and narrow, and as files."""

    plot: Plot
    wide: str
    narrow: str
    svg: bytes
    pdf: bytes


def render(plot: Plot) -> Drawn:
    """Draws a figure in all its forms; the same plot gives the same bytes."""
    import matplotlib as mpl

    # It tells of its font cache, and of each letter that its own font lacks; the page has letters of its own.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        wide, narrow = _figure(plot, narrow=False), _figure(plot, narrow=True)
        svg = _saved(wide, "svg")
        return Drawn(plot, inline(svg), inline(_saved(narrow, "svg")), svg, _saved(wide, "pdf"))


def _figure(plot: Plot, *, narrow: bool) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(NARROW if narrow else WIDE, plot.height[narrow]), layout="constrained")
    plot.draw(figure, narrow)
    if plot.few:
        figure.supxlabel("\n".join(textwrap.wrap(plot.few, 48 if narrow else 110)), fontsize=8, color=CHANCE)
    return figure


def _saved(figure: "Figure", form: str) -> bytes:
    data = io.BytesIO()
    nothing = {"Date": None} if form == "svg" else {"CreationDate": None}
    figure.savefig(data, format=form, metadata=nothing)
    # The places of all parts were found with the first form and hold for the next.
    figure.set_layout_engine("none")
    return data.getvalue()


def inline(svg: bytes) -> str:
    """An SVG file as an element of a page: the page's colours and letters, no background, and ids of its own."""
    text = svg.decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = text.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
    text = text.replace(f"fill: {PAPER}", "fill: none", 1)
    for colour, name in _NAMES.items():
        text = text.replace(colour, f"var(--{name})")
    return text.replace("'DejaVu Sans'", "var(--letters)").strip()


def wrapped(label: str, width: int, lines: int = 2) -> str:
    """A label over at most some lines, cut with an ellipsis."""
    found = textwrap.wrap(label, width, break_long_words=True, max_lines=lines, placeholder=" …")
    return "\n".join(found) or label


def percent_axis(axes: "Axes", low: float, high: float, *, narrow: bool, label: str = "") -> None:
    """The horizontal axis of a figure in percent, with the line of chance at one half."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(4 if narrow else 8, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(axis="x")
    if low < 0.5 < high:
        axes.axvline(0.5, color=CHANCE, linestyle=(0, (3, 3)), linewidth=1.1, zorder=1)
    if label:
        axes.set_xlabel(label)


def limits(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis of shares around some values, with chance in sight, to the next five percent."""
    low, high = min([*values, 0.5]), max([*values, 0.5])
    return max(-0.02, (low - 0.03) // 0.05 * 0.05), min(1.02, -(-(high + 0.03) // 0.05) * 0.05)
