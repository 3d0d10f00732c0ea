"""A table once, written for a spreadsheet (CSV), a paper (LaTeX with booktabs) and a text (Markdown)."""

import csv
import io
import math
from typing import Literal, NamedTuple

from pairwright.records import Record
from pairwright.stats.human import Correlation
from pairwright.stats.intervals import Interval
from pairwright.text import escape_csv_formula, escape_markdown

Kind = Literal["text", "count", "percent", "points", "number", "p"]
NO_VALUE = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


class Between(NamedTuple):
    """A value with the ends of its 95% interval, None where there is none."""

    value: float
    low: float | None
    high: float | None


Cell = str | int | float | Between | None


class Column(Record):
    """A column: its heading and what stands in it.

    kind  percent: shares 0-1, shown in percent; points: differences of shares, shown in percentage points with their
          sign; number: with two decimals; p: a p-value
    heat  whether a share is coloured by how far it is from one half
    """

    label: str
    kind: Kind = "text"
    heat: bool = False

    @property
    def numeric(self) -> bool:
        return self.kind != "text"


class Table(Record):
    """A table of a report. `id` names its files; `note` says under it what a reader has to know, as plain text."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def between(value: float, interval: Interval | None) -> Between:
    """A value and its interval as a cell."""
    return Between(value, interval.low if interval else None, interval.high if interval else None)


def correlated(found: Correlation | None) -> Between | None:
    """A correlation as a cell."""
    return between(found.value, found.interval) if found is not None else None


def shown(cell: Cell, kind: Kind) -> str:
    """A cell as people read it."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return NO_VALUE
    if isinstance(cell, Between):
        return shown(cell.value, kind)
    if isinstance(cell, str):
        return cell
    if kind == "percent":
        return f"{100 * cell:.1f}"
    if kind == "points":
        return signed(100 * cell, 1)
    if kind == "p":
        return "<0.001" if cell < 0.001 else f"{cell:.3f}"
    return f"{cell:,}" if kind == "count" else signed(cell, 2).removeprefix("+")


def signed(value: float, digits: int) -> str:
    """A number with its sign; a zero has none."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def range_of(cell: Cell, kind: Kind) -> str:
    """The interval of a cell as people read it, empty where it has none."""
    if not isinstance(cell, Between) or cell.low is None or cell.high is None:
        return ""
    low, high = shown(cell.low, kind), shown(cell.high, kind)
    return f"{low} to {high}" if kind in ("points", "number") else f"{low}–{high}"


def as_csv(table: Table) -> str:
    """The table in full precision; an interval takes two more columns. No text is taken for a formula."""
    wide = [any(isinstance(row[place], Between) for row in table.rows) for place in range(len(table.columns))]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head: list[str] = []
    for column, ranged in zip(table.columns, wide, strict=True):
        head += [column.label, f"{column.label} low", f"{column.label} high"] if ranged else [column.label]
    writer.writerow([escape_csv_formula(label) for label in head])
    for row in table.rows:
        cells: list[str | int | float | None] = []
        for cell, ranged in zip(row, wide, strict=True):
            if isinstance(cell, Between):
                cells += [cell.value, cell.low, cell.high]
            else:
                cells += [
                    escape_csv_formula(cell) if isinstance(cell, str) else cell,
                    *([None, None] if ranged else []),
                ]
        writer.writerow(cells)
    return text.getvalue()


def as_latex(table: Table) -> str:
    """The table as it would be printed, to be put into a document that uses booktabs."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_latex(table.title)}}}",
        f"\\label{{tab:{table.id}}}",
        f"\\begin{{tabular}}{{{layout}}}",
        "\\toprule",
        " & ".join(_latex(column.label) for column in table.columns) + " \\\\",
        "\\midrule",
    ]
    for row in table.rows:
        cells = [_latex_cell(cell, column.kind) for cell, column in zip(row, table.columns, strict=True)]
        lines.append(" & ".join(cells) + " \\\\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    if table.note:
        lines += ["", "\\smallskip", f"\\footnotesize {_latex(table.note)}"]
    return "\n".join([*lines, "\\end{table}", ""])


def _latex_cell(cell: Cell, kind: Kind) -> str:
    within = range_of(cell, kind)
    value = _latex(shown(cell, kind))
    return f"{value} {{\\scriptsize [{_latex(within)}]}}" if within else value


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))


def as_markdown(table: Table) -> str:
    """The table in GitHub's Markdown, every text escaped."""
    rule = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [
        [_markdown_cell(c, column.kind) for c, column in zip(row, table.columns, strict=True)] for row in table.rows
    ]
    lines = [[str(escape_markdown(column.label)) for column in table.columns], rule, *rows]
    body = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"{body}\n\n{escape_markdown(table.note)}\n" if table.note else f"{body}\n"


def _markdown_cell(cell: Cell, kind: Kind) -> str:
    within = range_of(cell, kind)
    text = str(escape_markdown(" ".join(shown(cell, kind).split())))
    return f"{text} ({within})" if within else text
