"""Rows of frames: each analysis returns one frame, and an interval of `x` is in its columns `x_low` and `x_high`."""

from collections.abc import Sequence
from typing import Any

from pandas import DataFrame

from pairwright.stats.correlation import both_correlations
from pairwright.stats.intervals import Interval
from pairwright.stats.paired import PairedTest

Row = dict[str, Any]


def rows_of(frame: DataFrame) -> list[Row]:
    """The rows of a frame; what is missing is None."""
    rows: list[Row] = frame.astype(object).where(frame.notna(), None).to_dict("records")  # type: ignore[assignment]
    return rows


def ends(name: str, interval: Interval | None) -> Row:
    """The ends of the 95% interval of a column; None where there is no interval."""
    return {f"{name}_low": interval.low if interval else None, f"{name}_high": interval.high if interval else None}


def tested(test: PairedTest) -> Row:
    """A paired test: the counts, the p-values and the difference with its interval, as a share."""
    counts = test.model_dump(exclude={"interval"})
    return {**counts, "difference": test.difference, **ends("difference", test.interval)}


def correlated(x: Sequence[float], y: Sequence[float]) -> Row:
    """Pearson's and Spearman's correlation of `n` points with their intervals and p-values; None where undefined."""
    row: Row = {"n": len(x)}
    for name, found in zip(("pearson", "spearman"), both_correlations(x, y), strict=True):
        row |= {name: found.value if found else None, **ends(name, found.interval if found else None)}
        row[f"{name}_p"] = found.p if found else None
    return row
