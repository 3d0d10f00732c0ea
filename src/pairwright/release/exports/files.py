"""What exports share: JSON Lines and CSV files, programs, and the texts in `data/` that they are filled from.

Tables of plain text are JSON Lines, which no spreadsheet program takes for cells; CSV only where a tool reads no other.
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

from pairwright.core import store


def template(file: str) -> str:
    """A text of `data/`, as it is."""
    return files("pairwright.release.exports").joinpath("data", file).read_text(encoding="utf-8")


def filled_template(file: str, /, **values: str) -> str:
    """A text of `data/` with a value for each of its `$names`."""
    return Template(template(file)).substitute(values)


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """A JSON object a line."""
    with store.atomic(path) as handle:
        handle.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with commas, every cell quoted and otherwise as it is."""
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)
