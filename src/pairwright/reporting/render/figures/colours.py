"""The colours and markers of figures."""

# The page's style sheet has a name for each colour; the series are Okabe and Ito's, which colour-blind people can tell
# apart.
PAPER, INK, SOFT, LINE, CHANCE = "#fefefd", "#1d2126", "#5a6169", "#d9d7d0", "#9a6a1a"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b2559c", "#c68a00", "#3a9bd1", "#6b6b3a", "#7b4fb5")
UP, DOWN = "#2f86c1", "#d9792b"
MARKERS = "osD^vPX*"
NAMES = {PAPER: "paper", INK: "ink", SOFT: "soft", LINE: "line", CHANCE: "chance", UP: "up", DOWN: "down"} | {
    colour: f"c{number}" for number, colour in enumerate(SERIES, start=1)
}


def series_style(index: int) -> tuple[str, str]:
    """The colour and the marker of a series; after eight series both begin again, in other combinations."""
    return SERIES[index % len(SERIES)], MARKERS[(index + index // len(SERIES)) % len(MARKERS)]
