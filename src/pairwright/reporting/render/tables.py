"""Tables: a specification of columns builds them; they are written as CSV, as LaTeX with booktabs, and as Markdown."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pairwright.records import Record
from pairwright.stats.intervals import Interval
from pairwright.text import escape_csv_formula, escape_markdown

CellFormat = Literal["text", "count", "percent", "points", "number", "p"]
NO_VALUE = "–"
_LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}"}
)
Item = TypeVar("Item")


class ValueWithInterval(NamedTuple):
    """A value with the ends of its 95% interval, None where there is none."""

    value: float
    low: float | None
    high: float | None


ReportCell = str | int | float | ValueWithInterval | None


@dataclass(frozen=True)
class ReportColumn(Generic[Item]):
    """A column: its heading, its value of an item (an estimate stands for its value and interval), and how it is shown.

    format  percent: shares 0-1, shown in percent; points: differences of shares, shown in percentage points with their
            sign; number: with two decimals; p: a p-value. All but text are aligned to the right
    heat    whether a share is coloured by how far it is from one half
    """

    label: str
    value: Callable[[Item], ReportCell | Record]
    format: CellFormat = "text"
    heat: bool = False

    @property
    def numeric(self) -> bool:
        return self.format != "text"


@dataclass(frozen=True)
class ReportTable:
    """A table of a report. `id` names its files; `note` says below it what a reader has to know, as plain text."""

    id: str
    title: str
    columns: tuple[ReportColumn[Any], ...]
    rows: tuple[tuple[ReportCell, ...], ...]
    note: str = ""


def table(
    id: str, title: str, items: Iterable[Item], *columns: ReportColumn[Item], note: str = ""
) -> ReportTable | None:
    """Builds a table with an item a row; None where there is no item."""
    rows = tuple(tuple(_cell(column.value(item)) for column in columns) for item in items)
    return ReportTable(id, title, columns, rows, note) if rows else None


def _cell(value: Any) -> ReportCell:
    cell: ReportCell = between(value.value, value.interval) if hasattr(value, "interval") else value
    return cell


def between(value: float, interval: Interval | None) -> ValueWithInterval:
    """A value and its interval as a cell."""
    return ValueWithInterval(value, interval.low if interval else None, interval.high if interval else None)


def format_cell(cell: ReportCell, kind: CellFormat) -> str:
    """A cell as people read it."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return NO_VALUE
    if isinstance(cell, ValueWithInterval):
        return format_cell(cell.value, kind)
    if isinstance(cell, str):
        return cell
    if kind == "percent":
        return f"{100 * cell:.1f}"
    if kind == "points":
        return format_signed(100 * cell, 1)
    if kind == "p":
        return "<0.001" if cell < 0.001 else f"{cell:.3f}"
    return f"{cell:,}" if kind == "count" else format_signed(cell, 2).removeprefix("+")


def format_signed(value: float, digits: int) -> str:
    """A number with its sign; a zero has none."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def format_interval(cell: ReportCell, kind: CellFormat) -> str:
    """The interval of a cell as people read it, empty where it has none."""
    if not isinstance(cell, ValueWithInterval) or cell.low is None or cell.high is None:
        return ""
    low, high = format_cell(cell.low, kind), format_cell(cell.high, kind)
    return f"{low} to {high}" if kind in ("points", "number") else f"{low}–{high}"


def as_csv(table: ReportTable) -> str:
    """The table in full precision; an interval takes two more columns. No text can be taken for a formula."""
    columns = zip(*table.rows, strict=True)
    widths = [3 if any(isinstance(cell, ValueWithInterval) for cell in column) else 1 for column in columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    labels = [escape_csv_formula(column.label) for column in table.columns]
    labelled = zip(labels, widths, strict=True)
    writer.writerow([name for label, n in labelled for name in (label, f"{label} low", f"{label} high")[:n]])
    for row in table.rows:
        cells: list[str | int | float | None] = []
        for cell, n in zip(row, widths, strict=True):
            plain = escape_csv_formula(cell) if isinstance(cell, str) else cell
            cells += (plain if isinstance(plain, ValueWithInterval) else (plain, None, None))[:n]
        writer.writerow(cells)
    return text.getvalue()


def formatted(table: ReportTable) -> Iterator[list[tuple[str, str]]]:
    """The rows of a table as people read them: of each cell its text and its interval."""
    for row in table.rows:
        cells = zip(row, table.columns, strict=True)
        yield [(format_cell(cell, column.format), format_interval(cell, column.format)) for cell, column in cells]


def as_latex(table: ReportTable) -> str:
    """The table as it would be printed, for a document that uses booktabs."""
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_latex(table.title)}}}",
        f"\\label{{tab:{table.id}}}",
        f"\\begin{{tabular}}{{{''.join('r' if column.numeric else 'l' for column in table.columns)}}}",
        "\\toprule",
        " & ".join(_latex(column.label) for column in table.columns) + " \\\\",
        "\\midrule",
        *(" & ".join(_latex_cell(*cell) for cell in row) + " \\\\" for row in formatted(table)),
        "\\bottomrule",
        "\\end{tabular}",
        *(("", "\\smallskip", f"\\footnotesize {_latex(table.note)}") if table.note else ()),
        "\\end{table}",
    ]
    return "\n".join([*lines, ""])


def _latex_cell(text: str, interval: str) -> str:
    return f"{_latex(text)} {{\\scriptsize [{_latex(interval)}]}}" if interval else _latex(text)


def _latex(text: str) -> str:
    return " ".join(text.split()).translate(_LATEX)


def as_markdown(table: ReportTable) -> str:
    """The table in GitHub's Markdown, every text escaped."""
    lines = [[str(escape_markdown(column.label)) for column in table.columns]]
    lines.append(["---:" if column.numeric else "---" for column in table.columns])
    lines += [[_markdown_cell(*cell) for cell in row] for row in formatted(table)]
    body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return f"{body}\n{escape_markdown(table.note)}\n" if table.note else body


def _markdown_cell(text: str, interval: str) -> str:
    escaped = escape_markdown(" ".join(text.split()))
    return f"{escaped} ({interval})" if interval else str(escaped)
