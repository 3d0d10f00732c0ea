"""What exports share: CSV files, and the texts in `data/` that they are filled from."""

import csv
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template

from pairwright import store


def template(file: str) -> str:
    """A text of `data/`, as it is."""
    return files("pairwright.release.exports").joinpath("data", file).read_text(encoding="utf-8")


def filled_template(file: str, /, **values: str) -> str:
    """A text of `data/` with a value for each of its `$names`."""
    return Template(template(file)).substitute(values)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file in UTF-8 with commas, every cell quoted."""
    with store.atomic(path) as handle:
        writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerow(header)
        writer.writerows(rows)
