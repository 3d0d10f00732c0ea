"""Tables: a specification of columns builds them; they are written as CSV, as LaTeX with booktabs, and as Markdown."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pairwright.core.records import Record
from pairwright.core.tables import table_text
from pairwright.core.text import escape_markdown
from pairwright.languages.locale import CellFormat, Words
from pairwright.reporting.analysis.groups import FEW
from pairwright.stats.intervals import Interval

_SPECIFICATIONS = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
_LATEX = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "–": "--",
    }
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "±": r"$\pm$"}
)
Item = TypeVar("Item")


class ValueWithInterval(NamedTuple):
    """A value with the ends of its 95% interval, None where there is none."""

    value: float
    low: float | None
    high: float | None


class ValueWithDeviation(NamedTuple):
    """A value with its standard deviation over repetitions, None where there was a single one."""

    value: float
    deviation: float | None


ReportCell = str | int | float | ValueWithInterval | ValueWithDeviation | None
# The keys of the names of the columns that a CSV file has for the further parts of such a cell.
_PARTS: dict[type, tuple[str, ...]] = {ValueWithInterval: ("low", "high"), ValueWithDeviation: ("deviation",)}


@dataclass(frozen=True)
class ReportColumn(Generic[Item]):
    """A column: its heading, its value of an item (an estimate stands for its value and interval), and how it is shown.

    format  percent: shares 0-1, shown in percent; points: differences of shares, shown in percentage points with their
            sign; number: with two decimals; p: a p-value; amount: of money. All but text are aligned to the right
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


def specified(
    words: Words,
    id: str,
    items: Iterable[Any],
    *more: ReportColumn[Any] | tuple[str, ...],
    note: Mapping[str, object] | None = None,
    **computed: Callable[[Any], Any],
) -> ReportTable | None:
    """A table with an item a row.

    more      columns after those that tables.toml has for the table, if any: as there the key of the heading, the value
              and its format, or made already
    note      the values in its note
    computed  columns that show no attribute of an item, by the names of their values
    """

    def column(heading: str, value: str, form: Any = "text") -> ReportColumn[Any]:
        get = computed.get(value) or attrgetter(value)
        if form.startswith("terms."):
            return ReportColumn(words.name("columns", heading), lambda item: words.name(form, get(item)))
        return ReportColumn(words.name("columns", heading), get, form)

    described = [*map(tuple, _SPECIFICATIONS.get(id, {}).get("columns", ())), *more]
    shown = [column(*it) if isinstance(it, tuple) else it for it in described]
    key = f"tables.{id}"
    below = words(f"{key}.note", **(note or {})) if "note" in words.group(key) else ""
    return table(id, words(f"{key}.title"), items, *shown, note=below)


def with_few(note: str, counts: Sequence[int], words: Words, unit: str = "pairs") -> str:
    """A note, and how many rows rest on few pairs, or on few of another unit, where some do."""
    n_few = sum(n < FEW for n in counts)
    values = {"n": n_few, "of": len(counts), "few": FEW, "few_unit": words(f"units.{unit}", n=FEW)}
    return f"{note} {words('tables.few', **values)}" if n_few else note


def _cell(value: Any) -> ReportCell:
    cell: ReportCell = between(value.value, value.interval) if hasattr(value, "interval") else value
    return cell


def between(value: float, interval: Interval | None) -> ValueWithInterval:
    """A value and its interval as a cell."""
    return ValueWithInterval(value, interval.low if interval else None, interval.high if interval else None)


def format_cell(words: Words, cell: ReportCell, kind: CellFormat) -> str:
    """A cell as people read it, without its interval."""
    return words.cell(cell.value if isinstance(cell, ValueWithInterval | ValueWithDeviation) else cell, kind)


def format_interval(words: Words, cell: ReportCell, kind: CellFormat) -> str:
    """The interval or the deviation of a cell as people read it, empty where it has none."""
    if isinstance(cell, ValueWithDeviation):
        return "" if cell.deviation is None else f"± {words.cell(cell.deviation, kind)}"
    if not isinstance(cell, ValueWithInterval) or cell.low is None or cell.high is None:
        return ""
    low, high = words.cell(cell.low, kind), words.cell(cell.high, kind)
    return words("range", low=low, high=high) if kind in ("points", "number") else f"{low}–{high}"


def as_csv(table: ReportTable, words: Words) -> str:
    """The table in full precision; an interval takes two more columns, a deviation one. No text can be a formula."""
    parts = [_parts(column) for column in zip(*table.rows, strict=True)]
    labels = [column.label for column in table.columns]
    ends = {part: f" {words(f'columns.{part}')}" for own in parts for part in own}
    rows: list[list[object]] = [
        [f"{label}{end}" for label, own in zip(labels, parts, strict=True) for end in ("", *map(ends.get, own))]
    ]
    for row in table.rows:
        rows.append([])
        for cell, own in zip(row, parts, strict=True):
            rows[-1] += (cell if isinstance(cell, tuple) else (cell, *[None] * len(own)))[: 1 + len(own)]
    return table_text(rows)


def _parts(column: Iterable[ReportCell]) -> tuple[str, ...]:
    """The further parts of the cells of a column, each of which has a column in a CSV file."""
    return next((_PARTS[type(cell)] for cell in column if type(cell) in _PARTS), ())


def formatted(table: ReportTable, words: Words) -> Iterator[list[tuple[str, str]]]:
    """The rows of a table as people read them: of each cell its text and its interval."""
    for row in table.rows:
        cells = list(zip(row, [column.format for column in table.columns], strict=True))
        yield [(format_cell(words, *cell), format_interval(words, *cell)) for cell in cells]


def as_latex(table: ReportTable, words: Words) -> str:
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
        *(" & ".join(_latex_cell(*cell) for cell in row) + " \\\\" for row in formatted(table, words)),
        "\\bottomrule",
        "\\end{tabular}",
        *(("", "\\smallskip", f"\\footnotesize {_latex(table.note)}") if table.note else ()),
        "\\end{table}",
    ]
    return "\n".join([*lines, ""])


def _latex_cell(text: str, interval: str) -> str:
    if interval.startswith("±"):
        return f"{_latex(text)} {{\\scriptsize {_latex(interval)}}}"
    return f"{_latex(text)} {{\\scriptsize [{_latex(interval)}]}}" if interval else _latex(text)


def _latex(text: str) -> str:
    return " ".join(text.split()).translate(_LATEX)


def as_markdown(table: ReportTable, words: Words) -> str:
    """The table in GitHub's Markdown, every text escaped."""
    lines = [[str(escape_markdown(column.label)) for column in table.columns]]
    lines.append(["---:" if column.numeric else "---" for column in table.columns])
    lines += [[_markdown_cell(*cell) for cell in row] for row in formatted(table, words)]
    body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return f"{body}\n{escape_markdown(table.note)}\n" if table.note else body


def _markdown_cell(text: str, interval: str) -> str:
    escaped = escape_markdown(" ".join(text.split()))
    if interval.startswith("±"):
        return f"{escaped} {interval}"
    return f"{escaped} ({interval})" if interval else str(escaped)
